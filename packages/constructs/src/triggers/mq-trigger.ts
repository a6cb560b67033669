import {
  type CfnEventSourceMapping,
  type EventSourceMapping,
  type IFunction,
  SourceAccessConfigurationType,
} from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from '../internal/acknowledge.js';
import { makeMapping } from '../internal/event-source.js';
import { count, defineProps, flag, many, thing, time, words } from '../internal/props.js';
import { claimSource } from '../internal/targets.js';
import { grantNetwork, grantSecret } from './internal/kafka-grants.js';
import { checkPolledTimeout } from './internal/pollers.js';

/** Props of the mapping between a queue of a broker and its function. */
export interface MqMappingProps {
  /** The ARN of the broker. */
  readonly brokerArn: string;
  /** The secret with `username` and `password` of a user of the broker. */
  readonly secret: ISecret;
  /**
   * RabbitMQ: the virtual host.
   *
   * @default - `/` for RabbitMQ; ActiveMQ has no virtual hosts
   */
  readonly virtualHost?: string;
  /**
   * The maximum number of messages in a batch, 1 to 10,000.
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
   * Filter patterns: only matching messages reach the function; the others are deleted. See `FilterCriteria` of the CDK.
   *
   * @default - all messages
   */
  readonly filters?: readonly Record<string, unknown>[];
  /**
   * True if the trigger invokes an alias that no other trigger has.
   *
   * @default false
   */
  readonly ownAlias?: boolean;
}

/** Props of {@link MqTrigger}. */
export interface MqTriggerProps extends MqMappingProps {
  /** The function. Its timeout must be at most 14 min. */
  readonly fn: IFunction;
  /** The name of the queue in the broker. */
  readonly queue: string;
}

/** Validators and defaults for {@link MqTriggerProps}. */
export const MQ_TRIGGER_PROPS = defineProps<MqTriggerProps>('MqTrigger')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  queue: words('the name of a queue, 1 to 1,000 characters', /^\S[\s\S]{0,999}$/).required(),
  brokerArn: words('the ARN of a broker of Amazon MQ', /^arn:[^:]+:mq:[^:]+:\d{12}:broker:[^:]+:[^:]+$/).required(),
  secret: thing<ISecret>('a secret', 'secretArn').required(),
  virtualHost: words('the name of a virtual host, at most 200 characters', /^[a-zA-Z0-9./_-]{1,200}$/),
  batchSize: count(1, 10_000).default(100),
  maxBatchingWindow: time(0, 300).default(Duration.seconds(1)),
  filters: many<Record<string, unknown>>('a list of filters', (one) => typeof one === 'object' && one !== null),
  ownAlias: flag.default(false),
});

/**
 * Invokes a function with the messages of a queue of Amazon MQ, for `mqTrigger()` of `@sallyport/triggers`. A mapping of a broker has no partial failures and
 * no destination: Lambda retries a failed batch until the broker moves the messages to a dead-letter queue, which you configure in the broker.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/process-mq-messages-with-lambda.html
 * @example new MqTrigger(this, 'Orders', { fn, brokerArn: broker.attrArn, queue: 'orders', secret });
 */
export class MqTrigger extends Construct {
  /** The event source mapping. */
  readonly mapping: EventSourceMapping;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop or a timeout above 14 min; `constructs.conflict` for a second trigger of one queue
   */
  constructor(scope: Construct, id: string, props: MqTriggerProps) {
    super(scope, id);
    const { fn, queue, brokerArn, secret, virtualHost, filters, ownAlias, ...rest } = MQ_TRIGGER_PROPS.parse(
      this,
      props,
    );
    checkPolledTimeout(this, fn, 'broker');
    claimSource(this, fn, `${brokerArn} ${queue} ${virtualHost ?? ''}`, 'queue of a broker');
    const granted = [...grantSecret(fn, secret), ...grantNetwork(fn)];
    const { BASIC_AUTH, VIRTUAL_HOST } = SourceAccessConfigurationType;
    this.mapping = makeMapping(
      this,
      { fn, ownAlias, actions: ['mq:DescribeBroker'], reportsFailures: false },
      {
        eventSourceArn: brokerArn,
        batchSize: rest.batchSize,
        maxBatchingWindow: rest.maxBatchingWindow,
        sourceAccessConfigurations: [
          { type: BASIC_AUTH, uri: secret.secretArn },
          ...(virtualHost === undefined ? [] : [{ type: VIRTUAL_HOST, uri: virtualHost }]),
        ],
        ...(filters && { filters: [...filters] }),
      },
    );
    (this.mapping.node.defaultChild as CfnEventSourceMapping).queues = [queue];
    acknowledge(
      this.mapping,
      DESTINATION,
      'A mapping of a broker has no destination: the broker has dead-letter queues.',
    );
    for (const grant of granted) grant.applyBefore(this.mapping);
  }
}

const DESTINATION = 'Serverless::Serverless-LambdaEventSourceMappingDestination';
