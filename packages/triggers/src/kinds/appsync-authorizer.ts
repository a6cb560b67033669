import type { LambdaContext, MaybePromise } from '@sallyport/core';
import { type Members, membersOf, rejectWithoutEventKey, stringOf } from '@sallyport/core/internal';
import {
  attempt,
  type Delivered,
  type EventContext,
  type EventHandler,
  type KeylessEventContext,
} from '@sallyport/streams/delivery';
import { invalidAnswer, refused } from '../errors.js';
import { isFlatValue, withinLimit } from '../internal/answer.js';
import { assertHandler } from '../internal/handlers.js';
import { requiredText } from '../internal/read.js';
import { defineTrigger, TriggerSurface } from '../internal/surface.js';

/** A request to authorize: https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html. */
export interface AppSyncAuthorizerRequest {
  /** The token of the client, as it sent it. */
  readonly token: string;
  /** The event's data about the request: `apiId`, and the operation of a GraphQL or an Event API. */
  readonly request: Readonly<Record<string, unknown>>;
}

/** Options of {@link AppSyncDecision.allow}. */
export interface AppSyncAllowance {
  /** Values for resolvers and handlers: text, numbers, booleans. Default: none. */
  readonly context?: Readonly<Record<string, string | number | boolean>>;
  /** Fields that resolve to `null`: `Query.secret`, or their ARNs. GraphQL APIs only. Default: none. */
  readonly deniedFields?: readonly string[];
  /** Time in seconds for which AppSync may cache the answer; 0 disables the cache. Default: as the API is configured. */
  readonly ttlSeconds?: number;
}

/** The key of a decision's content, equal in every copy of this package. JSON cannot contain symbols. */
const ALLOWANCE: unique symbol = Symbol.for('sallyport.triggers.appsync-decision/1') as never;

/** The decision of an authorizer. Any other result rejects the request. */
export class AppSyncDecision {
  /** @internal */
  declare readonly [ALLOWANCE]: AppSyncAllowance | undefined;

  /** @internal */
  constructor(allowance: AppSyncAllowance | undefined) {
    // Not enumerable: a spread copy is not a decision.
    Object.defineProperty(this, ALLOWANCE, { value: allowance });
  }

  /** Allows a request. @example appSyncAuthorizer(async (ctx, { token }) => AppSyncDecision.allow({ context: { user: await verify(token) } })); */
  static allow(allowance: AppSyncAllowance = {}): AppSyncDecision {
    const { ttlSeconds } = allowance;
    if (ttlSeconds !== undefined && !(Number.isInteger(ttlSeconds) && ttlSeconds >= 0 && ttlSeconds <= 3_600)) {
      throw refused('ttlSeconds must be a whole number from 0 to 3,600');
    }
    return new AppSyncDecision({ ...allowance });
  }

  /** Rejects a request. */
  static deny(): AppSyncDecision {
    return new AppSyncDecision(undefined);
  }

  /** The allowance; `undefined` for any value that is not a result of {@link AppSyncDecision.allow}. @internal */
  static read(result: unknown): AppSyncAllowance | undefined {
    const isDecision = typeof result === 'object' && result !== null && ALLOWANCE in result;
    return isDecision ? (result as AppSyncDecision)[ALLOWANCE] : undefined;
  }
}

/** The answer of an authorizer. */
export interface AppSyncAuthorizerAnswer {
  /** True if the request is allowed. */
  readonly isAuthorized: boolean;
  /** Values for resolvers of a GraphQL API. */
  readonly resolverContext?: Record<string, unknown>;
  /** Values for handlers of an Event API. */
  readonly handlerContext?: Record<string, unknown>;
  /** Fields that resolve to `null`. */
  readonly deniedFields?: string[];
  /** Cache time of the answer, in seconds. */
  readonly ttlOverride?: number;
}

/** Row, natural key and answer of authorizations of AppSync. @internal */
export const APPSYNC_AUTHORIZER_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'appsync-authorizer',
  anyOf: [
    [
      { path: 'authorizationToken', test: 'text' },
      { path: 'requestContext.apiId', test: 'text' },
    ],
  ],
  sample: { authorizationToken: 't', requestContext: { apiId: 'a' } },
  // An authorization, which AppSync requests again for each request.
  key: undefined,
  answer: '{ isAuthorized }',
  // https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html
  maxMs: 10_000,
});

const REFUSED: AppSyncAuthorizerAnswer = { isAuthorized: false, ttlOverride: 0 };

/** Authorizes a request. */
type AuthorizerHandler = (ctx: KeylessEventContext, request: AppSyncAuthorizerRequest) => MaybePromise<AppSyncDecision>;

/** The authorizer of a GraphQL or an Event API of AppSync. */
export class AppSyncAuthorizer extends TriggerSurface {
  readonly #handler: AuthorizerHandler;

  constructor(handler: AuthorizerHandler) {
    super(APPSYNC_AUTHORIZER_TRIGGER);
    assertHandler(handler);
    rejectWithoutEventKey(this.kind, handler);
    this.#handler = handler;
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { authorizationToken, requestContext } = membersOf(event);
    const token = requiredText(this.kind, 'authorizationToken', authorizationToken);
    const request = membersOf(requestContext);
    const source = { name: stringOf(request.apiId), arn: '', account: stringOf(request.accountId), region: '' };
    const record: AppSyncAuthorizerRequest = { token, request };
    return [
      { handler: this.#handler as EventHandler<never>, record, id: stringOf(request.requestId), name: '', source },
    ];
  }

  protected override async answer(
    [item]: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
    event: unknown,
  ): Promise<AppSyncAuthorizerAnswer> {
    const { handler, ...rest } = item as Delivered;
    const isEventApi = stringOf(membersOf(membersOf(event).requestContext).operation).startsWith('EVENT_');
    const decide = async (ctx: EventContext, request: never) => toAnswer(await handler(ctx, request), isEventApi);
    const outcome = await attempt(this.delivery, { ...rest, handler: decide }, lambdaContext);
    return 'value' in outcome ? (outcome.value as AppSyncAuthorizerAnswer) : REFUSED;
  }
}

/** @throws FrameworkError `triggers.invalid_answer` for a context that AppSync does not accept */
function toAnswer(result: unknown, isEventApi: boolean): AppSyncAuthorizerAnswer {
  const allowance = AppSyncDecision.read(result);
  if (!allowance) return REFUSED;
  const { context, deniedFields, ttlSeconds } = allowance;
  const fields = deniedFields && Array.from(deniedFields);
  if (fields?.some((field) => typeof field !== 'string')) throw invalidAnswer('deniedFields must be a list of strings');
  return withinLimit({
    isAuthorized: true,
    ...(context && { [isEventApi ? 'handlerContext' : 'resolverContext']: flat(context) }),
    ...(fields && { deniedFields: fields }),
    ...(ttlSeconds !== undefined && { ttlOverride: ttlSeconds }),
  });
}

/** AppSync does not accept nested values. */
function flat(context: Members): Record<string, unknown> {
  const entries = Object.entries(context);
  for (const [name, value] of entries) {
    if (!isFlatValue(value)) throw invalidAnswer(`context.${name} must be a string, a finite number or a boolean`);
  }
  return Object.fromEntries(entries);
}

/**
 * Makes the surface for the Lambda authorizer of an AppSync API. Any result except {@link AppSyncDecision.allow} rejects the request, and so does a
 * throw; no rejection is cached.
 *
 * @throws FrameworkError `app.invalid_configuration` for a handler that is not a function
 * @example
 * const authorizer = appSyncAuthorizer(async (ctx, { token }) => ((await isKnown(token)) ? AppSyncDecision.allow() : AppSyncDecision.deny()));
 * const app = new SecureApp({ principalResolver, surfaces: [authorizer] });
 */
export function appSyncAuthorizer(handler: AuthorizerHandler): AppSyncAuthorizer {
  return new AppSyncAuthorizer(handler);
}
