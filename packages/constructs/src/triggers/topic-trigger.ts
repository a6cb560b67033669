import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  type FilterOrPolicy,
  type ITopic,
  Subscription,
  type SubscriptionFilter,
  SubscriptionProtocol,
} from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from '../internal/acknowledge.js';
import { keepAsyncFailures } from '../internal/async-failures.js';
import { allowSending, makeFailureQueue, noteFailureQueue } from '../internal/failure-queue.js';
import { misuse } from '../internal/misuse.js';
import { defineProps, flag, literal, thing } from '../internal/props.js';
import { claimSource, invokedBy } from '../internal/targets.js';

/** Props of the mapping between a topic and its function. */
export interface TopicMappingProps {
  /**
   * Filter policy: only notifications with matching attributes reach the function.
   *
   * @default - all notifications
   */
  readonly filterPolicy?: Readonly<Record<string, SubscriptionFilter>>;
  /**
   * Filter policy: only notifications whose message, a JSON object, matches reach the function. Not together with `filterPolicy`.
   *
   * @default - all notifications
   */
  readonly filterPolicyWithMessageBody?: Readonly<Record<string, FilterOrPolicy>>;
  /**
   * The queue for undeliverable notifications, and for notifications for which the function failed three times.
   *
   * @default - a new queue for undeliverable notifications, and a queue of the function for failed ones; both keep 14 days
   */
  readonly failureQueue?: IQueue;
  /**
   * True if the trigger invokes an alias that no other trigger has.
   *
   * @default false
   */
  readonly ownAlias?: boolean;
}

/** Props of {@link TopicTrigger}. */
export interface TopicTriggerProps extends TopicMappingProps {
  /** The function. */
  readonly fn: IFunction;
  /** The topic. */
  readonly topic: ITopic;
}

/** Validators and defaults for {@link TopicTriggerProps}. */
export const TOPIC_TRIGGER_PROPS = defineProps<TopicTriggerProps>('TopicTrigger')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  topic: thing<ITopic>('a topic', 'topicArn').required(),
  filterPolicy: literal<Readonly<Record<string, SubscriptionFilter>>>(
    'an object of filters',
    (value) => typeof value === 'object' && value !== null,
  ),
  filterPolicyWithMessageBody: literal<Readonly<Record<string, FilterOrPolicy>>>(
    'an object of filters and policies',
    (value) => typeof value === 'object' && value !== null,
  ),
  failureQueue: thing<IQueue>('a queue', 'queueArn'),
  ownAlias: flag.default(false),
});

/**
 * Subscribes a function to a topic. Only this topic may invoke it. Notifications that could not be delivered, or for which the function
 * failed three times, are sent to a queue.
 *
 * @example new TopicTrigger(this, 'Announcements', { fn, topic });
 */
export class TopicTrigger extends Construct {
  /** The subscription. */
  readonly subscription: Subscription;
  /** The queue for undeliverable notifications. */
  readonly failureQueue: IQueue;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, two policies or a FIFO topic; `constructs.conflict` for a second
   *   trigger of one topic, and for a `failureQueue` if the function already has another failure destination
   */
  constructor(scope: Construct, id: string, props: TopicTriggerProps) {
    super(scope, id);
    const { fn, topic, filterPolicy, filterPolicyWithMessageBody, failureQueue, ownAlias } = TOPIC_TRIGGER_PROPS.parse(
      this,
      props,
    );
    if (filterPolicy && filterPolicyWithMessageBody) {
      throw misuse(this, { what: 'filterPolicy and filterPolicyWithMessageBody', expected: 'one of them' });
    }
    if (topic.fifo)
      throw misuse(this, {
        what: 'a FIFO topic',
        expected: 'a queue between them: SNS delivers FIFO topics to queues only',
      });
    claimSource(this, fn, topic.topicArn, 'topic');
    const target = invokedBy(this, fn, ownAlias);
    this.failureQueue = failureQueue ?? makeFailureQueue(this, 'Failures');
    noteFailureQueue(fn, this.failureQueue);
    allowSending(this, this.failureQueue, 'sns');
    target.addPermission(`Invoke-${this.node.addr}`, {
      principal: new ServicePrincipal('sns.amazonaws.com'),
      sourceArn: topic.topicArn,
      scope: this,
    });
    this.subscription = new Subscription(this, 'Resource', {
      topic,
      endpoint: target.functionArn,
      protocol: SubscriptionProtocol.LAMBDA,
      deadLetterQueue: this.failureQueue,
      ...(filterPolicy && { filterPolicy }),
      ...(filterPolicyWithMessageBody && { filterPolicyWithMessageBody }),
    });
    if ('aliasName' in target) {
      // https://docs.aws.amazon.com/lambda/latest/dg/using-aliases.html
      const reason = 'An alias has the ARN of its function with a qualifier, and SNS invokes it.';
      acknowledge(this.subscription, 'CloudFormation-Validate::W3694', reason);
    }
    keepAsyncFailures(this, target, failureQueue);
  }
}
