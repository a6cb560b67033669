import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule, type ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { ArnFormat, Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { keepAsyncFailures } from '../internal/async-failures.js';
import { grantSend, makeFailureQueue, noteFailureQueue } from '../internal/failure-queue.js';
import { misuse } from '../internal/misuse.js';
import { nameOf } from '../internal/names.js';
import { count, defineProps, flag, literal, literalWords, thing, time, words } from '../internal/props.js';
import { claimSource, invokedBy, requireSameStack } from '../internal/targets.js';

/** Props of the mapping between a schedule and its function. */
export interface ScheduleMappingProps {
  /**
   * The window in which EventBridge Scheduler may start the invocation, 1 min to 24 h.
   *
   * @default - exactly on time
   */
  readonly flexibleWindow?: Duration;
  /**
   * The first time at which a recurring schedule may run.
   *
   * @default - immediately
   */
  readonly start?: Date;
  /**
   * The last time at which a recurring schedule may run.
   *
   * @default - forever
   */
  readonly end?: Date;
  /**
   * The name of an existing group of schedules.
   *
   * @default 'default'
   */
  readonly groupName?: string;
  /**
   * Retries of an event that could not be delivered, 0 to 185.
   *
   * @default 10
   */
  readonly retryAttempts?: number;
  /**
   * The age at which an undeliverable event is discarded, 1 min to 24 h.
   *
   * @default Duration.hours(24)
   */
  readonly maxEventAge?: Duration;
  /**
   * The queue for discarded events, and for events for which the function failed three times.
   *
   * @default - a new queue for discarded events, and a queue of the function for failed ones; both keep 14 days
   */
  readonly failureQueue?: IQueue;
  /**
   * True if the trigger invokes an alias that no other trigger has.
   *
   * @default false
   */
  readonly ownAlias?: boolean;
}

/** Props of {@link ScheduleTrigger}. */
export interface ScheduleTriggerProps extends ScheduleMappingProps {
  /** The function. */
  readonly fn: IFunction;
  /** The times: `ScheduleExpression.cron(…)` with a time zone, `rate(…)`, or `at(…)` for a single time. */
  readonly schedule: ScheduleExpression;
  /**
   * The name of the schedule. Required for handlers that are registered for a `scheduleName`.
   *
   * @default - generated
   */
  readonly scheduleName?: string;
}

const isDate = (value: unknown) => value instanceof Date && !Number.isNaN(value.getTime());

/** Validators and defaults for {@link ScheduleTriggerProps}. */
export const SCHEDULE_TRIGGER_PROPS = defineProps<ScheduleTriggerProps>('ScheduleTrigger')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  schedule: thing<ScheduleExpression>(
    'a ScheduleExpression, made by ScheduleExpression.rate(…) or ScheduleExpression.cron(…)',
    'expressionString',
  ).required(),
  scheduleName: literalWords('1 to 64 letters, digits, ., - and _', /^[\w.-]{1,64}$/),
  flexibleWindow: time(60, 86_400),
  start: literal<Date>('a Date', isDate),
  end: literal<Date>('a Date', isDate),
  groupName: words('1 to 64 letters, digits, ., - and _', /^[\w.-]{1,64}$/).default('default'),
  retryAttempts: count(0, 185).default(10),
  maxEventAge: time(60, 86_400).default(Duration.hours(24)),
  failureQueue: thing<IQueue>('a queue', 'queueArn'),
  ownAlias: flag.default(false),
});

/**
 * A schedule of EventBridge Scheduler that invokes a function: in a time zone, or once. Register the handler with `eventBus({ scheduleName })`: the schedule sends
 * the event of the service, and no input. A schedule that ran once is kept until the stack is removed.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-eventbridge-scheduler.html
 * @example
 * new ScheduleTrigger(this, 'Report', {
 *   fn,
 *   scheduleName: 'report',
 *   schedule: ScheduleExpression.cron({ hour: '8', minute: '0', timeZone: TimeZone.EUROPE_BERLIN }),
 * });
 */
export class ScheduleTrigger extends Construct {
  /** The schedule. */
  readonly schedule: CfnSchedule;
  /** The role with which EventBridge Scheduler invokes the function. */
  readonly role: Role;
  /** The queue for discarded events. */
  readonly failureQueue: IQueue;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, `start` or `end` of a schedule that runs once, an `end` before `start`;
   *   `constructs.conflict` for a `failureQueue` if the function already has another failure destination
   */
  constructor(scope: Construct, id: string, props: ScheduleTriggerProps) {
    super(scope, id);
    const parsed = SCHEDULE_TRIGGER_PROPS.parse(this, props);
    const { fn, schedule, scheduleName, flexibleWindow, start, end, groupName } = parsed;
    checkPeriod(this, schedule, start, end);
    claimSource(this, fn, this.node.path, 'schedule');
    const target = invokedBy(this, fn, parsed.ownAlias);
    this.failureQueue = parsed.failureQueue ?? makeFailureQueue(this, 'Failures');
    requireSameStack(this, 'failureQueue', this.failureQueue, 'a queue in the stack of the schedule');
    noteFailureQueue(fn, this.failureQueue);
    this.role = makeRole(this, groupName);
    grantSend(this.failureQueue, this.role);
    this.role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [target.functionArn] }));
    this.schedule = new CfnSchedule(this, 'Resource', {
      ...(scheduleName !== undefined && { name: scheduleName }),
      groupName,
      scheduleExpression: schedule.expressionString,
      ...(schedule.timeZone && { scheduleExpressionTimezone: schedule.timeZone.timezoneName }),
      ...(start && { startDate: start.toISOString() }),
      ...(end && { endDate: end.toISOString() }),
      flexibleTimeWindow: flexibleWindow
        ? { mode: 'FLEXIBLE', maximumWindowInMinutes: flexibleWindow.toMinutes() }
        : { mode: 'OFF' },
      target: {
        arn: target.functionArn,
        roleArn: this.role.roleArn,
        deadLetterConfig: { arn: this.failureQueue.queueArn },
        retryPolicy: {
          maximumRetryAttempts: parsed.retryAttempts,
          maximumEventAgeInSeconds: parsed.maxEventAge.toSeconds(),
        },
      },
    });
    this.schedule.node.addDependency(this.role);
    keepAsyncFailures(this, target, parsed.failureQueue);
  }

  /**
   * Names the schedule after its stack and its path: a function cannot refer to a schedule that invokes it.
   *
   * @internal
   */
  nameSchedule(): string {
    const name = nameOf(this);
    this.schedule.name = name;
    return name;
  }
}

/**
 * Only the schedules of one group of this account may use the role.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html
 */
function makeRole(at: Construct, groupName: string): Role {
  const stack = Stack.of(at);
  const group = stack.formatArn({
    service: 'scheduler',
    resource: 'schedule-group',
    resourceName: groupName,
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });
  return new Role(at, 'Role', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': stack.account, 'aws:SourceArn': group } },
    }),
  });
}

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html */
function checkPeriod(at: Construct, { expressionString }: ScheduleExpression, start?: Date, end?: Date): void {
  const given = start ? 'start' : end ? 'end' : undefined;
  if (given !== undefined && expressionString.startsWith('at(')) {
    const expected = `no ${given}: EventBridge Scheduler ignores it`;
    throw misuse(at, { what: `${given} of a schedule that runs once`, expected });
  }
  if (start && end && end <= start) {
    throw misuse(at, { what: 'end', got: end.toISOString(), expected: `a time after start, ${start.toISOString()}` });
  }
}
