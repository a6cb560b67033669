import { type Context, FrameworkError, type MaybePromise } from '@sallyport/core';
import { invalidConfig, RateLimitError } from '../../errors.js';
import { callHookOf } from '../../internal/hooks.js';
import { assertFunctions } from '../../internal/options.js';
import type { LimitDecision, RateLimitKey } from '../../limiter/limiter.js';
import { parseHeaderOptions } from '../headers.js';
import type { RateLimitGuardOptions } from '../middleware.js';
import { askText, type Identify } from './identify.js';
import { operationOf, resourceOf } from './target.js';

/** Where the decision of a request is found on its context. */
const DECISION_KEY = 'rate_limit_decision';

/** Decides about one request; `undefined` when it is not limited at all. */
export type Guard = (ctx: Context) => Promise<LimitDecision | undefined>;

/** @throws RateLimitError `ratelimit.invalid_config` */
export function createGuard(options: RateLimitGuardOptions, identify: Identify): Guard {
  assertGuardOptions(options);
  const { limiter, skip, cost = 1, onDecision, onRateLimit } = options;
  return async (ctx) => {
    const operation = operationOf(ctx);
    if (operation === undefined) return undefined;
    if (skip !== undefined && (await ask(skip, ctx)) === true) return undefined;
    const key = await keyOf(options, identify, ctx, operation);
    const units = typeof cost === 'number' ? cost : await ask(cost, ctx);
    const decision = await consume(limiter, key, units, ctx.signal);
    ctx.set(DECISION_KEY, decision);
    callHookOf(() => ctx.log, 'onDecision', onDecision, ctx, decision);
    if (!decision.allowed) callHookOf(() => ctx.log, 'onRateLimit', onRateLimit, ctx, decision);
    return decision;
  };
}

async function keyOf(
  { extractResource, extractOperation }: RateLimitGuardOptions,
  identify: Identify,
  ctx: Context,
  operation: string,
): Promise<RateLimitKey> {
  const resource = extractResource === undefined ? '' : await askText(extractResource, ctx);
  const ownOperation = extractOperation === undefined ? '' : await askText(extractOperation, ctx);
  return {
    ...(await identify(ctx)),
    resource: resource.trim() === '' ? resourceOf(ctx) : resource,
    operation: ownOperation.trim() === '' ? operation : ownOperation,
  };
}

/** A request that cannot be counted is a fault of ours or of an extractor, and its text is for developers only. */
async function consume(
  limiter: RateLimitGuardOptions['limiter'],
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

/** @throws FrameworkError `app.internal` when a function of the user's throws */
async function ask<T>(question: (ctx: Context) => MaybePromise<T>, ctx: Context): Promise<T> {
  try {
    return await question(ctx);
  } catch (cause) {
    throw new FrameworkError('app.internal', undefined, { cause });
  }
}

function assertGuardOptions(options: RateLimitGuardOptions): void {
  const { limiter, cost } = options;
  if (typeof limiter?.consume !== 'function') throw invalidConfig('option "limiter" must be a rate limiter');
  assertFunctions(options, ['extractResource', 'extractOperation', 'skip', 'onRateLimit', 'onDecision']);
  if (cost !== undefined && typeof cost !== 'function' && !(Number.isSafeInteger(cost) && cost >= 1)) {
    throw invalidConfig('option "cost" must be a whole number of at least 1, or a function');
  }
  parseHeaderOptions(options.headers);
}
