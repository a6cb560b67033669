import { defineOptions, object, string } from '@sallyport/core/options';
import { ALEXA_SKILL_TRIGGER, type AlexaSkillOptions, alexaSkill } from '../kinds/alexa-skill.js';
import { describeTrigger } from './entry.js';

/** Options of {@link buildAlexaEvent}. */
export interface AlexaEventOptions {
  /** The type of a request without intent. Default: `IntentRequest`, with the given intent. */
  readonly type?: string;
  /** Values of slots by name. Default: none. */
  readonly slots?: Readonly<Record<string, string>>;
  /** The id of the skill. Default `amzn1.ask.skill.1`. */
  readonly skillId?: string;
  /** The id of the request. Default `request-1`. */
  readonly requestId?: string;
}

const ALEXA_EVENT = /* @__PURE__ */ defineOptions<AlexaEventOptions>()({
  type: string.default('IntentRequest'),
  slots: object<Readonly<Record<string, string>>>(),
  skillId: string.default('amzn1.ask.skill.1'),
  requestId: string.default('request-1'),
});

/** A request of Alexa, in the form of its documentation. */
export interface AlexaEvent {
  /** `1.0`. */
  readonly version: string;
  /** The session. */
  readonly session: {
    readonly new: boolean;
    readonly sessionId: string;
    readonly application: { readonly applicationId: string };
    readonly attributes: Record<string, unknown>;
    readonly user: { readonly userId: string };
  };
  /** Device, skill and user. */
  readonly context: {
    readonly System: {
      readonly application: { readonly applicationId: string };
      readonly user: { readonly userId: string };
    };
  };
  /** The request. */
  readonly request: {
    readonly type: string;
    readonly requestId: string;
    readonly timestamp: string;
    readonly locale: string;
    readonly intent?: { readonly name: string; readonly slots: Record<string, { name: string; value: string }> };
  };
}

/**
 * Builds a request of Alexa to a custom skill.
 *
 * @see https://developer.amazon.com/en-US/docs/alexa/custom-skills/request-and-response-json-reference.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildAlexaEvent('Order', { slots: { size: 'large' } });
 */
export function buildAlexaEvent(intent: string, options: AlexaEventOptions = {}): AlexaEvent {
  const { type, slots = {}, skillId, requestId } = ALEXA_EVENT.parse(options);
  const application = { applicationId: skillId };
  const user = { userId: 'user-1' };
  const filled = Object.fromEntries(Object.entries(slots).map(([name, value]) => [name, { name, value }]));
  return {
    version: '1.0',
    session: { new: true, sessionId: 'session-1', application, attributes: {}, user },
    context: { System: { application, user } },
    request: {
      type,
      requestId,
      timestamp: '1970-01-01T00:00:00Z',
      locale: 'en-US',
      ...(type === 'IntentRequest' && { intent: { name: intent, slots: filled } }),
    },
  };
}

/** Alexa skills in the catalogue. @internal */
export const ALEXA_SKILL = /* @__PURE__ */ describeTrigger(ALEXA_SKILL_TRIGGER, {
  sample: {
    build: buildAlexaEvent,
    events: [
      [buildAlexaEvent('Order', { slots: { size: 'large' } }), 'amzn1.ask.skill.1|request-1'],
      [buildAlexaEvent('Order', { type: 'LaunchRequest' }), 'amzn1.ask.skill.1|request-1'],
    ],
    names: ['Order'],
    register: (handlers, options: AlexaSkillOptions = { skillId: 'amzn1.ask.skill.1' }) =>
      handlers.reduce(
        (skill, [name, handler], index) =>
          index === 0 ? skill.intent(name, handler).request('LaunchRequest', handler) : skill.intent(name, handler),
        alexaSkill(options),
      ),
  },
  docs: {
    section: 'Alexa skills',
    rows: [
      [
        '`alexaSkill({ skillId })` with `intent(name, handler)` and `request(type, handler)`; `AlexaSkill`, `AlexaSkillOptions`, `AlexaHandler`, `AlexaRequest`, `AlexaAnswer`',
        'requests of Alexa',
      ],
    ],
  },
  construct: null,
  simulate: null,
  aws: {
    author: 'Alexa; a user wrote the values of slots',
    failure: 'Alexa closes the session with an apology',
    limit: '6 MB; 8,000 characters of speech',
    attached: 'the endpoint of the skill',
  },
  sizes: { factory: 'alexaSkill', gzipBytes: 12_250 },
});
