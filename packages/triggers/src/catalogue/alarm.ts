import { defineOptions, oneOf, string } from '@sallyport/core/options';
import { ALARM_TRIGGER, alarmAction } from '../kinds/alarm.js';
import { describeTrigger } from './entry.js';
import { only } from './internal/build.js';

/** Options of {@link buildAlarmEvent}. */
export interface AlarmEventOptions {
  /** The name of the alarm. Default `alarm-1`. */
  readonly name?: string;
  /** Default `ALARM`. */
  readonly state?: 'ALARM' | 'OK' | 'INSUFFICIENT_DATA';
}

const ALARM_EVENT = /* @__PURE__ */ defineOptions<AlarmEventOptions>()({
  name: string.default('alarm-1'),
  state: oneOf('ALARM', 'OK', 'INSUFFICIENT_DATA').default('ALARM'),
});

/** The state of an alarm. */
interface AlarmState {
  readonly value: string;
  readonly reason: string;
  readonly reasonData?: string;
  readonly timestamp: string;
}

/** The event of an alarm of one metric or more, in the form of its documentation. */
export interface AlarmEvent {
  /** `aws.cloudwatch`. */
  readonly source: string;
  /** The alarm. */
  readonly alarmArn: string;
  /** Its account. */
  readonly accountId: string;
  /** Time of the change. */
  readonly time: string;
  /** Its region. */
  readonly region: string;
  /** The change. */
  readonly alarmData: {
    readonly alarmName: string;
    readonly state: AlarmState;
    readonly previousState: AlarmState;
    readonly configuration: { readonly description?: string; readonly metrics: never[] };
  };
}

/**
 * Builds the event of an alarm of CloudWatch.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-actions-Lambda.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildAlarmEvent(options: AlarmEventOptions = {}): AlarmEvent {
  const { name, state } = ALARM_EVENT.parse(options);
  const timestamp = '1970-01-01T00:00:00.000+0000';
  return {
    source: 'aws.cloudwatch',
    alarmArn: `arn:aws:cloudwatch:us-east-1:123456789012:alarm:${name}`,
    accountId: '123456789012',
    time: timestamp,
    region: 'us-east-1',
    alarmData: {
      alarmName: name,
      state: { value: state, reason: 'test', reasonData: '{}', timestamp },
      previousState: { value: 'OK', reason: 'test', reasonData: '{}', timestamp },
      configuration: { description: 'test', metrics: [] },
    },
  };
}

/** Alarms in the catalogue. @internal */
export const ALARM = /* @__PURE__ */ describeTrigger(ALARM_TRIGGER, {
  sample: {
    build: buildAlarmEvent,
    events: [
      [buildAlarmEvent(), 'arn:aws:cloudwatch:us-east-1:123456789012:alarm:alarm-1|ALARM|1970-01-01T00:00:00.000+0000'],
    ],
    names: [''],
    register: (handlers) => alarmAction(only(handlers)),
  },
  docs: {
    section: 'Alarms',
    rows: [['`alarmAction(handler)`; `AlarmAction`, `Alarm`', 'alarms of CloudWatch']],
  },
  construct: 'alarms',
  simulate: 'asynchronous',
  aws: {
    author: 'CloudWatch',
    failure: 'Lambda retries twice',
    limit: 'not read',
    attached: 'the action of the alarm',
  },
  sizes: { factory: 'alarmAction', gzipBytes: 10_600 },
});
