import { decodeQueryPart, type Members, membersOf, stringOf } from '@sallyport/core/internal';
import type { Delivered, EventHandler } from '@sallyport/streams/delivery';
import { NamedTrigger } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { recordsOf, requiredText, sourceOf } from '../internal/read.js';
import { defineTrigger } from '../internal/surface.js';

/** An object of a bucket about which S3 notifies: https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html. */
export interface S3Object {
  /** The name of the bucket. */
  readonly bucket: string;
  /** The key, decoded: notifications have it URL-encoded, with `+` for a blank. */
  readonly key: string;
  /** The version; absent unless the bucket is versioned. */
  readonly versionId?: string;
  /** Bytes of the object; absent when it was deleted. */
  readonly size?: number;
  /** The entity tag; absent when the object was deleted. */
  readonly eTag?: string;
  /** Orders the events of one key; compare with {@link compareSequencers}. Absent for events other than creation and deletion. */
  readonly sequencer?: string;
  /** The event: `ObjectCreated:Put`, `ObjectRemoved:Delete`, … */
  readonly event: string;
}

/** Row, natural key and answer of notifications of S3. @internal */
export const S3_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 's3',
  anyOf: [
    [
      { path: 'Records[0].eventSource', test: 'equals', value: 'aws:s3' },
      { path: 'Records[0].s3', test: 'object' },
    ],
  ],
  sample: { Records: [{ eventSource: 'aws:s3', s3: { bucket: { name: 'b' }, object: { key: 'k' } } }] },
  key: ({ record, id }: Delivered) => {
    const { bucket, key, event, versionId = '', sequencer } = record as S3Object;
    // Only creations and deletions have a sequencer; other events differ by the id of the request that caused them.
    return keyOf(bucket, key, event, versionId, sequencer ?? id);
  },
  answer: 'null',
});

/** Handlers of notifications of S3 buckets. */
export class S3Trigger extends NamedTrigger {
  constructor() {
    super(S3_TRIGGER, 'bucket', 's3');
  }

  /**
   * Registers the handler of a bucket's objects. It is called for each record, one at a time. If it throws, Lambda retries the whole
   * event. S3 may also deliver an event twice, and out of order.
   *
   * @param name of the bucket, its ARN, or a name that `FRAMEWORK_EVENT_SOURCES` maps under `s3`
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated name, or a handler that is not a function
   * @example s3Trigger().bucket('uploads', (ctx, object) => index(object.key));
   */
  bucket(name: string, handler: EventHandler<S3Object>): this {
    return this.add(name, handler);
  }

  protected override read(event: unknown): readonly Delivered[] {
    const records = recordsOf('s3', 'Records', membersOf(event).Records);
    return records.map((record, index) => this.#readRecord(record, `Records[${index}]`));
  }

  #readRecord(record: Members, place: string): Delivered {
    const { bucket: bucketPart, object } = membersOf(record.s3);
    const { name: bucketName, arn } = membersOf(bucketPart);
    const bucket = requiredText('s3', `${place}.s3.bucket.name`, bucketName);
    const { key, versionId, size, eTag, sequencer } = membersOf(object);
    const found: S3Object = {
      bucket,
      key: decodeQueryPart(requiredText('s3', `${place}.s3.object.key`, key)),
      ...(typeof versionId === 'string' && { versionId }),
      ...(typeof size === 'number' && { size }),
      ...(typeof eTag === 'string' && { eTag }),
      ...(typeof sequencer === 'string' && { sequencer }),
      event: stringOf(record.eventName),
    };
    return {
      ...this.handlerOf(bucket, stringOf(arn), bucket),
      record: found,
      id: stringOf(membersOf(record.responseElements)['x-amz-request-id']),
      source: { ...sourceOf(bucket, arn), region: stringOf(record.awsRegion) },
    };
  }
}

/**
 * Makes the surface for notifications of S3 buckets.
 *
 * @example
 * const uploads = s3Trigger().bucket('uploads', (ctx, object) => index(object.key));
 * const app = new SecureApp({ principalResolver, surfaces: [uploads] });
 */
export function s3Trigger(): S3Trigger {
  return new S3Trigger();
}

/**
 * Compares the sequencers of two events of the same key: negative if `a` is earlier. The shorter sequencer is padded
 * with zeros on the right, then both are compared as strings, as S3 documents it.
 */
export function compareSequencers(a: string, b: string): number {
  const length = Math.max(a.length, b.length);
  const left = a.padEnd(length, '0').toUpperCase();
  const right = b.padEnd(length, '0').toUpperCase();
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
