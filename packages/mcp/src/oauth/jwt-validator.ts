import { defineOptions, func, invalidOption, kind, type ParsedOptions } from '@sallyport/core/options';
import {
  JWT_VERIFIER_KINDS,
  type JwtClaims,
  JwtError,
  type JwtVerifierOptions,
  lazyJwtVerifier,
  type VerifiedJwt,
} from '@sallyport/secure/jwt-verifier';
import { routeOf } from './internal/challenge.js';
import { splitScopes } from './internal/scopes.js';
import { isBareOrigin, isNamed, withoutBareSlash } from './internal/urls.js';
import { type BearerClaims, BearerError, BearerUnavailable, type MatchedRoute, type Validator } from './validator.js';

/** The audiences of one route. */
type AudienceOf = (route: MatchedRoute) => string | readonly string[] | undefined;

/** Options of {@link jwtBearerValidator}, of one issuer; an unknown key is rejected. */
export interface JwtBearerOptions extends Omit<JwtVerifierOptions, 'audience'> {
  /**
   * The resources that a token may be for, as clients name them in `resource`: `https://mcp.example.com/mcp`. One match is enough, by
   * exact text but for the slash of a bare origin. Or a function of the matched route, the same for all issuers; where it returns
   * nothing, or only blank strings, no token passes.
   */
  readonly audience: readonly string[] | AudienceOf;
  /** The subject. Default the claim `sub`; required of each issuer where there are several, as a `sub` is unique within its issuer only. */
  readonly identity?: (claims: JwtClaims) => string;
  /** The scopes. Default: `scope` split at spaces, else `scp`, a string or a list. */
  readonly scopes?: (claims: JwtClaims) => readonly string[];
}

/** Validators and defaults for {@link JwtBearerOptions}. */
export const JWT_BEARER_OPTIONS = defineOptions<JwtBearerOptions>()({
  ...JWT_VERIFIER_KINDS,
  audience: kind<JwtBearerOptions['audience']>(
    'a list of one or more texts, or a function',
    (value) => typeof value === 'function' || (Array.isArray(value) && value.length > 0 && value.every(isNamed)),
  ).required(),
  identity: func<NonNullable<JwtBearerOptions['identity']>>(),
  scopes: func<NonNullable<JwtBearerOptions['scopes']>>(),
});

type Parsed = ParsedOptions<typeof JWT_BEARER_OPTIONS.kinds>;

/**
 * A validator of JSON Web Tokens: signature, issuer, type, times and, last, audience, by the rules of `jwtPrincipalResolver` in
 * `@sallyport/secure/jwt`. Needs the package `jose`, which the first token loads.
 *
 * @throws FrameworkError `app.invalid_configuration` that names the option and never its value
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
  const verifier = lazyJwtVerifier(all.map(toVerifierOptions));
  const audienceOf = sameAudience(all);
  if (all.length > 1 && all.some(({ identity }) => identity === undefined)) {
    throw invalidOption(
      'identity',
      'a function for each issuer if there are several: subjects are unique only within an issuer',
    );
  }
  const byIssuer = new Map(all.map((entry) => [entry.issuer, entry]));
  return async (token, ctx) => {
    const route = routeOf(ctx);
    const wanted = audienceOf && spellings(named(route && audienceOf(route)));
    const verified = await verifier.verify(token, ctx.now(), wanted).catch(toBearerError);
    return toClaims(verified, byIssuer.get(verified.issuer) as Parsed);
  };
}

/** What stands for a list where a function names the audience of each request. */
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

/** The audiences that a function has named. A blank one would match a token whose audience is blank. */
function named(audience: unknown): readonly string[] {
  return [audience].flat().filter(isNamed);
}

/** A bare origin is meant with and without its slash. */
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

/** `scope` of RFC 9068 section 2.2.3, else the `scp` that some issuers write. */
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
