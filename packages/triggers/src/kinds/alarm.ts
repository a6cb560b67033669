import { type Members, membersOf, stringOf } from '@sallyport/core/internal';
import type { Delivered, EventHandler } from '@sallyport/streams/delivery';
import { assertHandler } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { requiredText, sourceOf } from '../internal/read.js';
import { defineTrigger, TriggerSurface } from '../internal/surface.js';

/** An alarm that changed: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-actions-Lambda.html. */
export interface Alarm {
  /** The ARN of the alarm. */
  readonly arn: string;
  /** Its name. */
  readonly name: string;
  /** The state that it has now: `ALARM`, `OK` or `INSUFFICIENT_DATA`. */
  readonly state: string;
  /** The state before; `''` if the event does not contain it. */
  readonly previousState: string;
  /** CloudWatch's reason for the change. */
  readonly reason: string;
  /** Time of the change, ISO 8601 with the offset as `+0000`. */
  readonly time: string;
  /** The member `alarmData` of the event, with the configuration. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Row, natural key and answer of alarms of CloudWatch. @internal */
export const ALARM_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'alarm',
  anyOf: [
    [
      { path: 'source', test: 'equals', value: 'aws.cloudwatch' },
      { path: 'alarmArn', test: 'text' },
      { path: 'alarmData', test: 'object' },
    ],
  ],
  sample: { source: 'aws.cloudwatch', alarmArn: 'a', alarmData: {} },
  key: ({ record }: Delivered) => {
    const { arn, state, time } = record as Alarm;
    return keyOf(arn, state, time);
  },
  answer: 'null',
});

/** The handler of alarms of CloudWatch. */
export class AlarmAction extends TriggerSurface {
  readonly #handler: EventHandler<Alarm>;

  constructor(handler: EventHandler<Alarm>) {
    super(ALARM_TRIGGER);
    assertHandler(handler);
    this.#handler = handler;
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { alarmArn, alarmData, time } = membersOf(event);
    const data = membersOf(alarmData);
    const arn = requiredText(this.kind, 'alarmArn', alarmArn);
    const name = requiredText(this.kind, 'alarmData.alarmName', data.alarmName);
    const record = readAlarm(arn, name, stringOf(time), data);
    return [{ handler: this.#handler, record, id: '', name: '', source: sourceOf(name, arn) }];
  }
}

function readAlarm(arn: string, name: string, time: string, data: Members): Alarm {
  const { value, reason, timestamp } = membersOf(data.state);
  return {
    arn,
    name,
    state: stringOf(value),
    previousState: stringOf(membersOf(data.previousState).value),
    reason: stringOf(reason),
    time: stringOf(timestamp) || time,
    data,
  };
}

/**
 * Makes the surface for alarms whose action is this function. If the handler throws, the invocation fails and Lambda retries it.
 *
 * @throws FrameworkError `app.invalid_configuration` for a handler that is not a function
 * @example
 * const alarms = alarmAction((ctx, { name, state }) => ctx.log.warn('alarm', { name, state }));
 * const app = new SecureApp({ principalResolver, surfaces: [alarms] });
 */
export function alarmAction(handler: EventHandler<Alarm>): AlarmAction {
  return new AlarmAction(handler);
}
