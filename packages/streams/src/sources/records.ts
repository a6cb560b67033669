import { decodeBase64, decodeUtf8, encodeUtf8 } from '@sallyport/core';
import { streamsError } from '../errors.js';
import type { QueueRecord, StreamRecord } from './event-types.js';

/**
 * The bytes that a record carries: a queue message's body in UTF-8, a stream record's data from strict base64.
 *
 * @throws FrameworkError `streams.invalid_record` for a record without, `app.bad_request` for data that is not base64
 */
export function recordBytes(record: Pick<QueueRecord, 'body'> | Pick<StreamRecord, 'kinesis'>): Uint8Array {
  const { body, kinesis } = record as { readonly body?: unknown; readonly kinesis?: { readonly data?: unknown } };
  if (typeof body === 'string') return encodeUtf8(body);
  if (typeof kinesis?.data === 'string') return decodeBase64(kinesis.data);
  throw streamsError('streams.invalid_record', 'record has no body or data');
}

/**
 * The JSON value that a record carries.
 *
 * @throws FrameworkError `streams.invalid_record` when it is no JSON; the text never quotes the record, as a parser's would
 */
export function recordJson<T = unknown>(record: Pick<QueueRecord, 'body'> | Pick<StreamRecord, 'kinesis'>): T {
  const text = 'body' in record && typeof record.body === 'string' ? record.body : decodeUtf8(recordBytes(record));
  try {
    return JSON.parse(text) as T;
  } catch {
    throw streamsError('streams.invalid_record', 'record is not JSON');
  }
}
