import { defineOptions, string } from '@sallyport/core/options';
import { DROPPED } from '../internal/drop.js';
import { FIREHOSE_TRIGGER, firehoseTransform } from '../kinds/firehose.js';
import { describeTrigger } from './entry.js';
import { assertRecords, DATA, only, toBase64 } from './internal/build.js';

/** Options of one record of {@link buildFirehoseEvent}. */
export interface FirehoseRecordOptions {
  /** Default `data-<n>`, by its place in the event, from 1. */
  readonly data?: string | Uint8Array;
  /** Default `record-<n>`. */
  readonly recordId?: string;
}

const FIREHOSE_RECORD = /* @__PURE__ */ defineOptions<FirehoseRecordOptions>()({
  data: DATA,
  recordId: string,
});

/** A batch of Firehose in the form of its documentation. */
export interface FirehoseEvent {
  /** The id of the invocation. */
  readonly invocationId: string;
  /** The stream. */
  readonly deliveryStreamArn: string;
  /** Its region. */
  readonly region: string;
  /** The records. */
  readonly records: {
    readonly recordId: string;
    readonly approximateArrivalTimestamp: number;
    readonly data: string;
  }[];
}

/**
 * Builds a batch of a Firehose stream for its transformation.
 *
 * @see https://docs.aws.amazon.com/firehose/latest/dev/data-transformation.html
 * @throws FrameworkError `app.invalid_configuration` for no records, an unknown option or a wrong type
 * @example buildFirehoseEvent('clicks', [{ data: '{"id":1}' }]);
 */
export function buildFirehoseEvent(stream: string, records: readonly FirehoseRecordOptions[]): FirehoseEvent {
  assertRecords('buildFirehoseEvent', records);
  return {
    invocationId: 'invocation-1',
    deliveryStreamArn: `arn:aws:firehose:us-east-1:123456789012:deliverystream/${stream}`,
    region: 'us-east-1',
    records: records.map((given, index) => {
      const { data = `data-${index + 1}`, recordId = `record-${index + 1}` } = FIREHOSE_RECORD.parse(given);
      return {
        recordId,
        approximateArrivalTimestamp: index + 1,
        data: toBase64(data),
      };
    }),
  };
}

/** Firehose transformations in the catalogue. @internal */
export const FIREHOSE = /* @__PURE__ */ describeTrigger(FIREHOSE_TRIGGER, {
  sample: {
    build: buildFirehoseEvent,
    events: [
      [buildFirehoseEvent('clicks', [{}]), 'arn:aws:firehose:us-east-1:123456789012:deliverystream/clicks|record-1'],
    ],
    names: [''],
    result: DROPPED,
    register: (handlers) => firehoseTransform(only(handlers)),
  },
  docs: {
    section: 'Firehose transformations',
    rows: [
      [
        '`firehoseTransform(handler)`; `FirehoseTransform`, `FirehoseHandler`, `FirehoseRecord`, `FirehoseOutput`, `FirehoseResult`',
        'transformations of Firehose',
      ],
      ['`drop()`, `Drop`', 'drops a record'],
    ],
  },
  construct: 'firehose',
  simulate: 'firehose',
  aws: {
    author: 'Firehose; a producer wrote the data',
    failure: 'Firehose retries three times, then skips the batch',
    limit: '6 MB',
  },
  hint: ['stream', 'a Firehose batch', 'deliveryStreamArn'],
  sizes: { factory: 'firehoseTransform', gzipBytes: 11_600 },
});
