import { FrameworkError, type LambdaContext, type MaybePromise } from '@sallyport/core';
import { type Members, membersOf, rejectWithoutEventKey, stringOf } from '@sallyport/core/internal';
import {
  attempt,
  type Delivered,
  type EventContext,
  type EventHandler,
  type KeylessEventContext,
} from '@sallyport/streams/delivery';
import { invalidAnswer, refused } from '../errors.js';
import { publicText, toJson, withinLimit } from '../internal/answer.js';
import { NamedTrigger } from '../internal/handlers.js';
import { requiredText } from '../internal/read.js';
import { defineTrigger } from '../internal/surface.js';

/** The reasons for messages. */
const MESSAGES = [
  'AdminCreateUser',
  'Authentication',
  'ForgotPassword',
  'ResendCode',
  'SignUp',
  'UpdateUserAttribute',
  'VerifyUserAttribute',
] as const;
/**
 * The trigger sources of Cognito user pools, by their part before the first `_`:
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-working-with-lambda-triggers.html#cognito-user-identity-pools-working-with-aws-lambda-trigger-sources
 */
const SOURCES = {
  CreateAuthChallenge: ['Authentication'],
  CustomEmailSender: [...MESSAGES, 'AccountTakeOverNotification'],
  CustomMessage: MESSAGES,
  CustomSMSSender: MESSAGES,
  DefineAuthChallenge: ['Authentication'],
  InboundFederation: ['ExternalProvider'],
  PostAuthentication: ['Authentication'],
  PostConfirmation: ['ConfirmForgotPassword', 'ConfirmSignUp'],
  PreAuthentication: ['Authentication'],
  PreSignUp: ['AdminCreateUser', 'ExternalProvider', 'SignUp'],
  TokenGeneration: [
    'AuthenticateDevice',
    'Authentication',
    'ClientCredentials',
    'HostedAuth',
    'NewPasswordChallenge',
    'RefreshTokens',
  ],
  UserMigration: ['Authentication', 'ForgotPassword'],
  VerifyAuthChallengeResponse: ['Authentication'],
} as const;

type Sources = typeof SOURCES;

/** A trigger source of a user pool, or `PreSignUp_*` for all that begin alike. */
export type CognitoTriggerSource = {
  [Name in keyof Sources]: `${Name}_${Sources[Name][number] | '*'}`;
}[keyof Sources];

/** The reason why a name is not a trigger source of Cognito, with similar sources; `''` for a trigger source. */
function sourceMistake(source: string): string {
  const [name = '', rest = ''] = source.split(/_(.*)/s, 2);
  const near = Object.entries(SOURCES).find(([known]) => known.toLowerCase() === name.toLowerCase());
  if (!near) return `"${source}" is not a source of Cognito, which are ${Object.keys(SOURCES).join('_*, ')}_*`;
  const [known, parts] = near;
  if (known === name && (rest === '*' || (parts as readonly string[]).includes(rest))) return '';
  return `"${source}" is not a source of Cognito: did you mean ${[...parts, '*'].map((part) => `${known}_${part}`).join(' or ')}?`;
}

/**
 * An event of a Cognito user pool:
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-identity-pools-working-with-aws-lambda-triggers.html.
 */
export interface CognitoEvent {
  /** Version of this shape. */
  readonly version: string;
  /** The trigger source: `PreSignUp_SignUp`, `TokenGeneration_Authentication`, … */
  readonly triggerSource: string;
  /** The region of the user pool. */
  readonly region: string;
  /** The id of the user pool. */
  readonly userPoolId: string;
  /** The user who signs up or in; absent for some triggers. */
  readonly userName?: string;
  /** The client that called, and its SDK. */
  readonly callerContext: { readonly awsSdkVersion: string; readonly clientId: string };
  /** Input of the trigger. Its members depend on the trigger. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Output of the trigger, to be filled; absent for custom senders. */
  readonly response?: Readonly<Record<string, unknown>>;
}

/**
 * Handles one event of a user pool. Its result is merged into `response`. A handler can also return the event, as in AWS's samples;
 * its `response` is then the result. The event is a copy, and only changes of `event.response` are answered. A throw denies.
 */
export type CognitoHandler = (ctx: KeylessEventContext, event: CognitoEvent) => MaybePromise<object | undefined>;

/** Row, natural key and answer of triggers of Cognito user pools. @internal */
export const COGNITO_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'cognito',
  anyOf: [
    [
      { path: 'triggerSource', test: 'text' },
      { path: 'userPoolId', test: 'text' },
      { path: 'callerContext', test: 'object' },
      { path: 'request', test: 'object' },
    ],
  ],
  sample: { triggerSource: 's', userPoolId: 'p', callerContext: {}, request: {} },
  // A user pool sends events without an id.
  key: undefined,
  answer: 'the event with its response',
  // https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-working-with-lambda-triggers.html
  maxMs: 5_000,
});

/** Handlers of the triggers of Cognito user pools. */
export class CognitoTrigger extends NamedTrigger {
  constructor() {
    super(COGNITO_TRIGGER, 'trigger source');
  }

  /**
   * Registers the handler of a trigger source. A throw rejects; the user sees only the message of a FrameworkError, or `denied` for any
   * other error. An event of a source that is not registered is rejected.
   *
   * @param source `PreSignUp_SignUp`, or `PreSignUp_*` for all of a kind
   * @throws FrameworkError `app.invalid_configuration` for a source that Cognito does not have, a repeated source, or a handler that is
   *   not a function
   * @example cognitoTrigger().on('PreSignUp_SignUp', (ctx, event) => ({ autoConfirmUser: isStaff(event.userName) }));
   */
  on(source: CognitoTriggerSource, handler: CognitoHandler): this {
    const mistake = sourceMistake(stringOf(source));
    if (mistake !== '') throw refused(`trigger source ${mistake}`);
    rejectWithoutEventKey(this.kind, handler);
    return this.add(source, handler as EventHandler<never>);
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { triggerSource, userPoolId, region } = membersOf(event);
    const name = requiredText(this.kind, 'triggerSource', triggerSource);
    const entry = this.handlerOf(name, name, `${name.split('_', 1)[0]}_*`);
    const source = { name, arn: '', account: '', region: stringOf(region) };
    // A copy, so that the answer has the event as Cognito sent it.
    return [{ ...entry, record: structuredClone(event), id: '', source: { ...source, name: stringOf(userPoolId) } }];
  }

  protected override async answer(
    [item]: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
    event: unknown,
  ): Promise<unknown> {
    const { handler, record } = item as Delivered;
    const fill = async (ctx: EventContext) => {
      const response = toResponse(record as Members, await handler(ctx, record as never));
      return withinLimit({ ...(event as Members), response });
    };
    const outcome = await attempt(this.delivery, { ...(item as Delivered), handler: fill }, lambdaContext);
    if ('thrown' in outcome) throw toDenial(outcome.thrown);
    return outcome.value;
  }
}

/**
 * The response: the handler's changes of the event's `response`, then its result. If the handler returns the event, as in AWS's
 * samples, its `response` is the result.
 *
 * @throws FrameworkError `triggers.invalid_answer` for a result that is neither an object nor nothing, cannot be written as JSON, as JSON
 */
function toResponse(event: Members, result: unknown): Members {
  if (result !== undefined && result !== null && (typeof result !== 'object' || Array.isArray(result))) {
    throw invalidAnswer('must be an object with members of the response, the event, or nothing');
  }
  const given = toJson('the result', result ?? {});
  if (given !== membersOf(given)) throw invalidAnswer('must be an object with members of the response');
  const { triggerSource, response } = given as Members;
  const isEvent = typeof triggerSource === 'string' && triggerSource === event.triggerSource;
  const own = membersOf(toJson('response', membersOf(event.response)));
  return merge(own, isEvent ? membersOf(response) : (given as Members));
}

/** Merges own members of both; a member named `__proto__` is dropped. */
function merge(response: Members, result: Members): Members {
  const entries = Object.entries({ ...response, ...result }).filter(([name]) => name !== '__proto__');
  return Object.fromEntries(entries);
}

/** Converts an error to the denial whose message Cognito shows to the user. */
function toDenial(error: unknown): FrameworkError {
  return new FrameworkError('triggers.denied', publicText(error), { cause: error });
}

/**
 * Makes the surface for the triggers of Cognito user pools.
 *
 * @example
 * const users = cognitoTrigger().on('PreSignUp_*', (ctx, event) => ({ autoConfirmUser: isStaff(event.userName) }));
 * const app = new SecureApp({ principalResolver, surfaces: [users] });
 */
export function cognitoTrigger(): CognitoTrigger {
  return new CognitoTrigger();
}
