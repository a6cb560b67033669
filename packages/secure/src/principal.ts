import type { Context, MaybePromise, SecurePrincipal } from '@sallyport/core';
import { type ContextState, trimmedText } from '@sallyport/core/internal';
import { invalidOption } from '@sallyport/core/options';

/**
 * Identifies the caller of an invocation. It reads the credentials and returns `null` if the request has no credentials. For wrong credentials
 * it throws, so that an operation with `Optional()` does not treat a caller with a bad token as anonymous.
 */
export type SecurePrincipalResolver = (ctx: Context) => MaybePromise<SecurePrincipal | null | undefined>;

/** A principal with every field in normal form. */
export type NormalPrincipal = Required<SecurePrincipal>;

/** The tenant that the Lambda service states of an invocation (tenant isolation); `''` if absent. */
function runtimeTenant({ lambdaContext }: ContextState): string {
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
  const authorizers = resolvers.map(authorizersOf);
  if (authorizers.every((one) => one !== undefined)) markAuthorizerReader(first, ...authorizers.flat());
  return resolvers.some(readsBearer) ? markBearerReader(first) : first;
}

/** A registered symbol, so that all copies of this package recognize the mark. */
const READS_AUTHORIZER = Symbol.for('sallyport.secure.reads-authorizer/1');

/** Marks a resolver that reads only the result of an AWS authorizer: `jwt`, `lambda`, `cognito` or `iam`. */
export function markAuthorizerReader<T extends object>(resolver: T, ...authorizers: readonly string[]): T {
  return Object.defineProperty(resolver, READS_AUTHORIZER, { value: authorizers });
}

/** The authorizers that a resolver reads; `undefined` if it can identify callers without an authorizer. */
export function authorizersOf(resolver: unknown): readonly string[] | undefined {
  return (resolver as { readonly [READS_AUTHORIZER]?: readonly string[] } | undefined)?.[READS_AUTHORIZER];
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
