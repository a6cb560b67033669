import type { Route } from '../context/route.js';
import type { SecurePrincipal } from '../context/secure-principal.js';
import { isFrameworkError } from '../errors/errors.js';
import type { Request } from '../request/request.js';
import type { LambdaContext } from '../runtime/invocation.js';
import { isPromise } from '../values/read.js';

/** Severity of a record, lowest first. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * A log record, with keys in snake_case. `event` is its name: `request.completed`, `event.completed`, `batch.completed` and
 * a few warnings of the framework. Values are already sanitized and limited in size.
 */
export interface LogRecord {
  /** The severity of the record. */
  readonly level: LogLevel;
  /** The name of the record: `request.completed`. */
  readonly event: string;
  readonly [field: string]: unknown;
}

/** A count with its duration, or a value of the application; the number of tag values is limited by the registrations. */
export interface MetricRecord {
  /**
   * `framework.request`, `framework.event`, `framework.call` (a tool, resource or prompt of an MCP server), `framework.limit` (a decision of
   * a rate limit), `framework.trace` (spans that were lost), `framework.execution` (a durable execution that failed), or the name of a
   * declared metric.
   */
  readonly name: string;
  /** 1 for counts of the framework, else the value of the application. */
  readonly value: number;
  /** The unit; only for declared metrics. */
  readonly unit?: MetricUnit;
  /** Milliseconds that the request or event took; absent for declared metrics. */
  readonly duration_ms?: number;
  /** The tags of the value: route, status, outcome. */
  readonly tags: Readonly<Record<string, string>>;
  /** Request id and tenant: for properties of a metric, never for its dimensions. */
  readonly properties?: Readonly<Record<string, string>>;
  /**
   * Further numbers of a batch: `retries`, the records that were delivered before, and `oldest_record_ms`, the age of the oldest record in
   * milliseconds. Absent if the service does not report them.
   */
  readonly measures?: Readonly<Record<string, number>>;
}

type DataUnit = 'Bytes' | 'Bits' | `${'Kilo' | 'Mega' | 'Giga' | 'Tera'}${'bytes' | 'bits'}`;

/** The units of CloudWatch metrics (MetricDatum, `Unit`). */
export type MetricUnit =
  | 'Seconds'
  | 'Milliseconds'
  | 'Microseconds'
  | 'Percent'
  | 'None'
  | 'Count'
  | 'Count/Second'
  | DataUnit
  | `${DataUnit}/Second`;

/** Unit and tags of one value of a declared metric. */
export interface MetricOptions {
  /** A unit for this value, instead of the declared one. */
  readonly unit?: MetricUnit;
  /** Values of declared tags; others are dropped with one `warn`. */
  readonly tags?: Readonly<Record<string, string>>;
}

/** One value of a metric, as passed to `ctx.metric`. */
export interface MetricValue {
  readonly name: string;
  readonly value: number;
  readonly options?: MetricOptions | undefined;
}

/** The invocation that a value belongs to: the same object for all its values. */
export interface MetricScope {
  readonly requestId: string;
  readonly tenantId: string;
}

/** The metrics that a service declares; only these reach the metric hook. */
export interface DeclaredMetrics {
  /** Passes one value to the metric hook. A value that is not declared is dropped, with one `warn` for each name. */
  emit(observability: Observability, metric: MetricValue, scope: MetricScope): void;
}

/** Attributes of a span, by name. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The running span of `ctx.span`. */
export interface SpanScope {
  /** Adds attributes. */
  set(attributes: SpanAttributes): void;
}

/** One span of the user's tracer. */
export interface Span extends SpanScope {
  /** The trace in which this span is exported, 32 hexadecimal digits: `trace_id` of log lines. */
  readonly traceId?: string;
  /** The id of this span, 16 hexadecimal digits. */
  readonly spanId?: string;
  /** The trace of the caller or the producer if it differs, 32 hexadecimal digits: `remote_trace_id` of log lines. */
  readonly remoteTraceId?: string;
  /** This span for the next service, in the format of W3C Trace Context: `00-<trace>-<span>-<flags>`. */
  readonly traceparent?: string;
  /** The `tracestate` that belongs to `traceparent`; `''` if absent. */
  readonly tracestate?: string;
  /** Adds attributes. */
  set(attributes: SpanAttributes): void;
  /** Records the failure: `{ name, code, message }`, never the message of the thrown error. */
  error(error: unknown): void;
  /** Ends the span; called once. */
  end(): void;
  /** Runs `run` with this span as the current one. */
  run<T>(run: () => T): T;
}

/** The kind of a span: of a request; of an event, a record or a batch; or of `ctx.span`. */
export type SpanKind = 'framework.request' | 'framework.event' | 'framework.span';

/** A link to another trace, for example to the trace of a record's message. */
export interface SpanLink {
  /** The other trace. */
  readonly traceId: string;
  /** The span in the other trace, if known. */
  readonly spanId?: string;
  /** Its `tracestate`, if known. */
  readonly traceState?: string;
}

/** The invocation that a span belongs to. */
export interface SpanInvocation {
  /** The Lambda context; `undefined` if absent. */
  readonly lambdaContext: LambdaContext | undefined;
  /** The request; absent for events. */
  readonly request?: Request;
  /** The matched registration; absent for events. */
  readonly route?: Route | null;
  /** The caller that the gate has accepted; `null` before, and for an anonymous caller. */
  readonly principal?: SecurePrincipal | null;
  /** The records of a batch; absent otherwise. */
  readonly records?: readonly unknown[];
}

/** The invocation or the record from which a tracer reads the trace of the caller. */
export interface SpanOrigin {
  /** Returns the invocation. A function, so that a hook that logs its arguments does not log requests with their tokens. */
  invocation(): SpanInvocation;
  /**
   * A header of the request, or a member of the trace context of a message: `traceparent`, `x-amzn-trace-id`; `''` if absent. Several
   * values are joined, so that a repeated `traceparent` is not valid.
   */
  carrier(name: string): string;
}

/** A tracer as the option `observability.span`. */
export interface SpanHook {
  /** Starts a span; `parent` is a span that this hook started, for records of a batch and for `ctx.span`. */
  start(
    kind: SpanKind,
    name: string,
    attributes: SpanAttributes,
    parent?: Span,
    links?: readonly SpanLink[],
    origin?: SpanOrigin,
  ): Span;
  /** Returns the losses since the last call, for the hook `metric`; `undefined` if nothing was lost. Called with the first span of an invocation. */
  losses?(): MetricRecord | undefined;
}

/** Hooks of a container. They are called but not awaited; an error or rejection never changes an answer. */
export interface Observability {
  /** Receives one record for each request, event and batch. */
  readonly log?: ((record: LogRecord) => unknown) | undefined;
  /**
   * Receives one metric for each request, event and batch, for calls of MCP servers and decisions of rate limits, and the declared metrics of
   * the application. `invocation` returns the same object for all metrics of an invocation, for hooks that collect them: compare it only.
   */
  readonly metric?: ((record: MetricRecord, invocation?: () => object) => unknown) | undefined;
  /** Receives the spans of requests and events. */
  readonly span?: SpanHook | undefined;
  /** True if `request.completed` contains the sanitized path; default `true`. */
  readonly logPath?: boolean | undefined;
  /** The metrics that `ctx.metric` may write, created by `defineMetrics` of `@sallyport/core/observability`. */
  readonly metrics?: DeclaredMetrics | undefined;
}

/** The logger interface of the framework; `createLogger` of `@sallyport/core/observability` creates one. */
export interface Logger {
  /** Writes a line for development. */
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Writes a line for normal events. */
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Writes a line for a handled problem. */
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Writes a line for a failure; an `Error` belongs in the field `error`. */
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** True if lines of this level are written. */
  isEnabled(level: LogLevel): boolean;
  /** A logger that adds these fields to every line. */
  with(fields: Readonly<Record<string, unknown>>): Logger;
}

const WARNED = new WeakSet<Observability>();

/** Writes one value of a declared metric; a container without declared metrics writes one warning. */
export function emitMetric(observability: Observability, metric: MetricValue, scope: MetricScope): void {
  const { metrics, log } = observability;
  if (metrics) {
    guardHook(() => metrics.emit(observability, metric, scope));
  } else if (!WARNED.has(observability)) {
    WARNED.add(observability);
    guardHook(log, { level: 'warn', event: 'metric.dropped', dropped: 'observability.metrics is missing' });
  }
}

/** The span of `ctx.span` without a tracer. */
export const NO_SPAN: SpanScope = { set() {} };

/** A logger that writes nothing. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  isEnabled: () => false,
  with: () => silentLogger,
};

/** Calls a hook. Its error or rejection is ignored, so that a hook cannot change an answer. */
export function guardHook<A extends readonly unknown[]>(hook: ((...args: A) => unknown) | undefined, ...args: A): void {
  if (!hook) return;
  try {
    const result = hook(...args);
    if (isPromise(result)) result.then(undefined, () => {});
  } catch {
    // The failure of a hook is ignored.
  }
}

/** True if a thrown value is a failure of the service: any error except a FrameworkError with a status below 500. */
export function isFailure(thrown: unknown): boolean {
  return !isFrameworkError(thrown) || thrown.status >= 500;
}

/** True if a logger writes errors. This check is cheaper than binding a logger to an invocation. */
export function writesErrors(log: Logger): boolean {
  try {
    return log.isEnabled('error');
  } catch {
    return true;
  }
}

/** The message of a failed handler of events, in log lines and for clients of containers that mask errors. */
export const HANDLER_FAILED = 'framework: event handler failed';

/**
 * Writes the one `error` line of a failed invocation or record.
 *
 * @param logger returns the logger of the invocation; called here, so that its failure is dropped too
 * @param fields further fields of the line
 */
export function logFailure(
  logger: () => Logger,
  message: string,
  thrown: unknown,
  fields?: Readonly<Record<string, unknown>>,
): void {
  // `undefined` and `null` can be thrown and must be logged as errors.
  guardHook(() => logger().error(message, { ...fields, error: thrown ?? String(thrown) }));
}

const REPORT: unique symbol = Symbol.for('sallyport.core.hook-report/1') as never;

type Report = (hook: string, thrown: unknown) => void;

/** Wraps hooks: the first failure of each is one `error` line of the container's logger. */
export function reportHooks(observability: Observability, log: Logger): Observability {
  const reported = new Set<string>();
  const report: Report = (hook, thrown) => {
    if (reported.has(hook)) return;
    reported.add(hook);
    logFailure(() => log, `framework: hook ${hook} failed`, thrown);
  };
  return Object.create(observability, { [REPORT]: { value: report } }) as Observability;
}

/** Calls the hook `log` or `metric`, if present. Its error or rejection never changes an answer. */
export function callHook<N extends 'log' | 'metric'>(
  observability: Observability,
  name: N,
  record: Parameters<NonNullable<Observability[N]>>[0],
  invocation?: object,
): void {
  const hook = observability[name] as ((given: typeof record, of?: object) => unknown) | undefined;
  if (hook) attemptHook(observability, name, () => hook(record, invocation && (() => invocation)));
}

/** The result of a hook; `undefined` when it throws. */
export function attemptHook<T>(observability: Observability, name: string, call: () => T): T | undefined {
  const report = (observability as { readonly [REPORT]?: Report })[REPORT];
  const failed = (thrown: unknown) => report?.(`observability.${name}`, thrown);
  try {
    const result = call();
    if (isPromise(result)) result.then(undefined, failed);
    return result;
  } catch (thrown) {
    failed(thrown);
    return undefined;
  }
}
