import { defineOptions, number, string } from '@sallyport/core/options';
import { S3_TRIGGER, s3Trigger } from '../kinds/s3.js';
import { describeTrigger } from './entry.js';
import { assertRecords } from './internal/build.js';

/** Options of one record of {@link buildS3Event}; `<n>` is its place in the event, from 1. */
export interface S3RecordOptions {
  /** The key as text; it is encoded here, as S3 does. */
  readonly key: string;
  /** The event name. Default `ObjectCreated:Put`. */
  readonly event?: string;
  /** Bytes of the object; default 1024, absent for deletions. */
  readonly size?: number;
  /** The entity tag; default of 32 digits, absent for deletions. */
  readonly eTag?: string;
  /** The version. Default: left out. */
  readonly versionId?: string;
  /** Orders the events of one key. Default: `<n>` in 18 digits. */
  readonly sequencer?: string;
}

const S3_RECORD = /* @__PURE__ */ defineOptions<S3RecordOptions>()({
  key: string.required(),
  event: string.default('ObjectCreated:Put'),
  size: number(0),
  eTag: string,
  versionId: string,
  sequencer: string,
});

/** A notification of S3 in the form of its documentation. */
export interface S3Event {
  /** The records; S3 sends one with each invocation. */
  readonly Records: S3EventRecord[];
}

/** One record of an {@link S3Event}: https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html. */
export interface S3EventRecord {
  /** Version of this form. */
  readonly eventVersion: string;
  /** `aws:s3`. */
  readonly eventSource: string;
  /** The region of the bucket. */
  readonly awsRegion: string;
  /** Time of the event, ISO 8601. */
  readonly eventTime: string;
  /** The event name. */
  readonly eventName: string;
  /** The user who caused the event. */
  readonly userIdentity: { readonly principalId: string };
  /** Address of the request. */
  readonly requestParameters: { readonly sourceIPAddress: string };
  /** The ids of the request. */
  readonly responseElements: { readonly 'x-amz-request-id': string; readonly 'x-amz-id-2': string };
  /** Bucket and object. */
  readonly s3: {
    readonly s3SchemaVersion: string;
    readonly configurationId: string;
    readonly bucket: {
      readonly name: string;
      readonly ownerIdentity: { readonly principalId: string };
      readonly arn: string;
    };
    readonly object: {
      readonly key: string;
      readonly size?: number;
      readonly eTag?: string;
      readonly versionId?: string | undefined;
      readonly sequencer: string;
    };
  };
}

/**
 * Builds notifications of a bucket.
 *
 * @throws FrameworkError `app.invalid_configuration` for no records, an unknown option or a wrong type
 * @example buildS3Event('uploads', [{ key: 'a b.txt' }]);
 */
export function buildS3Event(bucket: string, records: readonly S3RecordOptions[]): S3Event {
  assertRecords('buildS3Event', records);
  return { Records: records.map((options, index) => s3Record(bucket, S3_RECORD.parse(options), index + 1)) };
}

function s3Record(bucket: string, options: ReturnType<typeof S3_RECORD.parse>, n: number): S3EventRecord {
  const { key, event, versionId, sequencer = String(n).padStart(18, '0') } = options;
  const isGone = event.startsWith('ObjectRemoved') || event.startsWith('LifecycleExpiration');
  const size = options.size ?? (isGone ? undefined : 1_024);
  const eTag = options.eTag ?? (isGone ? undefined : 'd41d8cd98f00b204e9800998ecf8427e');
  return {
    eventVersion: '2.1',
    eventSource: 'aws:s3',
    awsRegion: 'us-east-1',
    eventTime: '1970-01-01T00:00:00.000Z',
    eventName: event,
    userIdentity: { principalId: 'AWS:AIDAEXAMPLE' },
    requestParameters: { sourceIPAddress: '203.0.113.1' },
    responseElements: { 'x-amz-request-id': `s3-${n}`, 'x-amz-id-2': 'id-2' },
    s3: {
      s3SchemaVersion: '1.0',
      configurationId: 'configuration-1',
      bucket: { name: bucket, ownerIdentity: { principalId: 'OWNER' }, arn: `arn:aws:s3:::${bucket}` },
      object: {
        key: encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/'),
        ...(size !== undefined && { size }),
        ...(eTag !== undefined && { eTag }),
        ...(versionId !== undefined && { versionId }),
        sequencer,
      },
    },
  };
}

/** S3 objects in the catalogue. @internal */
export const S3 = /* @__PURE__ */ describeTrigger(S3_TRIGGER, {
  sample: {
    build: buildS3Event,
    events: [
      [buildS3Event('uploads', [{ key: 'a' }]), 'uploads|a|ObjectCreated:Put||000000000000000001'],
      [
        buildS3Event('uploads', [{ key: 'a', event: 'ObjectRemoved:Delete' }]),
        'uploads|a|ObjectRemoved:Delete||000000000000000001',
      ],
    ],
    names: ['uploads'],
    register: (handlers) => handlers.reduce((trigger, one) => trigger.bucket(...one), s3Trigger()),
  },
  docs: {
    section: 'S3 objects',
    rows: [
      ['`s3Trigger()` with `bucket(name, handler)`; `S3Trigger`, `S3Object`', 'notifications of buckets, keys decoded'],
      ['`compareSequencers(a, b)`', 'orders the events of one key'],
    ],
  },
  construct: 's3',
  simulate: 'asynchronous',
  aws: { author: 'S3; a client wrote the keys', failure: 'Lambda retries twice', limit: 'not read' },
  hint: ['queue', 'an S3 notification', 'Records[0].eventSource', 'aws:s3'],
  sizes: { factory: 's3Trigger', gzipBytes: 11_300 },
});
