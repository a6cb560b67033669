import { type Context, contextKey, FrameworkError, type Middleware, type SecurePrincipal } from '@sallyport/core';
import { stateOf } from '@sallyport/core/internal';
import { boolean, defineOptions, func, kind, string } from '@sallyport/core/options';
import { markBearerReader, type SecurePrincipalResolver, withBearer } from '@sallyport/secure';
import { challengeText, createMetadataUrl, type MetadataUrl, routeOf } from './internal/challenge.js';
import { readCredentials } from './internal/credentials.js';
import { scopeList } from './internal/scopes.js';
import { isNamed, withoutBareSlash } from './internal/urls.js';
import { type BearerClaims, BearerError, BearerUnavailable, type MatchedRoute, type Validator } from './validator.js';

/** Options of {@link requireBearerTokenMiddleware} and {@link createBearerGuard}; an unknown key is rejected. */
export interface BearerOptions {
  /** Verifies tokens; required. */
  readonly validator: Validator;
  /**
   * Returns the URL of the resource's metadata for the challenge, from the matched route. Of the three sources only the first that is given
   * is used. No source reads the environment or a header. If the function throws, or does not return an absolute https URL, the challenge is
   * a bare `Bearer` and the failure is logged.
   */
  readonly resourceMetadataURLFunc?: (route: MatchedRoute) => string | undefined;
  /**
   * The metadata URL with path parameters of the matched route: `https://mcp.example.com/.well-known/oauth-protected-resource/{tenant}/mcp`.
   * If a parameter is missing, or its value is not `[a-z0-9._~-]{1,128}`, the challenge is a bare `Bearer`.
   */
  readonly resourceMetadataURLTemplate?: string;
  /** The metadata URL of all routes. Default: none, and the challenge is a bare `Bearer`. */
  readonly resourceMetadataURL?: string;
  /**
   * The audience that a token must have: a string, or a function of the matched route. If the function returns nothing or a blank string, all
   * tokens are rejected. Default: the audience that the validator checks.
   */
  readonly requiredAudience?: string | ((route: MatchedRoute) => string | undefined);
  /** Scopes that a token must have, all of them, in addition to the scopes of the posture. Default none. */
  readonly requiredScopes?: readonly string[];
  /**
   * True if challenges contain the error and the scopes, and a 403 for missing scopes has a challenge. MCP clients need both to request more
   * scopes. A 403 names the scopes of the token, the posture and the tool. Default `false`.
   */
  readonly scopeChallenge?: boolean;
  /**
   * Scopes that a 401 names in addition, with `scopeChallenge`. Clients register with the scopes of the 401, and some authorization servers
   * reject scopes that a client has not registered. Default none.
   */
  readonly registrationScopes?: readonly string[];
}

/** Validators and defaults for {@link BearerOptions}. */
export const BEARER_OPTIONS = defineOptions<BearerOptions>()({
  validator: func<Validator>().required(),
  resourceMetadataURLFunc: func<NonNullable<BearerOptions['resourceMetadataURLFunc']>>(),
  resourceMetadataURLTemplate: string,
  resourceMetadataURL: string,
  requiredAudience: kind<NonNullable<BearerOptions['requiredAudience']>>(
    'a string that is not blank, or a function',
    (value) => typeof value === 'function' || isNamed(value),
  ),
  requiredScopes: scopeList.default([]),
  scopeChallenge: boolean.default(false),
  registrationScopes: scopeList.default([]),
});

/** One check of bearer tokens, as a middleware and as options of `SecureApp`. */
export interface BearerGuard {
  /** The check as a middleware; a token that `principalResolver` has verified for this request is not verified again. */
  readonly middleware: Middleware;
  /** The check as the option `principalResolver` of `SecureApp`. A request without a bearer token has no principal. */
  readonly principalResolver: SecurePrincipalResolver;
  /** The option `challenge` of `SecureApp`, for requests without a token. */
  readonly challenge: (ctx: Context) => string;
}

const CLAIMS_KEY = 'oauth.bearer_claims';
const TOKEN_KEY = 'oauth.bearer_token';

/** The verified claims of this request's token; `undefined` before a guard has verified it. */
export function bearerClaims(ctx: Context): BearerClaims | undefined {
  return ctx.get(CLAIMS_KEY) as BearerClaims | undefined;
}

/** The verified token of this request, for calls on the caller's behalf; `undefined` before a guard has verified it. */
export function bearerToken(ctx: Context): string | undefined {
  return ctx.get(TOKEN_KEY) as string | undefined;
}

/**
 * Creates a middleware that requires a valid bearer token. A missing, wrong or expired token is answered with 401 and a challenge, a token
 * for another audience or without the scopes with 403, and a token that cannot be verified now with 503. Errors of handlers and later
 * middlewares pass through unchanged. Use it in the open container, or in addition to the gate of a closed container; for the gate itself
 * see {@link createBearerGuard}.
 *
 * @throws FrameworkError `app.invalid_configuration` for a missing validator, a malformed template or URL, or an unknown option
 * @example
 * app.use(requireBearerTokenMiddleware({
 *   validator: jwtBearerValidator({ issuer, jwksUri, audience: ['https://mcp.example.com/mcp'] }),
 *   resourceMetadataURL: 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp',
 * }));
 */
export function requireBearerTokenMiddleware(options: BearerOptions): Middleware {
  return createBearerGuard(options).middleware;
}

/**
 * Creates the same check for `SecureApp`, whose gate runs before all middlewares: `principalResolver` and `challenge` are options of the
 * container.
 *
 * @throws FrameworkError `app.invalid_configuration` as {@link requireBearerTokenMiddleware}
 * @example
 * const { principalResolver, challenge } = createBearerGuard({ validator, resourceMetadataURL });
 * const app = new SecureApp({ principalResolver, challenge });
 */
export function createBearerGuard(options: BearerOptions): BearerGuard {
  const guard = new Guard(options);
  return {
    async middleware(ctx, next) {
      const principal = await guard.verify(ctx);
      const state = stateOf(ctx);
      state.principal ??= principal;
      if (state.authIdentity === '') state.authIdentity = principal.identity;
      return next(ctx);
    },
    principalResolver: markBearerReader<SecurePrincipalResolver>((ctx) =>
      readCredentials(ctx) === 'none' ? null : guard.verify(ctx),
    ),
    challenge: (ctx) => guard.challenge(ctx),
  };
}

/** State of a guard for one request. */
interface Known {
  /** The URL of the challenge, computed once. */
  url?: { readonly value: string | undefined };
  /** The verified caller. */
  principal?: SecurePrincipal;
}

class Guard {
  readonly #validator: Validator;
  readonly #metadataUrl: MetadataUrl;
  readonly #audience: BearerOptions['requiredAudience'];
  readonly #scopes: readonly string[];
  readonly #registrationScopes: readonly string[];
  readonly #namesScopes: boolean;
  readonly #known = contextKey<Known>('bearer');

  constructor(options: BearerOptions) {
    const parsed = BEARER_OPTIONS.parse(options ?? null);
    this.#validator = parsed.validator;
    this.#metadataUrl = createMetadataUrl(parsed);
    this.#audience = parsed.requiredAudience;
    this.#scopes = [...parsed.requiredScopes];
    this.#registrationScopes = [...parsed.registrationScopes];
    this.#namesScopes = parsed.scopeChallenge;
  }

  /** @throws FrameworkError 401, 403 or 503 */
  async verify(ctx: Context): Promise<SecurePrincipal> {
    const known = this.#knownOf(ctx);
    if (known.principal) return known.principal;
    const credentials = readCredentials(ctx);
    if (typeof credentials === 'string') throw this.#unauthorized(ctx);
    const { token } = credentials;
    const claims = await this.#claimsOf(token, ctx);
    if (this.#namesScopes) stateOf(ctx).scopeChallenge = (needed) => this.#scopeChallenge(ctx, claims.scopes, needed);
    this.#check(claims, ctx);
    ctx.set(CLAIMS_KEY, claims);
    ctx.set(TOKEN_KEY, token);
    known.principal = withBearer<SecurePrincipal>(
      { identity: claims.subject, scopes: claims.scopes, claims: claims.claims, kind: 'external' },
      token,
    );
    return known.principal;
  }

  challenge(ctx: Context): string {
    if (!this.#namesScopes) return challengeText(this.#url(ctx));
    const error = readCredentials(ctx) === 'none' ? undefined : 'invalid_token';
    const scopes = [...this.#scopes, ...scopesOfPosture(ctx, []), ...this.#registrationScopes];
    return challengeText(this.#url(ctx), { error, scopes });
  }

  /** Names the scopes that the token has, too: a client requests a new token with exactly these scopes. */
  #scopeChallenge(ctx: Context, held: readonly string[], needed: readonly string[]): string {
    const scopes = [...held, ...this.#scopes, ...scopesOfPosture(ctx, held), ...needed];
    return challengeText(this.#url(ctx), { error: 'insufficient_scope', scopes });
  }

  async #claimsOf(token: string, ctx: Context): Promise<BearerClaims> {
    try {
      return parseClaims(await this.#validator(token, ctx));
    } catch (thrown) {
      throw this.#refusal(thrown, token, ctx);
    }
  }

  /** Checks the time, then the audience, then the scopes: an expired token for another audience is 401. */
  #check({ expiresAt, audience, scopes }: BearerClaims, ctx: Context): void {
    if (expiresAt && !(expiresAt.getTime() > ctx.now().getTime())) throw this.#refuse(ctx, 'expired', 'expired');
    if (this.#audience !== undefined && !this.#isAudience(audience, ctx))
      throw this.#refuse(ctx, 'audience', 'audience');
    if (!this.#scopes.every((scope) => scopes.includes(scope))) throw this.#refuse(ctx, 'scope', 'scope');
  }

  #isAudience(named: readonly string[], ctx: Context): boolean {
    const route = routeOf(ctx);
    const wanted = typeof this.#audience === 'function' ? route && this.#audience(route) : this.#audience;
    if (!isNamed(wanted)) return false;
    return named.some((name) => withoutBareSlash(name) === withoutBareSlash(wanted));
  }

  #refusal(thrown: unknown, token: string, ctx: Context): FrameworkError {
    if (thrown instanceof BearerUnavailable) {
      ctx.log.error('credentials cannot be verified now', {
        event: 'mcp.bearer_unavailable',
        reason: redact(thrown.detail, token),
      });
      return new FrameworkError('app.overloaded');
    }
    if (thrown instanceof BearerError) return this.#refuse(ctx, thrown.reason, redact(thrown.detail, token));
    ctx.log.error('a validator failed', {
      event: 'mcp.bearer_validator_failed',
      reason: describe(thrown, token),
    });
    return this.#unauthorized(ctx);
  }

  #refuse(ctx: Context, reason: BearerError['reason'], detail: string): FrameworkError {
    ctx.log.info('credentials rejected', { event: 'mcp.bearer_rejected', reason: `${reason}: ${detail}` });
    if (reason === 'audience') return new FrameworkError('app.forbidden', undefined, { headers: NO_STORE });
    if (reason !== 'scope') return this.#unauthorized(ctx);
    if (!this.#namesScopes) return new FrameworkError('app.forbidden', undefined, { headers: NO_STORE });
    // Without `scopeChallenge` the validator has rejected the token, so its scopes are unknown.
    const challenge = stateOf(ctx).scopeChallenge?.([]) ?? this.#scopeChallenge(ctx, [], []);
    return new FrameworkError('app.forbidden', undefined, { headers: { ...NO_STORE, 'www-authenticate': challenge } });
  }

  #unauthorized(ctx: Context): FrameworkError {
    const headers = { ...NO_STORE, 'www-authenticate': this.challenge(ctx) };
    return new FrameworkError('app.unauthorized', undefined, { headers });
  }

  #url(ctx: Context): string | undefined {
    const known = this.#knownOf(ctx);
    known.url ??= { value: this.#metadataUrl(ctx) };
    return known.url.value;
  }

  #knownOf(ctx: Context): Known {
    const known = ctx.get(this.#known) ?? {};
    ctx.set(this.#known, known);
    return known;
  }
}

const NO_STORE = { 'cache-control': 'no-store' };

/** The scopes that the posture of the matched operation needs; if any of them is sufficient, only the first, and `[]` for a caller with any of them. */
function scopesOfPosture(ctx: Context, held: readonly string[]): readonly string[] {
  const { kind, scopes = [] } = stateOf(ctx).posture ?? {};
  if (kind !== 'authenticated_any_of') return scopes;
  return scopes.some((scope) => held.includes(scope)) ? [] : scopes.slice(0, 1);
}

/**
 * A frozen copy of a validator's result, with checked types.
 *
 * @throws BearerError `invalid` for a value without a subject
 */
function parseClaims(value: unknown): BearerClaims {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Partial<
    Record<keyof BearerClaims, unknown>
  >;
  const { subject, expiresAt, issuer, clientId, claims } = given;
  if (typeof subject !== 'string' || subject.trim() === '') throw new BearerError('invalid', 'no subject');
  if (expiresAt !== undefined && !(expiresAt instanceof Date))
    throw new BearerError('invalid', 'expiresAt is not a Date');
  return Object.freeze({
    subject,
    audience: texts(given.audience),
    scopes: texts(given.scopes),
    claims: (typeof claims === 'object' && claims !== null ? claims : {}) as BearerClaims['claims'],
    ...(expiresAt && { expiresAt }),
    ...(typeof issuer === 'string' && { issuer }),
    ...(typeof clientId === 'string' && { clientId }),
  });
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Name and message of an error of a validator; some HTTP clients put the request into their errors. */
function describe(thrown: unknown, token: string): string {
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : typeof thrown;
  return redact(text, token);
}

/** Removes the token from text for the log, in its plain and its URL-encoded form. */
function redact(text: string, token: string): string {
  return text.replaceAll(token, '[token]').replaceAll(encodeURIComponent(token), '[token]');
}
