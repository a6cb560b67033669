import { objectPart, scheduledRun, trimmedText } from '@sallyport/core/pipeline';
import type { EventContext } from '../batch/handler.js';
import { streamsError } from '../errors.js';
import { correlationOf, detailTypeOf, type EventBusEvent } from '../sources/event-bus.js';
import type { LooseRecord } from '../sources/source.js';

/** What an event-bus event says of itself, in the form that is the same in every runtime. Absent parts are `''`. */
export interface EventBusEnvelope {
  /** The account that sent the event. */
  readonly account: string;
  /** The region that it was sent in. */
  readonly region: string;
  /** Who sent it. */
  readonly source: string;
  /** When it happened, as the event says it: ISO 8601. */
  readonly time: string;
  /** The event's `id`. */
  readonly event_id: string;
  /** The event's `detail-type`, else its `detailType`. */
  readonly detail_type: string;
  /** The strings among its `resources`, without blank ones. */
  readonly resources: readonly string[];
  /** The request id of the invocation. */
  readonly request_id: string;
  /** Joins the event to the work that it belongs to: 1 to 256 characters, none of them a control character. */
  readonly correlation_id: string;
  /** The field that the correlation was read from: `metadata.correlation_id`, …, `lambda.aws_request_id`. */
  readonly correlation_source: string;
}

/**
 * The portable envelope of an event-bus event. Never throws; of the event's detail it holds the correlation id alone.
 *
 * @param event as the handler got it
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
 * The envelope of an event that must say where it comes from, what it is and what it belongs to.
 *
 * @throws FrameworkError `streams.envelope_invalid`; `details.missing` names the blank fields
 */
export function requireEventBusEnvelope(event: EventBusEvent, ctx: EventContext): EventBusEnvelope {
  const envelope = eventBusEnvelope(event, ctx);
  const missing = REQUIRED.filter((field) => envelope[field] === '');
  if (missing.length > 0) throw streamsError('streams.envelope_invalid', 'event-bus envelope invalid', { missing });
  return envelope;
}

/** What a scheduled workload did, as far as it says. */
export interface ScheduledResult {
  /** How many things it did: a whole number, 0 or more. */
  readonly processed?: number;
  /** How many of them failed: a whole number, 0 or more. */
  readonly failed?: number;
  /** A status in the workload's own words; `partial` or `ok` when left out. */
  readonly status?: string;
}

/** The portable summary of one run of a scheduled workload. Absent strings are `''`. */
export interface ScheduledSummary {
  /** Tells this summary from other kinds. */
  readonly kind: 'scheduled';
  /** The run: what the event's detail names, else its id, else the request id of the invocation. */
  readonly run_id: string;
  /** The same for all deliveries of one run; what the event's detail names, else made of the event. */
  readonly idempotency_key: string;
  /** Milliseconds of the invocation that are left; 0 when unknown. */
  readonly remaining_ms: number;
  /** End of the invocation in epoch milliseconds; 0 when unknown. */
  readonly deadline_unix_ms: number;
  /** What the handler did, else what the event's detail says of it; counts that nobody gives are 0. */
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
  /** Who sent the event. */
  readonly source: string;
}

/**
 * Summarises a scheduled event and, if given, what its handler did. Never throws.
 *
 * @param event as the handler got it
 * @param ctx of the same call
 * @param result what was done; the event's detail is read where it is left out
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
