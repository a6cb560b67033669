import type { Context, Handler, ResponseInput } from '@sallyport/core';
import { sha256Url } from '@sallyport/core/internal';
import type { Sealer } from '../../internal/crypto.js';
import { createAuthorizeResponse } from '../../oauth/authorize.js';
import type { AuthorizationCodeStore } from '../../oauth/codes.js';
import { readForm } from '../../oauth/internal/form.js';
import { OAuthError, type OAuthErrorName } from '../../oauth/oauth-error.js';
import { createPkceVerifier, pkceChallenge } from '../../oauth/pkce.js';
import { createOpaqueToken } from '../../oauth/refresh-tokens.js';
import { type AuthorizationRequest, readRequest, readTarget, type VerifiedTarget } from './authorization-request.js';
import type { Clients } from './clients.js';
import { consentPage, errorPage } from './pages.js';
import type { Provider, ProviderTokens } from './provider.js';
import { logProviderFailure, oauthErrorName, ProviderFailure } from './provider-error.js';
import { PENDING_MS, type PendingSignIn, type SignIns } from './sign-ins.js';

/** The parts of the authorization endpoint. */
export interface AuthorizeEndpointParts {
  readonly issuer: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Display name of the server. */
  readonly name: string;
  readonly clients: Clients;
  readonly provider: Provider;
  readonly sealer: Sealer;
  readonly signIns: SignIns;
  readonly codes: AuthorizationCodeStore;
}

/** A request that waits for the decision of the user, in the form of the consent page. */
interface AskedRequest extends Omit<PendingSignIn, 'verifier'> {
  /** Epoch milliseconds. */
  readonly until: number;
}

/**
 * Ties consent and callback to one browser. The prefix `__Host-` requires `Secure` and keeps other hosts of the domain from setting it;
 * `Lax` lets the browser send it when the provider returns the user.
 */
const COOKIE = '__Host-mcp-sign-in';
const COOKIE_VALUE = /^[A-Za-z0-9_-]{43}$/;

/** Errors that a client receives unchanged from the provider; others become `server_error`. */
const PASSED_ON: readonly string[] = ['access_denied', 'invalid_scope', 'temporarily_unavailable', 'invalid_target'];

/** The handlers of the authorization endpoint. */
export class AuthorizeEndpoint {
  readonly #parts: AuthorizeEndpointParts;

  constructor(parts: AuthorizeEndpointParts) {
    this.#parts = parts;
  }

  /** GET: verifies the request and shows the consent page, at every sign-in. */
  readonly ask: Handler = async (ctx) => {
    const { clients, resource, scopes, sealer, name } = this.#parts;
    let target: VerifiedTarget;
    try {
      target = await readTarget(ctx, clients);
    } catch (error) {
      if (error instanceof OAuthError) return toPage(error);
      throw error;
    }
    const { client, redirectUri, state } = target;
    let request: AuthorizationRequest;
    try {
      request = readRequest(ctx, resource, scopes);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const { headers } = this.#back(target, { error: error.error, errorDescription: error.message });
      return errorPage(400, error.message, { redirectUri, location: String(headers?.location) });
    }
    const asked: AskedRequest = {
      clientId: client.id,
      redirectUri,
      ...(state !== undefined && { state }),
      ...request,
      until: ctx.now().getTime() + PENDING_MS,
    };
    const browser = browserOf(ctx) ?? createOpaqueToken();
    const sealed = await sealer.seal('sign-in', JSON.stringify(asked), formBound(browser));
    const view = { server: name, client, redirectUri, scopes: request.scopes, request: sealed };
    const cookie = `${COOKIE}=${browser}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${PENDING_MS / 1000}`;
    return consentPage(view, cookie);
  };

  /** POST: the decision of the user. */
  readonly decide: Handler = async (ctx) => {
    const { issuer, provider, signIns } = this.#parts;
    const browser = browserOf(ctx);
    const origin = ctx.header('origin');
    const asked =
      browser !== undefined && (origin === undefined || origin === issuer) && (await this.#asked(ctx, browser));
    if (!asked) return errorPage(400, 'This request has expired, or was started in another browser. Start again.');
    const { until: _, ...request } = asked;
    if (decisionOf(ctx) !== 'allow') return this.#back(request, { error: 'access_denied' });
    try {
      const verifier = createPkceVerifier();
      const state = await signIns.begin({ ...request, verifier }, browser);
      const location = await provider.authorizationUrl(state, pkceChallenge(verifier), request.scopes);
      return { status: 303, headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' } };
    } catch (error) {
      return this.#failed(ctx, request, error);
    }
  };

  /** GET: the provider returns the user. */
  readonly callback: Handler = async (ctx) => {
    const { provider, signIns } = this.#parts;
    const [state, browser] = [ctx.query('state'), browserOf(ctx)];
    const pending = state && browser ? await signIns.end(state, browser) : undefined;
    if (!pending) return errorPage(400, 'This sign-in has expired, or was started in another browser. Start again.');
    try {
      await provider.checkIssuer(ctx.query('iss'));
      const [code, error] = [ctx.query('code'), ctx.query('error')];
      if (error === 'access_denied') return this.#back(pending, { error });
      if (!code)
        throw new ProviderFailure('refused', 'the provider returned no code', { oauthError: oauthErrorName(error) });
      return await this.#issueCode(pending, await provider.redeem(code, pending.verifier, ctx), ctx);
    } catch (error) {
      return this.#failed(ctx, pending, error);
    }
  };

  async #issueCode(pending: PendingSignIn, tokens: ProviderTokens, ctx: Context): Promise<ResponseInput> {
    const { codes, resource, signIns } = this.#parts;
    const { accessToken, expiresIn, refreshToken, claims } = tokens;
    const scopes = pending.scopes.filter((scope) => claims.scopes.includes(scope));
    const handle = await signIns.keep({
      scopes,
      accessToken,
      expiresAt: ctx.now().getTime() + expiresIn * 1000,
      ...(refreshToken !== undefined && { refreshToken }),
    });
    const { clientId, redirectUri, codeChallenge } = pending;
    const code = await codes.put({ clientId, subject: handle, resource, scopes, redirectUri, codeChallenge });
    return this.#back(pending, { code });
  }

  /** The sealed request of the form; `undefined` if it is expired or for another browser. */
  async #asked(ctx: Context, browser: string): Promise<AskedRequest | undefined> {
    let sealed: string | undefined;
    try {
      sealed = readForm(ctx).optional('request');
    } catch {
      return undefined;
    }
    const text = sealed && (await this.#parts.sealer.open('sign-in', sealed, formBound(browser)));
    if (!text) return undefined;
    const asked = JSON.parse(text) as AskedRequest;
    return asked.until > ctx.now().getTime() ? asked : undefined;
  }

  #failed(ctx: Context, target: Pick<PendingSignIn, 'redirectUri' | 'state'>, error: unknown): ResponseInput {
    if (!(error instanceof ProviderFailure)) throw error;
    logProviderFailure(ctx, error);
    const passedOn = PASSED_ON.find((name) => name === error.oauthError) as OAuthErrorName | undefined;
    const errorDescription = 'the identity provider failed';
    return this.#back(target, { error: passedOn ?? error.clientError, errorDescription });
  }

  #back(
    { redirectUri, state }: { readonly redirectUri: string; readonly state?: string | undefined },
    result: { readonly code: string } | { readonly error: OAuthErrorName; readonly errorDescription?: string },
  ): ResponseInput {
    const { issuer } = this.#parts;
    return createAuthorizeResponse({ redirectUri, issuer, ...(state !== undefined && { state }), ...result });
  }
}

/** The value of the cookie; `undefined` if it is missing or malformed. */
function browserOf(ctx: Context): string | undefined {
  const value = ctx.cookie(COOKIE);
  return value !== undefined && COOKIE_VALUE.test(value) ? value : undefined;
}

/** Another string than for pending sign-ins, so that neither opens as the other. */
function formBound(browser: string): string {
  return `form:${sha256Url(browser)}`;
}

function decisionOf(ctx: Context): string | undefined {
  return readForm(ctx).all('decision').at(-1);
}

function toPage({ error, message }: OAuthError): ResponseInput {
  return errorPage(error === 'temporarily_unavailable' ? 503 : 400, message);
}
