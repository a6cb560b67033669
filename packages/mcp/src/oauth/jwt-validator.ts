import { defineOptions, func, invalidOption, kind, type ParsedOptions } from '@sallyport/core/options';
import {
  createJwtVerifier,
  JWT_VERIFIER_KINDS,
  type JwtClaims,
  JwtError,
  type JwtVerifierOptions,
  type VerifiedJwt,
} from '@sallyport/secure/jwt-verifier';
import { routeOf } from './internal/challenge.js';
import { splitScopes } from './internal/scopes.js';
import { isBareOrigin, isNamed, withoutBareSlash } from './internal/urls.js';
import { type BearerClaims, BearerError, BearerUnavailable, type MatchedRoute, type Validator } from './validator.js';

/** The audiences of one route. */
type AudienceOf = (route: MatchedRoute) => string | readonly string[] | undefined;

/** Options of {@link jwtBearerValidator} for one issuer; an unknown key is rejected. */
export interface JwtBearerOptions extends Omit<JwtVerifierOptions, 'audience'> {
  /**
   * The resources that a token may be issued for, with the same URL that clients send in `resource`: `https://mcp.example.com/mcp`. One match
   * is enough, and must be exact except for the slash of a bare origin. Or a function of the matched route, the same for all issuers; if it
   * returns nothing, or only blank strings, all tokens are rejected.
   */
  readonly audience: readonly string[] | AudienceOf;
  /** Returns the subject. Default the claim `sub`; required for each of several issuers, because a `sub` is unique within one issuer only. */
  readonly identity?: (claims: JwtClaims) => string;
  /** Returns the scopes. Default: `scope` split at spaces, else `scp`, a string or a list. */
  readonly scopes?: (claims: JwtClaims) => readonly string[];
}

/** Validators and defaults for {@link JwtBearerOptions}. */
export const JWT_BEARER_OPTIONS = defineOptions<JwtBearerOptions>()({
  ...JWT_VERIFIER_KINDS,
  audience: kind<JwtBearerOptions['audience']>(
    'a non-empty list of strings, or a function',
    (value) => typeof value === 'function' || (Array.isArray(value) && value.length > 0 && value.every(isNamed)),
  ).required(),
  identity: func<NonNullable<JwtBearerOptions['identity']>>(),
  scopes: func<NonNullable<JwtBearerOptions['scopes']>>(),
});

type Parsed = ParsedOptions<typeof JWT_BEARER_OPTIONS.kinds>;

/**
 * A validator of JSON Web Tokens. It checks signature, issuer, type, times and, last, the audience, by the rules of `jwtPrincipalResolver`
 * in `@sallyport/secure/jwt`. It loads `node:crypto` with the first token.
 *
 * @throws FrameworkError `app.invalid_configuration` with the name of the option and never its value
 * @example
 * const validator = jwtBearerValidator({
 *   issuer: 'https://id.example.com',
 *   jwksUri: 'https://id.example.com/jwks.json',
 *   audience: ['https://mcp.example.com/mcp'],
 * });
 */
export function jwtBearerValidator(options: JwtBearerOptions | readonly JwtBearerOptions[]): Validator {
  const list: readonly JwtBearerOptions[] = Array.isArray(options) ? options : [options as JwtBearerOptions];
  const all = list.map((entry) => JWT_BEARER_OPTIONS.parse(entry ?? null));
  const verifier = createJwtVerifier(all.map(toVerifierOptions));
  const audienceOf = sameAudience(all);
  if (all.length > 1 && all.some(({ identity }) => identity === undefined)) {
    throw invalidOption('identity', 'given for each of several issuers, so that their subjects differ');
  }
  const byIssuer = new Map(all.map((entry) => [entry.issuer, entry]));
  return async (token, ctx) => {
    const route = routeOf(ctx);
    const wanted = audienceOf && spellings(named(route && audienceOf(route)));
    const verified = await verifier.verify(token, ctx.now(), wanted).catch(toBearerError);
    return toClaims(verified, byIssuer.get(verified.issuer) as Parsed);
  };
}

/** Placeholder for the audience list of the verifier if a function returns the audience of each request. */
const BY_REQUEST: readonly string[] = ['the audience of the request'];

function toVerifierOptions({ identity, scopes, audience, ...rest }: Parsed): JwtVerifierOptions {
  return { ...rest, audience: typeof audience === 'function' ? BY_REQUEST : spellings(audience) } as JwtVerifierOptions;
}

function sameAudience(all: readonly Parsed[]): AudienceOf | undefined {
  const [first] = all;
  const functions = all.filter(({ audience }) => typeof audience === 'function');
  if (functions.length === 0) return undefined;
  if (all.some(({ audience }) => audience !== first?.audience)) {
    throw invalidOption('audience', 'the same function for all issuers');
  }
  return first?.audience as AudienceOf;
}

/** The audiences that a function returned. A blank audience would match a token whose audience is blank. */
function named(audience: unknown): readonly string[] {
  return [audience].flat().filter(isNamed);
}

/** Accepts a bare origin with and without its slash. */
function spellings(audience: readonly string[]): readonly string[] {
  return audience.flatMap((one) => [one, withoutBareSlash(one), ...(isBareOrigin(one) ? [`${one}/`] : [])]);
}

function toClaims({ claims, issuer }: VerifiedJwt, options: Parsed): BearerClaims {
  const subject: unknown = options.identity ? options.identity(claims) : claims.sub;
  const clientId = [claims.client_id, claims.azp].find((claim) => typeof claim === 'string');
  const { exp } = claims;
  return {
    subject: typeof subject === 'string' ? subject : '',
    audience: [claims[options.audienceClaim]].flat().filter((one) => typeof one === 'string'),
    scopes: options.scopes ? options.scopes(claims) : scopesOf(claims),
    issuer,
    claims,
    ...(typeof clientId === 'string' && { clientId }),
    ...(typeof exp === 'number' && { expiresAt: new Date((exp + options.clockToleranceSeconds) * 1000) }),
  };
}

/** The claim `scope` (RFC 9068 section 2.2.3), else `scp`, which some issuers use. */
function scopesOf({ scope, scp }: JwtClaims): readonly string[] {
  if (typeof scope === 'string') return splitScopes(scope);
  if (typeof scp === 'string') return splitScopes(scp);
  return Array.isArray(scp) ? scp.filter((one) => typeof one === 'string') : [];
}

function toBearerError(error: unknown): never {
  if (!(error instanceof JwtError)) throw new BearerUnavailable(error instanceof Error ? error.message : 'unknown');
  if (error.reason === 'unavailable') throw new BearerUnavailable(error.detail);
  throw new BearerError(error.reason, error.detail);
}
