import { type Members, membersOf, stringOf } from '@sallyport/core/internal';
import { defineOptions, kind } from '@sallyport/core/options';
import type { Delivered, EventHandler } from '@sallyport/streams/delivery';
import { refused } from '../errors.js';
import { NamedTrigger } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { MEMBER_NAME, TABLE_MEMBERS } from '../internal/members.js';
import { requiredText, sourceOf } from '../internal/read.js';
import { defineTrigger, type SurfaceRow } from '../internal/surface.js';

/** A message that an AWS IoT rule selected: https://docs.aws.amazon.com/iot/latest/developerguide/lambda-rule-action.html. */
export interface IotMessage {
  /** The name that the rule's SQL statement selects. */
  readonly rule: string;
  /** The id of the message; `''` if the event does not contain it. */
  readonly id: string;
  /** The event: the members that the SQL statement selects. */
  readonly message: Members;
}

/** Options of `iotRule`. An unknown key is rejected. */
export interface IotRuleOptions {
  /** The member of the event that names the handler: `rule` for `SELECT temperature, 'cellar' AS rule FROM 'devices/+/state'`. */
  readonly rule: string;
  /** The member that identifies a message; with the rule it is the natural key: `id` for `SELECT temperature, traceid() AS id`. */
  readonly key: string;
}

const MEMBER = /* @__PURE__ */ kind<string>(
  'the name of a member of the event that no other trigger uses',
  (value) => typeof value === 'string' && MEMBER_NAME.test(value) && !TABLE_MEMBERS.includes(value),
);

const IOT_RULE_OPTIONS = /* @__PURE__ */ defineOptions<IotRuleOptions>()({
  rule: MEMBER.required(),
  key: MEMBER.required(),
});

/** Natural key and answer of AWS IoT rules. The SQL statement of the rule determines the shape of an event. @internal */
export const IOT_RULE_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'iot-rule',
  // The row follows from the option `rule` and the registered names.
  anyOf: [],
  sample: {},
  key: ({ source, id }: Delivered) => keyOf(source.name, id),
  answer: 'null',
});

/** Handlers of AWS IoT rules. */
export class IotRuleTrigger extends NamedTrigger {
  readonly #options: IotRuleOptions;

  constructor(options: IotRuleOptions) {
    super(IOT_RULE_TRIGGER, 'rule');
    this.#options = IOT_RULE_OPTIONS.parse(options);
  }

  /** The registered names in the member of the option `rule`. @throws FrameworkError `app.invalid_configuration` for no rule */
  override get rows(): readonly SurfaceRow[] {
    const { rule: path } = this.#options;
    if (this.names.length === 0) throw refused('iotRule has no rule; rule() adds one');
    return [{ kind: this.kind, anyOf: this.names.map((value) => [{ path, test: 'equals', value }]) }];
  }

  override get sample(): unknown {
    return { [this.#options.rule]: this.names[0] };
  }

  /**
   * Registers the handler of a rule's messages. AWS IoT invokes the function asynchronously: if the handler throws, Lambda retries the
   * event. Register before the container is created.
   *
   * @param name the string that the rule's SQL statement selects as the member of the option `rule`
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated name, or a handler that is not a function
   * @example iotRule({ rule: 'rule', key: 'id' }).rule('cellar', (ctx, { message }) => ctx.log.info('cellar', message));
   */
  rule(name: string, handler: EventHandler<IotMessage>): this {
    return this.add(name, handler);
  }

  protected override read(event: unknown): readonly Delivered[] {
    const message = membersOf(event);
    const { rule: member, key } = this.#options;
    const rule = requiredText(this.kind, member, message[member]);
    const id = Number.isFinite(message[key]) ? String(message[key]) : stringOf(message[key]);
    const record: IotMessage = { rule, id, message };
    return [{ ...this.handlerOf(rule, rule), record, id, source: sourceOf(rule, '') }];
  }
}

/**
 * Makes the surface for AWS IoT rules whose action invokes this function. The event is the result of the rule's SQL statement, so the
 * statement must select the two members that the options name.
 *
 * @throws FrameworkError `app.invalid_configuration` for a missing or unknown option, or a member that other triggers use
 * @example
 * // SELECT temperature, traceid() AS id, 'cellar' AS rule FROM 'devices/+/state'
 * const devices = iotRule({ rule: 'rule', key: 'id' }).rule('cellar', (ctx, { message }) => store(message.temperature));
 * const app = new SecureApp({ principalResolver, surfaces: [devices] });
 */
export function iotRule(options: IotRuleOptions): IotRuleTrigger {
  return new IotRuleTrigger(options);
}
