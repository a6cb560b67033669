import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IMetric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { ArnFormat, Aspects, Duration, Names, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { failureQueuesOf } from '../internal/failure-queue.js';
import { allowService } from '../internal/keys.js';
import { misuse, misuseText } from '../internal/misuse.js';
import { count, defineProps, many, thing, time } from '../internal/props.js';
import { claimsOf } from '../internal/targets.js';

/** Props of {@link ServiceAlarms}. */
export interface ServiceAlarmsProps {
  /** The function. */
  readonly fn: IFunction;
  /**
   * The topic that receives every alarm. Its key must not be `alias/aws/sns`, which CloudWatch may not use.
   */
  readonly actionTopic: ITopic;
  /**
   * Further failure queues: each gets an alarm, which goes off as soon as a message is in the queue. The failure queues of the function's triggers have an
   * alarm even if they are not listed; only listed queues are in `alarms`.
   *
   * @default - none
   */
  readonly deadLetterQueues?: readonly IQueue[];
  /**
   * The age of the oldest record of a stream at which the alarm goes off, 1 s to 365 days. A function that reads a stream needs it.
   *
   * @default - no alarm
   */
  readonly maxIteratorAge?: Duration;
  /**
   * Failed invocations in 5 min at which the alarm goes off, 1 to 1,000,000.
   *
   * @default 1
   */
  readonly errorThreshold?: number;
  /**
   * Invocations in 5 min without a free environment at which the alarm goes off, 1 to 1,000,000.
   *
   * @default 1
   */
  readonly throttleThreshold?: number;
}

/** Validators and defaults for {@link ServiceAlarmsProps}. */
export const SERVICE_ALARMS_PROPS = defineProps<ServiceAlarmsProps>('ServiceAlarms')({
  fn: thing<IFunction>('a function', 'metricErrors').required(),
  actionTopic: thing<ITopic>('a topic', 'topicArn').required(),
  deadLetterQueues: many<IQueue>(
    'a list of queues',
    (one) => typeof one === 'object' && one !== null && 'queueArn' in one,
  ).default([]),
  maxIteratorAge: time(1, 31_536_000),
  errorThreshold: count(1, 1_000_000).default(1),
  throttleThreshold: count(1, 1_000_000).default(1),
});

const PERIOD = Duration.minutes(5);

/**
 * Alarms of a function: failed invocations, invocations without a free environment, messages in failure queues, and late streams.
 * Each alarm notifies a topic; the topic is required.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
 * @example new ServiceAlarms(this, 'Alarms', { fn, actionTopic: onCall.topic, deadLetterQueues: [orders.deadLetterQueue] });
 */
export class ServiceAlarms extends Construct {
  /** All alarms, for a canary. */
  readonly alarms: readonly Alarm[];
  readonly #topicArn: string;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, and a topic that CloudWatch may not publish to. A stream without
   *   `maxIteratorAge` fails at synth.
   */
  constructor(scope: Construct, id: string, props: ServiceAlarmsProps) {
    super(scope, id);
    const parsed = SERVICE_ALARMS_PROPS.parse(this, props);
    const { fn, actionTopic, deadLetterQueues, maxIteratorAge, errorThreshold, throttleThreshold } = parsed;
    this.#topicArn = actionTopic.topicArn;
    this.#permit(actionTopic);
    const sum = { period: PERIOD, statistic: Stats.SUM };
    const most = { period: PERIOD, statistic: Stats.MAXIMUM };
    this.alarms = [
      this.#add('Errors', fn.metricErrors(sum), errorThreshold),
      this.#add('Throttles', fn.metricThrottles(sum), throttleThreshold),
      ...deadLetterQueues.map((queue, index) =>
        this.#add(`DeadLetters${index + 1}`, queue.metricApproximateNumberOfMessagesVisible(most), 1),
      ),
      ...(maxIteratorAge
        ? [this.#add('IteratorAge', fn.metric('IteratorAge', most), maxIteratorAge.toMilliseconds())]
        : []),
    ];
    // Triggers can follow the alarms, so their queues are known when the tree is complete.
    Aspects.of(this).add({
      visit: (node) => (node === this ? this.#watchFailures(fn, deadLetterQueues, most) : undefined),
    });
    if (!maxIteratorAge) this.node.addValidation({ validate: () => unwatchedStreams(this, fn) });
  }

  #watchFailures(
    fn: IFunction,
    listed: readonly IQueue[],
    most: { readonly period: Duration; readonly statistic: string },
  ): void {
    for (const queue of failureQueuesOf(fn)) {
      const id = `Failures-${Names.nodeUniqueId(queue.node)}`;
      if (listed.includes(queue) || this.node.tryFindChild(id)) continue;
      this.#add(id, queue.metricApproximateNumberOfMessagesVisible(most), 1);
    }
  }

  #add(id: string, metric: IMetric, threshold: number): Alarm {
    const settings: AlarmProps = {
      metric,
      threshold,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    };
    const alarm = new Alarm(this, id, settings);
    alarm.addAlarmAction({ bind: () => ({ alarmActionArn: this.#topicArn }) });
    return alarm;
  }

  /**
   * Allows alarms of this account to publish. A topic with an explicit policy has no such permission.
   *
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html#compatibility-with-aws-services
   */
  #permit(topic: ITopic): void {
    const key = topic.masterKey;
    if (key?.keyArn.endsWith(':alias/aws/sns')) {
      throw misuse(this, {
        what: `actionTopic ${topic.node.path}, whose key CloudWatch may not use`,
        expected: 'a topic with your key: the prop encryptionKey',
      });
    }
    const { account } = Stack.of(this);
    const alarms = Stack.of(this).formatArn({
      service: 'cloudwatch',
      resource: 'alarm',
      resourceName: '*',
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': account }, ArnLike: { 'aws:SourceArn': alarms } },
      }),
    );
    allowService(this, topic, key, 'cloudwatch', 'topic', 'publish');
  }
}

function unwatchedStreams(alarms: ServiceAlarms, fn: IFunction): string[] {
  return claimsOf(fn)
    .filter(({ noun }) => noun.includes('stream'))
    .map(({ path, noun }) =>
      misuseText(alarms, { what: `no alarm for the ${noun} of ${path}`, expected: 'the prop maxIteratorAge' }),
    );
}
