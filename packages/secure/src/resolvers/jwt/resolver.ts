import { type Context, FrameworkError, type SecurePrincipal } from '@sallyport/core';
import { isPromise, ownOf, withBearer } from '@sallyport/core/internal';
import { defineOptions, invalidOption, kind, oneOf } from '@sallyport/core/options';
import { markBearerReader, type SecurePrincipalResolver } from '../../principal.js';
import { JwtError, type VerifiedJwt } from './jwt-error.js';
import {
  type JwtClaims,
  type JwtPrincipalOptions,
  PRINCIPAL_KINDS,
  PRINCIPAL_OPTIONS,
  type PrincipalSettings,
  texts,
  toSettings,
} from './options.js';
import { IssuerVerifier } from './verifier.js';

/**
 * Creates a principal resolver that verifies bearer tokens (JWT) with the keys of their issuer. A request
 * without the header, or with another scheme, is anonymous. An invalid token gets 401 with a challenge, a token for another audience 403;
 * if the keys cannot be fetched, the response is 503. Keys are cached for ten minutes.
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
  return createResolver(list.map((entry) => PRINCIPAL_OPTIONS.parse(entry ?? null)));
}

/** The resolver of at least one issuer, from options that were already checked. */
function createResolver(list: readonly PrincipalSettings[]): SecurePrincipalResolver {
  const verifier = new IssuerVerifier(list.map(toSettings));
  const mappers = new Map(list.map((entry) => [entry.issuer, entry]));
  const header = (same(list, 'header') ?? 'authorization').toLowerCase();
  const challenge = same(list, 'describeErrors') === true ? 'Bearer error="invalid_token"' : 'Bearer';
  // A subject is unique within its issuer only (RFC 7519 section 4.1.2).
  if (list.length > 1 && list.some(({ identity }) => identity === undefined)) {
    throw invalidOption(
      'identity',
      'a function for each issuer if there are several: subjects are unique only within an issuer',
    );
  }
  return markBearerReader<SecurePrincipalResolver>((ctx) => {
    const bearer = readBearer(ctx, header);
    if (bearer === 'none') return null;
    if (bearer === 'refused') throw unauthorized(challenge);
    const { token } = bearer;
    const accept = (verified: VerifiedJwt) =>
      withBearer(toPrincipal(verified, mappers.get(verified.issuer) as PrincipalSettings, challenge), token);
    const refuse = (error: unknown): never => {
      throw toRefusal(error, ctx, challenge);
    };
    try {
      const verified = verifier.check(token, ctx.now());
      return isPromise(verified) ? verified.then(accept, refuse) : accept(verified);
    } catch (error) {
      return refuse(error);
    }
  });
}

/** An option that is read before the issuer of the token is known. */
function same<K extends 'header' | 'describeErrors'>(
  list: readonly PrincipalSettings[],
  name: K,
): PrincipalSettings[K] {
  const [first] = list;
  if (list.some((options) => options[name] !== first?.[name])) throw invalidOption(name, 'the same for all issuers');
  return first?.[name];
}

function toPrincipal({ claims }: VerifiedJwt, options: PrincipalSettings, challenge: string): SecurePrincipal {
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

/** The answer to the caller. The reason is only logged; token and claims are neither logged nor sent. */
function toRefusal(error: unknown, ctx: Context, challenge: string): unknown {
  if (!(error instanceof JwtError)) return error;
  const { reason, detail } = error;
  if (reason === 'unavailable') {
    ctx.log.error('could not fetch the signing keys', { event: 'secure.jwt_keys_unavailable', reason: detail });
    return new FrameworkError('app.overloaded');
  }
  ctx.log.info('token rejected', { event: 'secure.jwt_refused', reason: `${reason}: ${detail}` });
  return reason === 'audience' ? new FrameworkError('app.forbidden') : unauthorized(challenge);
}

function unauthorized(challenge: string): FrameworkError {
  return new FrameworkError('app.unauthorized', undefined, { headers: { 'www-authenticate': challenge } });
}

/** `refused`: the credentials contain no readable token. */
type Bearer = { readonly token: string } | 'refused' | 'none';

const AUTHORIZATION = 'authorization';
const SCHEME = /^\s*([^\s,]+)(?:\s+(.*))?$/s;
/** The characters of a JWT in compact form: base64url without padding (RFC 7515 section 2), and dots. */
const TOKEN = /^[A-Za-z0-9_.-]+$/;
const MAX_TOKEN_LENGTH = 16_384;
/** Some gateways join the values of a repeated header. */
const SECOND_BEARER = /,\s*bearer(?:\s|$)/i;

/** The bearer token of a header. Another scheme is left to other resolvers; two values are rejected. */
function readBearer(ctx: Context, header: string): Bearer {
  const values = ctx.headerAll(header);
  if (values.length === 0) return 'none';
  if (values.length > 1) return 'refused';
  const value = values[0] ?? '';
  const [, scheme = '', rest = ''] = SCHEME.exec(value) ?? [];
  if (scheme.toLowerCase() === 'bearer') return toToken(rest);
  if (header !== AUTHORIZATION && rest === '') return toToken(scheme);
  return SECOND_BEARER.test(value) ? 'refused' : 'none';
}

function toToken(text: string): Bearer {
  const token = text.trim();
  return token.length <= MAX_TOKEN_LENGTH && TOKEN.test(token) ? { token } : 'refused';
}

/** Values that the user pool determines are not options. */
type Decided = 'issuer' | 'jwksUri' | 'audience' | 'audienceClaim' | 'tokenUse' | 'algorithms';

/** Options for principals from the tokens of a Cognito user pool. */
export interface CognitoPrincipalOptions extends Omit<JwtPrincipalOptions, Decided> {
  /** Region of the user pool, `eu-west-1`. */
  readonly region: string;
  /** `eu-west-1_AbCdEf123`. */
  readonly userPoolId: string;
  /** Ids of the app clients whose tokens are accepted, one or more. */
  readonly clientIds: readonly string[];
  /** The kind of token that callers send; other tokens are rejected. */
  readonly tokenUse: 'access' | 'id';
}

/** Validators and defaults for {@link CognitoPrincipalOptions}. */
export const COGNITO_OPTIONS = defineOptions<CognitoPrincipalOptions>()({
  region: kind<string>(
    'an AWS region',
    (value) => typeof value === 'string' && /^[a-z]{2}(-[a-z]+)+-\d+$/.test(value),
  ).required(),
  userPoolId: kind<string>(
    'the id of a user pool',
    (value) => typeof value === 'string' && /^[\w-]+_[0-9A-Za-z]+$/.test(value),
  ).required(),
  clientIds: texts.required(),
  tokenUse: oneOf('access', 'id').required(),
  ...PRINCIPAL_KINDS,
});

/**
 * {@link jwtPrincipalResolver} for a Cognito user pool. Groups are not mapped to scopes unless you pass `scopes`.
 *
 * @throws FrameworkError `app.invalid_configuration` that names the option and never its value
 * @example cognitoPrincipalResolver({ region: 'eu-west-1', userPoolId: 'eu-west-1_AbC123', clientIds: ['web'], tokenUse: 'access' })
 */
export function cognitoPrincipalResolver(options: CognitoPrincipalOptions): SecurePrincipalResolver {
  const { region, userPoolId, clientIds, tokenUse, ...rest } = COGNITO_OPTIONS.parse(options ?? null);
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const issuer = `https://cognito-idp.${region}.${domain}/${userPoolId}`;
  return createResolver([
    {
      ...rest,
      issuer,
      jwksUri: rest.jwks === undefined ? `${issuer}/.well-known/jwks.json` : undefined,
      audience: clientIds,
      audienceClaim: tokenUse === 'access' ? 'client_id' : 'aud',
      tokenUse,
      algorithms: ['RS256'],
    },
  ]);
}
