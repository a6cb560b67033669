import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { CfnRule } from 'aws-cdk-lib/aws-events';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type CfnQueue, type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Duration, Names, Token } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { durableOf } from '../../internal/durable.js';
import { failureQueuesOf } from '../../internal/failure-queue.js';
import { tablesOf } from '../../internal/tables.js';
import { claimsOf, functionBehind, timeoutOf } from '../../internal/targets.js';
import type { ManifestSource } from '../../wiring/internal/manifest.js';
import type { Inventory } from '../../wiring/inventory.js';

/** The part of a service that a metric is of; each has a section in `docs/operations.md`. */
export type WatchedPart =
  | 'failed-requests'
  | 'failed-records'
  | 'failed-invocations'
  | 'failed-executions'
  | 'throttled-invocations'
  | 'slow-invocations'
  | 'door-errors'
  | 'failure-queue'
  | 'lost-events'
  | 'old-messages'
  | 'late-streams'
  | 'undelivered-events'
  | 'throttled-tables';

/** A wiring, as {@link ServiceWiring} is: its function, registrations and attached sources. */
export interface WatchedWiring {
  /** The function. */
  readonly fn: IFunction;
  /** The registrations of the application. */
  readonly inventory: Inventory;
  /** The attached sources. @internal */
  attachedSources(): readonly ManifestSource[];
}

/** The titles of alarms and of graphs. */
export const TITLES: Readonly<Record<WatchedPart, string>> = {
  'failed-requests': 'Requests fail',
  'failed-records': 'Records of batches fail',
  'failed-invocations': 'Invocations fail',
  'failed-executions': 'Durable executions fail',
  'throttled-invocations': 'Invocations find no free environment',
  'slow-invocations': 'Invocations are close to the timeout',
  'door-errors': 'A front door answers 5xx',
  'failure-queue': 'Messages are in a failure queue',
  'lost-events': 'Lambda drops events',
  'old-messages': 'Messages wait in a queue',
  'late-streams': 'Records of a stream wait',
  'undelivered-events': 'Events do not reach the function',
  'throttled-tables': 'Calls of a table are throttled',
};

/** A metric that is watched, with the value at which its alarm goes off. */
export interface Watched {
  /** The id of its alarm. */
  readonly id: string;
  readonly part: WatchedPart;
  /** The watched resource: the path of its construct. */
  readonly of: IConstruct;
  readonly metric: IMetric;
  readonly threshold: number;
}

/** The time over which a metric is evaluated. */
export const PERIOD = Duration.minutes(5);

/** Thresholds by kind, each with its reason. */
const THRESHOLDS = {
  /** One event that Lambda dropped is lost: there is no second attempt. */
  lostEvents: 1,
  /** A rule or a topic that cannot reach its target sends to a failure queue after its attempts; permission and key errors fail immediately. */
  undeliveredEvents: 1,
  /** The AWS clients retry a throttled call three times, so a few are harmless; more is a hot key or a table that grows faster than it scales. */
  throttledCalls: 10,
  /** An invocation above 80 % of its timeout is about to be cut off, and its work to be repeated. */
  timeoutShare: 0.8,
  /** Streams keep records for at least 24 h: an hour late leaves 23 h to repair. */
  iteratorAge: Duration.hours(1),
  /** A message that is older than all its attempts waits for capacity, not for a retry; at least 15 min, so that a short burst sets off no alarm. */
  leastMessageAge: Duration.minutes(15),
} as const;

const sum = { period: PERIOD, statistic: Stats.SUM };
const most = { period: PERIOD, statistic: Stats.MAXIMUM };

/** True for a door of the tree that reports its server errors. */
function isDoor(
  construct: object,
): construct is IConstruct & { readonly fn: IFunction; serverErrors(): IMetric | undefined } {
  return 'fn' in construct && 'serverErrors' in construct;
}

/** The doors of a function: 5xx, which include errors of the door itself. Known when the tree is complete. */
export function watchedDoors(at: IConstruct, fn: IFunction, threshold: number): readonly Watched[] {
  return at.node.root.node.findAll().flatMap((door) => {
    if (!isDoor(door) || functionBehind(door.fn) !== functionBehind(fn)) return [];
    const metric = door.serverErrors();
    if (metric === undefined) return [];
    return [
      {
        id: `Door-${Names.nodeUniqueId(door.node)}`,
        part: 'door-errors' as const,
        of: door,
        metric: (metric as Metric | MathExpression).with({ ...(metric instanceof Metric && sum), period: PERIOD }),
        threshold,
      },
    ];
  });
}

/** The failure queues of a function: a message there was given up. Known when the tree is complete. */
export function watchedFailures(fn: IFunction, listed: readonly IQueue[]): readonly Watched[] {
  return failureQueuesOf(fn)
    .filter((queue) => !listed.includes(queue))
    .map((queue) => ({
      id: `Failures-${Names.nodeUniqueId(queue.node)}`,
      part: 'failure-queue',
      of: queue,
      metric: queue.metricApproximateNumberOfMessagesVisible(most),
      threshold: 1,
    }));
}

/** Everything else that a wiring attached: sources, tables, and what Lambda drops. Known when the tree is complete. */
export function watchedByWiring(wiring: WatchedWiring, maxIteratorAge: Duration | undefined): readonly Watched[] {
  const fn = functionBehind(wiring.fn);
  const hasStreams = claimsOf(fn).some(({ noun }) => noun.includes('stream'));
  const age = hasStreams && maxIteratorAge === undefined ? [iteratorAge(fn, THRESHOLDS.iteratorAge)] : [];
  return [...lostEvents(fn), ...age, ...sourcesOf(wiring), ...tablesOf(fn).map(throttledTable)];
}

/** The age of the oldest record that a function has not read yet. */
export function iteratorAge(fn: IFunction, most_: Duration): Watched {
  const metric = fn.metric('IteratorAge', most);
  return { id: 'IteratorAge', part: 'late-streams', of: fn, metric, threshold: most_.toMilliseconds() };
}

/** Executions of a durable function that failed or exceeded their timeout. @see https://docs.aws.amazon.com/lambda/latest/dg/durable-monitoring.html */
export function failedExecutions(fn: IFunction): readonly Watched[] {
  const behind = functionBehind(fn);
  if (!durableOf(behind)) return [];
  return ['DurableExecutionFailed', 'DurableExecutionTimedOut'].map((name) => ({
    id: name,
    part: 'failed-executions',
    of: fn,
    metric: behind.metric(name, sum),
    threshold: 1,
  }));
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html */
function lostEvents(fn: IFunction): readonly Watched[] {
  if (failureQueuesOf(fn).length === 0) return [];
  return ['AsyncEventsDropped', 'DestinationDeliveryFailures'].map((name) => ({
    id: name,
    part: 'lost-events',
    of: fn,
    metric: fn.metric(name, sum),
    threshold: THRESHOLDS.lostEvents,
  }));
}

function sourcesOf(wiring: WatchedWiring): readonly Watched[] {
  return wiring.attachedSources().flatMap(({ queue, rule, topic }): readonly Watched[] => {
    if (queue) return [oldestMessage(queue)];
    // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-monitoring.html
    if (rule) {
      const { eventBusName } = rule.node.defaultChild as CfnRule;
      const dimensionsMap = {
        RuleName: rule.ruleName,
        ...(eventBusName !== undefined && { EventBusName: eventBusName }),
      };
      const metric = new Metric({ namespace: 'AWS/Events', metricName: 'FailedInvocations', dimensionsMap, ...sum });
      return [undelivered(rule, metric)];
    }
    return topic ? [undelivered(topic, topic.metricNumberOfNotificationsFailed(sum))] : [];
  });
}

function undelivered(of: IConstruct, metric: IMetric): Watched {
  const id = `Undelivered-${Names.nodeUniqueId(of.node)}`;
  return { id, part: 'undelivered-events', of, metric, threshold: THRESHOLDS.undeliveredEvents };
}

function oldestMessage(queue: IQueue): Watched {
  const id = `Oldest-${Names.nodeUniqueId(queue.node)}`;
  const metric = queue.metricApproximateAgeOfOldestMessage(most);
  const threshold = Math.max(THRESHOLDS.leastMessageAge.toSeconds(), attemptSeconds(queue));
  return { id, part: 'old-messages', of: queue, metric, threshold };
}

/** The time in which a message that always fails reaches the dead-letter queue. */
function attemptSeconds(queue: IQueue): number {
  if (!(queue instanceof Queue)) return 0;
  const { visibilityTimeout = 30, redrivePolicy } = queue.node.defaultChild as CfnQueue;
  const { maxReceiveCount = 1 } = (redrivePolicy ?? {}) as { readonly maxReceiveCount?: number };
  return Token.isUnresolved(visibilityTimeout) ? 0 : visibilityTimeout * (maxReceiveCount + 1);
}

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html */
function throttledTable(
  table: { readonly tableName: string; readonly node: IConstruct['node'] } & IConstruct,
): Watched {
  const metric = (metricName: string) =>
    new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap: { TableName: table.tableName }, ...sum });
  // Two expressions in one graph need different ids.
  const [reads, writes] = [`r${table.node.addr}`, `w${table.node.addr}`];
  return {
    id: `Throttled-${Names.nodeUniqueId(table.node)}`,
    part: 'throttled-tables',
    of: table,
    metric: new MathExpression({
      expression: `FILL(${reads}, 0) + FILL(${writes}, 0)`,
      label: 'throttled calls',
      usingMetrics: { [reads]: metric('ReadThrottleEvents'), [writes]: metric('WriteThrottleEvents') },
      period: PERIOD,
    }),
    threshold: THRESHOLDS.throttledCalls,
  };
}

/** The latency from which an invocation of a function is too slow. */
export function slowInvocations(fn: IFunction, given: Duration | undefined, byDefault: boolean): readonly Watched[] {
  const timeout = timeoutOf(fn)?.toMilliseconds();
  const share = byDefault && timeout !== undefined ? timeout * THRESHOLDS.timeoutShare : undefined;
  const threshold = given?.toMilliseconds() ?? share;
  if (threshold === undefined) return [];
  const metric = fn.metricDuration({ period: PERIOD, statistic: Stats.p(99) });
  return [{ id: 'Latency', part: 'slow-invocations', of: fn, metric, threshold }];
}
