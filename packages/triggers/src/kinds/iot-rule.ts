import type { LambdaContext } from '@sallyport/core';
import { type Members, membersOf, stringOf } from '@sallyport/core/internal';
import { defineOptions, kind } from '@sallyport/core/options';
import type { Delivered, EventHandler } from '@sallyport/streams/delivery';
import { AliasTrigger } from '../internal/aliases.js';
import { keyOf } from '../internal/key.js';
import { MEMBER_NAME } from '../internal/members.js';
import { sourceOf } from '../internal/read.js';
import { defineTrigger } from '../internal/surface.js';

/** A message that an AWS IoT rule selected: https://docs.aws.amazon.com/iot/latest/developerguide/lambda-rule-action.html. */
export interface IotMessage {
  /** The alias that the rule invokes. */
  readonly rule: string;
  /** The id of the message; `''` if the event does not contain it. */
  readonly id: string;
  /** The event: the members that the rule's SQL statement selects. A device wrote them. */
  readonly payload: Members;
}

/** Options of `iotRule`. An unknown key is rejected. */
export interface IotRuleOptions {
  /** The member that identifies a message; with the alias it is the natural key: `id` for `SELECT temperature, traceid() AS id`. */
  readonly key: string;
}

/** Validators and defaults for {@link IotRuleOptions}. @internal */
export const IOT_RULE_OPTIONS = /* @__PURE__ */ defineOptions<IotRuleOptions>()({
  key: /* @__PURE__ */ kind<string>(
    'the name of a member of the event',
    (value) => typeof value === 'string' && MEMBER_NAME.test(value),
  ).required(),
});

/** Natural key and answer of AWS IoT rules. The SQL statement of the rule determines the shape of an event. @internal */
export const IOT_RULE_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'iot-rule',
  // A device writes the members of an event: the alias of the invocation selects the handler.
  anyOf: [],
  sample: {},
  key: ({ source, id }: Delivered) => keyOf(source.name, id),
  answer: 'null',
});

/** Handlers of AWS IoT rules. */
export class IotRuleTrigger extends AliasTrigger {
  readonly #key: string;

  constructor(options: IotRuleOptions) {
    super(IOT_RULE_TRIGGER);
    this.#key = IOT_RULE_OPTIONS.parse(options).key;
  }

  /**
   * Registers the handler of a rule's messages. AWS IoT invokes the function asynchronously: if the handler throws, Lambda retries the
   * event. Register before the container is created.
   *
   * @param alias the alias of the function in the action of the rule, which only this service invokes
   * @throws FrameworkError `app.invalid_configuration` for a name that is not an alias or is repeated, or a handler that is not a function
   * @example iotRule({ key: 'id' }).rule('cellar', (ctx, { payload }) => ctx.log.info('cellar', payload));
   */
  rule(alias: string, handler: EventHandler<IotMessage>): this {
    return this.add(alias, handler);
  }

  protected override read(event: unknown, lambdaContext?: LambdaContext): readonly Delivered[] {
    const { name, handler } = this.entryOf(lambdaContext);
    const payload = membersOf(event);
    const given = payload[this.#key];
    const id = Number.isFinite(given) ? String(given) : stringOf(given);
    const record: IotMessage = { rule: name, id, payload };
    return [{ name, handler, record, id, source: sourceOf(name, '') }];
  }
}

/**
 * Makes the surface for AWS IoT rules whose action invokes an alias of this function. A device writes the event, so the alias selects the
 * handler, and no event of this alias reaches another trigger.
 *
 * @throws FrameworkError `app.invalid_configuration` for a missing or unknown option
 * @example
 * // SELECT temperature, traceid() AS id FROM 'devices/+/state', with the action arn:aws:lambda:…:function:home:cellar
 * const devices = iotRule({ key: 'id' }).rule('cellar', (ctx, { payload }) => store(payload.temperature));
 * const app = new SecureApp({ principalResolver, surfaces: [devices] });
 */
export function iotRule(options: IotRuleOptions): IotRuleTrigger {
  return new IotRuleTrigger(options);
}
