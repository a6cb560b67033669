import type { LambdaContext, MaybePromise, TriggerRecord } from '@sallyport/core';
import { FrameworkError } from '@sallyport/core';
import { isObject, type Members, membersOf, rejectWithoutEventKey, stringOf } from '@sallyport/core/internal';
import { defineOptions, kind, oneOf, text } from '@sallyport/core/options';
import {
  type Delivered,
  Delivery,
  type EventContext,
  type EventHandler,
  type KeylessEventContext,
} from '@sallyport/streams/delivery';
import { invalidAnswer, refused } from '../errors.js';
import { isFlatValue, toJson, withinLimit } from '../internal/answer.js';
import { assertHandler } from '../internal/handlers.js';
import { requiredText, sourceOf } from '../internal/read.js';
import { defineTrigger, TriggerSurface } from '../internal/surface.js';

/** Values that an authorizer adds to the request: strings, numbers and booleans; in simple answers any JSON. */
export type AuthorizerValues = Readonly<Record<string, unknown>>;

/** The key of an answer's content, equal in every copy of this package. JSON cannot contain symbols. */
const DECISION: unique symbol = Symbol.for('sallyport.triggers.authorizer-answer/1') as never;

/** The result of {@link allow}, {@link deny} or {@link unauthorized}. Any other result denies the request. */
export class AuthorizerAnswer {
  /** @internal */
  declare readonly [DECISION]: AuthorizerDecision;

  /** @internal */
  constructor(effect: 'allow' | 'deny' | 'unauthorized', principalId: string, options: Answered = {}) {
    // Not enumerable: a spread copy is not an answer.
    Object.defineProperty(this, DECISION, { value: { effect, principalId, ...options } });
  }

  /** Reads a handler's result. Any value except an answer of this class denies. @internal */
  static read(result: unknown): AuthorizerDecision {
    if (typeof result !== 'object' || result === null || !(DECISION in result)) return DENIED;
    return (result as AuthorizerAnswer)[DECISION];
  }
}

/** Options of {@link deny}. */
export interface DenyOptions {
  /** Values for the API's gateway responses: `$context.authorizer.<name>`. Default: none. */
  readonly context?: AuthorizerValues;
}

/** Options of {@link allow}. */
export interface AllowOptions {
  /** Values that the request's handler finds in `requestContext.authorizer`. Default: none. */
  readonly context?: AuthorizerValues;
  /**
   * The API key whose usage plan counts the request, for a REST API with the key source `AUTHORIZER`. It is a credential: it is only
   * in the answer, never in a log line. Default: none.
   */
  readonly usageIdentifierKey?: string;
}

/** Content of an answer besides its decision. */
type Answered = { readonly [Name in keyof AllowOptions]?: AllowOptions[Name] | undefined };

const VALUES = kind<AuthorizerValues>('an object', isObject);
const DENY_OPTIONS = defineOptions<DenyOptions>()({ context: VALUES });
const ALLOW_OPTIONS = defineOptions<AllowOptions>()({
  context: VALUES,
  usageIdentifierKey: text('the value of an API key'),
});

interface AuthorizerDecision extends Answered {
  readonly effect: 'allow' | 'deny' | 'unauthorized';
  readonly principalId: string;
}

const DENIED: AuthorizerDecision = { effect: 'deny', principalId: 'anonymous' };

/**
 * Allows a request.
 *
 * @param principalId the caller, as in access logs and `requestContext.authorizer.principalId`
 * @param options values for the request's handler, and the API key of its usage plan
 * @throws FrameworkError `app.invalid_configuration` for a blank principal, or a wrong or unknown option
 * @example tokenAuthorizer(async (ctx, { token }) => allow((await verify(token)).sub));
 */
export function allow(principalId: string, options: AllowOptions = {}): AuthorizerAnswer {
  if (stringOf(principalId).trim() === '') throw refused('allow needs a principal id');
  return new AuthorizerAnswer('allow', principalId, ALLOW_OPTIONS.parse(options));
}

/**
 * Rejects a request: the client receives 403.
 *
 * @param options values for the gateway response of the API
 * @example tokenAuthorizer((ctx, { token }) => (isExpired(token) ? deny({ context: { reason: 'expired' } }) : allow('caller')));
 */
export function deny(options: DenyOptions = {}): AuthorizerAnswer {
  return new AuthorizerAnswer('deny', 'anonymous', DENY_OPTIONS.parse(options));
}

/** Rejects a request without a usable identity: the client receives 401. API Gateway does not cache it. */
export function unauthorized(): AuthorizerAnswer {
  return new AuthorizerAnswer('unauthorized', 'anonymous');
}

/** A token to authorize. */
export interface TokenRequest {
  /** The value of the header that the authorizer is configured with: `Bearer …`. */
  readonly token: string;
  /** The ARN of the method that was called. */
  readonly methodArn: string;
}

/** A request to authorize. */
export interface AuthorizerRequest {
  /** The ARN of the method or route that was called. */
  readonly arn: string;
  /** The HTTP method; `''` for WebSocket APIs. */
  readonly method: string;
  /** The path; `''` for WebSocket APIs. */
  readonly path: string;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Query parameters; repeated parameters as API Gateway joins or selects them. */
  readonly query: Readonly<Record<string, string>>;
  /** Values of the path parameters. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** The identity sources that the authorizer is configured with. */
  readonly identitySource: readonly string[];
  /** The whole event. */
  readonly event: Members;
}

/** Options of `tokenAuthorizer`. An unknown key is rejected. */
export interface TokenAuthorizerOptions {
  /**
   * Scope of an answer: the called `method`, or the whole `api` and stage. With `method`, disable API Gateway's cache: a cached Allow
   * for one method denies the next method. Default `method`.
   */
  readonly scope?: 'method' | 'api';
}

/** Options of `requestAuthorizer`. An unknown key is rejected. */
export interface RequestAuthorizerOptions extends TokenAuthorizerOptions {
  /** `policy` for REST and WebSocket APIs, and for HTTP APIs without simple responses; `simple` for HTTP APIs with simple responses. */
  readonly form: 'policy' | 'simple';
}

/** Validators and defaults for {@link TokenAuthorizerOptions}. @internal */
export const TOKEN_AUTHORIZER_OPTIONS = /* @__PURE__ */ defineOptions<TokenAuthorizerOptions>()({
  scope: oneOf('method', 'api').default('method'),
});

/** Validators and defaults for {@link RequestAuthorizerOptions}. @internal */
export const REQUEST_AUTHORIZER_OPTIONS = /* @__PURE__ */ defineOptions<RequestAuthorizerOptions>()({
  form: oneOf('policy', 'simple').required(),
  scope: oneOf('method', 'api').default('method'),
});

/** The answer with a policy: https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html. */
export interface AuthorizerPolicy {
  /** The caller. */
  readonly principalId: string;
  /** Permissions of the caller. */
  readonly policyDocument: {
    readonly Version: string;
    readonly Statement: { readonly Action: string; readonly Effect: 'Allow' | 'Deny'; readonly Resource: string }[];
  };
  /** Values for the request's handler. */
  readonly context?: Record<string, string | number | boolean>;
  /** The API key whose usage plan counts the request. */
  readonly usageIdentifierKey?: string;
}

/** The simple answer: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-lambda-authorizer.html. */
export interface SimpleAuthorizerAnswer {
  /** True if the request is allowed. */
  readonly isAuthorized: boolean;
  /** Values for the request's handler. */
  readonly context?: Record<string, unknown>;
}

/** Row, natural key and answer of TOKEN authorizers of REST APIs. @internal */
export const AUTHORIZER_TOKEN_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'authorizer-token',
  anyOf: [
    [
      { path: 'type', test: 'equals', value: 'TOKEN' },
      { path: 'methodArn', test: 'text' },
      { path: 'authorizationToken', test: 'present' },
    ],
  ],
  sample: { type: 'TOKEN', methodArn: 'arn', authorizationToken: 't' },
  // An authorization, which API Gateway requests again for each request.
  key: undefined,
  answer: 'policy',
});

/** Authorizes a token. */
type TokenHandler = (ctx: KeylessEventContext, request: TokenRequest) => MaybePromise<AuthorizerAnswer>;

/** Authorizes tokens for API Gateway's REST APIs. */
export class TokenAuthorizer extends TriggerSurface {
  readonly #handler: TokenHandler;
  readonly #scope: 'method' | 'api';

  constructor(handler: TokenHandler, options: TokenAuthorizerOptions = {}) {
    super(AUTHORIZER_TOKEN_TRIGGER);
    assertHandler(handler);
    rejectWithoutEventKey(this.kind, handler);
    this.#scope = TOKEN_AUTHORIZER_OPTIONS.parse(options).scope;
    this.#handler = handler;
  }

  /** One record with the scope. */
  override triggers(): readonly TriggerRecord[] {
    return [{ kind: this.kind, options: { scope: this.#scope } }];
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { methodArn, authorizationToken } = membersOf(event);
    const arn = requiredText(this.kind, 'methodArn', methodArn);
    return [item(this.#handler, { token: stringOf(authorizationToken), methodArn: arn }, arn)];
  }

  protected override async answer(items: readonly Delivered[], lambdaContext: LambdaContext | undefined) {
    const [item] = items as readonly [Delivered];
    return decide(this.delivery, item, lambdaContext, (decision) => toPolicy(decision, item.source.arn, this.#scope));
  }
}

/**
 * Makes the surface for TOKEN authorizers of REST APIs. Any result except {@link allow} denies the request. If the handler throws,
 * API Gateway answers with 500, without the error's message, and does not cache it.
 *
 * @throws FrameworkError `app.invalid_configuration` for a handler that is not a function, or an unknown option
 * @example
 * const authorizer = tokenAuthorizer(async (ctx, { token }) => ((await isKnown(token)) ? allow('service') : deny()));
 * const app = new SecureApp({ principalResolver, surfaces: [authorizer] });
 */
export function tokenAuthorizer(handler: TokenHandler, options: TokenAuthorizerOptions = {}): TokenAuthorizer {
  return new TokenAuthorizer(handler, options);
}

/** A separate Lambda function: events of REQUEST authorizers look like requests, so no container dispatches them. */
export interface RequestAuthorizer {
  /** The Lambda handler. It can be detached from its object. */
  readonly serveAuthorizer: (
    event: unknown,
    lambdaContext?: LambdaContext,
  ) => Promise<AuthorizerPolicy | SimpleAuthorizerAnswer>;
}

const REQUEST_KIND = 'authorizer-request';

/**
 * Makes the Lambda handler of a REQUEST authorizer, for REST, HTTP and WebSocket APIs. Any result except {@link allow} denies.
 *
 * @throws FrameworkError `app.invalid_configuration` for a handler that is not a function, or a missing or unknown option
 * @example
 * const { serveAuthorizer } = requestAuthorizer({ form: 'simple' }, (ctx, { headers }) =>
 *   isKnown(headers['x-api-key']) ? allow('service') : deny(),
 * );
 * export const handler = serveAuthorizer;
 */
export function requestAuthorizer(
  options: RequestAuthorizerOptions,
  handler: (ctx: KeylessEventContext, request: AuthorizerRequest) => MaybePromise<AuthorizerAnswer>,
): RequestAuthorizer {
  const { form, scope } = REQUEST_AUTHORIZER_OPTIONS.parse(options);
  assertHandler(handler);
  rejectWithoutEventKey(REQUEST_KIND, handler);
  const delivery = new Delivery({ kind: REQUEST_KIND, key: undefined });
  return {
    async serveAuthorizer(event, lambdaContext) {
      delivery.refuseAgent(lambdaContext);
      const request = readRequest(membersOf(event));
      return decide<AuthorizerPolicy | SimpleAuthorizerAnswer>(
        delivery,
        item(handler, request, request.arn),
        lambdaContext,
        (decision) => (form === 'simple' ? toSimple(decision) : toPolicy(decision, request.arn, scope)),
      );
    },
  };
}

function item(handler: (ctx: KeylessEventContext, record: never) => unknown, record: unknown, arn: string): Delivered {
  return { handler: handler as EventHandler<never>, record, id: '', name: '', source: sourceOf('', arn) };
}

function readRequest(event: Members): AuthorizerRequest {
  const { methodArn, routeArn, httpMethod, path, rawPath, identitySource, requestContext } = event;
  const { method: v2Method } = membersOf(membersOf(requestContext).http);
  const headers = Object.entries(textsOf(event.headers)).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    arn: requiredText(REQUEST_KIND, 'methodArn or routeArn', routeArn ?? methodArn),
    method: stringOf(httpMethod ?? v2Method),
    path: stringOf(path ?? rawPath),
    headers: Object.fromEntries(headers),
    query: textsOf(event.queryStringParameters),
    pathParameters: textsOf(event.pathParameters),
    identitySource: [identitySource].flat().filter((source) => typeof source === 'string'),
    event,
  };
}

function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(membersOf(value)).filter((entry) => typeof entry[1] === 'string')) as Record<
    string,
    string
  >;
}

/** Thrown for a handler's `unauthorized()`, which is not logged as a failure. */
const UNAUTHORIZED = Symbol('unauthorized');

/**
 * Runs the handler, and serializes its decision within the run, so that an invalid decision fails the run.
 *
 * @throws `Unauthorized`, which API Gateway answers with 401; FrameworkError `app.internal` for a failure, or for an answer that API
 *   Gateway could not read
 */
async function decide<T>(
  delivery: Delivery,
  item: Delivered,
  lambdaContext: LambdaContext | undefined,
  write: (decision: AuthorizerDecision) => T,
): Promise<T> {
  const handler = async (ctx: EventContext, request: never) => {
    const decision = AuthorizerAnswer.read(await item.handler(ctx, request));
    return decision.effect === 'unauthorized' ? UNAUTHORIZED : withinLimit(write(decision));
  };
  let answer: unknown;
  try {
    [answer] = await delivery.each([{ ...item, handler }], lambdaContext);
  } catch (cause) {
    throw new FrameworkError('app.internal', 'framework: authorizer failed', { cause });
  }
  if (answer === UNAUTHORIZED) throw new Error('Unauthorized');
  return answer as T;
}

/**
 * Characters in the `Resource` of a policy that IAM does not read literally: wildcards and policy variables
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html).
 */
const NOT_LITERAL = /[*?]|\$\{/;

/** Builds the policy. A wildcard or a variable in the requested path would widen the policy, so such a request is denied. */
function toPolicy(
  { effect, principalId, context, usageIdentifierKey }: AuthorizerDecision,
  arn: string,
  scope: string,
): AuthorizerPolicy {
  const place = scope === 'api' ? arn.split('/').slice(0, 2).join('/') : arn;
  const isAllowed = effect === 'allow' && !NOT_LITERAL.test(place);
  const Resource = scope === 'api' ? `${place}/*` : arn;
  // The context of a denied `allow()` is not for the gateway response.
  const isMeant = isAllowed || effect === 'deny';
  return {
    principalId,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Action: 'execute-api:Invoke', Effect: isAllowed ? 'Allow' : 'Deny', Resource }],
    },
    ...(isMeant && context && { context: flatContext(context) }),
    ...(isAllowed && usageIdentifierKey !== undefined && { usageIdentifierKey }),
  };
}

function toSimple({ effect, context }: AuthorizerDecision): SimpleAuthorizerAnswer {
  const isAuthorized = effect === 'allow';
  return { isAuthorized, ...(isAuthorized && context && { context: toJson('context', context) as Members }) };
}

/** @throws FrameworkError `triggers.invalid_answer` for a value that API Gateway does not accept in a context */
function flatContext(context: AuthorizerValues): Record<string, string | number | boolean> {
  const entries = Object.entries(context);
  for (const [name, value] of entries) {
    if (!isFlatValue(value)) throw invalidAnswer(`context.${name} must be a string, a finite number or a boolean`);
  }
  return Object.fromEntries(entries) as Record<string, string | number | boolean>;
}
