import { trimmedText } from '@sallyport/core/pipeline';
import type { EventContext } from '../batch/handler.js';
import { streamsError } from '../errors.js';
import { detailTypeOf } from '../sources/event-bus.js';
import type { EventBusEvent } from '../sources/event-types.js';
import type { LooseRecord } from '../sources/internal/loose-record.js';
import { correlationOf } from './internal/correlation.js';

/** What an event-bus event says of itself, in the form that is the same in every runtime. Absent parts are `''`. */
export interface EventBusEnvelope {
  readonly account: string;
  readonly region: string;
  readonly source: string;
  readonly time: string;
  readonly event_id: string;
  readonly detail_type: string;
  readonly resources: readonly string[];
  readonly request_id: string;
  readonly correlation_id: string;
  /** The field that the correlation was read from: `metadata.correlation_id`, …, `lambda.aws_request_id`. */
  readonly correlation_source: string;
}

/** The portable envelope of an event-bus event. Never throws; holds nothing of the event's detail but a correlation id. */
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
    resources: stringsOf(parts.resources),
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

function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(trimmedText).filter((text) => text !== '') : [];
}
