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
