import type { LambdaContext, MaybePromise, TriggerRecord } from '@sallyport/core';
import { FrameworkError } from '@sallyport/core';
import { defineOptions, oneOf } from '@sallyport/core/options';
import { type Delivered, Delivery, type EventContext, type EventHandler } from '@sallyport/streams/delivery';
import { invalidAnswer, refused } from '../errors.js';
import { assertHandler } from '../internal/handlers.js';
import { type Members, membersOf, requiredText, sourceOf, textOf } from '../internal/read.js';
import { TriggerSurface } from '../internal/surface.js';

/** What an authorizer adds to the request: text, numbers and booleans; in simple answers any JSON. */
export type AuthorizerValues = Readonly<Record<string, unknown>>;

/** The key of what an answer holds, the same in every copy of this package. JSON has no symbols. */
const DECISION: unique symbol = Symbol.for('sallyport.triggers.authorizer-answer/1') as never;

/** The result of {@link allow}, {@link deny} or {@link unauthorized}. Only these are understood. */
export class AuthorizerAnswer {
  /** @internal */
  declare readonly [DECISION]: AuthorizerDecision;

  /** @internal */
  constructor(effect: 'allow' | 'deny' | 'unauthorized', principalId: string, context?: AuthorizerValues) {
    // Not enumerable: a spread copy of an answer is none.
    Object.defineProperty(this, DECISION, { value: { effect, principalId, context } });
  }

  /** What a handler's result means. Anything but an answer of this class denies. @internal */
  static read(result: unknown): AuthorizerDecision {
    if (typeof result !== 'object' || result === null || !(DECISION in result)) return DENIED;
    return (result as AuthorizerAnswer)[DECISION];
  }
}

interface AuthorizerDecision {
  readonly effect: 'allow' | 'deny' | 'unauthorized';
  readonly principalId: string;
  readonly context: AuthorizerValues | undefined;
}

const DENIED: AuthorizerDecision = { effect: 'deny', principalId: 'anonymous', context: undefined };

/**
 * Lets a request pass.
 *
 * @param principalId who calls, as access logs and `requestContext.authorizer.principalId` have it
 * @param options `context`: what the request's handler finds in `requestContext.authorizer`
 * @throws FrameworkError `app.invalid_configuration` for a blank principal
 * @example tokenAuthorizer(async (ctx, { token }) => allow((await verify(token)).sub));
 */
export function allow(principalId: string, { context }: { context?: AuthorizerValues } = {}): AuthorizerAnswer {
  if (typeof principalId !== 'string' || principalId.trim() === '') throw refused('allow needs a principal id');
  return new AuthorizerAnswer('allow', principalId, context);
}

/** Rejects a request: the client gets 403. */
export function deny(): AuthorizerAnswer {
  return new AuthorizerAnswer('deny', 'anonymous');
}

/** Rejects a request without a usable identity: the client gets 401. API Gateway does not cache it. */
export function unauthorized(): AuthorizerAnswer {
  return new AuthorizerAnswer('unauthorized', 'anonymous');
}

/** A token that API Gateway asks about. */
export interface TokenRequest {
  /** The value of the header that the authorizer is configured with: `Bearer …`. */
  readonly token: string;
  /** The ARN of the method that was called. */
  readonly methodArn: string;
}

/** A request that API Gateway asks about. */
export interface AuthorizerRequest {
  /** The ARN of the method or route that was called. */
  readonly arn: string;
  /** The HTTP method; `''` for WebSocket APIs. */
  readonly method: string;
  /** The path; `''` for WebSocket APIs. */
  readonly path: string;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Query parameters; of repeated ones as API Gateway joins or chooses them. */
  readonly query: Readonly<Record<string, string>>;
  /** The parts of the path that its pattern names. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** The identity sources that the authorizer is configured with. */
  readonly identitySource: readonly string[];
  /** The whole event. */
  readonly event: Members;
}

/** Options of `tokenAuthorizer`. An unknown key is rejected. */
export interface TokenAuthorizerOptions {
  /**
   * What an answer is about: the `method` that was called, or the whole `api` and stage. With `method`, switch API Gateway's cache
   * off: a cached Allow for one method denies the next. Default `method`.
   */
  readonly scope?: 'method' | 'api';
}

/** Options of `requestAuthorizer`. An unknown key is rejected. */
export interface RequestAuthorizerOptions extends TokenAuthorizerOptions {
  /** `policy` for REST and WebSocket APIs, and HTTP APIs without simple responses; `simple` for HTTP APIs with them. */
  readonly form: 'policy' | 'simple';
}

/** What {@link TokenAuthorizerOptions} may be. */
export const TOKEN_AUTHORIZER_OPTIONS = /* @__PURE__ */ defineOptions<TokenAuthorizerOptions>()({
  scope: oneOf('method', 'api').default('method'),
});

/** What {@link RequestAuthorizerOptions} may be. */
export const REQUEST_AUTHORIZER_OPTIONS = /* @__PURE__ */ defineOptions<RequestAuthorizerOptions>()({
  form: oneOf('policy', 'simple').required(),
  scope: oneOf('method', 'api').default('method'),
});

/** The answer with a policy: https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html. */
export interface AuthorizerPolicy {
  /** Who calls. */
  readonly principalId: string;
  /** What the caller may do. */
  readonly policyDocument: {
    readonly Version: string;
    readonly Statement: { readonly Action: string; readonly Effect: 'Allow' | 'Deny'; readonly Resource: string }[];
  };
  /** Values for the request's handler. */
  readonly context?: Record<string, string | number | boolean>;
}

/** The simple answer: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-lambda-authorizer.html. */
export interface SimpleAuthorizerAnswer {
  /** Whether the request passes. */
  readonly isAuthorized: boolean;
  /** Values for the request's handler. */
  readonly context?: Record<string, unknown>;
}

const TOKEN_KIND = {
  kind: 'authorizer-token',
  anyOf: [
    [
      { path: 'type', test: 'equals', value: 'TOKEN' },
      { path: 'methodArn', test: 'text' },
      { path: 'authorizationToken', test: 'present' },
    ],
  ],
  sample: { type: 'TOKEN', methodArn: 'arn', authorizationToken: 't' },
  answer: 'policy',
} as const;

/** Decides about tokens for API Gateway's REST APIs. */
export class TokenAuthorizer extends TriggerSurface {
  readonly #handler: EventHandler<TokenRequest>;
  readonly #scope: 'method' | 'api';

  constructor(handler: EventHandler<TokenRequest>, options: TokenAuthorizerOptions = {}) {
    super(TOKEN_KIND);
    assertHandler(handler);
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
    return [item(this.#handler, { token: textOf(authorizationToken), methodArn: arn }, arn)];
  }

  protected override async answer(items: readonly Delivered[], lambdaContext: LambdaContext | undefined) {
    const decision = await decide(this.delivery, items, lambdaContext);
    return toPolicy(decision, items[0]?.source.arn ?? '', this.#scope);
  }
}

/**
 * Makes the surface for TOKEN authorizers of REST APIs. What is not {@link allow} denies; what the handler throws is an error without
 * its text, which API Gateway answers with 500 and does not cache.
 *
 * @throws FrameworkError `app.invalid_configuration` for a handler that is not a function, or an unknown option
 * @example
 * const authorizer = tokenAuthorizer(async (ctx, { token }) => ((await isKnown(token)) ? allow('service') : deny()));
 * const app = new SecureApp({ principalResolver, surfaces: [authorizer] });
 */
export function tokenAuthorizer(
  handler: (ctx: EventContext, request: TokenRequest) => MaybePromise<AuthorizerAnswer>,
  options: TokenAuthorizerOptions = {},
): TokenAuthorizer {
  return new TokenAuthorizer(handler, options);
}

/** A Lambda function of its own: events of REQUEST authorizers look like requests, so no container ever dispatches them. */
export interface RequestAuthorizer {
  /** The Lambda handler. It may be taken out of its object. */
  readonly serveAuthorizer: (
    event: unknown,
    lambdaContext?: LambdaContext,
  ) => Promise<AuthorizerPolicy | SimpleAuthorizerAnswer>;
}

const REQUEST_KIND = 'authorizer-request';

/**
 * Makes the Lambda handler of a REQUEST authorizer, for REST, HTTP and WebSocket APIs. What is not {@link allow} denies.
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
  handler: (ctx: EventContext, request: AuthorizerRequest) => MaybePromise<AuthorizerAnswer>,
): RequestAuthorizer {
  const { form, scope } = REQUEST_AUTHORIZER_OPTIONS.parse(options);
  assertHandler(handler);
  const delivery = new Delivery({ kind: REQUEST_KIND });
  return {
    async serveAuthorizer(event, lambdaContext) {
      delivery.refuseAgent(lambdaContext);
      const request = readRequest(membersOf(event));
      const decision = await decide(delivery, [item(handler, request, request.arn)], lambdaContext);
      return form === 'simple' ? toSimple(decision) : toPolicy(decision, request.arn, scope);
    },
  };
}

function item(handler: EventHandler<never>, record: unknown, arn: string): Delivered {
  return { handler, record, id: '', name: '', source: sourceOf('', arn) };
}

function readRequest(event: Members): AuthorizerRequest {
  const { methodArn, routeArn, httpMethod, path, rawPath, identitySource, requestContext } = event;
  const { method: v2Method } = membersOf(membersOf(requestContext).http);
  const headers = Object.entries(textsOf(event.headers)).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    arn: requiredText(REQUEST_KIND, 'methodArn or routeArn', routeArn ?? methodArn),
    method: textOf(httpMethod ?? v2Method),
    path: textOf(path ?? rawPath),
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

/** @throws `Unauthorized`, the text that API Gateway answers with 401; FrameworkError `app.internal` for a handler's failure */
async function decide(
  delivery: Delivery,
  items: readonly Delivered[],
  lambdaContext: LambdaContext | undefined,
): Promise<AuthorizerDecision> {
  let result: unknown;
  try {
    [result] = await delivery.each(items, lambdaContext);
  } catch (cause) {
    throw new FrameworkError('app.internal', 'framework: authorizer failed', { cause });
  }
  const decision = AuthorizerAnswer.read(result);
  if (decision.effect === 'unauthorized') throw new Error('Unauthorized');
  return decision;
}

/** A `*` or `?` of the requested path would be a wildcard in the policy, so such a request is denied. */
function toPolicy({ effect, principalId, context }: AuthorizerDecision, arn: string, scope: string): AuthorizerPolicy {
  const isAllowed = effect === 'allow' && (scope === 'api' || !/[*?]/.test(arn));
  const Resource = scope === 'api' ? `${arn.split('/').slice(0, 2).join('/')}/*` : arn;
  return {
    principalId,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Action: 'execute-api:Invoke', Effect: isAllowed ? 'Allow' : 'Deny', Resource }],
    },
    ...(isAllowed && context && { context: flatContext(context) }),
  };
}

function toSimple({ effect, context }: AuthorizerDecision): SimpleAuthorizerAnswer {
  const isAuthorized = effect === 'allow';
  return { isAuthorized, ...(isAuthorized && context && { context: { ...context } }) };
}

/** @throws FrameworkError `triggers.invalid_answer` for a value that API Gateway does not take there */
function flatContext(context: AuthorizerValues): Record<string, string | number | boolean> {
  for (const [name, value] of Object.entries(context)) {
    if (['string', 'number', 'boolean'].includes(typeof value)) continue;
    throw invalidAnswer(`context.${name} must be text, a number or a boolean`);
  }
  return { ...context } as Record<string, string | number | boolean>;
}
