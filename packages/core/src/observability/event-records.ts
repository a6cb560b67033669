import type { TriggerKind } from '../runtime/invocation.js';
import { scrubWords } from '../sanitize/internal/light.js';
import { type ActiveSpan, channelOf, startSpan } from './active-span.js';
import { callHook, type Observability, type SpanAttributes, type SpanOrigin } from './hooks.js';
import { canonicalCode, recordText, rounded, textAttributes } from './records.js';

/** Data about an event, a record or a batch before it runs. */
export interface EventFacts {
  /** The detected kind. */
  readonly trigger: TriggerKind;
  /** The **registered** name; `''` when no handler is registered. */
  readonly source: string;
  /** The invocation's request id. */
  readonly requestId: string;
  /** The trace of the event or of the invocation; `''` when unknown. */
  readonly traceId: string;
  /** The tenant; `''` if absent. */
  readonly tenantId: string;
  /** The id of the record in its batch: message id, sequence number. */
  readonly recordId?: string;
  /** The correlation id of the message. */
  readonly correlationId?: string;
  /** Only for bus events. */
  readonly detailType?: string;
  /** Only for table-stream records. */
  readonly eventName?: string;
  /** The event of a schedule; its span has the trigger `timer`. */
  readonly scheduled?: boolean;
  /** The object that all metric records of the invocation share. */
  readonly invocation?: object;
}

/** The outcome of an event or a record. */
export interface EventOutcome {
  /** True if the handler or the framework failed. */
  readonly failed: boolean;
  /** `''` on success; a failure without a code is `app.internal`. */
  readonly errorCode: string;
  /** Milliseconds that it took. */
  readonly durationMs: number;
  /** Further numbers of its metric record. */
  readonly measures?: Readonly<Record<string, number>>;
}

/** The outcome of a batch. `failed` counts the records that failed, `notTried` the records that were not processed. */
export interface BatchOutcome {
  /** Records in the batch. */
  readonly records: number;
  /** Records that were tried and failed. */
  readonly failed: number;
  /** Records that were not tried. */
  readonly notTried: number;
  /** The reason why the rest of the batch was not processed; `none` if all records were. */
  readonly stoppedBy: 'none' | 'failure' | 'deadline' | 'no_handler';
  /** Code of the first failure; `''` if absent. */
  readonly errorCode: string;
  /** Milliseconds that the batch took. */
  readonly durationMs: number;
  /** Further numbers of its metric record. */
  readonly measures?: Readonly<Record<string, number>>;
}

const MESSAGING: Readonly<Partial<Record<string, string>>> = {
  queue: 'aws_sqs',
  topic: 'aws_sns',
  stream: 'aws_kinesis',
};

/**
 * The span of an event, of a batch, or (with `parent`) of a record in a batch; `undefined` without a hook or subscriber. A
 * record's own trace is a link and never the parent.
 */
export function startEventSpan(
  observability: Observability,
  facts: EventFacts,
  parent?: ActiveSpan,
  recordTraceId = '',
  origin?: SpanOrigin,
): ActiveSpan | undefined {
  if (!observability.span && !channelOf('framework.event').hasSubscribers) return undefined;
  const name = `${facts.trigger} ${sourceName(facts)}`;
  const links = recordTraceId === '' ? undefined : [{ traceId: recordTraceId }];
  return startSpan(observability, 'framework.event', name, eventAttributes(facts), parent, links, origin);
}

/** Emits `event.completed` and the metric of a topic or bus event, and ends its span. */
export function eventCompleted(
  observability: Observability,
  facts: EventFacts,
  outcome: EventOutcome,
  span?: ActiveSpan,
): void {
  logEvent(observability, facts, outcome, 'info', span);
  if (observability.metric) emitMetric(observability, facts, outcome, {});
  endSpan(outcome, span);
}

/**
 * Emits `event.completed` of one record of a batch (success at `debug`), and ends its span. The metric is emitted for the
 * batch.
 */
export function recordCompleted(
  observability: Observability,
  facts: EventFacts,
  outcome: EventOutcome,
  span?: ActiveSpan,
): void {
  logEvent(observability, facts, outcome, 'debug', span);
  endSpan(outcome, span);
}

/** Emits `batch.completed` and the metric of a batch, and ends its span. */
export function batchCompleted(
  observability: Observability,
  facts: EventFacts,
  outcome: BatchOutcome,
  span?: ActiveSpan,
): void {
  const { records, failed, notTried } = outcome;
  if (observability.log) {
    callHook(observability, 'log', {
      level: notTried > 0 ? 'warn' : 'info',
      event: 'batch.completed',
      trigger: facts.trigger,
      ...identity(facts, span),
      source: sourceName(facts),
      records,
      failed,
      not_tried: notTried,
      stopped_by: outcome.stoppedBy,
      duration_ms: rounded(outcome.durationMs),
    });
  }
  const { errorCode, durationMs, measures } = outcome;
  const whole = { failed: failed + notTried > 0, errorCode, durationMs, ...(measures && { measures }) };
  if (observability.metric) {
    emitMetric(observability, facts, whole, { records: String(records), failed: String(failed + notTried) });
  }
  endSpan(whole, span);
}

function logEvent(
  observability: Observability,
  facts: EventFacts,
  outcome: EventOutcome,
  successLevel: 'debug' | 'info',
  span: ActiveSpan | undefined,
): void {
  if (!observability.log) return;
  callHook(observability, 'log', {
    level: outcome.failed ? 'error' : successLevel,
    event: 'event.completed',
    trigger: facts.trigger,
    ...identity(facts, span),
    source: sourceName(facts),
    record_id: recordText(facts.recordId ?? ''),
    correlation_id: scrubWords(facts.correlationId ?? '', 256),
    ...(facts.detailType === undefined ? undefined : { detail_type: scrubWords(facts.detailType, 256) }),
    ...(facts.eventName === undefined ? undefined : { event_name: scrubWords(facts.eventName, 256) }),
    outcome: outcome.failed ? 'error' : 'success',
    error_code: codeOf(outcome),
    duration_ms: rounded(outcome.durationMs),
  });
}

function emitMetric(
  observability: Observability,
  facts: EventFacts,
  outcome: EventOutcome,
  counts: Readonly<Record<string, string>>,
): void {
  const record = {
    name: 'framework.event',
    value: 1,
    duration_ms: rounded(outcome.durationMs),
    tags: {
      trigger: facts.trigger,
      source: sourceName(facts),
      outcome: outcome.failed ? 'error' : 'success',
      error_code: codeOf(outcome),
      ...counts,
    },
    properties: { request_id: recordText(facts.requestId), tenant_id: recordText(facts.tenantId) },
    ...(outcome.measures && { measures: outcome.measures }),
  };
  callHook(observability, 'metric', record, facts.invocation);
}

function endSpan(outcome: EventOutcome, span: ActiveSpan | undefined): void {
  if (!span) return;
  const code = codeOf(outcome);
  span.end(textAttributes({ 'error.type': code }), code);
}

function eventAttributes(facts: EventFacts): SpanAttributes {
  const source = sourceName(facts);
  const messaging = MESSAGING[facts.trigger];
  return {
    'faas.trigger': faasTrigger(facts),
    ...(messaging === undefined ? undefined : { 'messaging.system': messaging, 'messaging.destination.name': source }),
    'event.source': source,
    ...textAttributes({
      'request.id': facts.requestId,
      'tenant.id': facts.tenantId,
      'trace.id': facts.traceId,
      'messaging.message.id': facts.recordId ?? '',
      'event.detail_type': scrubWords(facts.detailType ?? '', 256),
      'correlation.id': scrubWords(facts.correlationId ?? '', 256),
    }),
  };
}

/** The terms of OpenTelemetry: a table stream is a `datasource`, a schedule a `timer`. */
function faasTrigger({ trigger, scheduled }: EventFacts): string {
  if (scheduled) return 'timer';
  return trigger === 'table-stream' ? 'datasource' : 'pubsub';
}

function identity(facts: EventFacts, span: ActiveSpan | undefined) {
  return {
    request_id: recordText(facts.requestId),
    trace_id: span?.id('traceId') || recordText(facts.traceId),
    ...(span && { remote_trace_id: span.id('remoteTraceId') || undefined }),
    tenant_id: recordText(facts.tenantId),
  };
}

function sourceName({ source }: EventFacts): string {
  return source === '' ? '(unregistered)' : source;
}

function codeOf({ failed, errorCode }: EventOutcome): string {
  return failed ? canonicalCode(errorCode) || 'app.internal' : '';
}
