import { defineOptions, kind, object } from '@sallyport/core/options';
import { IOT_RULE_TRIGGER, type IotRuleOptions, iotRule } from '../kinds/iot-rule.js';
import { describeTrigger } from './entry.js';

/** Options of {@link buildIotRuleEvent}. */
export interface IotRuleEventOptions {
  /** The id of the message; `null` leaves it out, as `traceid()` does for a message that was not sent over MQTT. Default `message-1`. */
  readonly id?: string | null;
  /** Further members that the SQL statement selects. Default: none. */
  readonly payload?: Readonly<Record<string, unknown>>;
}

const IOT_RULE_EVENT = /* @__PURE__ */ defineOptions<IotRuleEventOptions>()({
  id: kind<string | null>('a string or null', (value) => value === null || typeof value === 'string'),
  payload: object<Readonly<Record<string, unknown>>>(),
});

/**
 * Builds the event of an AWS IoT rule whose SQL statement selects `traceid() AS id`. Send it with the ARN of the rule's alias as
 * `invokedFunctionArn`.
 *
 * @see https://docs.aws.amazon.com/iot/latest/developerguide/iot-sql-select.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildIotRuleEvent({ payload: { temperature: 12 } });
 */
export function buildIotRuleEvent(options: IotRuleEventOptions = {}): Record<string, unknown> {
  const { id = 'message-1', payload } = IOT_RULE_EVENT.parse(options);
  return { ...payload, ...(id !== null && { id }) };
}

/** AWS IoT rules in the catalogue. @internal */
export const IOT_RULE = /* @__PURE__ */ describeTrigger(IOT_RULE_TRIGGER, {
  sample: {
    build: buildIotRuleEvent,
    events: [
      [buildIotRuleEvent({ payload: { temperature: 12 } }), 'cellar|message-1'],
      [buildIotRuleEvent({ id: 'message|2' }), 'cellar|message%7C2'],
    ],
    names: ['cellar'],
    alias: 'cellar',
    members: 'caller',
    register: (handlers, options: IotRuleOptions = { key: 'id' }) =>
      handlers.reduce((trigger, one) => trigger.rule(...one), iotRule(options)),
  },
  docs: {
    section: 'AWS IoT rules',
    rows: [
      [
        '`iotRule({ key })` with `rule(alias, handler)`; `IotRuleTrigger`, `IotRuleOptions`, `IotMessage`',
        'messages that AWS IoT rules select',
      ],
    ],
  },
  construct: 'payload',
  simulate: 'asynchronous',
  aws: { author: 'a device', failure: 'Lambda retries twice', limit: 'not read', attached: 'the action of the rule' },
  sizes: { factory: 'iotRule', gzipBytes: 11_700 },
});
