import type { EventFacts } from '@sallyport/core/pipeline';
import type { Delivery } from '../../batch/internal/record-batch.js';
import { detailTypeOf } from '../../sources/event-bus.js';
import { recordId, recordTraceId, textOf } from '../../sources/internal/loose-record.js';
import { correlationOf } from '../../workloads/internal/correlation.js';

/** What is known of a whole delivery. */
export function batchFacts(delivery: Delivery): EventFacts {
  const registered = delivery.targets.includes(undefined) ? undefined : delivery.targets[0];
  return {
    trigger: delivery.kind,
    source: registered?.registration.name ?? '',
    requestId: delivery.requestId,
    traceId: delivery.traceId,
    tenantId: delivery.tenantId,
  };
}

/** What is known of one record or event. */
export function recordFacts(delivery: Delivery, index: number): EventFacts {
  const { kind } = delivery;
  const record = delivery.recordAt(index);
  const facts: EventFacts = {
    ...batchFacts(delivery),
    source: delivery.targets[index]?.registration.name ?? '',
    traceId: recordTraceId(record) || delivery.traceId,
    recordId: recordId(kind, record),
  };
  if (kind === 'table-stream') return { ...facts, eventName: textOf(record.eventName) };
  if (kind !== 'event-bus') return facts;
  const detailType = detailTypeOf(record);
  return {
    ...facts,
    detailType,
    correlationId: correlationOf(record, delivery.lambdaContext?.awsRequestId).id,
    scheduled: detailType === 'Scheduled Event',
  };
}
