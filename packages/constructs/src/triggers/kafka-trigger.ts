import { KAFKA_ON_FAILURE_ENV } from '@sallyport/streams/schema';
import {
  type EventSourceMapping,
  type IFunction,
  SourceAccessConfigurationType,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { setVariable } from '../internal/environment.js';
import { makeMapping } from '../internal/event-source.js';
import { makeFailureQueue, sendingTo } from '../internal/failure-queue.js';
import { misuse } from '../internal/misuse.js';
import { count, defineProps, flag, literal, literalCount, many, thing, time, words } from '../internal/props.js';
import { claimSource, timeoutOf } from '../internal/targets.js';
import { grantKafka, KAFKA_CLUSTER_ACTIONS } from './internal/kafka-grants.js';

/** What a topic of Kafka and its function need next to each other. */
export interface KafkaMappingProps {
  /** The ARN of the cluster of Amazon MSK. */
  readonly clusterArn: string;
  /**
   * The secret with the name and password for SASL/SCRAM.
   *
   * @default - the cluster authenticates the role of the function (IAM)
   */
  readonly secret?: ISecret;
  /**
   * The consumer group. Each mapping of a topic needs one of its own.
   *
   * @default - made from the path of the trigger
   */
  readonly consumerGroup?: string;
  /**
   * Where reading starts when the mapping is made.
   *
   * @default StartingPosition.TRIM_HORIZON
   */
  readonly startingPosition?: StartingPosition;
  /**
   * The most records of one batch, 1 to 10,000.
   *
   * @default 100
   */
  readonly batchSize?: number;
  /**
   * How long AWS waits for a batch to fill up, at most 5 min.
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
   * The most pollers, 1 to 2,000.
   *
   * @default 10
   */
  readonly maxPollers?: number;
  /**
   * Further tries of a record that fails, 0 to 10,000. Records behind it in its partition wait.
   *
   * @default 10
   */
  readonly retryAttempts?: number;
  /**
   * The age at which a record that fails is given up, 1 min to 7 days.
   *
   * @default Duration.hours(24)
   */
  readonly maxRecordAge?: Duration;
  /**
   * Only records that fit one of these patterns reach the function. See `FilterCriteria` of the CDK.
   *
   * @default - all records
   */
  readonly filters?: readonly Record<string, unknown>[];
  /**
   * Where the position of a record is sent that was given up.
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
  /** The function. Its timeout must not be above 14 min. */
  readonly fn: IFunction;
  /** The name of the topic. */
  readonly topic: string;
}

/** Validators and defaults for {@link KafkaTriggerProps}. */
export const KAFKA_TRIGGER_PROPS = defineProps<KafkaTriggerProps>('KafkaTrigger')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  topic: words('the name of a topic: 1 to 249 letters, digits, ., - and _', /^[\w.-]{1,249}$/).required(),
  clusterArn: words(
    'the ARN of a cluster of Amazon MSK',
    /^arn:[^:]+:kafka:[^:]+:\d{12}:cluster\/[^/]+\/[^/]+$/,
  ).required(),
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

/** The longest timeout of functions behind mappings of Kafka, in seconds. */
const LIMIT_SECONDS = 840;

/**
 * Lets the records of a topic of Amazon MSK invoke a function, for `kafkaTrigger()` of `@sallyport/triggers/kafka`. The mapping has provisioned
 * pollers, without which AWS reads no partial failures. It reports partial failures, and the function gets `FRAMEWORK_KAFKA_ON_FAILURE=report`. The position of a record that was given up goes to a queue. The
 * role of the function may read this topic of this cluster in this consumer group.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/kafka-retry-configurations.html
 * @example new KafkaTrigger(this, 'Orders', { fn, clusterArn: cluster.attrArn, topic: 'orders' });
 */
export class KafkaTrigger extends Construct {
  /** The event source mapping. */
  readonly mapping: EventSourceMapping;
  /** Where positions of records go that were given up. */
  readonly failureQueue: IQueue;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, more `minPollers` than `maxPollers`, a timeout above 14 min;
   *   `constructs.conflict` for a second trigger of one topic
   */
  constructor(scope: Construct, id: string, props: KafkaTriggerProps) {
    super(scope, id);
    const parsed = KAFKA_TRIGGER_PROPS.parse(this, props);
    const { fn, topic, clusterArn, secret, minPollers, maxPollers, filters, ownAlias } = parsed;
    const { consumerGroup = `sallyport-${this.node.addr}` } = parsed;
    checkLimits(this, fn, minPollers, maxPollers);
    claimSource(this, fn, `${clusterArn} ${topic}`, 'topic');
    setVariable(this, fn, KAFKA_ON_FAILURE_ENV, 'report');
    const granted = grantKafka(fn, { clusterArn, topic, consumerGroup, secret });
    this.failureQueue = parsed.failureQueue ?? makeFailureQueue(this, 'Failures');
    this.mapping = makeMapping(
      this,
      { fn, ownAlias, actions: KAFKA_CLUSTER_ACTIONS },
      {
        eventSourceArn: clusterArn,
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
        ...(secret && {
          sourceAccessConfigurations: [
            { type: SourceAccessConfigurationType.SASL_SCRAM_512_AUTH, uri: secret.secretArn },
          ],
        }),
        ...(filters && { filters: [...filters] }),
      },
    );
    for (const grant of granted) grant.applyBefore(this.mapping);
  }
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/with-msk.html */
function checkLimits(at: Construct, fn: IFunction, minPollers: number, maxPollers: number): void {
  if (minPollers > maxPollers) {
    throw misuse(at, { what: 'minPollers', got: minPollers, expected: `at most maxPollers, ${maxPollers}` });
  }
  const seconds = timeoutOf(fn)?.toSeconds();
  if (seconds === undefined || seconds <= LIMIT_SECONDS) return;
  const expected = `at most ${LIMIT_SECONDS} s: AWS allows no longer timeout for a function behind Kafka`;
  throw misuse(at, { what: `timeout of ${fn.node.path}`, got: seconds, expected });
}
