import { firstTraceId } from '@sallyport/core';

/** A record or event before anybody has looked at it: the members that the framework reads, each of any type. */
export interface LooseRecord {
  readonly [key: string]: unknown;
  readonly attributes?: Readonly<Record<string, unknown>> | null;
  readonly messageAttributes?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>> | null;
  readonly kinesis?: Readonly<Record<string, unknown>> | null;
  readonly dynamodb?: Readonly<Record<string, unknown>> | null;
  readonly Sns?:
    | (Readonly<Record<string, unknown>> & {
        readonly MessageAttributes?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>> | null;
      })
    | null;
}

/** Text as it is, anything else `''`. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The id that the service gave a record, for logs and the context. */
export function recordId(kind: string, record: LooseRecord): string {
  if (kind === 'queue') return textOf(record.messageId);
  if (kind === 'topic') return textOf(record.Sns?.MessageId);
  return textOf(kind === 'event-bus' ? record.id : record.eventID);
}

/** The trace that a message says it belongs to. */
export function recordTraceId(record: LooseRecord): string {
  const attribute =
    record.messageAttributes?.traceparent?.stringValue ?? record.Sns?.MessageAttributes?.traceparent?.Value;
  return firstTraceId(textOf(attribute), textOf(record.attributes?.AWSTraceHeader));
}

/** The list of records of an event, if it has one. */
export function readRecords(event: unknown): readonly LooseRecord[] | undefined {
  const records = (event as { readonly Records?: unknown } | null | undefined)?.Records;
  return Array.isArray(records) ? records : undefined;
}

export function isObject(value: unknown): value is LooseRecord {
  return typeof value === 'object' && value !== null;
}
