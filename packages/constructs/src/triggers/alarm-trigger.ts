import { AlarmBase, type AlarmState, type IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { keepAsyncFailures } from '../internal/async-failures.js';
import { noteInvoker } from '../internal/invokers.js';
import { misuse } from '../internal/misuse.js';
import { defineProps, flag, many, thing } from '../internal/props.js';
import { claimSource, invokedBy } from '../internal/targets.js';

/** Props of the mapping between alarms and their function. */
export interface AlarmMappingProps {
  /** The alarms of this app, in the region of the function. */
  readonly alarms: readonly IAlarm[];
  /**
   * The states that invoke the function: `ALARM`, `OK`, `INSUFFICIENT_DATA`.
   *
   * @default - ALARM
   */
  readonly states?: readonly `${AlarmState}`[];
  /**
   * The queue for events for which the function failed three times.
   *
   * @default - a queue of the function, kept for 14 days
   */
  readonly failureQueue?: IQueue;
  /**
   * True if the trigger invokes an alias that no other trigger has.
   *
   * @default false
   */
  readonly ownAlias?: boolean;
}

/** Props of {@link AlarmTrigger}. */
export interface AlarmTriggerProps extends AlarmMappingProps {
  /** The function. */
  readonly fn: IFunction;
}

const ADD = {
  ALARM: 'addAlarmAction',
  OK: 'addOkAction',
  INSUFFICIENT_DATA: 'addInsufficientDataAction',
} as const satisfies Readonly<Record<`${AlarmState}`, keyof AlarmBase>>;

/** Validators and defaults for {@link AlarmTriggerProps}. */
export const ALARM_TRIGGER_PROPS = defineProps<AlarmTriggerProps>('AlarmTrigger')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  alarms: many<IAlarm>(
    'a list of alarms',
    (one) => typeof one === 'object' && one !== null && 'alarmArn' in one,
  ).required(),
  states: many<`${AlarmState}`>('a list of ALARM, OK, INSUFFICIENT_DATA', (one) =>
    Object.hasOwn(ADD, String(one)),
  ).default(['ALARM']),
  failureQueue: thing<IQueue>('a queue', 'queueArn'),
  ownAlias: flag.default(false),
});

/**
 * Invokes a function when alarms change their state, for `alarmAction()` of `@sallyport/triggers`. Only these alarms may invoke it. Events for which the
 * function failed three times are sent to a queue.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-actions-Lambda.html
 * @example new AlarmTrigger(this, 'Alarms', { fn, alarms: [errors], states: ['ALARM', 'OK'] });
 */
export class AlarmTrigger extends Construct {
  /** The queue for failed events; `undefined` if the function has a destination that was set without this package. */
  readonly failureQueue: IQueue | undefined;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, no alarm, an imported alarm, an alarm in another region or account;
   *   `constructs.conflict` for a second trigger of one alarm
   */
  constructor(scope: Construct, id: string, props: AlarmTriggerProps) {
    super(scope, id);
    const { fn, alarms, states, failureQueue, ownAlias } = ALARM_TRIGGER_PROPS.parse(this, props);
    if (alarms.length === 0 || states.length === 0) {
      throw misuse(this, { what: alarms.length === 0 ? 'alarms' : 'states', got: [], expected: 'at least one' });
    }
    const target = invokedBy(this, fn, ownAlias);
    const principal = new ServicePrincipal('lambda.alarms.cloudwatch.amazonaws.com');
    for (const [index, alarm] of alarms.entries()) {
      const own = this.#ownAlarm(alarm);
      claimSource(this, fn, alarm.alarmArn, 'alarm');
      for (const state of new Set(states)) own[ADD[state]]({ bind: () => ({ alarmActionArn: target.functionArn }) });
      target.addPermission(`Alarm${index}-${this.node.addr}`, {
        scope: this,
        principal,
        sourceAccount: Stack.of(alarm).account,
        sourceArn: alarm.alarmArn,
      });
      noteInvoker(fn, { construct: alarm, types: /::(?:Alarm|CompositeAlarm)$/ });
    }
    this.failureQueue = keepAsyncFailures(this, target, failureQueue);
  }

  #ownAlarm(alarm: IAlarm): AlarmBase {
    if (!(alarm instanceof AlarmBase) || alarm.node.defaultChild === undefined) {
      throw misuse(this, {
        what: `alarm ${alarm.node.path} is imported, and its actions cannot be set here`,
        expected: 'an Alarm or CompositeAlarm of this app',
      });
    }
    const { region, account } = Stack.of(alarm);
    const own = Stack.of(this);
    if (region === own.region && account === own.account) return alarm;
    throw misuse(this, {
      what: `alarm ${alarm.node.path} is in ${account}, ${region}`,
      expected: `an alarm in the account and the region of the function, ${own.account}, ${own.region}`,
    });
  }
}
