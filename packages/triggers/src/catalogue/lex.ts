import { defineOptions, object, oneOf, string } from '@sallyport/core/options';
import { LEX_TRIGGER, lexBot } from '../kinds/lex.js';
import { describeTrigger } from './entry.js';

/** Options of {@link buildLexEvent}. */
export interface LexEventOptions {
  /** Default `FulfillmentCodeHook`. */
  readonly source?: 'DialogCodeHook' | 'FulfillmentCodeHook';
  /** Interpreted values of slots by name. Default: none. */
  readonly slots?: Readonly<Record<string, string>>;
  /** The user's text. Default `hello`. */
  readonly text?: string;
}

const LEX_EVENT = /* @__PURE__ */ defineOptions<LexEventOptions>()({
  source: oneOf('DialogCodeHook', 'FulfillmentCodeHook').default('FulfillmentCodeHook'),
  slots: object<Readonly<Record<string, string>>>(),
  text: string.default('hello'),
});

/** The value of a slot. */
interface LexSlot {
  readonly shape: 'Scalar';
  readonly value: {
    readonly originalValue: string;
    readonly interpretedValue: string;
    readonly resolvedValues: string[];
  };
}

/** An intent with its slots. */
interface LexIntent {
  readonly name: string;
  readonly slots: Record<string, LexSlot | null>;
  readonly state: 'InProgress' | 'ReadyForFulfillment';
  readonly confirmationState: 'None';
}

/** A turn of a conversation, in the form of its documentation. */
export interface LexEvent {
  /** `1.0`. */
  readonly messageVersion: string;
  /** The code hook. */
  readonly invocationSource: 'DialogCodeHook' | 'FulfillmentCodeHook';
  /** The type of the user's input. */
  readonly inputMode: 'DTMF' | 'Speech' | 'Text';
  /** The content type of the response to the user. */
  readonly responseContentType: string;
  /** The id of the session. */
  readonly sessionId: string;
  /** The user's text. */
  readonly inputTranscript: string;
  /** The bot. */
  readonly bot: {
    readonly id: string;
    readonly name: string;
    readonly aliasId: string;
    readonly aliasName: string;
    readonly localeId: string;
    readonly version: string;
  };
  /** Possible intents, the most likely first. */
  readonly interpretations: { readonly intent: LexIntent; readonly interpretationSource: string }[];
  /** The next state if the function changes nothing. */
  readonly proposedNextState: { readonly dialogAction: { readonly type: 'Delegate' }; readonly intent: LexIntent };
  /** Attributes of this request. */
  readonly requestAttributes: Record<string, string>;
  /** The state of the session. */
  readonly sessionState: {
    readonly sessionAttributes: Record<string, string>;
    readonly intent: LexIntent;
    readonly originatingRequestId: string;
  };
  /** Possible transcriptions. */
  readonly transcriptions: never[];
}

/**
 * Builds the event of a code hook of a Lex V2 bot.
 *
 * @see https://docs.aws.amazon.com/lexv2/latest/dg/lambda-input-format.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildLexEvent('Order', { slots: { size: 'large' } });
 */
export function buildLexEvent(intent: string, options: LexEventOptions = {}): LexEvent {
  const { source, slots = {}, text } = LEX_EVENT.parse(options);
  const filled = Object.entries(slots).map(([name, value]): [string, LexSlot] => [
    name,
    { shape: 'Scalar', value: { originalValue: value, interpretedValue: value, resolvedValues: [value] } },
  ]);
  const state = source === 'DialogCodeHook' ? 'InProgress' : 'ReadyForFulfillment';
  const current: LexIntent = { name: intent, slots: Object.fromEntries(filled), state, confirmationState: 'None' };
  return {
    messageVersion: '1.0',
    invocationSource: source,
    inputMode: 'Text',
    responseContentType: 'text/plain; charset=utf-8',
    sessionId: 'session-1',
    inputTranscript: text,
    bot: { id: 'BOT1', name: 'bot', aliasId: 'ALIAS1', aliasName: 'live', localeId: 'en_US', version: '1' },
    interpretations: [{ intent: current, interpretationSource: 'Lex' }],
    proposedNextState: { dialogAction: { type: 'Delegate' }, intent: current },
    requestAttributes: {},
    sessionState: { sessionAttributes: {}, intent: current, originatingRequestId: 'request-1' },
    transcriptions: [],
  };
}

/** Code hooks of Lex V2 in the catalogue. @internal */
export const LEX = /* @__PURE__ */ describeTrigger(LEX_TRIGGER, {
  sample: {
    build: buildLexEvent,
    events: [
      [buildLexEvent('Order', { slots: { size: 'large' } }), undefined],
      [buildLexEvent('Order', { source: 'DialogCodeHook' }), undefined],
    ],
    names: ['Order'],
    result: { sessionState: { dialogAction: { type: 'Close' } } },
    register: (handlers) =>
      handlers.reduce((bot, [name, handler]) => bot.dialog(name, handler).fulfillment(name, handler), lexBot()),
  },
  docs: {
    section: 'Lex bots',
    rows: [
      [
        '`lexBot()` with `dialog(intent, handler)` and `fulfillment(intent, handler)`; `LexBot`, `LexHandler`, `LexTurn`, `LexAnswer`, `LexMessage`',
        'code hooks of Lex V2',
      ],
    ],
  },
  construct: null,
  simulate: null,
  aws: {
    author: 'Lex; a user wrote the text, a client the attributes',
    failure:
      'the turn fails with [`DependencyFailedException`](https://docs.aws.amazon.com/lexv2/latest/APIReference/API_runtime_RecognizeText.html)',
    limit: '6 MB',
    attached: 'the alias of the bot',
  },
  hint: ['appsync', 'a Lex hook', 'invocationSource', 'DialogCodeHook', 'FulfillmentCodeHook'],
  sizes: { factory: 'lexBot', gzipBytes: 12_000 },
});
