import { copyPlain } from '../request/maps.js';

/** `internal` callers are the organisation's own services; everyone else is `external`. */
export type PrincipalKind = 'external' | 'internal';

/** Who calls, as a resolver states it and as `ctx.securePrincipal()` returns it (there with every field set). */
export interface SecurePrincipal {
  /** Who it is, unique within the kind and tenant: for example the subject of a token. */
  readonly identity: string;
  /** What the caller may do, as `Authenticated('notes:read')` asks for it; default none. */
  readonly scopes?: readonly string[];
  /** What else is known of the caller; plain data, copied. Default none. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Whose caller it is: of the organisation or from outside. Default `external`. */
  readonly kind?: PrincipalKind;
  /** The tenant that the caller belongs to; default none. */
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

/** What is known of who calls; a context's state is one. */
export interface Caller {
  /** The caller whom a gate let in; nothing when there is none. */
  readonly principal?: SecurePrincipal | null | undefined;
  /** The identity that an auth hook gave, where there is no principal; `''` for none. */
  readonly authIdentity: string;
  /** `''` for none. */
  readonly tenantId: string;
}

/**
 * Who calls, as one text that is different for callers who differ in kind, identity or tenant: a JSON list of the three.
 * Whatever is kept for one caller and must not reach another is kept under this text, or a digest of it. The kind is `''`
 * for callers without a principal. The issuer of a token is part of the identity.
 *
 * @example callerKey({ principal, authIdentity: '', tenantId: 't1' }) // '["external","ada","t1"]'
 */
export function callerKey({ principal, authIdentity, tenantId }: Caller): string {
  if (!principal) return JSON.stringify(['', authIdentity, tenantId]);
  return JSON.stringify([principal.kind ?? 'external', principal.identity, principal.tenantId || tenantId]);
}
