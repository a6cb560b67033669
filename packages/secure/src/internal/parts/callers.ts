import { executionScopeOf } from '@sallyport/core/internal';
import type { SecurePrincipalResolver } from '../../principal.js';

/**
 * The resolver, asked once for each durable execution: later invocations read the caller from the history, because a token expires while an
 * execution waits.
 */
export function callersOf(resolver: SecurePrincipalResolver | undefined): SecurePrincipalResolver | undefined {
  if (typeof resolver !== 'function') return resolver;
  const recorded: SecurePrincipalResolver = (ctx) => {
    const scope = executionScopeOf(ctx);
    return scope ? (scope.caller(ctx, () => resolver(ctx)) as ReturnType<SecurePrincipalResolver>) : resolver(ctx);
  };
  // With the marks of the resolver, such as the authorizers that it reads.
  return Object.defineProperties(recorded, Object.getOwnPropertyDescriptors(resolver));
}
