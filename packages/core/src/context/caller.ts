import type { SecurePrincipal } from './principal.js';

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
