import type { Context, MaybePromise, PrincipalKind, SecurePrincipal } from '@sallyport/core';
import { type ContextState, copyBearer, isPlainObject, snapshotPlain, trimmedText } from '@sallyport/core/internal';
import { invalidOption } from '@sallyport/core/options';

/**
 * Identifies the caller of an invocation. It reads the credentials and returns `null` if the request has no credentials. For wrong credentials
 * it throws, so that an operation with `Optional()` does not treat a caller with a bad token as anonymous.
 */
export type SecurePrincipalResolver = (ctx: Context) => MaybePromise<SecurePrincipal | null | undefined>;

/** A principal with every field in normal form. */
export type NormalPrincipal = Required<SecurePrincipal>;

/** Represents a principal with an unknown `kind`; every posture rejects it. */
export const UNKNOWN_KIND = Symbol('unknown kind');

const NO_CLAIMS: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null) as Record<string, unknown>);

/** Controls, formats, lone surrogates, separators, and letters that no font shows (UAX #44, UTR #36 section 2). */
const INVISIBLE = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800';
let visible: RegExp | undefined;

/** True if a string has a visible character. ASCII is tried first: compiling the whole expression takes 0.7 ms. */
function isVisible(text: string): boolean {
  if (/[!-~]/.test(text)) return true;
  visible ??= new RegExp(`[^${INVISIBLE}]`, 'u');
  return visible.test(text);
}

/**
 * Copies the result of a resolver. Each field is read once, own members only, so that a polluted `Object.prototype`
 * cannot add a kind or a scope. `null` when there is no principal.
 *
 * @param complain receives each problem of the result, without values of the input
 */
export function normalizePrincipal(
  input: unknown,
  complain: (what: string) => void = () => {},
): NormalPrincipal | typeof UNKNOWN_KIND | null {
  if (typeof input !== 'object' || input === null) {
    complain('no object');
    return null;
  }
  const kind = normalizeKind(ownOf(input, 'kind'));
  if (kind === undefined) {
    complain('a kind other than "external" or "internal"');
    return UNKNOWN_KIND;
  }
  const identity = trimmedText(ownOf(input, 'identity'));
  if (!isVisible(identity)) {
    complain('no identity');
    return null;
  }
  const scopes = ownOf(input, 'scopes');
  if (scopes !== undefined && scopes !== null && !Array.isArray(scopes)) complain('scopes that are not a list');
  const principal = {
    identity,
    scopes: normalizeScopes(scopes),
    claims: normalizeClaims(ownOf(input, 'claims')),
    kind,
    tenantId: trimmedText(ownOf(input, 'tenantId')),
  };
  copyBearer(input, principal);
  return principal;
}

/** Absent or blank is `external`; `undefined` for unknown kinds. */
function normalizeKind(kind: unknown): PrincipalKind | undefined {
  if (kind === undefined || kind === 'external') return 'external';
  if (kind === 'internal') return 'internal';
  return typeof kind === 'string' && kind.trim() === '' ? 'external' : undefined;
}

function normalizeClaims(claims: unknown): Readonly<Record<string, unknown>> {
  return isPlainObject(claims) ? snapshotPlain(claims) : NO_CLAIMS;
}

/** Trims scopes and drops blanks, repeats and values that are not strings; the order is kept. A string is not split. */
export function normalizeScopes(scopes: unknown): readonly string[] {
  if (!Array.isArray(scopes) || scopes.length === 0) return NO_SCOPES;
  const normal: string[] = [];
  for (const scope of scopes as readonly unknown[]) {
    const name = typeof scope === 'string' ? scope.trim() : '';
    if (name !== '' && (scopes.length > FEW || !normal.includes(name))) normal.push(name);
  }
  return scopes.length > FEW ? [...new Set(normal)] : normal;
}

/** Up to this length, searching a list is cheaper than a set. */
const FEW = 16;

const NO_SCOPES: readonly string[] = Object.freeze([]);

/** An own member of an object, so that prototypes are ignored; `undefined` if absent. */
export function ownOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

/** The tenant that the Lambda service states of an invocation (tenant isolation); `''` if absent. */
export function runtimeTenant({ lambdaContext }: ContextState): string {
  return trimmedText(lambdaContext?.tenantId);
}

/** The tenant before a caller is known: from the Lambda service, else from the header if it is trusted. */
export function createTenantOf(trustTenantHeader: boolean): (state: ContextState) => string {
  if (!trustTenantHeader) return runtimeTenant;
  return (state) => runtimeTenant(state) || trimmedText(state.request.headerValues('x-tenant-id')[0]);
}

/**
 * Calls resolvers in order and returns the first principal. A resolver that throws stops the search: credentials that are wrong
 * for one resolver are not tried with another.
 *
 * @throws FrameworkError `app.invalid_configuration` without arguments, or for an argument that is not a function
 * @example new SecureApp({ principalResolver: firstPrincipal(jwtPrincipalResolver(config), iamPrincipal()) });
 */
export function firstPrincipal(...resolvers: readonly SecurePrincipalResolver[]): SecurePrincipalResolver {
  if (resolvers.length === 0 || resolvers.some((resolver) => typeof resolver !== 'function')) {
    throw invalidOption('resolvers', 'at least one function');
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

/** A registered symbol, so that all copies of this package recognize the mark. */
const READS_BEARER = Symbol.for('sallyport.secure.reads-bearer/1');

/**
 * Marks an application's resolver that reads bearer tokens: 401 answers of its container then contain
 * `www-authenticate: Bearer`, unless the option `challenge` is set. The resolvers of this package are marked.
 *
 * @example const principalResolver = markBearerReader<SecurePrincipalResolver>((ctx) => introspect(ctx.header('authorization')));
 */
export function markBearerReader<T extends object>(resolver: T): T {
  return Object.defineProperty(resolver, READS_BEARER, { value: true });
}

/** True if a resolver has the mark. */
export function readsBearer(resolver: unknown): boolean {
  return typeof resolver === 'function' && Object.hasOwn(resolver, READS_BEARER);
}
