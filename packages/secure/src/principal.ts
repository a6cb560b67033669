import type { Context, MaybePromise, PrincipalKind, SecurePrincipal } from '@sallyport/core';
import { copyBearer, isPlainObject, snapshotPlain } from '@sallyport/core/pipeline';
import { ownOf } from './resolvers/authorizers/internal/read.js';
import { normalizeScopes } from './scopes.js';

/**
 * Finds out who calls. It reads the credentials itself, and gives nothing when there are none; for credentials that are
 * wrong it throws, so that `Optional` never takes a bad token for an anonymous caller.
 */
export type SecurePrincipalResolver = (ctx: Context) => MaybePromise<SecurePrincipal | null | undefined>;

/** A principal with every field in normal form. */
export type NormalPrincipal = Required<SecurePrincipal>;

/** A principal whose kind nobody knows: refused whatever the posture. */
export const UNKNOWN_KIND = Symbol('unknown kind');

const NO_CLAIMS: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null) as Record<string, unknown>);

/** Controls, formats, lone surrogates, separators, and letters that no font shows (UAX #44, UTR #36 section 2). */
const VISIBLE = /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * What a resolver gave, copied: each field is read once, and own members only, so that a polluted `Object.prototype` gives
 * nobody a kind or a scope. `null` for no principal.
 */
export function normalizePrincipal(input: unknown): NormalPrincipal | typeof UNKNOWN_KIND | null {
  if (typeof input !== 'object' || input === null) return null;
  const kind = normalizeKind(ownOf(input, 'kind'));
  if (kind === undefined) return UNKNOWN_KIND;
  const identity = normalizeText(ownOf(input, 'identity'));
  if (!VISIBLE.test(identity)) return null;
  const principal = {
    identity,
    scopes: normalizeScopes(ownOf(input, 'scopes')),
    claims: normalizeClaims(ownOf(input, 'claims')),
    kind,
    tenantId: normalizeText(ownOf(input, 'tenantId')),
  };
  copyBearer(input, principal);
  return principal;
}

/** Absent or blank is `external`; `undefined` for everything that is no kind. */
function normalizeKind(kind: unknown): PrincipalKind | undefined {
  if (kind === undefined || kind === 'external') return 'external';
  if (kind === 'internal') return 'internal';
  return typeof kind === 'string' && kind.trim() === '' ? 'external' : undefined;
}

function normalizeClaims(claims: unknown): Readonly<Record<string, unknown>> {
  return isPlainObject(claims) ? snapshotPlain(claims) : NO_CLAIMS;
}

export function normalizeText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
