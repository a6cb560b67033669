import type { LambdaContext, MaybePromise, TriggerRecord } from '@sallyport/core';
import { type Members, membersOf, rejectWithoutEventKey, stringOf } from '@sallyport/core/internal';
import type { Delivered, EventHandler, KeylessEventContext } from '@sallyport/streams/delivery';
import { invalidAnswer } from '../errors.js';
import { toJson } from '../internal/answer.js';
import { NamedTrigger } from '../internal/handlers.js';
import { requiredText, sourceOf } from '../internal/read.js';
import { respond } from '../internal/respond.js';
import { defineTrigger } from '../internal/surface.js';

/** A turn of a conversation: https://docs.aws.amazon.com/lexv2/latest/dg/lambda-input-format.html. */
export interface LexTurn {
  /** `dialog`: the user has answered. `fulfillment`: all slots of the intent have values. */
  readonly hook: 'dialog' | 'fulfillment';
  /** The name of the intent. */
  readonly intent: string;
  /** The slots of the intent by name; `null` for a slot without a value. */
  readonly slots: Readonly<Record<string, unknown>>;
  /** The id of the session. */
  readonly sessionId: string;
  /** The user's text, typed or recognized. */
  readonly text: string;
  /** The bot: id, name, alias, locale and version. */
  readonly bot: Readonly<Record<string, unknown>>;
  /** The state of the session, to be changed and answered. */
  readonly sessionState: Readonly<Record<string, unknown>>;
  /** Attributes of this request, which the client wrote. */
  readonly requestAttributes: Readonly<Record<string, unknown>>;
}

/** A message to the user. */
export interface LexMessage {
  /** The type of the content. */
  readonly contentType: 'CustomPayload' | 'ImageResponseCard' | 'PlainText' | 'SSML';
  /** The message; absent for a card. */
  readonly content?: string;
  /** A card with buttons; only for the type `ImageResponseCard`. */
  readonly imageResponseCard?: object;
}

/** The next step of a conversation: https://docs.aws.amazon.com/lexv2/latest/dg/lambda-response-format.html. */
export interface LexAnswer {
  /** The state of the session, with the next action. */
  readonly sessionState: {
    readonly dialogAction: {
      readonly type: 'Close' | 'ConfirmIntent' | 'Delegate' | 'ElicitIntent' | 'ElicitSlot';
      readonly slotToElicit?: string;
    };
    readonly intent?: object;
    readonly sessionAttributes?: Readonly<Record<string, string>>;
  };
  /** Messages to the user; required for the actions `ElicitIntent` and `ConfirmIntent`. */
  readonly messages?: readonly LexMessage[];
  /** Attributes of this request for the client. */
  readonly requestAttributes?: Readonly<Record<string, string>>;
}

/** Handles a turn of a conversation. A throw fails the turn. */
export type LexHandler = (ctx: KeylessEventContext, turn: LexTurn) => MaybePromise<LexAnswer>;

const HOOKS: Readonly<Record<string, LexTurn['hook']>> = {
  DialogCodeHook: 'dialog',
  FulfillmentCodeHook: 'fulfillment',
};

/** Row, natural key and answer of Lex V2. @internal */
export const LEX_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'lex',
  anyOf: ['DialogCodeHook', 'FulfillmentCodeHook'].map((value) => [
    { path: 'invocationSource', test: 'equals', value },
    { path: 'bot.localeId', test: 'text' },
    { path: 'sessionId', test: 'text' },
    { path: 'sessionState.intent', test: 'object' },
  ]),
  sample: {
    invocationSource: 'DialogCodeHook',
    bot: { localeId: 'en_US' },
    sessionId: 's',
    sessionState: { intent: {} },
  },
  // A session has several turns, and an event has no id.
  key: undefined,
  answer: 'session state and messages',
});

/** Handlers of the code hooks of a Lex V2 bot. */
export class LexBot extends NamedTrigger {
  constructor() {
    super(LEX_TRIGGER, 'code hook');
  }

  /**
   * Registers the dialog hook of an intent, which Lex invokes after each answer of the user.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated intent, or a handler that is not a function
   * @example lexBot().dialog('Order', (ctx, { sessionState }) => ({ sessionState: { ...sessionState, dialogAction: { type: 'Delegate' } } }));
   */
  dialog(intent: string, handler: LexHandler): this {
    return this.#on('dialog', intent, handler);
  }

  /**
   * Registers the fulfillment hook of an intent, which Lex invokes when all slots have values.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated intent, or a handler that is not a function
   */
  fulfillment(intent: string, handler: LexHandler): this {
    return this.#on('fulfillment', intent, handler);
  }

  #on(hook: string, intent: string, handler: LexHandler): this {
    rejectWithoutEventKey(this.kind, handler);
    return this.add(stringOf(intent).trim() === '' ? '' : `${hook} ${intent}`, handler as EventHandler<never>);
  }

  /** Intents with their hooks, in order. */
  override triggers(): readonly TriggerRecord[] {
    return this.names.map((place) => {
      const at = place.indexOf(' ');
      return { kind: this.kind, name: place.slice(at + 1), options: { hook: place.slice(0, at) } };
    });
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { invocationSource, sessionId, sessionState, bot, ...rest } = membersOf(event);
    const intent = membersOf(membersOf(sessionState).intent);
    const name = requiredText(this.kind, 'sessionState.intent.name', intent.name);
    const hook = HOOKS[stringOf(invocationSource)] ?? 'dialog';
    const record: LexTurn = {
      hook,
      intent: name,
      slots: membersOf(intent.slots),
      sessionId: requiredText(this.kind, 'sessionId', sessionId),
      text: stringOf(rest.inputTranscript),
      bot: membersOf(bot),
      sessionState: membersOf(sessionState),
      requestAttributes: membersOf(rest.requestAttributes),
    };
    const place = `${hook} ${name}`;
    return [{ ...this.handlerOf(place, place), record, id: '', source: sourceOf(stringOf(membersOf(bot).name), '') }];
  }

  protected override answer([item]: readonly Delivered[], lambdaContext: LambdaContext | undefined): Promise<unknown> {
    return respond(this.delivery, item as Delivered, lambdaContext, toAnswer);
  }
}

const ACTIONS: readonly unknown[] = ['Close', 'ConfirmIntent', 'Delegate', 'ElicitIntent', 'ElicitSlot'];
const CONTENT: readonly unknown[] = ['CustomPayload', 'PlainText', 'SSML'];

/** @throws FrameworkError `triggers.invalid_answer` for an answer that Lex could not read */
function toAnswer(result: unknown): Members {
  const answer = membersOf(toJson('the answer', result ?? {}));
  const { type, slotToElicit } = membersOf(membersOf(answer.sessionState).dialogAction);
  if (!ACTIONS.includes(type))
    throw invalidAnswer(`sessionState.dialogAction.type must be one of ${ACTIONS.join(', ')}`);
  if (type === 'ElicitSlot' && stringOf(slotToElicit) === '') throw invalidAnswer('ElicitSlot needs slotToElicit');
  const { messages = [] } = answer;
  if (!Array.isArray(messages) || !messages.every(isMessage)) {
    throw invalidAnswer('messages must be a list of { contentType, content } or { contentType, imageResponseCard }');
  }
  if ((type === 'ElicitIntent' || type === 'ConfirmIntent') && messages.length === 0) {
    throw invalidAnswer(`${type} needs messages`);
  }
  return answer;
}

function isMessage(value: unknown): boolean {
  const { contentType, content, imageResponseCard } = membersOf(value);
  if (contentType === 'ImageResponseCard') return stringOf(membersOf(imageResponseCard).title) !== '';
  return CONTENT.includes(contentType) && typeof content === 'string';
}

/**
 * Makes the surface for the code hooks of a Lex V2 bot. Lex waits for the answer, and a turn whose handler throws fails.
 *
 * @example
 * const bot = lexBot().fulfillment('Order', (ctx, { sessionState }) => ({
 *   sessionState: { ...sessionState, dialogAction: { type: 'Close' } },
 *   messages: [{ contentType: 'PlainText', content: 'Ordered.' }],
 * }));
 * const app = new SecureApp({ principalResolver, surfaces: [bot] });
 */
export function lexBot(): LexBot {
  return new LexBot();
}
