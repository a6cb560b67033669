import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { EventType, type IBucket, type NotificationKeyFilter } from 'aws-cdk-lib/aws-s3';
import { LambdaDestination } from 'aws-cdk-lib/aws-s3-notifications';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { keepAsyncFailures } from '../internal/async-failures.js';
import { noteInvoker } from '../internal/invokers.js';
import { misuse } from '../internal/misuse.js';
import { hardenNotifier } from '../internal/notifier.js';
import { defineProps, flag, literal, thing } from '../internal/props.js';
import { claimSource, functionBehind, invokedBy, requireSameStack } from '../internal/targets.js';

/** Props of the mapping between a bucket and its function. */
export interface S3MappingProps {
  /**
   * The types of object events.
   *
   * @default [EventType.OBJECT_CREATED]
   */
  readonly events?: readonly EventType[];
  /**
   * Filters for the keys of objects: each entry has a prefix, a suffix, or both. No object may match two filters: S3 rejects that.
   *
   * @default - all objects
   */
  readonly filters?: readonly NotificationKeyFilter[];
  /**
   * The queue for events for which the function failed three times.
   *
   * @default - the function's destination, or a new queue, kept for 14 days
   */
  readonly failureQueue?: IQueue;
  /**
   * True if the trigger invokes an alias that no other trigger has.
   *
   * @default false
   */
  readonly ownAlias?: boolean;
}

/** Props of {@link S3Trigger}. */
export interface S3TriggerProps extends S3MappingProps {
  /** The function. */
  readonly fn: IFunction;
  /** The bucket. */
  readonly bucket: IBucket;
}

/** Validators and defaults for {@link S3TriggerProps}. */
export const S3_TRIGGER_PROPS = defineProps<S3TriggerProps>('S3Trigger')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  bucket: thing<IBucket>('a bucket', 'bucketArn').required(),
  events: literal<readonly EventType[]>('a list of different EventTypes', isEvents).default([EventType.OBJECT_CREATED]),
  filters: literal<readonly NotificationKeyFilter[]>(
    'a list of { prefix, suffix }, each with one of them or both',
    (value) => Array.isArray(value) && value.length > 0 && value.every(isFilter),
  ),
  failureQueue: thing<IQueue>('a queue', 'queueArn'),
  ownAlias: flag.default(false),
});

/**
 * Invokes a function with the events of a bucket, for `s3Trigger()` of `@sallyport/triggers`. Only this bucket of this account may invoke it.
 * Events for which the function failed three times are sent to a queue.
 *
 * The CDK function for notifications sets the notification together with all others, so you can also use `bucket.addEventNotification`.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-filtering.html
 * @example new S3Trigger(this, 'Uploads', { fn, bucket, filters: [{ prefix: 'notes/' }] });
 */
export class S3Trigger extends Construct {
  /** The queue for failed events; `undefined` if the function has a destination that was set without this package. */
  readonly failureQueue: IQueue | undefined;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop or filters that overlap; `constructs.conflict` for a second trigger of
   *   one bucket, and for a `failureQueue` if the function already has a destination
   */
  constructor(scope: Construct, id: string, props: S3TriggerProps) {
    super(scope, id);
    const { fn, bucket, events, filters, failureQueue, ownAlias } = S3_TRIGGER_PROPS.parse(this, props);
    checkOverlap(this, filters ?? []);
    requireSameStack(
      functionBehind(fn),
      'bucket',
      bucket,
      'the bucket in the stack of the function, or imported with Bucket.fromBucketName',
    );
    claimSource(this, fn, bucket.bucketArn, 'bucket');
    const target = invokedBy(this, fn, ownAlias);
    this.failureQueue = keepAsyncFailures(this, target, failureQueue);
    const destination = new LambdaDestination(target);
    for (const event of events) {
      for (const filter of filters ?? [undefined])
        bucket.addEventNotification(event, destination, ...(filter ? [filter] : []));
    }
    hardenNotifier(bucket);
    noteInvoker(fn, { construct: bucket });
  }
}

function isEvents(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || new Set(value).size !== value.length) return false;
  return value.every((one) => Object.values<unknown>(EventType).includes(one));
}

function isFilter(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const entries = Object.entries(value);
  const isPart = ([name, part]: [string, unknown]) =>
    (name === 'prefix' || name === 'suffix') && typeof part === 'string' && part !== '';
  return entries.length > 0 && entries.every(isPart);
}

function checkOverlap(at: Construct, filters: readonly NotificationKeyFilter[]): void {
  for (const [index, one] of filters.entries()) {
    const other = filters.slice(0, index).find((earlier) => overlap(one, earlier));
    if (other === undefined) continue;
    throw misuse(at, {
      what: `filters ${JSON.stringify(other)} and ${JSON.stringify(one)} match the same objects`,
      expected: 'filters that do not overlap: S3 rejects others',
    });
  }
}

/** True if a key can match both filters. */
function overlap(one: NotificationKeyFilter, other: NotificationKeyFilter): boolean {
  const [prefix = '', otherPrefix = ''] = [one.prefix, other.prefix];
  const [suffix = '', otherSuffix = ''] = [one.suffix, other.suffix];
  const beginsAlike = prefix.startsWith(otherPrefix) || otherPrefix.startsWith(prefix);
  return beginsAlike && (suffix.endsWith(otherSuffix) || otherSuffix.endsWith(suffix));
}
