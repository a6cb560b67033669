import type { Context, MaybePromise, Middleware, PolicyDecision, PolicyHook, Response } from '@sallyport/core';
import { FrameworkError } from '@sallyport/core';
import { countIn, type Scoped, toResponse } from '@sallyport/core/internal';
import { defineOptions, func, group, kind, type ParsedOptions, withMethods } from '@sallyport/core/options';
import { invalidConfig, RateLimitError } from '../errors.js';
import { callHookOf } from '../limiter/internal/report.js';
import type { LimitDecision, RateLimiter, RateLimitKey } from '../limiter/limiter.js';
import { ALL_HEADERS, HEADER_OPTIONS, type HeaderSettings, headersOf, type RateLimitHeaderOptions } from './headers.js';
import {
  askText,
  createIdentify,
  createIdentifyBefore,
  type FingerprintKey,
  fingerprintKeyOption,
  type Identify,
} from './identify.js';

/** Common options of middleware and policy hook. */
export interface RateLimitGuardOptions {
  /** The limiter, created by `createDynamoRateLimiter` or `createMemoryRateLimiter`. */
  readonly limiter: RateLimiter;
  /** Returns the resource. Default, and for a blank result: the matched route's pattern, `(unmatched)` without a route. */
  readonly extractResource?: (ctx: Context) => MaybePromise<string>;
  /** Returns the operation. Default, and for a blank result: the method; on WebSocket `CONNECT` or `MESSAGE`. */
  readonly extractOperation?: (ctx: Context) => MaybePromise<string>;
  /** The cost of a request, a whole number of at least 1, or a function that returns the cost. Default 1. */
  readonly cost?: number | ((ctx: Context) => MaybePromise<number>);
  /** Requests for which it returns `true` are not limited and not counted. */
  readonly skip?: (ctx: Context) => MaybePromise<boolean>;
  /** Headers with the decision. Default: all. */
  readonly headers?: RateLimitHeaderOptions;
  /** Called before the response to a denial. Its errors are logged once and otherwise ignored. */
  readonly onRateLimit?: (ctx: Context, decision: LimitDecision) => unknown;
  /** Called with every decision. Its errors are logged once and otherwise ignored. */
  readonly onDecision?: (ctx: Context, decision: LimitDecision) => unknown;
}

/** Options of {@link rateLimitMiddleware}. */
export interface RateLimitMiddlewareOptions extends RateLimitGuardOptions {
  /**
   * Returns the caller's identifier. For a blank result: the verified caller, API key, bearer token, tenant or `anonymous`,
   * the first that exists.
   */
  readonly extractIdentifier?: (ctx: Context) => MaybePromise<string>;
  /**
   * Key for fingerprints of credentials: a string or bytes, at least 16 bytes, or a function that returns the key and is called once.
   * Default: a public key that every runtime has.
   */
  readonly fingerprintKey?: FingerprintKey;
}

/** Options of {@link rateLimitPolicy}. */
export interface RateLimitPolicyOptions extends RateLimitGuardOptions {
  /**
   * Returns the caller's identifier, for example `bySourceIp()`. It runs before authentication, so claims of the caller are
   * unverified.
   */
  readonly extractIdentifier: (ctx: Context) => MaybePromise<string>;
}

/** The key of the decision in the context of a request. */
const DECISION_KEY = 'rate_limit_decision';
const UNMATCHED = '(unmatched)';
/**
 * Methods that are counted separately for requests without a route. Other methods are counted together, so that a caller cannot
 * invent new methods.
 */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE']);

type Ask<T> = (ctx: Context) => MaybePromise<T>;
type Tell = (ctx: Context, decision: LimitDecision) => unknown;

const GUARD_OPTIONS = {
  limiter: withMethods<RateLimiter>('consume').required(),
  extractResource: func<Ask<string>>(),
  extractOperation: func<Ask<string>>(),
  cost: kind<number | Ask<number>>(
    'a whole number, at least 1, or a function',
    (value) => typeof value === 'function' || (Number.isSafeInteger(value) && (value as number) >= 1),
  ).default(1),
  skip: func<Ask<boolean>>(),
  headers: group<HeaderSettings>()(HEADER_OPTIONS).default(ALL_HEADERS),
  onRateLimit: func<Tell>(),
  onDecision: func<Tell>(),
};

/** Validators and defaults for {@link RateLimitMiddlewareOptions}. */
export const MIDDLEWARE_OPTIONS = defineOptions<RateLimitMiddlewareOptions>()(
  { ...GUARD_OPTIONS, extractIdentifier: func<Ask<string>>(), fingerprintKey: fingerprintKeyOption },
  { fail: invalidConfig },
);

/** Validators and defaults for {@link RateLimitPolicyOptions}. */
export const POLICY_OPTIONS = defineOptions<RateLimitPolicyOptions>()(
  { ...GUARD_OPTIONS, extractIdentifier: func<Ask<string>>().required() },
  { fail: invalidConfig },
);

/**
 * Creates a middleware that limits the requests of each caller. It runs after authentication; for earlier limits use {@link rateLimitPolicy}.
 * A denied request gets 429 `app.rate_limited` with `retry-after`; if the store failed and `onStoreError` is `deny`, 503 `app.overloaded`.
 * Allowed responses get `ratelimit` headers unless the handler set them. Handlers read the decision with `ctx.get('rate_limit_decision')`.
 *
 * @throws RateLimitError `ratelimit.invalid_config` for a wrong option
 * @example app.use(rateLimitMiddleware({ limiter }))
 */
export function rateLimitMiddleware(options: RateLimitMiddlewareOptions): Middleware {
  const settings = MIDDLEWARE_OPTIONS.parse(options);
  const identify = createIdentify(settings.extractIdentifier, settings.fingerprintKey);
  return async (ctx, next) => {
    const decision = await decideOn(ctx, settings, identify);
    if (decision === undefined) return next(ctx);
    const headers = headersOf(decision, ctx.now(), settings.headers);
    if (!decision.allowed) throw new FrameworkError(codeOf(decision), undefined, { headers });
    return withHeaders(await next(ctx), headers);
  };
}

/**
 * Creates a policy hook that limits requests before authentication; it runs at tier `p2`, the default. Use it against many requests with
 * bad credentials, and for public routes, where a caller could send a new API key with every request.
 *
 * @throws RateLimitError `ratelimit.invalid_config` for a wrong option
 * @example new SecureApp({ principalResolver, policyHook: rateLimitPolicy({ limiter, extractIdentifier: bySourceIp() }) })
 */
export function rateLimitPolicy(options: RateLimitPolicyOptions): PolicyHook {
  const settings = POLICY_OPTIONS.parse(options);
  const identify = createIdentifyBefore(settings.extractIdentifier);
  return async (ctx): Promise<PolicyDecision | null> => {
    const decision = await decideOn(ctx, settings, identify);
    if (decision === undefined || decision.allowed) return null;
    return { code: codeOf(decision), headers: headersOf(decision, ctx.now(), settings.headers) };
  };
}

/** The decision about one request; `undefined` if it is not limited. */
async function decideOn(
  ctx: Context,
  {
    limiter,
    extractResource,
    extractOperation,
    cost,
    skip,
    onDecision,
    onRateLimit,
  }: ParsedOptions<typeof GUARD_OPTIONS>,
  identify: Identify,
): Promise<LimitDecision | undefined> {
  const operation = operationOf(ctx);
  if (operation === undefined) return undefined;
  if (skip !== undefined && (await ask(skip, ctx)) === true) return undefined;
  const ownResource = extractResource === undefined ? '' : await askText(extractResource, ctx);
  const ownOperation = extractOperation === undefined ? '' : await askText(extractOperation, ctx);
  const key = {
    ...(await identify(ctx)),
    resource: ownResource.trim() === '' ? resourceOf(ctx) : ownResource,
    operation: ownOperation.trim() === '' ? operation : ownOperation,
  };
  const units = typeof cost === 'number' ? cost : await ask(cost, ctx);
  const decide = () => consume(limiter, key, units, ctx.signal);
  // A request is counted once: in a durable execution, later invocations read the decision from the history.
  const decision = await ((ctx.lambdaContext as Scoped | undefined)?.['sallyport.execution']?.decide(decide) ??
    decide());
  ctx.set(DECISION_KEY, decision);
  countIn(ctx, { name: 'framework.limit', tags: { policy: policyOf(limiter), decision: outcomeOf(decision) } });
  callHookOf(() => ctx.log, 'onDecision', onDecision, ctx, decision);
  if (!decision.allowed) callHookOf(() => ctx.log, 'onRateLimit', onRateLimit, ctx, decision);
  return decision;
}

/** The matched route's pattern. With the raw path, every id would be counted separately. */
function resourceOf({ route }: Context): string {
  return route === null || route.pattern.trim() === '' ? UNMATCHED : route.pattern;
}

/** The method; on WebSocket `CONNECT` or `MESSAGE`, and `undefined` for a disconnect, which cannot be rejected. */
function operationOf(ctx: Context): string | undefined {
  if (ctx.route?.surface !== 'websocket' && ctx.triggerKind !== 'websocket') {
    const { method } = ctx.request;
    return ctx.route !== null || METHODS.has(method) ? method : 'OTHER';
  }
  const eventType = ctx.asWebSocket()?.eventType ?? '';
  const routeKey = ctx.route?.pattern ?? ctx.asWebSocket()?.routeKey;
  if (eventType === 'DISCONNECT' || routeKey === '$disconnect') return undefined;
  return eventType === 'CONNECT' || routeKey === '$connect' ? 'CONNECT' : 'MESSAGE';
}

/**
 * A request that cannot be counted is an error of this package or of an extractor. The reason is for developers and is not sent.
 */
async function consume(
  limiter: RateLimiter,
  key: RateLimitKey,
  cost: number,
  signal: AbortSignal,
): Promise<LimitDecision> {
  try {
    return await limiter.consume(key, { cost, signal });
  } catch (cause) {
    if (cause instanceof RateLimitError) throw new FrameworkError('app.internal', undefined, { cause });
    throw cause;
  }
}

/** @throws FrameworkError `app.internal` if a function of the application throws */
async function ask<T>(question: Ask<T>, ctx: Context): Promise<T> {
  try {
    return await question(ctx);
  } catch (cause) {
    throw new FrameworkError('app.internal', undefined, { cause });
  }
}

/** The policy of a limiter; `''` for a limiter that has only `consume`. */
function policyOf({ strategy }: Partial<RateLimiter>): string {
  return strategy?.policy ?? '';
}

/** `unknown`: the store failed, and the option `onStoreError` decided. */
function outcomeOf({ source, allowed }: LimitDecision): string {
  if (source === 'none') return 'unknown';
  return allowed ? 'allowed' : 'denied';
}

function codeOf({ source }: LimitDecision): string {
  return source === 'none' ? 'app.overloaded' : 'app.rate_limited';
}

/**
 * Adds headers to a copy, because a handler may return the same object for all requests. Headers of the handler are not replaced.
 */
function withHeaders(answer: Response, headers: Readonly<Record<string, string>>): Response {
  const response = toResponse({ ...toResponse(answer) });
  for (const [name, value] of Object.entries(headers)) response.headers[name] ??= [value];
  return response;
}
