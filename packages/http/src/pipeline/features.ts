import { type AuthHook, invalidOption, type Observability, type PolicyHook } from '@sallyport/core';
import { parseObservability } from '@sallyport/core/pipeline';
import { type CorsOptions, parseCors } from './cors.js';
import type { Feature } from './feature.js';
import { beginSpan, observeExchange } from './observe.js';
import { type Limits, parseLimits } from './options.js';
import { authHookGate } from './stages/auth-hook.js';
import { addCorsHeaders, corsPreflight } from './stages/cors.js';
import { askPolicy } from './stages/policy.js';
import { requestLimit } from './stages/request-limit.js';

/**
 * Cross-origin requests. Without it no CORS header is ever sent and no preflight is answered.
 *
 * @throws FrameworkError `app.invalid_configuration`; `*` together with credentials is refused
 */
export function cors(options: CorsOptions): Feature {
  const policy = parseCors(options);
  return {
    entry: corsPreflight(policy),
    decorate: (exchange, response) => addCorsHeaders(policy, exchange, response),
  };
}

/**
 * Sizes of bodies beside the front door's own.
 *
 * @throws FrameworkError `app.invalid_configuration` for anything but whole numbers of bytes
 */
export function limits(options: Limits): Feature {
  const { maxRequestBytes = 0, maxResponseBytes = 0 } = parseLimits(options);
  return maxRequestBytes > 0 ? { entry: requestLimit(maxRequestBytes), maxResponseBytes } : { maxResponseBytes };
}

/**
 * Log, metric and span of every request, and `ctx.metric`.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown key or a member of a wrong type
 */
export function observe(hooks: Observability): Feature {
  const observability = parseObservability(hooks);
  const { log, metric, span } = observability;
  return {
    routed: beginSpan,
    observability,
    timed: log !== undefined || metric !== undefined || span !== undefined,
    observe: observeExchange,
  };
}

/** A decision about each routed request before the gate; a decision with a code is the answer. */
export function policy(hook: PolicyHook): Feature {
  assertFunction('policy', hook);
  return { routed: askPolicy(hook) };
}

/** Names the caller of routes registered with `authRequired`. */
export function authorize(hook: AuthHook): Feature {
  assertFunction('authorize', hook);
  return { gate: authHookGate(hook) };
}

function assertFunction(name: string, hook: unknown): void {
  if (typeof hook !== 'function') throw invalidOption(name, 'a function');
}
