import type { TracingChannel } from 'node:diagnostics_channel';
import { brandError, defaultMessage, isFrameworkError } from '../errors/errors.js';
import { isPromise } from '../values/read.js';
import {
  attemptHook,
  callHook,
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

type SpanId = 'traceId' | 'remoteTraceId' | 'traceparent' | 'tracestate';

/** A started span: from the user's hook, from the diagnostics channel, or from both. No member throws except for what `work` throws. */
export interface ActiveSpan extends SpanScope {
  /** The trace of the span, the trace of the caller if it differs, or the headers for the next service; `''` if absent. */
  id(name: SpanId): string;
  /** Runs `work` inside a child span, which ends with it. */
  within<T>(name: string, work: (span: ActiveSpan) => T, attributes?: SpanAttributes, links?: readonly SpanLink[]): T;
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
  const span =
    hook && attemptHook(observability, 'span', () => hook.start(kind, name, attributes, outer?.span, links, origin));
  if (!outer && observability.metric) reportLosses(observability, origin);
  return new TwofoldSpan(observability, { kind, name, attributes, links }, outer, span);
}

function reportLosses(observability: Observability, origin: SpanOrigin | undefined): void {
  const lost = attemptHook(observability, 'span', () => observability.span?.losses?.());
  if (lost) callHook(observability, 'metric', lost, origin?.invocation());
}

type Described = Pick<SpanMessage, 'kind' | 'name' | 'attributes' | 'links'>;
type Result<T> = { readonly value: T } | { readonly error: unknown };

class TwofoldSpan implements ActiveSpan {
  static {
    brandError(TwofoldSpan, 'sallyport.TwofoldSpan');
  }

  readonly #observability: Observability;
  readonly #described: Described;
  readonly #outer: TwofoldSpan | undefined;
  readonly span: Span | undefined;
  #message: SpanMessage | undefined;
  #ended = false;

  constructor(
    observability: Observability,
    described: Described,
    outer: TwofoldSpan | undefined,
    span: Span | undefined,
  ) {
    this.#observability = observability;
    this.#described = described;
    this.#outer = outer;
    this.span = span;
  }

  /** The published object, created at the first use: most functions have no subscriber. */
  get message(): SpanMessage {
    this.#message ??= { ...this.#described, parent: this.#outer?.message, error: undefined };
    return this.#message;
  }

  /** Calls the user's tracer; its errors are reported and dropped. */
  #attempt<T>(call: () => T): T | undefined {
    return attemptHook(this.#observability, 'span', call);
  }

  id(name: SpanId): string {
    return this.#attempt(() => this.span?.[name]) ?? '';
  }

  set(attributes: SpanAttributes): void {
    this.#attempt(() => this.span?.set(attributes));
  }

  within<T>(
    name: string,
    work: (span: ActiveSpan) => T,
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

  /** A tracer may call the work never, twice or late: it runs exactly once. Its errors pass through the tracer, and are not failures of it. */
  run<T>(work: () => T): T {
    const { span } = this;
    const { start, end } = channelOf(this.#described.kind);
    let done: Result<T> | undefined;
    const once = (): T => {
      done ??= resultOf(work);
      if ('error' in done) throw done.error;
      return done.value;
    };
    const inside = () =>
      this.#attempt(() => {
        try {
          const returned: unknown = span ? span.run(once) : once();
          if (returned instanceof Promise && !(done && 'value' in done && done.value === returned)) {
            returned.catch(() => {});
          }
        } catch (thrown) {
          if (!(done && 'error' in done && done.error === thrown)) throw thrown;
        }
      });
    if (start.hasSubscribers) start.runStores(this.message, inside);
    else inside();
    if (end.hasSubscribers) end.publish(this.message);
    return once();
  }

  end(attributes: SpanAttributes, errorCode: string): void {
    if (this.#ended) return;
    this.#ended = true;
    const { span } = this;
    const failure =
      errorCode === '' ? undefined : { name: 'Error', code: errorCode, message: defaultMessage(errorCode) };
    if (span) {
      this.#attempt(() => span.set(attributes));
      if (failure) this.#attempt(() => span.error(failure));
      this.#attempt(() => span.end());
    }
    const channel = channelOf(this.#described.kind);
    if (!this.#message && !channel.hasSubscribers) return;
    const { message } = this;
    // An attribute of the application can be a getter that throws.
    this.#attempt(() => {
      message.attributes = { ...message.attributes, ...attributes };
    });
    message.error = failure;
    if (failure && channel.error.hasSubscribers) channel.error.publish(message);
    if (channel.asyncStart.hasSubscribers) channel.asyncStart.publish(message);
    if (channel.asyncEnd.hasSubscribers) channel.asyncEnd.publish(message);
  }
}

function resultOf<T>(work: () => T): Result<T> {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}
