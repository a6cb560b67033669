import { FrameworkError, type PolicyDecision, type PolicyHook } from '@sallyport/core';
import { isPromise } from '../../routing/middleware.js';
import type { Stage } from '../run.js';

/** Asks the policy hook; a decision with a code is the answer. */
export function askPolicy(hook: PolicyHook): Stage {
  return ({ ctx }) => {
    const decision = hook(ctx);
    return isPromise(decision) ? decision.then(enforce) : enforce(decision);
  };
}

function enforce(decision: PolicyDecision | null | undefined): undefined {
  const code = decision?.code;
  if (!decision || typeof code !== 'string' || code.trim() === '') return undefined;
  throw new FrameworkError(code.trim(), decision.message || undefined, { headers: decision.headers });
}
