import { trimmedText } from '@sallyport/core/pipeline';
import { safeLog } from '../internal/safe-log.js';
import type { TableStreamRecord } from './event-types.js';
import { parseSourceArn, TABLE_STREAM } from './source.js';

/** What may be written down of a table's change: never keys, never images. */
export interface TableStreamSummary {
  readonly aws_region: string;
  readonly event_id: string;
  readonly event_name: string;
  readonly sequence_number: string;
  readonly size_bytes: number;
  readonly stream_view_type: string;
  readonly table_name: string;
  /** `table=… event_id=… event_name=… sequence_number=…`, each value encoded. */
  readonly safe_log: string;
}

/** The portable summary of a table-stream record. Never throws. */
export function tableStreamSummary(record: TableStreamRecord): TableStreamSummary {
  const { dynamodb } = record;
  const size: unknown = dynamodb?.SizeBytes;
  const table = parseSourceArn(TABLE_STREAM, trimmedText(record.eventSourceARN))?.name ?? '';
  const eventId = trimmedText(record.eventID);
  const eventName = trimmedText(record.eventName);
  const sequenceNumber = trimmedText(dynamodb?.SequenceNumber);
  return {
    aws_region: trimmedText(record.awsRegion),
    event_id: eventId,
    event_name: eventName,
    sequence_number: sequenceNumber,
    size_bytes: Number.isFinite(size) ? (size as number) : 0,
    stream_view_type: trimmedText(dynamodb?.StreamViewType),
    table_name: table,
    safe_log: safeLog({ table, event_id: eventId, event_name: eventName, sequence_number: sequenceNumber }),
  };
}
