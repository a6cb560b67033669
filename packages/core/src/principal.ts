import { copyPlain } from './plain.js';

/** `internal` callers are the organisation's own services; everyone else is `external`. */
export type PrincipalKind = 'external' | 'internal';

/** Who calls, as a resolver states it and as `ctx.securePrincipal()` returns it (there with every field set). */
export interface SecurePrincipal {
  readonly identity: string;
  readonly scopes?: readonly string[];
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly kind?: PrincipalKind;
  readonly tenantId?: string;
}

/** A deep copy; the claims of it have no prototype. */
export function copyPrincipal(principal: SecurePrincipal): SecurePrincipal {
  const { scopes, claims } = principal;
  return {
    ...principal,
    ...(scopes && { scopes: [...scopes] }),
    ...(claims && { claims: copyPlain(claims) as Record<string, unknown> }),
  };
}
