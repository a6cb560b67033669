import type { LambdaContext, MaybePromise } from '@sallyport/core';
import { type Members, membersOf, stringOf } from '@sallyport/core/internal';
import { type Delivered, type EventContext, type Outcome, settle, warnOf } from '@sallyport/streams/delivery';
import { invalidAnswer, invalidEvent } from '../errors.js';
import { fitting } from '../internal/answer.js';
import { bytesOf, readable } from '../internal/bytes.js';
import { DROPPED, type Drop } from '../internal/drop.js';
import { assertHandler } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { recordsOf, requiredText, sourceOf } from '../internal/read.js';
import { defineTrigger, TriggerSurface } from '../internal/surface.js';

/** A record of a Firehose stream: https://docs.aws.amazon.com/firehose/latest/dev/data-transformation.html. */
export interface FirehoseRecord {
  /** The id of the record in Firehose. */
  readonly recordId: string;
  /** Its bytes. */
  readonly data: Uint8Array;
  /** Arrival time in milliseconds since 1970; 0 if the event does not contain it. */
  readonly arrivedAt: number;
  /** Origin of the record in a Kinesis stream: partition key, sequence number, shard. */
  readonly kinesis?: Readonly<Record<string, unknown>>;
}

/** A record with keys for dynamic partitioning. */
export interface FirehoseOutput {
  /** The data to deliver. */
  readonly data: Uint8Array;
  /** Names and values that the destination's prefix uses. */
  readonly partitionKeys: Readonly<Record<string, string>>;
}

/** Transforms one record. A throw, and a result of another form, fail this record. */
export type FirehoseHandler = (
  ctx: EventContext,
  record: FirehoseRecord,
) => MaybePromise<Uint8Array | FirehoseOutput | Drop>;

/** One record of the answer. */
export interface FirehoseResult {
  /** The id of the record in the event. */
  readonly recordId: string;
  /** The outcome. */
  readonly result: 'Ok' | 'Dropped' | 'ProcessingFailed';
  /** Base64; for a failed record the data of the event. */
  readonly data?: string;
  /** Keys for dynamic partitioning. */
  readonly metadata?: { readonly partitionKeys: Record<string, string> };
}

/** Row, natural key and answer of transformations of Firehose. @internal */
export const FIREHOSE_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'firehose',
  anyOf: [
    [
      { path: 'deliveryStreamArn', test: 'text' },
      { path: 'invocationId', test: 'text' },
      { path: 'records[0]', test: 'object' },
    ],
  ],
  sample: { deliveryStreamArn: 'a', invocationId: 'i', records: [{ recordId: 'r', data: '' }] },
  key: ({ source, id }: Delivered) => keyOf(source.arn, id),
  answer: 'each record with its result',
  // https://docs.aws.amazon.com/firehose/latest/dev/data-transformation.html
  maxMs: 300_000,
});

/** The transformation of a Firehose stream. */
export class FirehoseTransform extends TriggerSurface {
  readonly #handler: FirehoseHandler;

  constructor(handler: FirehoseHandler) {
    super(FIREHOSE_TRIGGER);
    assertHandler(handler);
    this.#handler = handler;
  }

  /** @throws FrameworkError `triggers.invalid_event` even for a repeated record id: the answer needs unique ids */
  protected override read(event: unknown): readonly Delivered[] {
    const { records, deliveryStreamArn } = membersOf(event);
    const source = sourceOf(stringOf(deliveryStreamArn).split('/').at(-1) ?? '', deliveryStreamArn);
    const ids = new Set<string>();
    return recordsOf(this.kind, 'records', records).map((record, index) => {
      const place = `records[${index}]`;
      const id = requiredText(this.kind, `${place}.recordId`, record.recordId);
      if (ids.has(id)) throw invalidEvent(this.kind, `${place}.recordId comes twice`);
      ids.add(id);
      const item = { handler: this.#handler, id, name: source.name, source };
      return readable(item, () => toRecord(record, id, bytesOf(this.kind, `${place}.data`, record.data)));
    });
  }

  protected override async answer(
    items: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
    event: unknown,
  ): Promise<{ records: FirehoseResult[] }> {
    const inputs = (membersOf(event).records as readonly Members[]).map(({ data }) => stringOf(data));
    const checked = items.map((item) => ({
      ...item,
      handler: async (ctx: EventContext, record: never) => toResult(item.id, await item.handler(ctx, record)),
    }));
    const outcomes = await settle(this.delivery, checked, lambdaContext);
    const failures = items.map(({ id }, index) => failed(id, inputs[index] ?? ''));
    const results = outcomes.map((outcome, index) => resultOf(outcome) ?? (failures[index] as FirehoseResult));
    const records = fitting(results, (_result, index) => failures[index] as FirehoseResult);
    const cut = records.filter((record, index) => record !== results[index]).length;
    if (cut > 0) warnOf(this.delivery, 'triggers.answer_too_large', { records: records.length, failed: cut });
    return { records };
  }
}

function toRecord({ approximateArrivalTimestamp, kinesisRecordMetadata }: Members, recordId: string, data: Uint8Array) {
  const record: FirehoseRecord = {
    recordId,
    data,
    arrivedAt: typeof approximateArrivalTimestamp === 'number' ? approximateArrivalTimestamp : 0,
    ...(typeof kinesisRecordMetadata === 'object' &&
      kinesisRecordMetadata !== null && { kinesis: kinesisRecordMetadata as Members }),
  };
  return record;
}

function resultOf(outcome: Outcome | undefined): FirehoseResult | undefined {
  return outcome && 'value' in outcome ? (outcome.value as FirehoseResult) : undefined;
}

function failed(recordId: string, data: string): FirehoseResult {
  return { recordId, result: 'ProcessingFailed', data };
}

/** @throws FrameworkError `triggers.invalid_answer` for a result of another form */
function toResult(recordId: string, result: unknown): FirehoseResult {
  if (result === DROPPED) return { recordId, result: 'Dropped' };
  if (result instanceof Uint8Array) return { recordId, result: 'Ok', data: toBase64(result) };
  const { data, partitionKeys } = membersOf(result);
  const keys = membersOf(partitionKeys);
  if (!(data instanceof Uint8Array) || !Object.values(keys).every((value) => typeof value === 'string')) {
    throw invalidAnswer('must be bytes, { data, partitionKeys } with bytes and strings, or drop()');
  }
  const metadata = { partitionKeys: { ...keys } as Record<string, string> };
  return { recordId, result: 'Ok', data: toBase64(data), metadata };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/**
 * Makes the surface for the transformation of a Firehose stream. Each record is answered once, in order. A failed record is answered
 * `ProcessingFailed` with its original data, so that Firehose delivers it to the folder of failed records.
 *
 * @throws FrameworkError `app.invalid_configuration` for a handler that is not a function
 * @example
 * const clean = firehoseTransform((ctx, { data }) => (data.length === 0 ? drop() : Buffer.concat([data, Buffer.from('\n')])));
 * const app = new SecureApp({ principalResolver, surfaces: [clean] });
 */
export function firehoseTransform(handler: FirehoseHandler): FirehoseTransform {
  return new FirehoseTransform(handler);
}
