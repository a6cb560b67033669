/**
 * The current invocation without passing it as a parameter: an opt-in binding on `AsyncLocalStorage`, loaded only by an
 * import of `@sallyport/core/async-context`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger, LogLevel } from '../observability/hooks.js';
import type { BodyStream } from '../response/response.js';
import type { Context, Middleware } from './context.js';

/** Members that contexts of requests and of records have in common. */
export interface LoggingContext {
  /** The request id; `''` at tier P0. */
  readonly requestId: string;
  /** The trace id; `''` if the invocation has no valid one. */
  readonly traceId: string;
  /** The logger of this invocation: its lines contain the invocation's ids. */
  readonly log: Logger;
}

const STORAGE: unique symbol = Symbol.for('sallyport.core.async-context/1') as never;

/** Shared by all copies of this package, so that a library's copy finds the invocation that the application's copy runs. */
const storage = sharedStorage();

function sharedStorage(): AsyncLocalStorage<LoggingContext> {
  const shared = globalThis as { [STORAGE]?: AsyncLocalStorage<LoggingContext> };
  shared[STORAGE] ??= new AsyncLocalStorage();
  return shared[STORAGE];
}

/** The context of the running invocation; `undefined` outside an invocation. */
export function currentContext(): LoggingContext | undefined {
  return storage.getStore();
}

/** Runs work as part of an invocation. */
export function runWithContext<T>(ctx: LoggingContext, work: () => T): T {
  return storage.run(ctx, work);
}

/**
 * Middleware that makes the context current for everything inside it, a streamed body included. Register it first.
 *
 * @example app.use(asyncContext());
 */
export function asyncContext(): Middleware {
  return async (ctx: Context, next) => {
    const response = await storage.run(ctx, () => next(ctx));
    if (response.bodyStream) response.bodyStream = boundStream(ctx, response.bodyStream);
    return response;
  };
}

/** The same for records and events: `app.useEvents(asyncEventContext())`. */
export function asyncEventContext(): <C extends LoggingContext, R>(ctx: C, event: unknown, next: () => R) => R {
  return (ctx, _event, next) => storage.run(ctx, next);
}

/**
 * A logger for code without access to the context. Inside an invocation its lines contain the invocation's ids; outside,
 * `fallback` writes them.
 */
export function contextLogger(fallback: Logger): Logger {
  return new CurrentLogger(fallback, {});
}

class CurrentLogger implements Logger {
  readonly #fallback: Logger;
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(fallback: Logger, fields: Readonly<Record<string, unknown>>) {
    this.#fallback = fallback;
    this.#fields = fields;
  }

  get #current(): Logger {
    return storage.getStore()?.log ?? this.#fallback;
  }

  debug(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#current.debug(message, { ...this.#fields, ...fields });
  }

  info(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#current.info(message, { ...this.#fields, ...fields });
  }

  warn(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#current.warn(message, { ...this.#fields, ...fields });
  }

  error(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#current.error(message, { ...this.#fields, ...fields });
  }

  isEnabled(level: LogLevel): boolean {
    return this.#current.isEnabled(level);
  }

  with(fields: Readonly<Record<string, unknown>>): Logger {
    return new CurrentLogger(this.#fallback, { ...this.#fields, ...fields });
  }
}

/** A stream is read after the middleware has returned: each of its steps runs as part of the invocation. */
function boundStream(ctx: LoggingContext, stream: BodyStream): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const inner = storage.run(ctx, () =>
        Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator](),
      );
      return {
        next: async () => storage.run(ctx, () => inner.next()),
        return: async () => (await storage.run(ctx, () => inner.return?.())) ?? { done: true, value: undefined },
      };
    },
  };
}
