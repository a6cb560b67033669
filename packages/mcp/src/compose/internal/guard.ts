import type { SecurePrincipal } from '@sallyport/core';
import type { PostureKind, SecureRouteRecord } from '@sallyport/secure';
import type { ToolOptions } from '../../server/definitions.js';

/** The rules of a tool that has the posture of a route. */
type Guard = Pick<ToolOptions, 'scopes' | 'anyScope' | 'authorize'>;

/** The guard of a tool for each kind of posture, which accepts the same callers. */
const GUARDS: Readonly<Record<PostureKind, (scopes: readonly string[]) => Guard>> = {
  public: () => ({}),
  optional: () => ({}),
  authenticated: (scopes) => (scopes.length > 0 ? { scopes } : { authorize: ({ principal }) => principal !== null }),
  authenticated_any_of: (anyScope) => ({ anyScope }),
  internal_only: () => ({ authorize: ({ principal }) => principal?.kind === 'internal' }),
};

/** The rules of a tool that has the posture of a route. */
export function guardOf({ posture, scopes = [] }: SecureRouteRecord): Guard {
  return GUARDS[posture](scopes);
}

/** True if a caller may use a route. */
export function mayUse(principal: SecurePrincipal | null, { posture, scopes = [] }: SecureRouteRecord): boolean {
  if (posture === 'public' || posture === 'optional') return true;
  if (principal === null) return false;
  if (posture === 'internal_only') return principal.kind === 'internal';
  const holds = (scope: string) => principal.scopes?.includes(scope) === true;
  return posture === 'authenticated' ? scopes.every(holds) : scopes.some(holds);
}
