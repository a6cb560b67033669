/** `internal` callers are the organisation's own services; all other callers are `external`. */
export type PrincipalKind = 'external' | 'internal';

/** The caller, as returned by a resolver and by `ctx.securePrincipal()` (there with every field set). */
export interface SecurePrincipal {
  /** The identity, unique within kind and tenant: for example the subject of a token. */
  readonly identity: string;
  /** The caller's scopes, as required by `Authenticated('notes:read')`; default none. */
  readonly scopes?: readonly string[];
  /** Other data about the caller; plain data, copied. Default none. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** The kind of the caller: `internal` or `external`. Default `external`. */
  readonly kind?: PrincipalKind;
  /** The tenant that the caller belongs to; default none. */
  readonly tenantId?: string;
}
