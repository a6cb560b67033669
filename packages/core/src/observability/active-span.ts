import type { TracingChannel } from 'node:diagnostics_channel';
import { brandError, defaultMessage, isFrameworkError } from '../errors/errors.js';
import { isPromise } from '../values/read.js';
import {
  attemptHook,
  type Observability,
  type Span,
  type SpanAttributes,
  type SpanKind,
  type SpanLink,
  type SpanOrigin,
  type SpanScope,
} from './hooks.js';

/**
 * The one object that a span publishes on `tracing:framework.request:*` or `tracing:framework.event:*`. `start` runs with
 * `runStores`, so that an `AsyncLocalStorage` bound to it covers the handler.
 */
export interface SpanMessage {
  /** The kind of the span: a request or an event. */
  readonly kind: SpanKind;
  /** The span's name: `http GET /users/{id}`. */
  readonly name: string;
  /** All attributes so far; the final attributes are added before `end` is published. */
  attributes: SpanAttributes;
  /** Links to related traces. */
  readonly links: readonly SpanLink[];
  /** The message of the batch that a record belongs to. */
  readonly parent: SpanMessage | undefined;
  /** The failure; `undefined` unless the invocation failed. */
  error: SpanError | undefined;
}

/** The part of a failure that a span contains: never the message of the thrown error, which may contain anything. */
export interface SpanError {
  /** Always `Error`. */
  readonly name: string;
  /** The error's code. */
  readonly code: string;
  /** The message of the code, never the thrown one. */
  readonly message: string;
}

/** Five channels. Message and store have the same type, because versions of `@types/node` differ in the order of these two parameters. */
type SpanChannel = TracingChannel<SpanMessage, SpanMessage>;

const channels: Partial<Record<SpanKind, SpanChannel>> = {};

/**
 * The channel on which spans are published for tracers that subscribe to `node:diagnostics_channel`. Created at first use: few functions serve both
 * requests and events.
 */
export function channelOf(kind: SpanKind): SpanChannel {
  channels[kind] ??= process.getBuiltinModule('node:diagnostics_channel').tracingChannel(kind);
  return channels[kind];
}

const NO_LINKS: readonly SpanLink[] = [];

/** A started span: from the user's hook, from the diagnostics channel, or from both. No member throws except for what `work` throws. */
export interface ActiveSpan extends SpanScope {
  /** The trace of the span, or the trace of the caller if it differs; `''` if absent. */
  id(name: 'traceId' | 'remoteTraceId'): string;
  /** Runs `work` inside a child span, which ends with it. */
  within<T>(name: string, work: (span: SpanScope) => T, attributes?: SpanAttributes, links?: readonly SpanLink[]): T;
  /** Runs `work` once, synchronously, with the span as the current one, and returns its result or throws its error. */
  run<T>(work: () => T): T;
  /** Ends the span, once; `errorCode` is `''` unless the invocation failed. */
  end(attributes: SpanAttributes, errorCode: string): void;
}

/** Starts a span. Call it only if there is a hook or a subscriber of {@link channelOf}. */
export function startSpan(
  observability: Observability,
  kind: SpanKind,
  name: string,
  attributes: SpanAttributes,
  parent?: ActiveSpan,
  links: readonly SpanLink[] = NO_LINKS,
  origin?: SpanOrigin,
): ActiveSpan {
  const hook = observability.span;
  const outer = parent instanceof TwofoldSpan ? parent : undefined;
  const attempt: Attempt = (call) => attemptHook(observability, 'span', call);
  const span = hook && attempt(() => hook.start(kind, name, attributes, outer?.span, links, origin));
  const message: SpanMessage = { kind, name, attributes, links, parent: outer?.message, error: undefined };
  return new TwofoldSpan(observability, attempt, channelOf(kind), message, span);
}

/** Calls the user's tracer; its errors are reported and dropped. */
type Attempt = <T>(call: () => T) => T | undefined;

class TwofoldSpan implements ActiveSpan {
  static {
    brandError(TwofoldSpan, 'sallyport.TwofoldSpan');
  }

  readonly #observability: Observability;
  readonly #attempt: Attempt;
  readonly #channel: SpanChannel;
  readonly message: SpanMessage;
  readonly span: Span | undefined;
  #ended = false;

  constructor(
    observability: Observability,
    attempt: Attempt,
    channel: SpanChannel,
    message: SpanMessage,
    span: Span | undefined,
  ) {
    this.#observability = observability;
    this.#attempt = attempt;
    this.#channel = channel;
    this.message = message;
    this.span = span;
  }

  id(name: 'traceId' | 'remoteTraceId'): string {
    return this.#attempt(() => this.span?.[name]) ?? '';
  }

  set(attributes: SpanAttributes): void {
    this.#attempt(() => this.span?.set(attributes));
  }

  within<T>(
    name: string,
    work: (span: SpanScope) => T,
    attributes: SpanAttributes = {},
    links: readonly SpanLink[] = NO_LINKS,
  ): T {
    const child = startSpan(this.#observability, 'framework.span', name, attributes, this, links);
    const end = () => child.end({}, '');
    const fail = (thrown: unknown) => child.end({}, isFrameworkError(thrown) ? thrown.code : 'app.internal');
    try {
      const result = child.run(() => work(child));
      if (isPromise(result)) result.then(end, fail);
      else end();
      return result;
    } catch (thrown) {
      fail(thrown);
      throw thrown;
    }
  }

  run<T>(work: () => T): T {
    const { span, message } = this;
    const { start, end } = this.#channel;
    const once = new Once(work);
    const current = span ? () => this.#runInside(span, once) : () => once.callQuietly();
    if (start.hasSubscribers) start.runStores(message, current);
    else current();
    if (end.hasSubscribers) end.publish(message);
    return once.call();
  }

  /** Errors of the work pass through the tracer, which may record them; they are not failures of the tracer. */
  #runInside<T>(span: Span, once: Once<T>): void {
    this.#attempt(() => {
      try {
        const result: unknown = span.run(() => once.call());
        if (result instanceof Promise) result.catch(() => {});
      } catch (thrown) {
        if (!once.threw(thrown)) throw thrown;
      }
    });
  }

  end(attributes: SpanAttributes, errorCode: string): void {
    if (this.#ended) return;
    this.#ended = true;
    const { span, message } = this;
    // An attribute of the application can be a getter that throws.
    this.#attempt(() => {
      message.attributes = { ...message.attributes, ...attributes };
    });
    if (errorCode !== '') message.error = { name: 'Error', code: errorCode, message: defaultMessage(errorCode) };
    if (span) {
      this.#attempt(() => span.set(attributes));
      if (message.error) this.#attempt(() => span.error(message.error));
      this.#attempt(() => span.end());
    }
    this.#publishEnd();
  }

  #publishEnd(): void {
    const { error, asyncStart, asyncEnd } = this.#channel;
    if (this.message.error && error.hasSubscribers) error.publish(this.message);
    if (asyncStart.hasSubscribers) asyncStart.publish(this.message);
    if (asyncEnd.hasSubscribers) asyncEnd.publish(this.message);
  }
}

/** Work that a tracer may not call, call twice or call late: it runs exactly once, and its result is kept. */
class Once<T> {
  readonly #work: () => T;
  #done: { readonly value: T } | { readonly error: unknown } | undefined;

  constructor(work: () => T) {
    this.#work = work;
  }

  call(): T {
    this.callQuietly();
    const done = this.#done as { readonly value: T } | { readonly error: unknown };
    if ('error' in done) throw done.error;
    return done.value;
  }

  /** True if the work threw this value. */
  threw(thrown: unknown): boolean {
    return this.#done !== undefined && 'error' in this.#done && this.#done.error === thrown;
  }

  callQuietly(): void {
    if (this.#done) return;
    try {
      this.#done = { value: this.#work() };
    } catch (error) {
      this.#done = { error };
    }
  }
}
