import { SQS_MAX_VISIBILITY_SECONDS } from '@sallyport/core/internal';
import { EVENT_SOURCE_ACTIONS } from '@sallyport/streams/schema';
import type { CfnFunction, EventSourceMapping, IFunction } from 'aws-cdk-lib/aws-lambda';
import { type CfnQueue, type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Duration, Token, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from '../internal/acknowledge.js';
import { warnOfDurableRate } from '../internal/durable.js';
import { makeMapping } from '../internal/event-source.js';
import { noteFailureQueue } from '../internal/failure-queue.js';
import { grantKey } from '../internal/keys.js';
import { misuse } from '../internal/misuse.js';
import { count, defineProps, flag, many, thing, time } from '../internal/props.js';
import { claimSource, functionBehind, timeoutOf } from '../internal/targets.js';
import { ServiceQueue } from './service-queue.js';

/** Props of the mapping between a queue and its function. */
export interface QueueMappingProps {
  /**
   * The maximum number of messages in a batch: 1 to 10,000, for a FIFO queue 10.
   *
   * @default 10
   */
  readonly batchSize?: number;
  /**
   * The time for which AWS waits for a batch to fill up, at most 5 min. A batch of more than 10 needs at least 1 s; FIFO queues do not support it.
   *
   * @default - no waiting
   */
  readonly maxBatchingWindow?: Duration;
  /**
   * The maximum number of concurrent batches, 2 to 1,000.
   *
   * @default - limited by the function's concurrency
   */
  readonly maxConcurrency?: number;
  /**
   * Filter patterns: only matching messages reach the function; the others are deleted. See `FilterCriteria` of the CDK.
   *
   * @default - all messages
   */
  readonly filters?: readonly Record<string, unknown>[];
  /**
   * The visibility timeout of an imported queue, which the CDK cannot read.
   *
   * @default - the queue's timeout
   */
  readonly visibilityTimeout?: Duration;
  /**
   * True if the trigger invokes an alias that no other trigger has.
   *
   * @default false
   */
  readonly ownAlias?: boolean;
}

/** Props of {@link QueueTrigger}. */
export interface QueueTriggerProps extends QueueMappingProps {
  /** The function. */
  readonly fn: IFunction;
  /** The queue. */
  readonly queue: IQueue;
}

/** Validators and defaults for {@link QueueTriggerProps}. */
export const QUEUE_TRIGGER_PROPS = defineProps<QueueTriggerProps>('QueueTrigger')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  queue: thing<IQueue>('a queue', 'queueArn').required(),
  batchSize: count(1, 10_000).default(10),
  maxBatchingWindow: time(0, 300).default(Duration.seconds(0)),
  maxConcurrency: count(2, 1000),
  filters: many<Record<string, unknown>>('a list of filters', (one) => typeof one === 'object' && one !== null),
  visibilityTimeout: time(0, SQS_MAX_VISIBILITY_SECONDS),
  ownAlias: flag.default(false),
});

type Parsed = ReturnType<typeof QUEUE_TRIGGER_PROPS.parse>;

/**
 * Invokes a function with the messages of a queue. Only failed messages are redelivered: partial failures are always reported, and no
 * prop disables that. The function may receive and delete messages of this queue and read its attributes.
 *
 * @example new QueueTrigger(this, 'OrdersTrigger', { fn, queue: orders.queue, maxConcurrency: 20 });
 */
export class QueueTrigger extends Construct {
  /** The event source mapping. */
  readonly mapping: EventSourceMapping;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, a FIFO queue with a window or a larger batch, a visibility
   *   timeout below six times the function's timeout; `constructs.conflict` for a second trigger of one queue
   */
  constructor(scope: Construct, id: string, props: QueueTriggerProps) {
    super(scope, id);
    const parsed = QUEUE_TRIGGER_PROPS.parse(this, props);
    const { fn, queue, batchSize, maxBatchingWindow, maxConcurrency, filters, ownAlias } = parsed;
    checkBatch(this, parsed);
    checkVisibility(this, parsed);
    checkConcurrency(this, parsed);
    warnOfDurableRate(this, functionBehind(fn), batchSize, queue.fifo);
    noteFailureQueue(fn, (queue as Partial<Queue>).deadLetterQueue?.queue as IQueue | undefined);
    warnOfLoss(this, queue);
    claimSource(this, fn, queue.queueArn, 'queue');
    this.mapping = makeMapping(
      this,
      { fn, ownAlias, actions: EVENT_SOURCE_ACTIONS.queue },
      {
        eventSourceArn: queue.queueArn,
        batchSize,
        ...(maxBatchingWindow.toMilliseconds() > 0 && { maxBatchingWindow }),
        ...(maxConcurrency !== undefined && { maxConcurrency }),
        ...(filters && { filters: [...filters] }),
      },
    );
    acknowledge(
      this.mapping,
      'Serverless::Serverless-LambdaEventSourceMappingDestination',
      'A mapping of a queue has no destination: the queue has a dead-letter queue.',
    );
    grantKey(queue.encryptionMasterKey, fn, 'queue', 'receive');
  }
}

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html */
function checkBatch(at: Construct, { queue, batchSize, maxBatchingWindow }: Parsed): void {
  const seconds = maxBatchingWindow.toSeconds({ integral: false });
  if (queue.fifo && seconds > 0) {
    throw misuse(at, {
      what: 'maxBatchingWindow with a FIFO queue',
      expected: 'no window: AWS Lambda accepts it for standard queues only',
    });
  }
  if (queue.fifo && batchSize > 10) {
    throw misuse(at, { what: 'batchSize of a FIFO queue', got: batchSize, expected: 'at most 10' });
  }
  if (!queue.fifo && batchSize > 10 && seconds < 1) {
    throw misuse(at, {
      what: `batchSize ${batchSize} without maxBatchingWindow`,
      expected: 'a window of at least 1 s',
    });
  }
}

/** More concurrent batches than environments: Lambda is throttled, and the receives count until messages are dead letters. */
function checkConcurrency(at: Construct, { fn, maxConcurrency }: Parsed): void {
  const reserved = (functionBehind(fn).node.defaultChild as Partial<CfnFunction> | undefined)
    ?.reservedConcurrentExecutions;
  if (typeof reserved !== 'number' || Token.isUnresolved(reserved)) return;
  if (reserved === 0) {
    const text = `a trigger of ${functionBehind(fn).node.path}, whose reservedConcurrency is 0: every message becomes a dead letter`;
    Validations.of(at).addWarning('Sallyport::StoppedFunction', text);
    return;
  }
  if (maxConcurrency === undefined || Token.isUnresolved(maxConcurrency) || maxConcurrency <= reserved) return;
  const expected = `at most reservedConcurrency of the function, ${reserved}: throttled messages become dead letters`;
  throw misuse(at, { what: 'maxConcurrency', got: maxConcurrency, expected });
}

function warnOfLoss(at: Construct, queue: IQueue): void {
  if (!(queue instanceof Queue) || queue.deadLetterQueue !== undefined) return;
  Validations.of(at).addWarning(
    'Sallyport::NoDeadLetterQueue',
    `${queue.node.path} has no dead-letter queue: a message that always fails is retried until its retention ends, and then lost. Use a ServiceQueue, or acknowledge this.`,
  );
}

function checkVisibility(at: Construct, { fn, queue, visibilityTimeout }: Parsed): void {
  const seconds = timeoutOf(fn)?.toSeconds();
  if (seconds === undefined) return;
  const owner = queue.node.scope;
  if (owner instanceof ServiceQueue && owner.queue === queue) {
    owner._attach(at, seconds);
    return;
  }
  const visible = visibilityTimeout?.toSeconds() ?? visibilityOf(queue);
  if (visible === undefined || visible < 6 * seconds) {
    const expected = `at least ${6 * seconds} s, six times the function timeout`;
    const hint = visible === undefined ? '; state it with the prop visibilityTimeout' : '';
    throw misuse(at, { what: `visibilityTimeout of ${queue.node.path}`, got: visible, expected: expected + hint });
  }
}

/** The default of SQS is 30 s. */
function visibilityOf(queue: IQueue): number | undefined {
  if (!(queue instanceof Queue)) return undefined;
  const { visibilityTimeout = 30 } = queue.node.defaultChild as CfnQueue;
  return visibilityTimeout;
}
