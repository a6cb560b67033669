import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { decodeBase64, decodeUtf8 } from '@sallyport/core';
import { base64Size, fromJson, isObject, isText } from '@sallyport/core/internal';
import { streamsError } from '../errors.js';
import { isLooseRecord, safeLog } from '../sources/source.js';

/**
 * One line of a log:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html.
 */
export interface LogSubscriptionEvent {
  /** The id of the line; may be blank in a `CONTROL_MESSAGE`. */
  readonly id: string;
  /** Time of the line, in epoch milliseconds. */
  readonly timestamp: number;
  /** The line itself. It may contain any logged data. */
  readonly message: string;
  /** Fields that the filter pattern extracted from the line, by name. Absent unless the option `extractedFields` is set and fields exist. */
  readonly extractedFields?: Readonly<Record<string, string>>;
}

/** Bounds of {@link decodeCloudWatchLogsSubscription}. */
export interface LogSubscriptionLimits {
  /** Most bytes of the decompressed document. Default 2,097,152 (2 MiB). */
  readonly maxDocumentBytes?: number;
  /** Most bytes of the document for each compressed byte; documents of up to 64 KiB are free. Default 100. */
  readonly maxRatio?: number;
  /** Most log events. Default 10,000. */
  readonly maxEvents?: number;
  /** True if log events have their `extractedFields`. Default `false`. */
  readonly extractedFields?: boolean;
}

/** The loggable part of a log subscription: all members except its messages. */
export interface LogSubscriptionSummary {
  /** The `eventID` of the data-stream record. */
  readonly record_id: string;
  /** `CONTROL_MESSAGE` is the service's own reachability check. */
  readonly message_type: 'DATA_MESSAGE' | 'CONTROL_MESSAGE';
  /** The account of the log group; may be blank in a `CONTROL_MESSAGE`. */
  readonly owner: string;
  /** The name of the log group; may be blank in a `CONTROL_MESSAGE`. */
  readonly log_group: string;
  /** The name of the log stream; may be blank in a `CONTROL_MESSAGE`. */
  readonly log_stream: string;
  /** Number of matching subscription filters. */
  readonly subscription_filter_count: number;
  /** Number of lines. */
  readonly log_event_count: number;
  /** `name=value` pairs of all of these, each value encoded. */
  readonly safe_log: string;
}

/** A decoded log subscription, equal in every runtime. */
export interface LogSubscription {
  /** The `eventID` of the data-stream record. */
  readonly record_id: string;
  /** `CONTROL_MESSAGE` is the service's own reachability check. */
  readonly message_type: 'DATA_MESSAGE' | 'CONTROL_MESSAGE';
  /** The account of the log group; may be blank in a `CONTROL_MESSAGE`. */
  readonly owner: string;
  /** The name of the log group; may be blank in a `CONTROL_MESSAGE`. */
  readonly log_group: string;
  /** The name of the log stream; may be blank in a `CONTROL_MESSAGE`. */
  readonly log_stream: string;
  /** The names of the filters that matched, at most 16. */
  readonly subscription_filters: readonly string[];
  /** The lines, at most 10,000. */
  readonly log_events: readonly LogSubscriptionEvent[];
  /** The loggable part. */
  readonly safe_summary: LogSubscriptionSummary;
}

const MAX_COMPRESSED_BYTES = 1_048_576;
const MAX_FILTERS = 16;
const DEFAULTS: Required<LogSubscriptionLimits> = {
  maxDocumentBytes: 2_097_152,
  maxRatio: 100,
  maxEvents: 10_000,
  extractedFields: false,
};
const ENVELOPE = ['messageType', 'owner', 'logGroup', 'logStream', 'subscriptionFilters', 'logEvents', 'policyLevel'];

/** The members of a record that the decoder reads. */
export interface LogSubscriptionRecord {
  /** The id of the data-stream record. */
  readonly eventID: string;
  /** The content of the record. */
  readonly kinesis: {
    /** Base64 of gzip of JSON. */
    readonly data: string;
  };
}

type Document = Readonly<Record<string, unknown>>;

/**
 * Decodes the CloudWatch Logs subscription that a data-stream record contains. It is synchronous, bounded, and strict: it rejects
 * any document that does not match the documented envelope exactly.
 *
 * The service's own reachability check, a `CONTROL_MESSAGE`, may contain blank values for owner, log group, log stream,
 * filters and event ids: https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html.
 *
 * @param limits bounds of the document, which the caller has checked
 * @throws FrameworkError `streams.log_subscription_invalid`; its message never quotes the input
 */
export function decodeCloudWatchLogsSubscription(
  record: LogSubscriptionRecord,
  limits: LogSubscriptionLimits = {},
): LogSubscription {
  const bounds = { ...DEFAULTS, ...limits };
  const recordId: unknown = record.eventID;
  if (!isText(recordId)) throw invalid('missing eventID');
  const document = parseDocument(inflate(decodeData(record.kinesis?.data), bounds));
  for (const key of Object.keys(document)) if (!ENVELOPE.includes(key)) throw invalid('field outside the envelope');
  const messageType = parseMessageType(document.messageType);
  const isControl = messageType === 'CONTROL_MESSAGE';
  const head = {
    record_id: recordId,
    message_type: messageType,
    owner: parseField(document, 'owner', isControl),
    log_group: parseField(document, 'logGroup', isControl),
    log_stream: parseField(document, 'logStream', isControl),
  };
  const filters = parseFilters(document.subscriptionFilters, isControl);
  const events = parseEvents(document, isControl, bounds);
  const counts = { ...head, subscription_filter_count: filters.length, log_event_count: events.length };
  return {
    ...head,
    subscription_filters: filters,
    log_events: events,
    safe_summary: { ...counts, safe_log: safeLog(counts) },
  };
}

function invalid(tail: string) {
  return streamsError('streams.log_subscription_invalid', `log subscription: ${tail}`);
}

/** Checks the size before decoding. */
function decodeData(data: unknown): Uint8Array {
  if (!isText(data)) throw invalid('empty data');
  if (base64Size(data) > MAX_COMPRESSED_BYTES) throw invalid('compressed input too large');
  try {
    return decodeBase64(data);
  } catch {
    throw invalid('invalid base64');
  }
}

/** Documents up to this size are not tested for their compression ratio: small ones compress very well. */
const FREE_BYTES = 64 * 1024;

/**
 * Inflates gzip data (RFC 1952) and stops at the first byte over the limit, so that a decompression bomb is never held in memory as a whole.
 * The limit is the lower of two: the maximum size of the document and, above 64 KiB, the maximum ratio to its input.
 */
function inflate(
  compressed: Uint8Array,
  { maxDocumentBytes, maxRatio }: Pick<Required<LogSubscriptionLimits>, 'maxDocumentBytes' | 'maxRatio'>,
): Buffer {
  const byRatio = Math.max(FREE_BYTES, compressed.length * maxRatio);
  const maxOutputLength = Math.min(maxDocumentBytes, byRatio);
  let inflated: { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
  try {
    // `info` is documented but missing from Node's type declarations.
    inflated = gunzipSync(compressed, { maxOutputLength, info: true }) as unknown as typeof inflated;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_BUFFER_TOO_LARGE') throw invalid('invalid gzip');
    throw invalid(byRatio < maxDocumentBytes ? 'compression ratio too high' : 'document too large');
  }
  // Data after the last member is not gzip; zlib would silently ignore zeros.
  if (inflated.engine.bytesWritten !== compressed.length) throw invalid('invalid gzip');
  return inflated.buffer;
}

function parseDocument(bytes: Buffer): Document {
  const document = isUtf8(bytes) ? fromJson(decodeUtf8(bytes)) : undefined;
  if (document === undefined) throw invalid('invalid json');
  if (!isObject(document)) throw invalid('document is not an object');
  return document as Document;
}

function parseMessageType(value: unknown): 'DATA_MESSAGE' | 'CONTROL_MESSAGE' {
  if (value === 'DATA_MESSAGE' || value === 'CONTROL_MESSAGE') return value;
  throw invalid('unsupported messageType');
}

function parseField(document: Document, field: string, mayBeBlank: boolean): string {
  const value = document[field];
  if (typeof value !== 'string' || !(mayBeBlank || isText(value))) throw invalid(`missing ${field}`);
  return value;
}

function parseFilters(value: unknown, mayBeBlank: boolean): string[] {
  if (!Array.isArray(value) || !(mayBeBlank || value.length > 0)) throw invalid('missing subscriptionFilters');
  if (value.length > MAX_FILTERS) throw invalid('too many subscriptionFilters');
  value.forEach((filter, index) => {
    if (typeof filter !== 'string' || !(mayBeBlank || isText(filter)))
      throw invalid(`empty subscriptionFilters[${index}]`);
  });
  return value;
}

function parseEvents(
  document: Document,
  mayLackId: boolean,
  { maxEvents, extractedFields: isAsked }: Required<LogSubscriptionLimits>,
): LogSubscriptionEvent[] {
  const events = Object.hasOwn(document, 'logEvents') ? document.logEvents : [];
  if (!Array.isArray(events)) throw invalid('logEvents is not an array');
  if (events.length > maxEvents) throw invalid('too many logEvents');
  return events.map((event: Document | null, index) => {
    const { id, timestamp, message, extractedFields } = event ?? {};
    const hasId = typeof id === 'string' && (mayLackId || isText(id));
    if (!hasId || !Number.isSafeInteger(timestamp) || typeof message !== 'string') {
      throw invalid(`invalid logEvents[${index}]`);
    }
    const line = { id, timestamp: timestamp as number, message };
    return isAsked && isLooseRecord(extractedFields) ? { ...line, extractedFields: textsOf(extractedFields) } : line;
  });
}

/** The members that are strings: https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html. */
function textsOf(fields: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
