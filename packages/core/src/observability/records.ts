import type { TracingChannel } from 'node:diagnostics_channel';
import type { Context } from '../context/context.js';
import { type ContextState, stateOf } from '../context/request-context.js';
import { brandError, defaultMessage, isFrameworkError } from '../errors/errors.js';
import { scrubWords } from '../sanitize/internal/light.js';
import { sanitizeLogString } from '../sanitize/log-text.js';
import { isPromise } from '../values/read.js';
import {
  attemptHook,
  callHook,
  type LogLevel,
  type Observability,
  type Span,
  type SpanAttributes,
  type SpanKind,
  type SpanLink,
  type SpanOrigin,
  type SpanScope,
} from './hooks.js';

/** The outcome of a request. */
export interface RequestOutcome {
  /** The HTTP status of the answer. */
  readonly status: number;
  /** The error's code as thrown; `''` on success. Legacy codes are logged under their canonical name. */
  readonly errorCode: string;
  /** Milliseconds to the last byte. */
  readonly durationMs: number;
  /** True if the body was streamed. */
  readonly streamed: boolean;
  /** Bytes of the body, before any encoding by the front door. */
  readonly responseBytes: number;
}

const UNMATCHED = '(unmatched)';
const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT'];
const MAX_PATH = 1024;
const MAX_TEXT = 256;

/**
 * The span of a request, to be started when the route is known; `undefined` without a hook or subscriber. Run the rest of the
 * pipeline in `span.run`, and pass the span to {@link requestCompleted} when the last byte is sent.
 */
export function startRequestSpan(observability: Observability, state: ContextState): ActiveSpan | undefined {
  if (!observability.span && !channelOf('framework.request').hasSubscribers) return undefined;
  const method = boundedMethod(state);
  const route = state.route?.pattern ?? UNMATCHED;
  return startSpan(
    observability,
    'framework.request',
    `http ${method} ${route}`,
    {
      'faas.trigger': 'http',
      'http.request.method': method,
      'http.route': route,
      ...textAttributes({
        'request.id': state.requestId,
        'tenant.id': state.tenantId,
        'trace.id': state.traceId,
      }),
    },
    undefined,
    NO_LINKS,
    originOf(state),
  );
}

/** Starts the span of an event that is neither a request nor a record. It ends with the context. */
export function startSurfaceSpan(observability: Observability, ctx: Context, name: string): void {
  if (!observability.span) return;
  const state = stateOf(ctx);
  const attributes = textAttributes({ 'request.id': state.requestId, 'tenant.id': state.tenantId });
  state.span = startSpan(observability, 'framework.event', name, attributes, undefined, NO_LINKS, originOf(state));
}

function originOf(state: ContextState): SpanOrigin {
  return { invocation: state, carrier: (name) => state.request.headerValues(name).join() };
}

/**
 * Emits `request.completed`, the metric `framework.request`, and ends the span. Call it once for each request: after the last
 * byte of a stream, after the projection of a GraphQL answer. Builds nothing without a hook or subscriber; never throws.
 */
export function requestCompleted(
  observability: Observability,
  state: ContextState,
  outcome: RequestOutcome,
  span?: ActiveSpan,
): void {
  const { log, metric } = observability;
  if (!log && !metric && !span) return;
  const errorCode = canonicalCode(outcome.errorCode);
  const facts: RequestFacts = {
    trigger: state.triggerKind,
    method: boundedMethod(state),
    route: state.route?.pattern ?? UNMATCHED,
    requestId: recordText(state.requestId),
    tenantId: recordText(state.tenantId),
    errorCode,
    durationMs: rounded(outcome.durationMs),
  };
  if (log) callHook(observability, 'log', requestLog(observability, state, outcome, facts, span));
  if (metric) callHook(observability, 'metric', requestMetric(outcome, facts), state);
  span?.end(
    {
      'http.response.status_code': outcome.status,
      ...textAttributes({ 'error.type': errorCode, 'tenant.id': facts.tenantId }),
    },
    outcome.status >= 500 ? errorCode || 'app.internal' : '',
  );
}

interface RequestFacts {
  readonly trigger: string;
  readonly method: string;
  readonly route: string;
  readonly requestId: string;
  readonly tenantId: string;
  readonly errorCode: string;
  readonly durationMs: number;
}

function requestLog(
  observability: Observability,
  state: ContextState,
  outcome: RequestOutcome,
  facts: RequestFacts,
  span: ActiveSpan | undefined,
) {
  const { request } = state;
  return {
    level: levelOfStatus(outcome.status),
    event: 'request.completed',
    trigger: facts.trigger,
    request_id: facts.requestId,
    trace_id: span?.id('traceId') || state.traceId,
    ...(span && { remote_trace_id: span.id('remoteTraceId') }),
    tenant_id: facts.tenantId,
    method: facts.method,
    route: facts.route,
    ...state.recorded,
    ...(observability.logPath === false ? undefined : { path: scrubWords(request.path, MAX_PATH) }),
    status: outcome.status,
    error_code: facts.errorCode,
    duration_ms: facts.durationMs,
    streamed: outcome.streamed,
    response_bytes: outcome.responseBytes,
  };
}

function requestMetric(outcome: RequestOutcome, facts: RequestFacts) {
  return {
    name: 'framework.request',
    value: 1,
    duration_ms: facts.durationMs,
    tags: {
      trigger: facts.trigger,
      method: facts.method,
      route: facts.route,
      status: String(outcome.status),
      error_code: facts.errorCode,
    },
    properties: { request_id: facts.requestId, tenant_id: facts.tenantId },
  };
}

/** A standard method, or a registered method; other methods are `OTHER`, so that a scan cannot create many values. */
function boundedMethod({ request, route }: ContextState): string {
  const { method } = request;
  return METHODS.includes(method) || (method !== '' && route?.method === method) ? method : 'OTHER';
}

function levelOfStatus(status: number): LogLevel {
  if (status >= 500) return 'error';
  return status >= 400 ? 'warn' : 'info';
}

/** The code as logs and metrics name it. */
export function canonicalCode(code: string): string {
  return code === 'EMPTY_BODY' || code === 'INVALID_JSON' ? 'app.bad_request' : recordText(code);
}

/** An id or a code as it may be in a record: without control characters, cut. */
export function recordText(text: string): string {
  const clean = sanitizeLogString(text);
  return clean.length > MAX_TEXT ? clean.slice(0, MAX_TEXT) : clean;
}

/** Milliseconds to the microsecond; never negative. */
export function rounded(ms: number): number {
  return ms > 0 ? Math.round(ms * 1000) / 1000 : 0;
}

/** Attributes without the empty ones. */
export function textAttributes(attributes: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [key, value] of Object.entries(attributes)) if (value !== '') kept[key] = recordText(value);
  return kept;
}

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
