import { objectPart, scheduledRun, trimmedText } from '@sallyport/core/pipeline';
import type { EventContext } from '../batch/handler.js';
import type { EventBusEvent } from '../sources/event-types.js';
import { eventBusEnvelope } from './event-bus.js';

/** What a scheduled workload did, as far as it says. */
export interface ScheduledResult {
  readonly processed?: number;
  readonly failed?: number;
  readonly status?: string;
}

/** The portable summary of one run of a scheduled workload. */
export interface ScheduledSummary {
  readonly kind: 'scheduled';
  readonly run_id: string;
  readonly idempotency_key: string;
  readonly remaining_ms: number;
  /** Epoch milliseconds; 0 without a deadline. */
  readonly deadline_unix_ms: number;
  readonly result: { readonly processed: number; readonly failed: number; readonly status: string };
  readonly scheduled_time: string;
  readonly correlation_id: string;
  readonly correlation_source: string;
  readonly detail_type: string;
  readonly event_id: string;
  readonly source: string;
}

/** Summarises a scheduled event and, if given, what its handler did. Never throws. */
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
