import { copyPlain } from '../request/plain.js';

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

/** Kept beside the principals and not on them, so that no log, store or answer holds a token. */
const bearers = new WeakMap<object, string>();

/**
 * A copy (of its own members) of a principal that was resolved from a bearer token, for resolvers. Handlers that are mounted with `mountHandler`
 * get the token as `authInfo.token`; nothing else shows it.
 *
 * @example return withBearer({ identity: session.user }, token);
 */
export function withBearer<P extends SecurePrincipal>(principal: P, token: string): P {
  const copy = { ...principal };
  bearers.set(copy, token);
  return copy;
}

/** The token that a principal was resolved from, `undefined` when it was resolved from something else. */
export function bearerOf(principal: object): string | undefined {
  return bearers.get(principal);
}

/** Hands the token of one form of a principal on to another. */
export function copyBearer(from: object, to: object): void {
  const token = bearers.get(from);
  if (token !== undefined) bearers.set(to, token);
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
