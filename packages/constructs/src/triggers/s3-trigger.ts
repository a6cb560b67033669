import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { EventType, type IBucket, type NotificationKeyFilter } from 'aws-cdk-lib/aws-s3';
import { LambdaDestination } from 'aws-cdk-lib/aws-s3-notifications';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { keepAsyncFailures } from '../internal/async-failures.js';
import { misuse } from '../internal/misuse.js';
import { hardenNotifier } from '../internal/notifier.js';
import { defineProps, flag, literal, thing } from '../internal/props.js';
import { claimSource, invokedBy } from '../internal/targets.js';

/** What a bucket and its function need next to each other. */
export interface S3MappingProps {
  /**
   * What happened to an object.
   *
   * @default [EventType.OBJECT_CREATED]
   */
  readonly events?: readonly EventType[];
  /**
   * Which objects: each entry has the beginning of the key, its end, or both. No object may fit two of them: S3 rejects that.
   *
   * @default - all objects
   */
  readonly filters?: readonly NotificationKeyFilter[];
  /**
   * Where events go that the function failed for three times.
   *
   * @default - that of the function, or a new queue, kept for 14 days
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
 * Lets events of a bucket invoke a function, for `s3Trigger()` of `@sallyport/triggers/s3`. Only this bucket of this account may invoke it, and
 * events that the function failed for three times go to a queue.
 *
 * The notification is set by the function of the CDK that sets all of them, so that `bucket.addEventNotification` can be used next to it.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-filtering.html
 * @example new S3Trigger(this, 'Uploads', { fn, bucket, filters: [{ prefix: 'notes/' }] });
 */
export class S3Trigger extends Construct {
  /** Where events go that the function failed for; `undefined` where the function had a destination already. */
  readonly failureQueue: IQueue | undefined;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop or filters that overlap; `constructs.conflict` for a second trigger of
   *   one bucket, and for a `failureQueue` where the function has a destination already
   */
  constructor(scope: Construct, id: string, props: S3TriggerProps) {
    super(scope, id);
    const { fn, bucket, events, filters, failureQueue, ownAlias } = S3_TRIGGER_PROPS.parse(this, props);
    checkOverlap(this, filters ?? []);
    claimSource(this, fn, bucket.bucketArn, 'bucket');
    const target = invokedBy(this, fn, ownAlias);
    this.failureQueue = keepAsyncFailures(this, target, failureQueue);
    const destination = new LambdaDestination(target);
    for (const event of events) {
      for (const filter of filters ?? [undefined])
        bucket.addEventNotification(event, destination, ...(filter ? [filter] : []));
    }
    hardenNotifier(bucket);
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
      what: `filters ${JSON.stringify(other)} and ${JSON.stringify(one)} fit the same objects`,
      expected: 'filters that no object fits twice: S3 refuses others',
    });
  }
}

/** True if a key can begin and end as both of them say. */
function overlap(one: NotificationKeyFilter, other: NotificationKeyFilter): boolean {
  const [prefix = '', otherPrefix = ''] = [one.prefix, other.prefix];
  const [suffix = '', otherSuffix = ''] = [one.suffix, other.suffix];
  const beginsAlike = prefix.startsWith(otherPrefix) || otherPrefix.startsWith(prefix);
  return beginsAlike && (suffix.endsWith(otherSuffix) || otherSuffix.endsWith(suffix));
}
