import type { LambdaContext, MaybePromise, TriggerRecord } from '@sallyport/core';
import { type Members, membersOf, stringOf } from '@sallyport/core/internal';
import { defineOptions, oneOf } from '@sallyport/core/options';
import { attempt, type Delivered, type EventContext, type EventHandler } from '@sallyport/streams/delivery';
import { invalidAnswer, refused } from '../errors.js';
import { assertHandler } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { recordsOf, requiredText, sourceOf } from '../internal/read.js';
import { defineTrigger, TriggerSurface } from '../internal/surface.js';

/** A mail that SES received: https://docs.aws.amazon.com/ses/latest/dg/receiving-email-action-lambda-event.html. The body is not in it. */
export interface SesMessage {
  /** The id of the mail in SES; after an S3 action also the key of its object. */
  readonly messageId: string;
  /** The envelope's sender. */
  readonly source: string;
  /** The recipients that matched the rule. */
  readonly recipients: readonly string[];
  /** The subject; `undefined` if absent. */
  readonly subject?: string;
  /** Results of the checks by name, `PASS`, `FAIL`, `GRAY` or `PROCESSING_FAILED`: `spam`, `virus`, `spf`, `dkim`, `dmarc`. */
  readonly verdicts: Readonly<Record<string, string>>;
  /** The part `mail` of the event: headers, common headers, time. */
  readonly mail: Readonly<Record<string, unknown>>;
}

/** Next step of SES for a mail: the next action, no further action of this rule, or no further rule. */
export type SesDisposition = 'continue' | 'stop_rule' | 'stop_rule_set';

/** Handles one mail. The result counts only if the rule waits for the answer. */
export type SesHandler = (ctx: EventContext, message: SesMessage) => MaybePromise<SesDisposition>;

/** Options of `sesTrigger`. An unknown key is rejected. */
export interface SesTriggerOptions {
  /**
   * SES's reaction to an error of a rule that waits for the answer: `stop` all rules, or `continue`. Without an answer SES would
   * continue to process the mail, so there is no default.
   */
  readonly onError: 'stop' | 'continue';
}

/** Validators and defaults for {@link SesTriggerOptions}. @internal */
export const SES_TRIGGER_OPTIONS = /* @__PURE__ */ defineOptions<SesTriggerOptions>()({
  onError: oneOf('stop', 'continue').required(),
});

/** Row, natural key and answer of mails that SES receives. @internal */
export const SES_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'ses',
  anyOf: [
    [
      { path: 'Records[0].eventSource', test: 'equals', value: 'aws:ses' },
      { path: 'Records[0].ses', test: 'object' },
    ],
  ],
  sample: { Records: [{ eventSource: 'aws:ses', ses: {} }] },
  // One message has an event for each rule that matches, each with the recipients of its rule.
  key: ({ record, id }: Delivered) => keyOf(...(record as SesMessage).recipients, id),
  answer: '{ disposition } or null',
  // https://docs.aws.amazon.com/ses/latest/dg/receiving-email-action-lambda.html
  maxMs: 30_000,
});

const DISPOSITIONS: Readonly<Record<string, string>> = {
  continue: 'CONTINUE',
  stop_rule: 'STOP_RULE',
  stop_rule_set: 'STOP_RULE_SET',
};

/** The handler of mails that SES receives. */
export class SesTrigger extends TriggerSurface {
  readonly #onError: SesTriggerOptions['onError'];
  #handler: EventHandler<SesMessage> | undefined;

  constructor(options: SesTriggerOptions) {
    super(SES_TRIGGER);
    this.#onError = SES_TRIGGER_OPTIONS.parse(options).onError;
  }

  /**
   * Sets the handler of the receipt rule's mails.
   *
   * @throws FrameworkError `app.invalid_configuration` for a second handler, or a handler that is not a function
   * @example sesTrigger({ onError: 'stop' }).rule((ctx, { verdicts }) => (verdicts.spam === 'PASS' ? 'continue' : 'stop_rule_set'));
   */
  rule(handler: SesHandler): this {
    assertHandler(handler);
    if (this.#handler) throw refused('duplicate handler for ses');
    this.#handler = handler;
    return this;
  }

  /** One record, once there is a handler. */
  override triggers(): readonly TriggerRecord[] {
    return this.#handler ? [{ kind: this.kind, options: { onError: this.#onError } }] : [];
  }

  protected override read(event: unknown): readonly Delivered[] {
    const handler = this.#handler;
    if (!handler) throw refused('sesTrigger has no handler; rule() sets it');
    return recordsOf(this.kind, 'Records', membersOf(event).Records).map(({ ses }, index) => {
      const record = readMessage(membersOf(ses), `Records[${index}].ses`);
      const arn = membersOf(membersOf(membersOf(ses).receipt).action).functionArn;
      return { handler, record, id: record.messageId, name: '', source: sourceOf('', arn) };
    });
  }

  protected override async answer(
    items: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
    event: unknown,
  ): Promise<unknown> {
    if (!isAwaited(event)) return super.answer(items, lambdaContext, event);
    const outcome = await attempt(this.delivery, items[0] as Delivered, lambdaContext);
    const failed = { disposition: this.#onError === 'stop' ? 'STOP_RULE_SET' : 'CONTINUE' };
    if ('thrown' in outcome) return failed;
    const result = stringOf(outcome.value);
    if (Object.hasOwn(DISPOSITIONS, result)) return { disposition: DISPOSITIONS[result] };
    this.delivery.logRefusal(invalidAnswer('must be continue, stop_rule or stop_rule_set'), lambdaContext);
    return failed;
  }
}

/** True if the rule waits for the answer. */
function isAwaited(event: unknown): boolean {
  const [record] = membersOf(event).Records as readonly Members[];
  return membersOf(membersOf(membersOf(record?.ses).receipt).action).invocationType === 'RequestResponse';
}

function readMessage({ mail, receipt }: Members, place: string): SesMessage {
  const { messageId, source, commonHeaders } = membersOf(mail);
  const { recipients, ...checks } = membersOf(receipt);
  const { subject } = membersOf(commonHeaders);
  const verdicts = Object.entries(checks).filter(([name]) => name.endsWith('Verdict'));
  return {
    messageId: requiredText('ses', `${place}.mail.messageId`, messageId),
    source: stringOf(source),
    recipients: Array.isArray(recipients) ? recipients.filter((one) => typeof one === 'string') : [],
    ...(typeof subject === 'string' && { subject }),
    verdicts: Object.fromEntries(
      verdicts.map(([name, value]) => [name.slice(0, -'Verdict'.length), stringOf(membersOf(value).status)]),
    ),
    mail: membersOf(mail),
  };
}

/**
 * Makes the surface for mails that SES receives.
 *
 * @throws FrameworkError `app.invalid_configuration` for a missing or unknown option
 * @example
 * const mails = sesTrigger({ onError: 'stop' }).rule((ctx, { recipients }) => (recipients.length > 5 ? 'stop_rule_set' : 'continue'));
 * const app = new SecureApp({ principalResolver, surfaces: [mails] });
 */
export function sesTrigger(options: SesTriggerOptions): SesTrigger {
  return new SesTrigger(options);
}
