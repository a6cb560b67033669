import { STREAM_FAILURE_IDENTIFIER_ENV } from '@sallyport/streams/schema';
import { type EventSourceMapping, type IFunction, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { warnOfDurableRate } from '../internal/durable.js';
import { setVariable } from '../internal/environment.js';
import { makeMapping } from '../internal/event-source.js';
import { makeFailureQueue, noteFailureQueue, sendingTo } from '../internal/failure-queue.js';
import { count, flag, literal, many, thing, time } from '../internal/props.js';
import { claimSource, functionBehind } from '../internal/targets.js';

/** Props of the mapping between a stream and its function. */
export interface StreamMappingProps {
  /**
   * The position at which a new mapping starts to read.
   *
   * @default StartingPosition.TRIM_HORIZON
   */
  readonly startingPosition?: StartingPosition;
  /**
   * The maximum number of records in a batch, 1 to 10,000.
   *
   * @default 100
   */
  readonly batchSize?: number;
  /**
   * The time for which AWS waits for a batch to fill up, at most 5 min.
   *
   * @default - no waiting
   */
  readonly maxBatchingWindow?: Duration;
  /**
   * True if a batch that failed as a whole is halved before it is retried.
   *
   * @default true
   */
  readonly bisectBatchOnError?: boolean;
  /**
   * Retries of a failed record, 0 to 10,000. Later records in its shard wait.
   *
   * @default 10
   */
  readonly retryAttempts?: number;
  /**
   * The age at which a failing record is discarded, 1 min to 7 days.
   *
   * @default Duration.hours(24)
   */
  readonly maxRecordAge?: Duration;
  /**
   * The number of concurrent batches of one shard, 1 to 10. Records of one partition key are kept in order.
   *
   * @default 1
   */
  readonly parallelizationFactor?: number;
  /**
   * Filter patterns: only matching records reach the function. See `FilterCriteria` of the CDK.
   *
   * @default - all records
   */
  readonly filters?: readonly Record<string, unknown>[];
  /**
   * The queue for the positions of discarded records.
   *
   * @default - a new queue, kept for 14 days
   */
  readonly failureQueue?: IQueue;
  /**
   * True if the trigger invokes an alias that no other trigger has.
   *
   * @default false
   */
  readonly ownAlias?: boolean;
}

/** Validators of {@link StreamMappingProps}. */
export const STREAM_MAPPING_KINDS = {
  startingPosition: literal<StartingPosition>(
    'TRIM_HORIZON or LATEST',
    (value) => value === StartingPosition.TRIM_HORIZON || value === StartingPosition.LATEST,
  ).default(StartingPosition.TRIM_HORIZON),
  batchSize: count(1, 10_000).default(100),
  maxBatchingWindow: time(0, 300).default(Duration.seconds(0)),
  bisectBatchOnError: flag.default(true),
  retryAttempts: count(0, 10_000).default(10),
  maxRecordAge: time(60, 604_800).default(Duration.hours(24)),
  parallelizationFactor: count(1, 10).default(1),
  filters: many<Record<string, unknown>>('a list of filters', (one) => typeof one === 'object' && one !== null),
  failureQueue: thing<IQueue>('a queue', 'queueArn'),
  ownAlias: flag.default(false),
};

/** The parsed props of a mapping, and its source. */
export interface StreamMappingSource {
  readonly fn: IFunction;
  readonly arn: string;
  readonly noun: string;
  readonly actions: readonly string[];
}

type ParsedMapping = {
  readonly [K in keyof StreamMappingProps]-?: K extends 'filters' | 'failureQueue'
    ? StreamMappingProps[K] | undefined
    : Exclude<StreamMappingProps[K], undefined>;
};

/**
 * Maps a stream to a function, and sets the variable for sequence numbers as the identifiers of failed records: with any other
 * identifier AWS retries whole batches or loses records.
 */
export function mapStream(trigger: Construct, source: StreamMappingSource, props: ParsedMapping): StreamMapping {
  const { fn, arn, noun, actions } = source;
  const { filters, failureQueue, maxBatchingWindow, ownAlias } = props;
  claimSource(trigger, fn, arn, noun);
  setVariable(trigger, fn, STREAM_FAILURE_IDENTIFIER_ENV, 'sequenceNumber');
  const queue = failureQueue ?? makeFailureQueue(trigger, 'Failures');
  noteFailureQueue(fn, queue);
  warnOfDurableRate(trigger, functionBehind(fn), props.batchSize, true);
  const mapping = makeMapping(
    trigger,
    { fn, ownAlias, actions },
    {
      eventSourceArn: arn,
      startingPosition: props.startingPosition,
      batchSize: props.batchSize,
      bisectBatchOnError: props.bisectBatchOnError,
      retryAttempts: props.retryAttempts,
      maxRecordAge: props.maxRecordAge,
      parallelizationFactor: props.parallelizationFactor,
      onFailure: sendingTo(queue),
      ...(maxBatchingWindow.toMilliseconds() > 0 && { maxBatchingWindow }),
      ...(filters && { filters: [...filters] }),
    },
  );
  return { mapping, failureQueue: queue };
}

/** The parts of a stream trigger. */
export interface StreamMapping {
  readonly mapping: EventSourceMapping;
  readonly failureQueue: IQueue;
}
