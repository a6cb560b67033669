import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import { defaultMessage } from '../errors/errors.js';
import { attemptHook } from './hook-reports.js';
import type { Observability, Span, SpanAttributes, SpanKind, SpanLink } from './hooks.js';

/**
 * The one object that a span publishes on `tracing:framework.request:*` or `tracing:framework.event:*`. `start` runs with
 * `runStores`, so that an `AsyncLocalStorage` bound to it covers the handler.
 */
export interface SpanMessage {
  readonly kind: SpanKind;
  readonly name: string;
  attributes: SpanAttributes;
  readonly links: readonly SpanLink[];
  readonly parent: SpanMessage | undefined;
  error: SpanError | undefined;
}

/** What a span learns of a failure: never the thrown text, which may hold anything. */
export interface SpanError {
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

const CHANNELS: Readonly<Record<SpanKind, TracingChannel<unknown, SpanMessage>>> = {
  'framework.request': tracingChannel('framework.request'),
  'framework.event': tracingChannel('framework.event'),
};
const NO_LINKS: readonly SpanLink[] = [];

/** A started span: of the user's hook, of the diagnostics channel, or of both. No member throws but for what `work` throws. */
export interface ActiveSpan {
  /** Runs `work` once, synchronously, with the span as the current one; gives what it gives, throws what it throws. */
  run<T>(work: () => T): T;
  /** Ends the span, once; `errorCode` is `''` unless the invocation failed. */
  end(attributes: SpanAttributes, errorCode: string): void;
}

/** Starts a span; `undefined` when nobody listens. */
export function startSpan(
  observability: Observability,
  kind: SpanKind,
  describe: () => { readonly name: string; readonly attributes: SpanAttributes },
  parent?: ActiveSpan,
  links: readonly SpanLink[] = NO_LINKS,
): ActiveSpan | undefined {
  const hook = observability.span;
  const channel = CHANNELS[kind];
  if (!hook && !channel.hasSubscribers) return undefined;
  const { name, attributes } = describe();
  const outer = parent instanceof TwofoldSpan ? parent : undefined;
  const attempt: Attempt = (call) => attemptHook(observability, 'span', call);
  const span = hook && attempt(() => hook.start(kind, name, attributes, outer?.span, links));
  return new TwofoldSpan(
    attempt,
    channel,
    { kind, name, attributes, links, parent: outer?.message, error: undefined },
    span,
  );
}

/** Calls the user's tracer; what it throws is reported and dropped. */
type Attempt = <T>(call: () => T) => T | undefined;

class TwofoldSpan implements ActiveSpan {
  readonly #attempt: Attempt;
  readonly #channel: TracingChannel<unknown, SpanMessage>;
  readonly message: SpanMessage;
  readonly span: Span | undefined;
  #ended = false;

  constructor(
    attempt: Attempt,
    channel: TracingChannel<unknown, SpanMessage>,
    message: SpanMessage,
    span: Span | undefined,
  ) {
    this.#attempt = attempt;
    this.#channel = channel;
    this.message = message;
    this.span = span;
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

  /** What the work throws goes through the tracer, which may note it; that is no failure of the tracer's. */
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
    message.attributes = { ...message.attributes, ...attributes };
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

/** Work that a tracer may call never, twice or late: it is done once, and its result is its own. */
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

  /** Whether this is what the work threw. */
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
