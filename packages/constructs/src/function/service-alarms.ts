import { Alarm, ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { ArnFormat, Aspects, type Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { allowService } from '../internal/keys.js';
import { misuse, misuseText } from '../internal/misuse.js';
import { count, defineProps, fraction, literal, literalWords, many, thing, time } from '../internal/props.js';
import { claimsOf } from '../internal/targets.js';
import type { Inventory } from '../wiring/inventory.js';
import { failureMetrics } from './internal/failure-metrics.js';
import {
  failedExecutions,
  iteratorAge,
  PERIOD,
  slowInvocations,
  TITLES,
  type Watched,
  type WatchedWiring,
  watchedByWiring,
  watchedDoors,
  watchedFailures,
} from './internal/watched.js';

/** Props of {@link ServiceAlarms}. */
export interface ServiceAlarmsProps {
  /**
   * The function. Required without `wiring`.
   *
   * @default - the function of `wiring`
   */
  readonly fn?: IFunction;
  /**
   * The wiring of the function: all its sources, doors and tables get alarms, with thresholds by kind. If the application writes metrics, the
   * inventory of the wiring is used.
   *
   * @default - alarms of the function, its doors and its failure queues
   */
  readonly wiring?: WatchedWiring;
  /**
   * The address of your runbook, to whose sections the descriptions of the alarms link.
   *
   * @default 'docs/operations.md' of Sallyport
   */
  readonly runbookUrl?: string;
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
   * The age of the oldest record of a stream at which the alarm goes off, 1 s to 365 days. Without `wiring`, a function that reads a stream needs it.
   *
   * @default - with `wiring` 1 h for a function that reads a stream, else no alarm
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
   * @default - with `wiring` 80 % of the timeout of the function, else no alarm
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
  fn: thing<IFunction>('a function', 'metricErrors'),
  wiring: thing<WatchedWiring>('a ServiceWiring', 'attachedSources'),
  runbookUrl: literalWords('an address'),
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

/**
 * Alarms of a function: failed requests and records (with `inventory`), failed invocations, invocations without a free environment, messages in failure queues, 5xx of doors, and late streams.
 * With `wiring` also dropped events, undelivered events, old messages, throttled tables and slow invocations. Each alarm notifies a topic; its description
 * links to a section of the runbook.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
 * @example new ServiceAlarms(this, 'Alarms', { fn, actionTopic: onCall.topic, deadLetterQueues: [orders.deadLetterQueue] });
 */
export class ServiceAlarms extends Construct {
  /** All alarms, for a canary. */
  readonly alarms: readonly Alarm[];
  readonly #topicArn: string;
  readonly #runbook: string;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, and a topic that CloudWatch may not publish to. A stream without
   *   `maxIteratorAge` fails at synth.
   */
  constructor(scope: Construct, id: string, props: ServiceAlarmsProps) {
    super(scope, id);
    const parsed = SERVICE_ALARMS_PROPS.parse(this, props);
    const { wiring, actionTopic, deadLetterQueues, maxIteratorAge, runbookUrl = RUNBOOK } = parsed;
    const fn = parsed.fn ?? wiring?.fn;
    if (fn === undefined) throw misuse(this, { what: 'fn is missing', expected: 'a function, or a wiring' });
    this.#topicArn = actionTopic.topicArn;
    this.#runbook = runbookUrl;
    this.#permit(actionTopic);
    const inventory = parsed.inventory ?? (wiring?.inventory.deployment?.metrics && wiring.inventory);
    this.alarms = [
      ...ofFunction(fn, parsed),
      ...deadLetterQueues.map((queue, index) => deadLetters(queue, `DeadLetters${index + 1}`)),
      ...(inventory ? ofInventory(this, fn, inventory, parsed) : []),
      ...slowInvocations(fn, parsed.maxLatency, wiring !== undefined),
      ...(maxIteratorAge ? [iteratorAge(fn, maxIteratorAge)] : []),
    ].map((watched) => this.#add(watched));
    // Triggers and doors can follow the alarms, so they are known when the tree is complete.
    Aspects.of(this).add({
      visit: (node) => {
        if (node !== this) return;
        const late = [
          ...watchedDoors(this, fn, parsed.doorErrorThreshold),
          ...watchedFailures(fn, deadLetterQueues),
          ...(wiring ? watchedByWiring(wiring, maxIteratorAge) : []),
        ];
        for (const watched of late) if (!this.node.tryFindChild(watched.id)) this.#add(watched);
      },
    });
    if (!maxIteratorAge && !wiring) this.node.addValidation({ validate: () => unwatchedStreams(this, fn) });
  }

  #add({ id, part, of, metric, threshold }: Watched): Alarm {
    const alarm = new Alarm(this, id, {
      metric,
      threshold,
      alarmDescription: `${TITLES[part]}: ${of.node.path.replace(/\/Resource$/, '')}. ${this.#runbook}#${part}`,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
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

/** The page with a section for each kind of alarm. */
const RUNBOOK = 'docs/operations.md';

type Parsed = ReturnType<typeof SERVICE_ALARMS_PROPS.parse>;

const sum = { period: PERIOD, statistic: Stats.SUM };

function ofFunction(fn: IFunction, { errorThreshold, throttleThreshold }: Parsed): readonly Watched[] {
  return [
    { id: 'Errors', part: 'failed-invocations', of: fn, metric: fn.metricErrors(sum), threshold: errorThreshold },
    {
      id: 'Throttles',
      part: 'throttled-invocations',
      of: fn,
      metric: fn.metricThrottles(sum),
      threshold: throttleThreshold,
    },
    ...failedExecutions(fn),
  ];
}

function deadLetters(queue: IQueue, id: string): Watched {
  const metric = queue.metricApproximateNumberOfMessagesVisible({ period: PERIOD, statistic: Stats.MAXIMUM });
  return { id, part: 'failure-queue', of: queue, metric, threshold: 1 };
}

function ofInventory(at: Construct, fn: IFunction, inventory: Inventory, parsed: Parsed): readonly Watched[] {
  return failureMetrics(at, fn, inventory).map(({ id, metric }) => {
    const isRequest = id === 'RequestErrors';
    const part = isRequest ? 'failed-requests' : 'failed-records';
    return { id, part, of: fn, metric, threshold: isRequest ? parsed.requestErrorRate : parsed.failedRecordsPerBatch };
  });
}

function unwatchedStreams(alarms: ServiceAlarms, fn: IFunction): string[] {
  return claimsOf(fn)
    .filter(({ noun }) => noun.includes('stream'))
    .map(({ path, noun }) =>
      misuseText(alarms, { what: `no alarm for the ${noun} of ${path}`, expected: 'the prop maxIteratorAge' }),
    );
}
