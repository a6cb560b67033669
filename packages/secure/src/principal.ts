import type { Context, MaybePromise, PrincipalKind, SecurePrincipal } from '@sallyport/core';
import { invalidOption } from '@sallyport/core/options';
import { type ContextState, copyBearer, isPlainObject, snapshotPlain } from '@sallyport/core/pipeline';

/**
 * Finds out who calls. It reads the credentials itself and returns nothing when there are none. For credentials that are
 * wrong it throws, so that an operation with `Optional()` does not treat a caller with a bad token as an anonymous one.
 */
export type SecurePrincipalResolver = (ctx: Context) => MaybePromise<SecurePrincipal | null | undefined>;

/** A principal with every field in normal form. */
export type NormalPrincipal = Required<SecurePrincipal>;

/** Stands for a principal whose `kind` is neither `internal` nor `external`; it is rejected whatever the posture. */
export const UNKNOWN_KIND = Symbol('unknown kind');

const NO_CLAIMS: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null) as Record<string, unknown>);

/** Controls, formats, lone surrogates, separators, and letters that no font shows (UAX #44, UTR #36 section 2). */
const INVISIBLE = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800';
let visible: RegExp | undefined;

/** True if a string has a character that can be seen. ASCII is tried first: to compile the whole expression takes 0.7 ms. */
function isVisible(text: string): boolean {
  if (/[!-~]/.test(text)) return true;
  visible ??= new RegExp(`[^${INVISIBLE}]`, 'u');
  return visible.test(text);
}

/**
 * Copies what a resolver returned. Each field is read once, and own members only, so that a polluted `Object.prototype`
 * cannot add a kind or a scope. `null` when there is no principal.
 *
 * @param complain is told what no principal has; a value of the input is not part of it
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
    complain('a kind that is neither "external" nor "internal"');
    return UNKNOWN_KIND;
  }
  const identity = normalizeText(ownOf(input, 'identity'));
  if (!isVisible(identity)) {
    complain('no identity');
    return null;
  }
  const scopes = ownOf(input, 'scopes');
  if (scopes !== undefined && scopes !== null && !Array.isArray(scopes)) complain('scopes that are no list');
  const principal = {
    identity,
    scopes: normalizeScopes(scopes),
    claims: normalizeClaims(ownOf(input, 'claims')),
    kind,
    tenantId: normalizeText(ownOf(input, 'tenantId')),
  };
  copyBearer(input, principal);
  return principal;
}

/** Absent or blank is `external`; `undefined` for every other value but the two kinds. */
function normalizeKind(kind: unknown): PrincipalKind | undefined {
  if (kind === undefined || kind === 'external') return 'external';
  if (kind === 'internal') return 'internal';
  return typeof kind === 'string' && kind.trim() === '' ? 'external' : undefined;
}

function normalizeClaims(claims: unknown): Readonly<Record<string, unknown>> {
  return isPlainObject(claims) ? snapshotPlain(claims) : NO_CLAIMS;
}

function normalizeText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** Trims scopes and drops blanks, repeats and values that are not strings; the order stays. A string is not split. */
export function normalizeScopes(scopes: unknown): readonly string[] {
  if (!Array.isArray(scopes) || scopes.length === 0) return NO_SCOPES;
  const normal: string[] = [];
  for (const scope of scopes as readonly unknown[]) {
    const name = typeof scope === 'string' ? scope.trim() : '';
    if (name !== '' && (scopes.length > FEW || !normal.includes(name))) normal.push(name);
  }
  return scopes.length > FEW ? [...new Set(normal)] : normal;
}

/** Up to this length a search through a list is cheaper than a set. */
const FEW = 16;

const NO_SCOPES: readonly string[] = Object.freeze([]);

/** An own member of an object, so that nothing is taken from a prototype; `undefined` if absent. */
export function ownOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

/** The tenant that the Lambda service states of an invocation (tenant isolation); `''` when it states none. */
export function runtimeTenant({ lambdaContext }: ContextState): string {
  return normalizeText(lambdaContext?.tenantId);
}

/** The tenant before a caller is known: the Lambda service's, else the header's where that is trusted. */
export function createTenantOf(trustTenantHeader: boolean): (state: ContextState) => string {
  if (!trustTenantHeader) return runtimeTenant;
  return (state) => runtimeTenant(state) || normalizeText(state.request.headerValues('x-tenant-id')[0]);
}

/**
 * Asks resolvers in turn and takes the first principal. A resolver that throws ends the search: credentials that are wrong
 * for one resolver are not tried with another.
 *
 * @throws FrameworkError `app.invalid_configuration` without arguments, or when one is not a function
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

/** Registered by name, so that the mark is seen across two copies of this package. */
const READS_BEARER = Symbol.for('sallyport.secure.reads-bearer/1');

/**
 * Marks a resolver of an application's own that reads bearer tokens: 401 answers of a container that has it then carry
 * `www-authenticate: Bearer`, unless the option `challenge` says otherwise. The resolvers of this package are marked.
 *
 * @example const principalResolver = markBearerReader<SecurePrincipalResolver>((ctx) => introspect(ctx.header('authorization')));
 */
export function markBearerReader<T extends object>(resolver: T): T {
  return Object.defineProperty(resolver, READS_BEARER, { value: true });
}

/** True if a resolver carries the mark. */
export function readsBearer(resolver: unknown): boolean {
  return typeof resolver === 'function' && Object.hasOwn(resolver, READS_BEARER);
}
