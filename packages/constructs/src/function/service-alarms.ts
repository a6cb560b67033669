import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IMetric,
  type Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { ArnFormat, Aspects, Duration, Names, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { IHttpDoor } from '../http/door.js';
import { failureQueuesOf } from '../internal/failure-queue.js';
import { allowService } from '../internal/keys.js';
import { misuse, misuseText } from '../internal/misuse.js';
import { count, defineProps, fraction, literal, many, thing, time } from '../internal/props.js';
import { claimsOf, functionBehind } from '../internal/targets.js';
import type { Inventory } from '../wiring/inventory.js';
import { failureMetrics } from './internal/failure-metrics.js';

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
   * The registrations of the application: alarms for failed requests and records follow from them. The application must write metrics, `createEmfSink()`.
   *
   * @default - no such alarms: Lambda counts neither as errors
   */
  readonly inventory?: Inventory;
  /**
   * The fraction of requests answered with 500 or more in 1 min at which the alarm goes off, above 0 and at most 1.
   *
   * @default 0.05
   */
  readonly requestErrorRate?: number;
  /**
   * The average number of failed records in a batch in 1 min at which the alarm goes off, above 0 and at most 10,000.
   *
   * @default 1
   */
  readonly failedRecordsPerBatch?: number;
  /**
   * The number of answers of 500 or more in 5 min at which the alarm of an API or function URL goes off, 1 to 1,000,000. They include errors of the door itself, such as a timeout.
   *
   * @default 5
   */
  readonly doorErrorThreshold?: number;
  /**
   * The time that 99 of 100 invocations take at most; the alarm goes off above it, evaluated over 5 min. 1 ms to 15 min.
   *
   * @default - no alarm
   */
  readonly maxLatency?: Duration;
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

/** The default of `requestErrorRate`. */
export const REQUEST_ERROR_RATE = 0.05;
/** The default of `failedRecordsPerBatch`. */
export const FAILED_RECORDS = 1;

/** Validators and defaults for {@link ServiceAlarmsProps}. */
export const SERVICE_ALARMS_PROPS = defineProps<ServiceAlarmsProps>('ServiceAlarms')({
  fn: thing<IFunction>('a function', 'metricErrors').required(),
  actionTopic: thing<ITopic>('a topic', 'topicArn').required(),
  deadLetterQueues: many<IQueue>(
    'a list of queues',
    (one) => typeof one === 'object' && one !== null && 'queueArn' in one,
  ).default([]),
  maxIteratorAge: time(1, 31_536_000),
  inventory: literal<Inventory>('an inventory', (value) => typeof value === 'object' && value !== null),
  requestErrorRate: fraction(1).default(REQUEST_ERROR_RATE),
  failedRecordsPerBatch: fraction(10_000).default(FAILED_RECORDS),
  doorErrorThreshold: count(1, 1_000_000).default(5),
  maxLatency: time(0.001, 900),
  errorThreshold: count(1, 1_000_000).default(1),
  throttleThreshold: count(1, 1_000_000).default(1),
});

const PERIOD = Duration.minutes(5);

/**
 * Alarms of a function: failed requests and records (with `inventory`), failed invocations, invocations without a free environment, messages in failure queues, 5xx of doors, and late streams.
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
      ...(parsed.inventory ? failureMetrics(this, fn, parsed.inventory) : []).map(({ id, metric }) =>
        this.#add(id, metric, id === 'RequestErrors' ? parsed.requestErrorRate : parsed.failedRecordsPerBatch),
      ),
      ...(parsed.maxLatency
        ? [
            this.#add(
              'Latency',
              fn.metricDuration({ period: PERIOD, statistic: Stats.p(99) }),
              parsed.maxLatency.toMilliseconds(),
            ),
          ]
        : []),
      ...(maxIteratorAge
        ? [this.#add('IteratorAge', fn.metric('IteratorAge', most), maxIteratorAge.toMilliseconds())]
        : []),
    ];
    // Triggers and doors can follow the alarms, so they are known when the tree is complete.
    Aspects.of(this).add({
      visit: (node) => {
        if (node !== this) return;
        this.#watchDoors(fn, parsed.doorErrorThreshold);
        this.#watchFailures(fn, deadLetterQueues, most);
      },
    });
    if (!maxIteratorAge) this.node.addValidation({ validate: () => unwatchedStreams(this, fn) });
  }

  #watchDoors(fn: IFunction, threshold: number): void {
    for (const door of this.node.root.node.findAll().filter(isDoor)) {
      const metric = functionBehind(door.fn) === functionBehind(fn) ? door.serverErrors() : undefined;
      const id = `Door-${Names.nodeUniqueId(door.node)}`;
      if (!metric || this.node.tryFindChild(id)) continue;
      this.#add(id, (metric as Metric).with({ period: PERIOD, statistic: Stats.SUM }), threshold);
    }
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

function isDoor(construct: object): construct is IHttpDoor {
  return 'doorKind' in construct && 'serverErrors' in construct;
}

function unwatchedStreams(alarms: ServiceAlarms, fn: IFunction): string[] {
  return claimsOf(fn)
    .filter(({ noun }) => noun.includes('stream'))
    .map(({ path, noun }) =>
      misuseText(alarms, { what: `no alarm for the ${noun} of ${path}`, expected: 'the prop maxIteratorAge' }),
    );
}
