import { type Context, contextKey, FrameworkError, type Middleware, type SecurePrincipal } from '@sallyport/core';
import { boolean, defineOptions, func, kind, string } from '@sallyport/core/options';
import { stateOf } from '@sallyport/core/pipeline';
import { markBearerReader, type SecurePrincipalResolver, withBearer } from '@sallyport/secure';
import { SCOPE_CHALLENGE } from '../http/internal/scope-challenge.js';
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
   * The URL of the resource's metadata for the challenge, from the matched route. The first of the three sources that is given
   * decides alone; none of them reads the environment or a header. One that throws, or returns no absolute https URL, makes the
   * challenge a bare `Bearer` and is logged.
   */
  readonly resourceMetadataURLFunc?: (route: MatchedRoute) => string | undefined;
  /**
   * The URL with path parameters of the matched route in it: `https://mcp.example.com/.well-known/oauth-protected-resource/{tenant}/mcp`. A
   * parameter that the route does not have, or whose value is not `[a-z0-9._~-]{1,128}`, makes the challenge a bare `Bearer`.
   */
  readonly resourceMetadataURLTemplate?: string;
  /** The same URL for all routes. Default: none, and the challenge is a bare `Bearer`. */
  readonly resourceMetadataURL?: string;
  /**
   * For whom a token must be: text, or by the matched route. A function that returns nothing, or a blank string, lets no token pass. Default: what the
   * validator checks.
   */
  readonly requiredAudience?: string | ((route: MatchedRoute) => string | undefined);
  /** Scopes that a token must have, all of them. Default none. */
  readonly requiredScopes?: readonly string[];
  /**
   * True if challenges name errors and scopes, and a 403 for missing scopes has one: what MCP clients need to ask for more. Default
   * `false`.
   */
  readonly scopeChallenge?: boolean;
}

/** Validators and defaults for {@link BearerOptions}. */
export const BEARER_OPTIONS = defineOptions<BearerOptions>()({
  validator: func<Validator>().required(),
  resourceMetadataURLFunc: func<NonNullable<BearerOptions['resourceMetadataURLFunc']>>(),
  resourceMetadataURLTemplate: string,
  resourceMetadataURL: string,
  requiredAudience: kind<NonNullable<BearerOptions['requiredAudience']>>(
    'a text that is not blank, or a function',
    (value) => typeof value === 'function' || isNamed(value),
  ),
  requiredScopes: scopeList.default([]),
  scopeChallenge: boolean.default(false),
});

/** The faces of one check of bearer tokens. */
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

/** What the token of this request says, once a guard has verified it; `undefined` otherwise. */
export function bearerClaims(ctx: Context): BearerClaims | undefined {
  return ctx.get(CLAIMS_KEY) as BearerClaims | undefined;
}

/** The token of this request, once a guard has verified it, for calls on the caller's behalf; `undefined` otherwise. */
export function bearerToken(ctx: Context): string | undefined {
  return ctx.get(TOKEN_KEY) as string | undefined;
}

/**
 * A middleware that lets no request pass without a valid bearer token: 401 with a challenge for a token that is missing, wrong or
 * expired, 403 for one of another audience or without the scopes, 503 when it cannot be verified now. What handlers and later
 * middlewares throw is not its concern. For the open container, or next to the gate of a closed one; for the gate itself see
 * {@link createBearerGuard}.
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
 * The same check for `SecureApp`, whose gate runs before any middleware: its `principalResolver` and `challenge` are options of the
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

/** What one guard knows of one request. */
interface Known {
  /** The URL of its challenge; made once. */
  url?: { readonly value: string | undefined };
  /** Whom it let pass. */
  principal?: SecurePrincipal;
}

class Guard {
  readonly #validator: Validator;
  readonly #metadataUrl: MetadataUrl;
  readonly #audience: BearerOptions['requiredAudience'];
  readonly #scopes: readonly string[];
  readonly #namesScopes: boolean;
  readonly #known = contextKey<Known>('bearer');

  constructor(options: BearerOptions) {
    const parsed = BEARER_OPTIONS.parse(options ?? null);
    this.#validator = parsed.validator;
    this.#metadataUrl = createMetadataUrl(parsed);
    this.#audience = parsed.requiredAudience;
    this.#scopes = [...parsed.requiredScopes];
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
    this.#check(claims, ctx);
    ctx.set(CLAIMS_KEY, claims);
    ctx.set(TOKEN_KEY, token);
    if (this.#namesScopes) ctx.set(SCOPE_CHALLENGE, (scopes) => this.#scopeChallenge(ctx, scopes));
    known.principal = withBearer<SecurePrincipal>(
      { identity: claims.subject, scopes: claims.scopes, claims: claims.claims, kind: 'external' },
      token,
    );
    return known.principal;
  }

  challenge(ctx: Context): string {
    if (!this.#namesScopes) return challengeText(this.#url(ctx));
    const error = readCredentials(ctx) === 'none' ? undefined : 'invalid_token';
    return challengeText(this.#url(ctx), { error, scopes: this.#scopes });
  }

  #scopeChallenge(ctx: Context, needed: readonly string[]): string {
    const scopes = [...new Set([...this.#scopes, ...needed])];
    return challengeText(this.#url(ctx), { error: 'insufficient_scope', scopes });
  }

  async #claimsOf(token: string, ctx: Context): Promise<BearerClaims> {
    try {
      return parseClaims(await this.#validator(token, ctx));
    } catch (thrown) {
      throw this.#refusal(thrown, token, ctx);
    }
  }

  /** In this order: time, audience, scopes; an expired token of another audience is 401. */
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
    const challenge = this.#namesScopes ? { 'www-authenticate': this.#scopeChallenge(ctx, []) } : {};
    return new FrameworkError('app.forbidden', undefined, { headers: { ...NO_STORE, ...challenge } });
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

/**
 * What a validator returned, as a copy in which every member has its type.
 *
 * @throws BearerError `invalid` for anything that names no subject
 */
function parseClaims(value: unknown): BearerClaims {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Partial<
    Record<keyof BearerClaims, unknown>
  >;
  const { subject, expiresAt, issuer, clientId, claims } = given;
  if (typeof subject !== 'string' || subject.trim() === '') throw new BearerError('invalid', 'no subject');
  if (expiresAt !== undefined && !(expiresAt instanceof Date)) throw new BearerError('invalid', 'expiresAt is no Date');
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

/** Name and text of what a validator threw; clients of HTTP sometimes put what they sent into their errors. */
function describe(thrown: unknown, token: string): string {
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : typeof thrown;
  return redact(text, token);
}

/** Text for the log, without the token as it was sent and as a query or form has it. */
function redact(text: string, token: string): string {
  return text.replaceAll(token, '[token]').replaceAll(encodeURIComponent(token), '[token]');
}
