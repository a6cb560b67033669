import { type CfnRule, type EventPattern, type IEventBus, Rule, type Schedule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { keepAsyncFailures } from '../internal/async-failures.js';
import { allowSending, makeFailureQueue, noteFailureQueue } from '../internal/failure-queue.js';
import { misuse } from '../internal/misuse.js';
import { nameOf } from '../internal/names.js';
import { count, defineProps, flag, literal, literalWords, thing, time } from '../internal/props.js';
import { claimSource, invokedBy, requireSameStack } from '../internal/targets.js';

/** Props of the mapping between a rule and its function. */
export interface EventRuleMappingProps {
  /**
   * The bus.
   *
   * @default - the default bus of the account
   */
  readonly bus?: IEventBus;
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

/** Props of {@link EventRuleTrigger}. Exactly one of `pattern` and `schedule` is required. */
export interface EventRuleTriggerProps extends EventRuleMappingProps {
  /** The function. */
  readonly fn: IFunction;
  /**
   * The events that invoke the function.
   *
   * @default - `schedule`
   */
  readonly pattern?: EventPattern;
  /**
   * The schedule that invokes the function. Only on the default bus.
   *
   * @default - `pattern`
   */
  readonly schedule?: Schedule;
  /**
   * The name of the rule. Required for handlers that are registered for a `ruleName`.
   *
   * @default - generated
   */
  readonly ruleName?: string;
}

/** Validators and defaults for {@link EventRuleTriggerProps}. */
export const EVENT_RULE_TRIGGER_PROPS = defineProps<EventRuleTriggerProps>('EventRuleTrigger')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  pattern: literal<EventPattern>('an object', (value) => typeof value === 'object' && value !== null),
  schedule: thing<Schedule>('a Schedule, made by Schedule.rate(…) or Schedule.cron(…)', 'expressionString'),
  ruleName: literalWords('1 to 64 letters, digits, ., - and _', /^[\w.-]{1,64}$/),
  bus: thing<IEventBus>('an event bus', 'eventBusArn'),
  retryAttempts: count(0, 185).default(10),
  maxEventAge: time(60, 86_400).default(Duration.hours(24)),
  failureQueue: thing<IQueue>('a queue', 'queueArn'),
  ownAlias: flag.default(false),
});

/**
 * An EventBridge rule that invokes a function: for the events of a bus that match a pattern, or on a schedule. Events that could not be
 * delivered, or for which the function failed three times, are sent to a queue.
 *
 * @example new EventRuleTrigger(this, 'Nightly', { fn, schedule: Schedule.cron({ hour: '3', minute: '0' }), ruleName: 'nightly' });
 */
export class EventRuleTrigger extends Construct {
  /** The rule. */
  readonly rule: Rule;
  /** The queue for discarded events. */
  readonly failureQueue: IQueue;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, or unless exactly one of `pattern` and `schedule` is set; `constructs.conflict` for a
   *   `failureQueue` if the function already has another failure destination
   */
  constructor(scope: Construct, id: string, props: EventRuleTriggerProps) {
    super(scope, id);
    const { fn, pattern, schedule, ruleName, bus, retryAttempts, maxEventAge, ...rest } =
      EVENT_RULE_TRIGGER_PROPS.parse(this, props);
    if ((pattern === undefined) === (schedule === undefined)) {
      throw misuse(this, {
        what: pattern ? 'pattern and schedule' : 'no pattern and no schedule',
        expected: 'one of them',
      });
    }
    if (schedule && bus)
      throw misuse(this, { what: 'bus with schedule', expected: 'no bus: schedules run on the default bus' });
    claimSource(this, fn, this.node.path, 'rule');
    const target = invokedBy(this, fn, rest.ownAlias);
    this.failureQueue = rest.failureQueue ?? makeFailureQueue(this, 'Failures');
    requireSameStack(this, 'failureQueue', this.failureQueue, 'a queue in the stack of the rule');
    noteFailureQueue(fn, this.failureQueue);
    const queueArn = this.failureQueue.queueArn;
    this.rule = new Rule(this, 'Resource', {
      ...(pattern && { eventPattern: pattern }),
      ...(schedule && { schedule }),
      ...(bus && { eventBus: bus }),
      ...(ruleName !== undefined && { ruleName }),
    });
    this.rule.addTarget({
      bind: () => ({
        arn: target.functionArn,
        deadLetterConfig: { arn: queueArn },
        retryPolicy: { maximumRetryAttempts: retryAttempts, maximumEventAgeInSeconds: maxEventAge.toSeconds() },
      }),
    });
    this.#permit(target);
    keepAsyncFailures(this, target, rest.failureQueue);
  }

  /**
   * Names the rule after its stack and its path, which is known without a reference: a function cannot refer to a rule that invokes it.
   *
   * @internal
   */
  nameRule(): string {
    const name = nameOf(this);
    (this.rule.node.defaultChild as CfnRule).name = name;
    return name;
  }

  #permit(target: IFunction): void {
    const principal = new ServicePrincipal('events.amazonaws.com');
    target.addPermission(`Invoke-${this.node.addr}`, { principal, sourceArn: this.rule.ruleArn, scope: this });
    const { queueArn } = this.failureQueue;
    allowSending(this, this.failureQueue, 'events');
    this.failureQueue.addToResourcePolicy(
      new PolicyStatement({
        principals: [principal],
        actions: ['sqs:SendMessage'],
        resources: [queueArn],
        conditions: { ArnEquals: { 'aws:SourceArn': this.rule.ruleArn } },
      }),
    );
  }
}
