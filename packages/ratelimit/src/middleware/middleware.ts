import type { Context, MaybePromise, Middleware, PolicyDecision, PolicyHook, Response } from '@sallyport/core';
import { FrameworkError } from '@sallyport/core';
import { toResponse } from '@sallyport/core/pipeline';
import { invalidConfig } from '../errors.js';
import { assertFunctions, assertOptions } from '../internal/options.js';
import type { LimitDecision, RateLimiter } from '../limiter/limiter.js';
import { parseFingerprintKey } from './fingerprint.js';
import { type RateLimitHeaderOptions, rateLimitHeaders } from './headers.js';
import { createGuard } from './internal/guard.js';
import { createIdentify, createIdentifyBefore, type FingerprintKey } from './internal/identify.js';

/** What middleware and policy hook share. */
export interface RateLimitGuardOptions {
  readonly limiter: RateLimiter;
  /** The matched route's pattern, `(unmatched)` without one. A blank answer stands for that too. */
  readonly extractResource?: (ctx: Context) => MaybePromise<string>;
  /** The method; `CONNECT` or `MESSAGE` on WebSocket. A blank answer stands for that too. */
  readonly extractOperation?: (ctx: Context) => MaybePromise<string>;
  /** 1. */
  readonly cost?: number | ((ctx: Context) => MaybePromise<number>);
  /** Requests that are not counted. */
  readonly skip?: (ctx: Context) => MaybePromise<boolean>;
  readonly headers?: RateLimitHeaderOptions;
  /** Called before a denial is answered. What it throws is dropped. */
  readonly onRateLimit?: (ctx: Context, decision: LimitDecision) => unknown;
  /** Called with every decision. What it throws is dropped. */
  readonly onDecision?: (ctx: Context, decision: LimitDecision) => unknown;
}

export interface RateLimitMiddlewareOptions extends RateLimitGuardOptions {
  /** Who calls; blank falls back to the proved caller, API key, bearer token, tenant, `anonymous`. */
  readonly extractIdentifier?: (ctx: Context) => MaybePromise<string>;
  /** Key of the fingerprints of credentials, at least 16 bytes, or a function that is asked once. */
  readonly fingerprintKey?: FingerprintKey;
}

export interface RateLimitPolicyOptions extends RateLimitGuardOptions {
  /** Who calls: {@link bySourceIp}, say. Runs before authentication, so nothing that a caller claims is proved. */
  readonly extractIdentifier: (ctx: Context) => MaybePromise<string>;
}

const SHARED = [
  'limiter',
  'extractIdentifier',
  'extractResource',
  'extractOperation',
  'cost',
  'skip',
  'headers',
  'onRateLimit',
  'onDecision',
];

/**
 * Limits whoever the gate let in. Denied is a thrown `app.rate_limited` (429), a store failure that denies
 * `app.overloaded` (503), both with headers; allowed answers get headers that the handler did not set. The decision is
 * at `ctx.get('rate_limit_decision')`.
 *
 * @throws RateLimitError `ratelimit.invalid_config`
 * @example app.use(rateLimitMiddleware({ limiter }))
 */
export function rateLimitMiddleware(options: RateLimitMiddlewareOptions): Middleware {
  assertOptions(options, [...SHARED, 'fingerprintKey']);
  assertFunctions(options, ['extractIdentifier']);
  const { fingerprintKey } = options;
  if (fingerprintKey !== undefined && typeof fingerprintKey !== 'function') parseFingerprintKey(fingerprintKey);
  const guard = createGuard(options, createIdentify(options.extractIdentifier, fingerprintKey));
  return async (ctx, next) => {
    const decision = await guard(ctx);
    if (decision === undefined) return next(ctx);
    const headers = rateLimitHeaders(decision, ctx.now(), options.headers);
    if (!decision.allowed) throw new FrameworkError(codeOf(decision), undefined, { headers });
    return withHeaders(await next(ctx), headers);
  };
}

/**
 * The same before authentication, as the policy hook of tier P2: for floods of bad credentials, and for public routes
 * where a caller could invent a fresh API key a request.
 *
 * @throws RateLimitError `ratelimit.invalid_config`
 * @example createApp({ tier: 'p2', policyHook: rateLimitPolicy({ limiter, extractIdentifier: bySourceIp() }) })
 */
export function rateLimitPolicy(options: RateLimitPolicyOptions): PolicyHook {
  assertOptions(options, SHARED);
  if (typeof options.extractIdentifier !== 'function') {
    throw invalidConfig('option "extractIdentifier" must be a function');
  }
  const guard = createGuard(options, createIdentifyBefore(options.extractIdentifier));
  return async (ctx): Promise<PolicyDecision | null> => {
    const decision = await guard(ctx);
    if (decision === undefined || decision.allowed) return null;
    return { code: codeOf(decision), headers: rateLimitHeaders(decision, ctx.now(), options.headers) };
  };
}

function codeOf({ degraded }: LimitDecision): string {
  return degraded ? 'app.overloaded' : 'app.rate_limited';
}

/** On a copy: a handler may answer with one object for all requests. The handler's own headers win. */
function withHeaders(answer: Response, headers: Readonly<Record<string, string>>): Response {
  const response = toResponse({ ...toResponse(answer) });
  for (const [name, value] of Object.entries(headers)) response.headers[name] ??= [value];
  return response;
}
