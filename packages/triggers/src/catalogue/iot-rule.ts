import { defineOptions, kind, object } from '@sallyport/core/options';
import { IOT_RULE_TRIGGER, type IotRuleOptions, iotRule } from '../kinds/iot-rule.js';
import { describeTrigger } from './entry.js';

/** Options of {@link buildIotRuleEvent}. */
export interface IotRuleEventOptions {
  /** The id of the message; `null` leaves it out, as `traceid()` does for a message that was not sent over MQTT. Default `message-1`. */
  readonly id?: string | null;
  /** Further members that the SQL statement selects. Default: none. */
  readonly message?: Readonly<Record<string, unknown>>;
}

const IOT_RULE_EVENT = /* @__PURE__ */ defineOptions<IotRuleEventOptions>()({
  id: kind<string | null>('a string or null', (value) => value === null || typeof value === 'string'),
  message: object<Readonly<Record<string, unknown>>>(),
});

/**
 * Builds the event of an AWS IoT rule whose SQL statement selects `traceid() AS id` and a string as the member `rule`.
 *
 * @see https://docs.aws.amazon.com/iot/latest/developerguide/iot-sql-select.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildIotRuleEvent('cellar', { message: { temperature: 12 } });
 */
export function buildIotRuleEvent(rule: string, options: IotRuleEventOptions = {}): Record<string, unknown> {
  const { id = 'message-1', message } = IOT_RULE_EVENT.parse(options);
  return { ...message, ...(id !== null && { id }), rule };
}

/** AWS IoT rules in the catalogue. @internal */
export const IOT_RULE = /* @__PURE__ */ describeTrigger(IOT_RULE_TRIGGER, {
  sample: {
    build: buildIotRuleEvent,
    events: [
      [buildIotRuleEvent('cellar', { message: { temperature: 12 } }), 'cellar|message-1'],
      [buildIotRuleEvent('cellar', { id: 'message|2' }), 'cellar|message%7C2'],
    ],
    names: ['cellar'],
    members: 'caller',
    register: (handlers, options: IotRuleOptions = { rule: 'rule', key: 'id' }) =>
      handlers.reduce((trigger, one) => trigger.rule(...one), iotRule(options)),
  },
  docs: {
    section: 'AWS IoT rules',
    rows: [
      [
        '`iotRule({ rule, key })` with `rule(name, handler)`; `IotRuleTrigger`, `IotRuleOptions`, `IotMessage`',
        'messages that AWS IoT rules select',
      ],
    ],
  },
  construct: null,
  simulate: 'asynchronous',
  form: 'event',
  sizes: { factory: 'iotRule', gzipBytes: 11_400 },
});
