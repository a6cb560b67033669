import { type Context, invalidOption } from '@sallyport/core';
import { markBearerReader, readsBearer } from './internal/reads-bearer.js';
import type { SecurePrincipalResolver } from './principal.js';

/**
 * Asks resolvers in turn; the first principal counts. One that throws ends the search: credentials that are wrong for one
 * are never tried as something else.
 *
 * @throws FrameworkError `app.invalid_configuration` for an empty list, or something that is no function
 * @example new SecureApp({ principalResolver: firstPrincipal(jwtPrincipalResolver(config), iamPrincipal()) });
 */
export function firstPrincipal(...resolvers: readonly SecurePrincipalResolver[]): SecurePrincipalResolver {
  if (resolvers.length === 0 || resolvers.some((resolver) => typeof resolver !== 'function')) {
    throw invalidOption('resolvers', 'functions, one or more');
  }
  const first: SecurePrincipalResolver = async (ctx: Context) => {
    for (const resolver of resolvers) {
      const principal = await resolver(ctx);
      if (principal !== null && principal !== undefined) return principal;
    }
    return null;
  };
  return resolvers.some(readsBearer) ? markBearerReader(first) : first;
}
