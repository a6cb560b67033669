import type { LambdaContext, MaybePromise } from '@sallyport/core';
import { type Members, membersOf, stringOf } from '@sallyport/core/internal';
import { defineOptions, text } from '@sallyport/core/options';
import type { Delivered, EventContext } from '@sallyport/streams/delivery';
import { invalidAnswer, triggersError } from '../errors.js';
import { toJson } from '../internal/answer.js';
import { NamedTrigger } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { requiredText, sourceOf } from '../internal/read.js';
import { respond } from '../internal/respond.js';
import { defineTrigger } from '../internal/surface.js';

/** A request of Alexa: https://developer.amazon.com/en-US/docs/alexa/custom-skills/request-and-response-json-reference.html. */
export interface AlexaRequest {
  /** The type: `LaunchRequest`, `IntentRequest`, `SessionEndedRequest`, … */
  readonly type: string;
  /** The name of the intent; `''` for requests of other types. */
  readonly intent: string;
  /** The slots of the intent by name. */
  readonly slots: Readonly<Record<string, unknown>>;
  /** The id of the request. */
  readonly requestId: string;
  /** The locale of the user: `en-US`. */
  readonly locale: string;
  /** Attributes of the session, which the previous answer set. */
  readonly sessionAttributes: Readonly<Record<string, unknown>>;
  /** The member `request` of the event. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The member `context` of the event: device and user. */
  readonly context: Readonly<Record<string, unknown>>;
}

/** The result of a handler: https://developer.amazon.com/en-US/docs/alexa/custom-skills/request-and-response-json-reference.html. */
export interface AlexaAnswer {
  /** Attributes for the next request of the session. */
  readonly sessionAttributes?: Readonly<Record<string, unknown>>;
  /** Speech, cards and directives. */
  readonly response: {
    readonly outputSpeech?: object;
    readonly card?: object;
    readonly reprompt?: object;
    readonly directives?: readonly object[];
    readonly shouldEndSession?: boolean;
  };
}

/** Handles a request of Alexa. After a throw, Alexa closes the session. Alexa ignores the answer to a `SessionEndedRequest`. */
export type AlexaHandler = (ctx: EventContext, request: AlexaRequest) => MaybePromise<AlexaAnswer | undefined>;

/** Options of `alexaSkill`. An unknown key is rejected. */
export interface AlexaSkillOptions {
  /** The id of the skill: `amzn1.ask.skill.…`. Requests of other skills are rejected. */
  readonly skillId: string;
}

/** Validators and defaults for {@link AlexaSkillOptions}. @internal */
export const ALEXA_SKILL_OPTIONS = /* @__PURE__ */ defineOptions<AlexaSkillOptions>()({
  skillId: text('the id of a skill').required(),
});

/** Row, natural key and answer of Alexa skills. @internal */
export const ALEXA_SKILL_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'alexa-skill',
  anyOf: [
    [
      { path: 'version', test: 'text' },
      { path: 'context.System.application.applicationId', test: 'text' },
      { path: 'request.type', test: 'text' },
      { path: 'request.requestId', test: 'text' },
    ],
  ],
  sample: {
    version: '1.0',
    context: { System: { application: { applicationId: 'a' } } },
    request: { type: 'LaunchRequest', requestId: 'r' },
  },
  key: ({ source, id }: Delivered) => keyOf(source.name, id),
  answer: 'a response of the skill',
  // https://developer.amazon.com/en-US/docs/alexa/custom-skills/request-types-reference.html
  maxMs: 8_000,
});

/** Handlers of an Alexa skill. */
export class AlexaSkill extends NamedTrigger {
  readonly #skillId: string;

  constructor(options: AlexaSkillOptions) {
    super(ALEXA_SKILL_TRIGGER, 'request');
    this.#skillId = ALEXA_SKILL_OPTIONS.parse(options).skillId;
  }

  /**
   * Registers the handler of a type of request, for example `LaunchRequest` or `SessionEndedRequest`.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated type, or a handler that is not a function
   */
  request(type: string, handler: AlexaHandler): this {
    return this.add(type, handler);
  }

  /**
   * Registers the handler of an intent.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated intent, or a handler that is not a function
   * @example alexaSkill({ skillId }).intent('Order', (ctx, { slots }) => ({ response: { shouldEndSession: true } }));
   */
  intent(name: string, handler: AlexaHandler): this {
    return this.add(stringOf(name).trim() === '' ? '' : `IntentRequest ${name}`, handler);
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { request: requestPart, session, context } = membersOf(event);
    const request = membersOf(requestPart);
    const system = membersOf(membersOf(context).System);
    const skill = stringOf(membersOf(system.application).applicationId);
    if (skill !== this.#skillId) throw triggersError('triggers.denied', 'alexa-skill event: it is of another skill');
    const intent = membersOf(request.intent);
    const type = requiredText(this.kind, 'request.type', request.type);
    const id = requiredText(this.kind, 'request.requestId', request.requestId);
    const record: AlexaRequest = {
      type,
      intent: stringOf(intent.name),
      slots: membersOf(intent.slots),
      requestId: id,
      locale: stringOf(request.locale),
      sessionAttributes: membersOf(membersOf(session).attributes),
      request,
      context: membersOf(context),
    };
    const place = `${type} ${record.intent}`;
    return [{ ...this.handlerOf(place, place, type), record, id, source: sourceOf(skill, '') }];
  }

  protected override answer([item]: readonly Delivered[], lambdaContext: LambdaContext | undefined): Promise<unknown> {
    return respond(this.delivery, item as Delivered, lambdaContext, toAnswer);
  }
}

/** @throws FrameworkError `triggers.invalid_answer` for a result that Alexa could not read */
function toAnswer(result: unknown): Members {
  const given = toJson('the result', result ?? { response: {} });
  const { response, sessionAttributes, ...rest } = membersOf(given);
  const isAnswer =
    membersOf(response) === response &&
    (sessionAttributes === undefined || membersOf(sessionAttributes) === sessionAttributes) &&
    Object.keys(rest).every((name) => name === 'version');
  if (!isAnswer) throw invalidAnswer('must be { response, sessionAttributes } with objects, or undefined');
  return { version: '1.0', ...(sessionAttributes !== undefined && { sessionAttributes }), response };
}

/**
 * Makes the surface for an Alexa skill. Only requests of the skill with the given id reach a handler.
 *
 * @throws FrameworkError `app.invalid_configuration` for a missing or unknown option
 * @example
 * const skill = alexaSkill({ skillId: 'amzn1.ask.skill.1' }).intent('Order', () => ({
 *   response: { outputSpeech: { type: 'PlainText', text: 'Ordered.' }, shouldEndSession: true },
 * }));
 * const app = new SecureApp({ principalResolver, surfaces: [skill] });
 */
export function alexaSkill(options: AlexaSkillOptions): AlexaSkill {
  return new AlexaSkill(options);
}
