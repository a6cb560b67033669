import { objectPart, scheduledRun, trimmedText } from '@sallyport/core/internal';
import type { EventContext } from '../batch/handler.js';
import { streamsError } from '../errors.js';
import { correlationOf, detailTypeOf, type EventBusEvent } from '../sources/event-bus.js';
import type { LooseRecord } from '../sources/source.js';

/** Facts about an event-bus event, in the same form in every runtime. Absent parts are `''`. */
export interface EventBusEnvelope {
  /** The account that sent the event. */
  readonly account: string;
  /** The region that it was sent in. */
  readonly region: string;
  /** Sender of the event. */
  readonly source: string;
  /** Time of the event, as its sender wrote it: ISO 8601. */
  readonly time: string;
  /** The event's `id`. */
  readonly event_id: string;
  /** The event's `detail-type`, else its `detailType`. */
  readonly detail_type: string;
  /** The strings among its `resources`, without blank ones. */
  readonly resources: readonly string[];
  /** The request id of the invocation. */
  readonly request_id: string;
  /** Correlates the event with related work: 1 to 256 characters, no control characters. */
  readonly correlation_id: string;
  /** The field that the correlation was read from: `metadata.correlation_id`, …, `lambda.aws_request_id`. */
  readonly correlation_source: string;
}

/**
 * The portable envelope of an event-bus event. Never throws; of the event's detail it contains only the correlation id.
 *
 * @param event as the handler received it
 * @param ctx of the same call
 */
export function eventBusEnvelope(event: EventBusEvent, ctx: EventContext): EventBusEnvelope {
  const parts: LooseRecord = { ...event };
  const correlation = correlationOf(parts, ctx.lambdaContext?.awsRequestId);
  return {
    account: trimmedText(parts.account),
    region: trimmedText(parts.region),
    source: trimmedText(parts.source),
    time: trimmedText(parts.time),
    event_id: trimmedText(parts.id),
    detail_type: detailTypeOf(parts).trim(),
    resources: Array.isArray(parts.resources) ? parts.resources.map(trimmedText).filter((text) => text !== '') : [],
    request_id: ctx.requestId,
    correlation_id: correlation.id,
    correlation_source: correlation.source,
  };
}

const REQUIRED = ['source', 'detail_type', 'correlation_id'] as const;

/**
 * The envelope of an event that must have a source, a type and a correlation id.
 *
 * @throws FrameworkError `streams.envelope_invalid`; `details.missing` names the blank fields
 */
export function requireEventBusEnvelope(event: EventBusEvent, ctx: EventContext): EventBusEnvelope {
  const envelope = eventBusEnvelope(event, ctx);
  const missing = REQUIRED.filter((field) => envelope[field] === '');
  if (missing.length > 0) throw streamsError('streams.envelope_invalid', 'event-bus envelope invalid', { missing });
  return envelope;
}

/** Result of a scheduled workload, as its handler reports it. */
export interface ScheduledResult {
  /** Number of processed items: a whole number, 0 or more. */
  readonly processed?: number;
  /** Number of failed items: a whole number, 0 or more. */
  readonly failed?: number;
  /** A status in the workload's own words; `partial` or `ok` when left out. */
  readonly status?: string;
}

/** The portable summary of one run of a scheduled workload. Absent strings are `''`. */
export interface ScheduledSummary {
  /** Kind of summary. */
  readonly kind: 'scheduled';
  /** The run: the id in the event's detail, else its id, else the request id of the invocation. */
  readonly run_id: string;
  /** Equal for all deliveries of one run; the key in the event's detail, else derived from the event. */
  readonly idempotency_key: string;
  /** Remaining milliseconds of the invocation; 0 when unknown. */
  readonly remaining_ms: number;
  /** End of the invocation in epoch milliseconds; 0 when unknown. */
  readonly deadline_unix_ms: number;
  /** The handler's result, else the result in the event's detail; missing counts are 0. */
  readonly result: { readonly processed: number; readonly failed: number; readonly status: string };
  /** The event's `time`. */
  readonly scheduled_time: string;
  /** As in the envelope. */
  readonly correlation_id: string;
  /** As in the envelope. */
  readonly correlation_source: string;
  /** The event's `detail-type`, else its `detailType`. */
  readonly detail_type: string;
  /** The event's `id`. */
  readonly event_id: string;
  /** Sender of the event. */
  readonly source: string;
}

/**
 * Summarises a scheduled event and, if given, its handler's result. Never throws.
 *
 * @param event as the handler received it
 * @param ctx of the same call
 * @param result the handler's result; if it is left out, the event's detail is read
 */
export function scheduledSummary(
  event: EventBusEvent,
  ctx: EventContext,
  result?: ScheduledResult | null,
): ScheduledSummary {
  const envelope = eventBusEnvelope(event, ctx);
  const detail = objectPart(event.detail);
  const { runId, idempotencyKey } = scheduledRun(event, ctx.lambdaContext?.awsRequestId);
  const remaining = Math.floor(ctx.remainingMs);
  return {
    kind: 'scheduled',
    run_id: runId,
    idempotency_key: idempotencyKey,
    remaining_ms: remaining,
    deadline_unix_ms: remaining > 0 ? ctx.now().getTime() + remaining : 0,
    result: resultOf(objectPart(result), detail),
    scheduled_time: envelope.time,
    correlation_id: envelope.correlation_id,
    correlation_source: envelope.correlation_source,
    detail_type: envelope.detail_type,
    event_id: envelope.event_id,
    source: envelope.source,
  };
}

type Part = Readonly<Record<string, unknown>>;

function resultOf(given: Part, detail: Part): ScheduledSummary['result'] {
  const told = objectPart(detail.result);
  const failed = firstCount(given.failed, told.failed);
  const status = trimmedText(given.status) || trimmedText(told.status) || trimmedText(detail.status);
  return {
    processed: firstCount(given.processed, told.processed),
    failed,
    status: status || (failed > 0 ? 'partial' : 'ok'),
  };
}

function firstCount(...values: unknown[]): number {
  return (values.find((value) => Number.isSafeInteger(value) && (value as number) >= 0) as number | undefined) ?? 0;
}
