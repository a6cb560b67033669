import {
  type Context,
  deriveContext,
  FrameworkError,
  type FullClock,
  type Middleware,
  type Next,
  type Response,
} from '@sallyport/core';
import { canonicalMethod, closeStream, stateOf } from '@sallyport/core/internal';
import { defineOptions, kind, number, OptionKind, wrong } from '@sallyport/core/options';
import { parsePattern } from '../routing/internal/pattern.js';

/** Times in milliseconds. A value of 0 or less sets no timeout. */
export interface TimeoutOptions {
  /**
   * Timeout of operations without a separate setting. Default 28,000: REST APIs return a separate error after 29 s,
   * HTTP APIs after 30 s.
   */
  readonly defaultTimeoutMs?: number;
  /** Timeout of all operations of a tenant, by its id. Default: none. */
  readonly tenantTimeoutsMs?: Readonly<Record<string, number>>;
  /**
   * Timeouts by method and pattern, `GET:/users/{id}`, or by pattern alone. They take precedence over tenant timeouts. Default:
   * none.
   */
  readonly operationTimeoutsMs?: Readonly<Record<string, number>>;
  /** Message of the error `app.timeout`. Default `request timeout`. */
  readonly timeoutMessage?: string;
  /** Milliseconds kept free at the end of the invocation, so that the answer can still be sent. Default 100. */
  readonly safetyMarginMs?: number;
}

const milliseconds = kind<number>('a number of milliseconds', (value) => Number.isFinite(value));
const table = new OptionKind<Readonly<Record<string, number>>>('an object of milliseconds', (value, place) => {
  if (typeof value !== 'object' || value === null) throw wrong(place, 'an object of milliseconds');
  const entries = Object.entries(value).map(([key, ms]) => [
    key,
    milliseconds.read(ms ?? null, { ...place, name: `${place.name}.${key}` }) ?? 0,
  ]);
  return Object.fromEntries(entries) as Readonly<Record<string, number>>;
});

/** Validators and defaults for {@link TimeoutOptions}. */
export const TIMEOUT_OPTIONS = defineOptions<TimeoutOptions>()({
  defaultTimeoutMs: milliseconds.default(28_000),
  tenantTimeoutsMs: table,
  operationTimeoutsMs: table,
  timeoutMessage: kind<string>('a string', (value) => typeof value === 'string'),
  safetyMarginMs: number(0, Number.MAX_VALUE, 'milliseconds').default(100),
});

/**
 * Answers 408 `app.timeout` when the inner middlewares and the handler take too long, and aborts `ctx.signal`. A late answer is
 * discarded. For a streamed answer the time until its start counts.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a value of the wrong type
 * @example app.use(timeoutMiddleware({ defaultTimeoutMs: 5_000, operationTimeoutsMs: { 'POST:/reports': 25_000 } }));
 */
export function timeoutMiddleware(options: TimeoutOptions = {}): Middleware {
  const { timeoutMessage, ...times } = TIMEOUT_OPTIONS.parse(options);
  const { defaultTimeoutMs, safetyMarginMs } = times;
  const tenants = times.tenantTimeoutsMs && new Map(Object.entries(times.tenantTimeoutsMs));
  const operations =
    times.operationTimeoutsMs &&
    new Map(Object.entries(times.operationTimeoutsMs).map(([key, ms]) => [canonicalOperation(key), ms]));
  return (ctx, next) => {
    const configured =
      operations?.get(operationOf(ctx)) ??
      (tenants && ctx.tenantId !== '' ? tenants.get(ctx.tenantId) : undefined) ??
      defaultTimeoutMs;
    if (configured <= 0) return next(ctx);
    const remaining = ctx.remainingMs;
    const capped = remaining > 0 ? Math.min(configured, remaining - safetyMarginMs) : configured;
    return runWithin(Math.max(capped, 1), timeoutMessage, ctx, next);
  };
}

function operationOf({ route }: Context): string {
  if (!route) return '';
  return route.method === '' ? route.pattern : `${route.method}:${route.pattern}`;
}

/** The canonical form of an HTTP operation: `get:/users/:id` becomes `GET:/users/{id}`. */
function canonicalOperation(key: string): string {
  const [, method = '', path = ''] = /^\s*([^\s:]+)\s*:\s*(\/.*)$/.exec(key) ?? [];
  return method === '' ? key : `${canonicalMethod(method)}:${parsePattern(path).canonical}`;
}

async function runWithin(budget: number, message: string | undefined, ctx: Context, next: Next): Promise<Response> {
  const deadline = new Deadline(ctx);
  let result: Promise<Response> | undefined;
  let streams = false;
  try {
    const expired = deadline.start(budget, message);
    result = next(deriveContext(ctx, { signal: deadline.signal }));
    const response = await Promise.race([result, expired]);
    streams = Boolean(response.bodyStream);
    return response;
  } catch (error) {
    if (deadline.expired) result?.then(discard, () => {});
    throw error;
  } finally {
    deadline.stop(streams);
  }
}

/** A timer with a signal that aborts at the timeout, or when the outer signal aborts. */
class Deadline {
  expired = false;
  readonly #clock: FullClock;
  readonly #parent: AbortSignal;
  readonly #controller = new AbortController();
  readonly #onParentAbort = () => this.#controller.abort(this.#parent.reason);
  #stopTimer: (() => void) | undefined;

  constructor(ctx: Context) {
    this.#clock = stateOf(ctx).runtime.clock;
    this.#parent = ctx.signal;
    this.#parent.addEventListener('abort', this.#onParentAbort, { once: true });
    if (this.#parent.aborted) this.#onParentAbort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Rejects at the timeout. It rejects before the signal aborts, so that an answer to the abort is not used. */
  start(budget: number, message: string | undefined): Promise<never> {
    return new Promise((_, reject) => {
      this.#stopTimer = this.#clock.after(budget, () => {
        const error = new FrameworkError('app.timeout', message);
        this.expired = true;
        reject(error);
        this.#controller.abort(error);
      });
    });
  }

  /** A stream that is still being read keeps listening to the parent's signal. */
  stop(streams: boolean): void {
    this.#stopTimer?.();
    if (!streams) this.#parent.removeEventListener('abort', this.#onParentAbort);
  }
}

/** A late answer is not used; without this its stream would wait for a reader forever. */
function discard(late: Response): void {
  if (late.bodyStream) void closeStream(late.bodyStream);
}
