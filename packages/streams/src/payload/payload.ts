import { decodeUtf8, type MaybePromise, type StandardSchema } from '@sallyport/core';
import { defineOptions, isStandardSchema, oneOf, text } from '@sallyport/core/options';
import type { EventContext, EventHandler } from '../batch/handler.js';
import { refused } from '../errors.js';
import type { EventBusEvent } from '../sources/event-bus.js';
import type { StreamRecord } from '../sources/kinesis.js';
import { type QueueRecord, recordJson } from '../sources/queue.js';
import { type TableStreamRecord, tableImage } from '../sources/table-stream.js';
import type { TopicRecord } from '../sources/topic.js';
import { fitted } from './internal/fit.js';
import { markPayload } from './internal/mark.js';

/** An event of an opt-in trigger that has a payload: a message of AWS IoT, the input of a task. */
export interface WithPayload {
  /** The payload, as data. */
  readonly payload: unknown;
}

/** A record whose payload is bytes of JSON: of Kafka (`value`) or Amazon MQ (`data`). */
export type WithBytes = { readonly value: Uint8Array | null } | { readonly data: Uint8Array };

/** The part of a record that {@link payload} reads, for records that have several. */
export type PayloadPart = 'newImage' | 'oldImage' | 'keys' | 'value' | 'data';

/** Options of {@link payload}; an unknown key is rejected. */
export interface PayloadOptions {
  /**
   * The part that is the payload: `newImage`, `oldImage` or `keys` of a table stream, as plain values (`null` if the record lacks it);
   * `value` of Kafka, `data` of Amazon MQ, as JSON. Default: the payload of the record's kind.
   */
  readonly of?: PayloadPart;
  /**
   * The member of the payload whose messages must arrive in order, such as `customer.id`: the message group of a FIFO queue or topic, the
   * partition key of a data stream, the key of Kafka. It is in the contract, because senders must use it; it is not checked. Default: none.
   */
  readonly orderedBy?: string;
}

/** Validators for {@link PayloadOptions}. */
const PAYLOAD_OPTIONS = /* @__PURE__ */ defineOptions<PayloadOptions>()({
  of: /* @__PURE__ */ oneOf('newImage', 'oldImage', 'keys', 'value', 'data'),
  orderedBy: /* @__PURE__ */ text('the name of a member'),
});

/**
 * An event with a JSON payload: a queue message, a data-stream record, a notification, an event with its `detail`, or an event of an opt-in
 * trigger with its `payload`.
 */
export type PayloadRecord =
  | QueueRecord
  | StreamRecord
  | TopicRecord
  | EventBusEvent
  | WithPayload
  | TableStreamRecord
  | WithBytes;

/** Handles a valid payload. */
export type PayloadHandler<Value, R> = (ctx: EventContext, value: Value, record: R) => MaybePromise<unknown>;

/**
 * Wraps a handler so that it receives a validated payload: the parsed JSON of a queue message, a data stream record or a notification, the
 * `detail` of an event, or the `payload` of an event of an opt-in trigger. A payload that is not JSON, or that the schema rejects, fails only its own record. The error names the fields,
 * never their values.
 *
 * @param schema a Standard Schema validator (zod, valibot, arktype, …), also an asynchronous one
 * @param options `of`: the part of a record of a table, Kafka or Amazon MQ; `orderedBy`: the member that determines the order
 * @throws FrameworkError `app.invalid_configuration` for an invalid schema, handler or option; for a record
 *   `streams.invalid_record` (not JSON), `streams.payload_invalid` (does not fit)
 * @example
 * events.queue('orders', payload(Order, (ctx, order) => fulfil(order)));
 */
export function payload<Output, R extends PayloadRecord = PayloadRecord>(
  schema: StandardSchema<unknown, Output> | StandardSchema<never, Output>,
  handler: PayloadHandler<Output, R>,
  options: PayloadOptions = {},
): EventHandler<R> {
  if (!isStandardSchema(schema)) throw refused('payload needs a Standard Schema (version 1)');
  if (typeof handler !== 'function') throw refused('payload handler must be a function');
  const { of, orderedBy } = PAYLOAD_OPTIONS.parse(options);
  const checked: EventHandler<R> = async (ctx, record) =>
    handler(ctx, await fitted<Output>(schema, of ? partOf(record, of) : payloadOf(record)), record);
  return markPayload(Object.assign(checked, handler), schema, orderedBy);
}

/** @throws FrameworkError `streams.invalid_record` for text that is not JSON */
function payloadOf(record: PayloadRecord): unknown {
  if ('Sns' in record) return recordJson({ body: record.Sns.Message });
  if ('payload' in record) return record.payload;
  return 'detail' in record ? record.detail : recordJson(record as QueueRecord);
}

const IMAGES = { newImage: 'new', oldImage: 'old', keys: 'keys' } as const;

/** @throws FrameworkError `streams.invalid_record` for bytes that are not JSON */
function partOf(record: PayloadRecord, of: PayloadPart): unknown {
  if (of !== 'value' && of !== 'data') return tableImage(record as TableStreamRecord, IMAGES[of]) ?? null;
  const bytes = (record as Readonly<Record<string, unknown>>)[of];
  return bytes instanceof Uint8Array ? recordJson({ body: decodeUtf8(bytes) }) : null;
}
