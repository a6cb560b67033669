import type { Context } from '../context/context.js';
import type { ContextState } from '../context/context-state.js';
import { stateOf } from '../context/request-context.js';
import { scrubWords } from '../sanitize/internal/light.js';
import { sanitizeLogString } from '../sanitize/log-text.js';
import { type ActiveSpan, channelOf, startSpan } from './active-span.js';
import { callHook, type LogLevel, type Observability, type SpanOrigin } from './hooks.js';

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
    undefined,
    originOf(state),
  );
}

/** Starts the span of an event that is neither a request nor a record. It ends with the context. */
export function startSurfaceSpan(observability: Observability, ctx: Context, name: string): void {
  if (!observability.span) return;
  const state = stateOf(ctx);
  const attributes = textAttributes({ 'request.id': state.requestId, 'tenant.id': state.tenantId });
  state.span = startSpan(observability, 'framework.event', name, attributes, undefined, undefined, originOf(state));
}

function originOf(state: ContextState): SpanOrigin {
  return { invocation: () => state, carrier: (name) => carrierOf(state, name) };
}

/** A header, else the member of the message: only members of W3C Trace Context, which the surface has checked. */
function carrierOf({ request, carried }: ContextState, name: string): string {
  return request.headerValues(name).join() || (carried?.[name] ?? '');
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
    ...(span && { remote_trace_id: span.id('remoteTraceId') || undefined }),
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
  for (const key of Object.keys(attributes)) {
    const value = attributes[key];
    if (value) kept[key] = recordText(value);
  }
  return kept;
}
