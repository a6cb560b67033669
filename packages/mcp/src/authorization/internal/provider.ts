import type { Context, MaybePromise } from '@sallyport/core';
import { type BearerClaims, BearerError, BearerUnavailable, type Validator } from '../../oauth/validator.js';
import { oauthErrorName, ProviderFailure } from './provider-error.js';
import { type RequestLimits, requestProvider } from './provider-request.js';

/** The endpoints of a provider, and the validator of its access tokens. */
export interface ProviderEndpoints {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** True if the client sends its secret in the body, because the provider does not accept it in the header. */
  readonly secretInBody: boolean;
  /** True if authorization responses always contain `iss` (RFC 9207). */
  readonly sendsIssuer: boolean;
  readonly validator: Validator;
}

/** Description of one provider. */
export interface ProviderSettings extends RequestLimits {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | (() => MaybePromise<string>) | undefined;
  /** The redirect URI for the responses of the provider. */
  readonly callback: string;
  /** Parameters that bind tokens to this server: `resource` or `audience`; empty if it does not bind them. */
  readonly binding: Readonly<Record<string, string>>;
  /** Scopes that are always requested. */
  readonly scopes: readonly string[];
  /** The name of a scope at the provider. */
  readonly toProviderScope: (scope: string) => string;
  readonly endpoints: () => Promise<ProviderEndpoints>;
}

/** The tokens of one answer of the provider, whose access token has been verified for this server. */
export interface ProviderTokens {
  readonly accessToken: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly refreshToken: string | undefined;
  readonly claims: BearerClaims;
}

const DEFAULT_EXPIRES_IN = 300;

/** The identity provider, as an OAuth client sees it. */
export class Provider {
  readonly #settings: ProviderSettings;

  constructor(settings: ProviderSettings) {
    this.#settings = settings;
  }

  /** The URL to which the user is sent. @throws ProviderFailure if the metadata is not available */
  async authorizationUrl(state: string, codeChallenge: string, scopes: readonly string[]): Promise<string> {
    const { clientId, callback, binding, toProviderScope, scopes: always } = this.#settings;
    const { authorizationEndpoint } = await this.#settings.endpoints();
    const url = new URL(authorizationEndpoint);
    const parameters = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: callback,
      scope: [...new Set([...always, ...scopes.map(toProviderScope)])].join(' '),
      state,
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
      ...binding,
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  /** Checks `iss` of an authorization response (RFC 9207 section 2.4). @throws ProviderFailure */
  async checkIssuer(iss: string | undefined): Promise<void> {
    const { sendsIssuer } = await this.#settings.endpoints();
    const isRight = iss === undefined ? !sendsIssuer : iss === this.#settings.issuer;
    if (!isRight) throw new ProviderFailure('issuer', 'the authorization response names another issuer');
  }

  /** Redeems a code. @throws ProviderFailure */
  redeem(code: string, codeVerifier: string, ctx: Context): Promise<ProviderTokens> {
    const { callback } = this.#settings;
    const grant = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: codeVerifier };
    return this.#tokens(grant, ctx);
  }

  /** Uses a refresh token. @throws ProviderFailure */
  refresh(refreshToken: string, ctx: Context): Promise<ProviderTokens> {
    return this.#tokens({ grant_type: 'refresh_token', refresh_token: refreshToken }, ctx);
  }

  /** Verifies an access token for this server. */
  readonly validator: Validator = async (token, ctx) => {
    const { validator } = await this.#settings.endpoints().catch((cause: unknown) => {
      throw new BearerUnavailable(cause instanceof Error ? cause.message : 'unknown');
    });
    return validator(token, ctx);
  };

  async #tokens(grant: Readonly<Record<string, string>>, ctx: Context): Promise<ProviderTokens> {
    const { binding, clientId, clientSecret } = this.#settings;
    const { tokenEndpoint, secretInBody } = await this.#settings.endpoints();
    const secret = typeof clientSecret === 'function' ? await clientSecret() : clientSecret;
    const isBasic = secret !== undefined && !secretInBody;
    const form = {
      ...grant,
      ...(isBasic ? {} : { client_id: clientId }),
      ...(secret !== undefined && secretInBody && { client_secret: secret }),
      ...binding,
    };
    const headers = {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(isBasic && { authorization: basic(clientId, secret) }),
    };
    const body = new URLSearchParams(form).toString();
    const { status, members } = await requestProvider(tokenEndpoint, { method: 'POST', headers, body }, this.#settings);
    if (status !== 200) {
      const oauthError = oauthErrorName(members.error);
      throw new ProviderFailure('refused', `status ${status} ${oauthError}`, { oauthError });
    }
    const { access_token: accessToken, token_type: type, expires_in: expiresIn, refresh_token: next } = members;
    const isBearer = typeof type === 'string' && type.toLowerCase() === 'bearer';
    if (typeof accessToken !== 'string' || !isBearer) throw new ProviderFailure('token', 'no bearer token');
    return {
      accessToken,
      expiresIn: typeof expiresIn === 'number' && expiresIn > 0 ? Math.floor(expiresIn) : DEFAULT_EXPIRES_IN,
      refreshToken: typeof next === 'string' && next !== '' ? next : undefined,
      claims: await this.#verified(accessToken, ctx),
    };
  }

  /** A token that this server would reject is never given to a client. */
  async #verified(token: string, ctx: Context): Promise<BearerClaims> {
    try {
      return await this.validator(token, ctx);
    } catch (cause) {
      if (cause instanceof BearerUnavailable) throw new ProviderFailure('keys', 'no signing keys', { cause });
      const isAudience = cause instanceof BearerError && cause.reason === 'audience';
      if (isAudience) throw new ProviderFailure('audience', 'the access token is for another resource', { cause });
      throw new ProviderFailure('token', 'the access token is not valid', { cause });
    }
  }
}

/** RFC 6749 section 2.3.1: both parts are form-encoded first. */
function basic(clientId: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(secret)}`, 'utf8').toString('base64')}`;
}
