import { KAFKA_ON_FAILURE_ENV } from '@sallyport/streams/schema';
import { type EventSourceMapping, type IFunction, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { setVariable } from '../internal/environment.js';
import { makeMapping } from '../internal/event-source.js';
import { makeFailureQueue, noteFailureQueue, sendingTo } from '../internal/failure-queue.js';
import { misuse } from '../internal/misuse.js';
import { count, defineProps, flag, literal, literalCount, many, thing, time, words } from '../internal/props.js';
import { claimSource } from '../internal/targets.js';
import { brokerSettings, clusterOf, KAFKA_BROKER_KINDS, type KafkaBrokerProps } from './internal/kafka-brokers.js';
import { grantKafka, KAFKA_CLUSTER_ACTIONS } from './internal/kafka-grants.js';
import { checkPolledTimeout } from './internal/pollers.js';

/** Props of the mapping between a Kafka topic and its function. Exactly one of `clusterArn` and `bootstrapServers` is required. */
export interface KafkaMappingProps extends KafkaBrokerProps {
  /**
   * The ARN of the Amazon MSK cluster.
   *
   * @default - `bootstrapServers`
   */
  readonly clusterArn?: string;
  /**
   * The secret of the poller: by default the name and password for SASL/SCRAM. Required with `bootstrapServers`.
   *
   * @default - the MSK cluster authenticates the role of the function (IAM)
   */
  readonly secret?: ISecret;
  /**
   * The consumer group. Each mapping of a topic needs a separate group.
   *
   * @default - generated from the path of the trigger
   */
  readonly consumerGroup?: string;
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
   * @default Duration.seconds(1)
   */
  readonly maxBatchingWindow?: Duration;
  /**
   * Pollers that always run, 1 to 200. AWS charges for them.
   *
   * @default 1
   */
  readonly minPollers?: number;
  /**
   * The maximum number of pollers, 1 to 2,000.
   *
   * @default 10
   */
  readonly maxPollers?: number;
  /**
   * Retries of a failed record, 0 to 10,000. Later records in its partition wait.
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

/** Props of {@link KafkaTrigger}. */
export interface KafkaTriggerProps extends KafkaMappingProps {
  /** The function. Its timeout must be at most 14 min. */
  readonly fn: IFunction;
  /** The name of the topic. */
  readonly topic: string;
}

/** Validators and defaults for {@link KafkaTriggerProps}. */
export const KAFKA_TRIGGER_PROPS = defineProps<KafkaTriggerProps>('KafkaTrigger')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  topic: words('the name of a topic: 1 to 249 letters, digits, ., - and _', /^[\w.-]{1,249}$/).required(),
  clusterArn: words('the ARN of a cluster of Amazon MSK', /^arn:[^:]+:kafka:[^:]+:\d{12}:cluster\/[^/]+\/[^/]+$/),
  ...KAFKA_BROKER_KINDS,
  secret: thing<ISecret>('a secret', 'secretArn'),
  consumerGroup: words('1 to 200 letters, digits, ., - and _', /^[\w.-]{1,200}$/),
  startingPosition: literal<StartingPosition>(
    'TRIM_HORIZON or LATEST',
    (value) => value === StartingPosition.TRIM_HORIZON || value === StartingPosition.LATEST,
  ).default(StartingPosition.TRIM_HORIZON),
  batchSize: count(1, 10_000).default(100),
  maxBatchingWindow: time(0, 300).default(Duration.seconds(1)),
  minPollers: literalCount(1, 200).default(1),
  maxPollers: literalCount(1, 2000).default(10),
  retryAttempts: count(0, 10_000).default(10),
  maxRecordAge: time(60, 604_800).default(Duration.hours(24)),
  filters: many<Record<string, unknown>>('a list of filters', (one) => typeof one === 'object' && one !== null),
  failureQueue: thing<IQueue>('a queue', 'queueArn'),
  ownAlias: flag.default(false),
});

/**
 * Invokes a function with the records of a topic of Amazon MSK or of a self-managed Kafka, for `kafkaTrigger()` of `@sallyport/triggers`. The mapping has provisioned
 * pollers, without which AWS does not read partial failures. It reports partial failures, and the function gets
 * `FRAMEWORK_KAFKA_ON_FAILURE=report`. The positions of discarded records are sent to a queue. The function role may read this topic of
 * this cluster in this consumer group.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/kafka-retry-configurations.html
 * @example new KafkaTrigger(this, 'Orders', { fn, clusterArn: cluster.attrArn, topic: 'orders' });
 */
export class KafkaTrigger extends Construct {
  /** The event source mapping. */
  readonly mapping: EventSourceMapping;
  /** The queue for the positions of discarded records. */
  readonly failureQueue: IQueue;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, `clusterArn` and `bootstrapServers` together, more `minPollers` than `maxPollers`, a timeout above 14 min;
   *   `constructs.conflict` for a second trigger of one topic
   */
  constructor(scope: Construct, id: string, props: KafkaTriggerProps) {
    super(scope, id);
    const parsed = KAFKA_TRIGGER_PROPS.parse(this, props);
    const { fn, topic, clusterArn, minPollers, maxPollers, filters, ownAlias } = parsed;
    const { consumerGroup = `sallyport-${this.node.addr}` } = parsed;
    const cluster = clusterOf(this, parsed);
    checkLimits(this, fn, minPollers, maxPollers);
    claimSource(this, fn, `${cluster} ${topic}`, 'topic');
    setVariable(this, fn, KAFKA_ON_FAILURE_ENV, 'report');
    const brokers = brokerSettings(this, parsed);
    const isInNetwork = clusterArn !== undefined || parsed.vpc !== undefined;
    const granted = grantKafka(fn, { clusterArn, topic, consumerGroup, secrets: brokers.secrets, isInNetwork });
    this.failureQueue = parsed.failureQueue ?? makeFailureQueue(this, 'Failures');
    noteFailureQueue(fn, this.failureQueue);
    this.mapping = makeMapping(
      this,
      { fn, ownAlias, actions: KAFKA_CLUSTER_ACTIONS },
      {
        ...brokers.settings,
        kafkaTopic: topic,
        kafkaConsumerGroupId: consumerGroup,
        startingPosition: parsed.startingPosition,
        batchSize: parsed.batchSize,
        maxBatchingWindow: parsed.maxBatchingWindow,
        bisectBatchOnError: true,
        retryAttempts: parsed.retryAttempts,
        maxRecordAge: parsed.maxRecordAge,
        provisionedPollerConfig: { minimumPollers: minPollers, maximumPollers: maxPollers },
        onFailure: sendingTo(this.failureQueue),
        ...(filters && { filters: [...filters] }),
      },
    );
    for (const grant of granted) grant.applyBefore(this.mapping);
  }
}

function checkLimits(at: Construct, fn: IFunction, minPollers: number, maxPollers: number): void {
  if (minPollers > maxPollers) {
    throw misuse(at, { what: 'minPollers', got: minPollers, expected: `at most maxPollers, ${maxPollers}` });
  }
  checkPolledTimeout(at, fn, 'Kafka');
}
