import { type Context, FrameworkError, invalidOption, type SecurePrincipal } from '@sallyport/core';
import { withBearer } from '@sallyport/core/pipeline';
import { markBearerReader } from '../../internal/reads-bearer.js';
import type { SecurePrincipalResolver } from '../../principal.js';
import { ownOf } from '../authorizers/internal/read.js';
import { readBearer } from './internal/bearer.js';
import { type JwtClaims, type JwtPrincipalOptions, parseVerifierOptions, VERIFIER_OPTIONS } from './options.js';
import { IssuerVerifier, JwtError, type VerifiedJwt } from './verifier.js';

const MAPPERS = ['identity', 'scopes', 'tenantId', 'kind'] as const;
const KNOWN: readonly string[] = [...VERIFIER_OPTIONS, ...MAPPERS, 'header', 'describeErrors'];
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Makes principals of bearer tokens. Without the header, or with another scheme, there is no principal; a token that is
 * wrong is 401 with a challenge, one for another audience 403 without; keys that cannot be fetched are 503.
 *
 * @throws FrameworkError `app.invalid_configuration` that names the option and never its value
 * @example
 * const principalResolver = jwtPrincipalResolver({
 *   issuer: 'https://id.example.com',
 *   jwksUri: 'https://id.example.com/.well-known/jwks.json',
 *   audience: ['https://api.example.com'],
 * });
 */
export function jwtPrincipalResolver(
  options: JwtPrincipalOptions | readonly JwtPrincipalOptions[],
): SecurePrincipalResolver {
  const list: readonly JwtPrincipalOptions[] = Array.isArray(options) ? options : [options as JwtPrincipalOptions];
  const verifier = new IssuerVerifier(list.map((entry) => parseVerifierOptions(entry, KNOWN)));
  for (const entry of list) assertPrincipalOptions(entry);
  const mappers = new Map(list.map((entry) => [entry.issuer, { ...entry }]));
  const header = (same(list, 'header') ?? 'authorization').toLowerCase();
  const challenge = same(list, 'describeErrors') === true ? 'Bearer error="invalid_token"' : 'Bearer';
  // A subject is unique within its issuer only (RFC 7519 section 4.1.2).
  if (list.length > 1 && list.some(({ identity }) => identity === undefined)) {
    throw invalidOption('identity', 'given for each issuer where there are several, so that their subjects differ');
  }
  return markBearerReader<SecurePrincipalResolver>((ctx) => {
    const bearer = readBearer(ctx, header);
    if (bearer === 'none') return null;
    if (bearer === 'refused') throw unauthorized(challenge);
    return verifier.verify(bearer.token, ctx.now()).then(
      (verified) => {
        const options = mappers.get(verified.issuer) as JwtPrincipalOptions;
        return withBearer(toPrincipal(verified, options, challenge), bearer.token);
      },
      (error: unknown) => Promise.reject(toRefusal(error, ctx, challenge)),
    );
  });
}

function assertPrincipalOptions(options: JwtPrincipalOptions): void {
  for (const name of MAPPERS) {
    if (options[name] !== undefined && typeof options[name] !== 'function') throw invalidOption(name, 'a function');
  }
  const { header, describeErrors } = options;
  if (header !== undefined && !(typeof header === 'string' && HEADER_NAME.test(header))) {
    throw invalidOption('header', 'the name of a header');
  }
  if (describeErrors !== undefined && typeof describeErrors !== 'boolean') {
    throw invalidOption('describeErrors', 'true or false');
  }
}

/** An option that is read before it is known which issuer's token it is. */
function same<K extends 'header' | 'describeErrors'>(
  list: readonly JwtPrincipalOptions[],
  name: K,
): JwtPrincipalOptions[K] | undefined {
  const [first] = list;
  if (list.some((options) => options[name] !== first?.[name])) throw invalidOption(name, 'the same for all issuers');
  return first?.[name];
}

function toPrincipal({ claims }: VerifiedJwt, options: JwtPrincipalOptions, challenge: string): SecurePrincipal {
  const identity: unknown = options.identity ? options.identity(claims) : ownOf(claims, 'sub');
  if (typeof identity !== 'string' || identity.trim() === '') throw unauthorized(challenge);
  const tenantId = options.tenantId?.(claims);
  return {
    identity,
    scopes: options.scopes ? options.scopes(claims) : scopesOf(claims),
    claims,
    kind: options.kind ? options.kind(claims) : 'external',
    ...(tenantId !== undefined && { tenantId }),
  };
}

/** `scope` of RFC 9068 section 2.2.3, else the `scp` that some issuers write. */
function scopesOf(claims: JwtClaims): readonly string[] {
  const [scope, scp] = [ownOf(claims, 'scope'), ownOf(claims, 'scp')];
  if (typeof scope === 'string') return scope.split(' ');
  if (typeof scp === 'string') return scp.split(' ');
  return Array.isArray(scp) ? scp : [];
}

/** What a caller is told; the reason is for the log, and neither token nor claims are for anybody. */
function toRefusal(error: unknown, ctx: Context, challenge: string): unknown {
  if (!(error instanceof JwtError)) return error;
  const { reason, detail } = error;
  if (reason === 'unavailable') {
    ctx.log.error('keys for tokens cannot be had', { event: 'secure.jwt_keys_unavailable', reason: detail });
    return new FrameworkError('app.overloaded');
  }
  ctx.log.info('token refused', { event: 'secure.jwt_refused', reason: `${reason}: ${detail}` });
  return reason === 'audience' ? new FrameworkError('app.forbidden') : unauthorized(challenge);
}

function unauthorized(challenge: string): FrameworkError {
  return new FrameworkError('app.unauthorized', undefined, { headers: { 'www-authenticate': challenge } });
}
