import type { Context, Handler, MaybePromise } from '@sallyport/core';
import { defineOptions, func, withMethods } from '@sallyport/core/options';
import type { AuthorizationCodeStore } from './codes.js';
import { jsonAnswer } from './internal/answers.js';
import { type Form, readForm } from './internal/form.js';
import { splitScopes } from './internal/scopes.js';
import { OAuthError, toErrorAnswer } from './oauth-error.js';
import { verifyPkce } from './pkce.js';
import type { Grant, RefreshTokenStore, RotationRefusal } from './refresh-tokens.js';

/** An access token that the application has signed or stored. */
export interface IssuedAccessToken {
  /** The token. */
  readonly accessToken: string;
  /** Seconds until it expires. */
  readonly expiresIn: number;
}

/** Credentials of a client at the token endpoint. */
export interface ClientCredentials {
  /** Identifies the client. */
  readonly clientId: string;
  /** Its secret, from the header `authorization` or the body; `undefined` for a public client. */
  readonly clientSecret: string | undefined;
}

/** Options of {@link createTokenHandler}; an unknown key is rejected. */
export interface TokenHandlerOptions {
  /** Store of the codes that `createAuthorizeResponse` sends to clients; required. */
  readonly codes: AuthorizationCodeStore;
  /** Store of refresh tokens. Default: refresh tokens are not issued or accepted. */
  readonly refreshTokens?: RefreshTokenStore;
  /** Creates an access token whose audience is the grant's `resource`; required. */
  readonly issueAccessToken: (grant: Grant, ctx: Context) => MaybePromise<IssuedAccessToken>;
  /**
   * True if the credentials of the client are right. Default: public clients, and clients with a secret are rejected. It must reject a
   * confidential client that sends no secret.
   */
  readonly authenticateClient?: (credentials: ClientCredentials, ctx: Context) => MaybePromise<boolean>;
}

/** Validators and defaults for {@link TokenHandlerOptions}. */
export const TOKEN_HANDLER_OPTIONS = defineOptions<TokenHandlerOptions>()({
  codes: withMethods<AuthorizationCodeStore>('consume').required(),
  refreshTokens: withMethods<RefreshTokenStore>('issue', 'rotate', 'peek', 'revokeFamily'),
  issueAccessToken: func<TokenHandlerOptions['issueAccessToken']>().required(),
  authenticateClient: func<NonNullable<TokenHandlerOptions['authenticateClient']>>(),
});

/** A valid request. */
interface Granted {
  readonly grant: Grant;
  /** The refresh token of the answer. Called last: if no access token can be created, the refresh token is not used up. */
  next(): Promise<string | undefined>;
}

/**
 * Creates a handler of the token endpoint (RFC 6749 sections 4.1.3 and 6, RFC 7636, RFC 8707): POST with a form, for the grants
 * `authorization_code` and `refresh_token`. Answers and errors are the protocol's JSON with `cache-control: no-store` and
 * `pragma: no-cache`. Any caller may use it: the posture is `Public()`.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option; the handler rejects with the errors of the stores
 * @example
 * app.post('/token', createTokenHandler({ codes, refreshTokens, issueAccessToken: (grant) => sign(grant) }), Public());
 */
export function createTokenHandler(options: TokenHandlerOptions): Handler {
  const endpoint = new TokenEndpoint(TOKEN_HANDLER_OPTIONS.parse(options ?? null));
  return async (ctx) => {
    try {
      return jsonAnswer(JSON.stringify(await endpoint.answer(ctx)), { secret: true });
    } catch (error) {
      if (error instanceof OAuthError) return toErrorAnswer(error);
      throw error;
    }
  };
}

class TokenEndpoint {
  readonly #options: ReturnType<typeof TOKEN_HANDLER_OPTIONS.parse>;

  constructor(options: ReturnType<typeof TOKEN_HANDLER_OPTIONS.parse>) {
    this.#options = options;
  }

  async answer(ctx: Context): Promise<object> {
    const form = readForm(ctx);
    const type = form.required('grant_type');
    if (type !== 'authorization_code' && !(type === 'refresh_token' && this.#options.refreshTokens)) {
      throw new OAuthError('unsupported_grant_type', 'the grant type is not supported');
    }
    const clientId = await this.#authenticate(form, ctx);
    const { grant, next } =
      type === 'refresh_token' ? await this.#refresh(form, clientId, ctx) : await this.#redeem(form, clientId);
    const { accessToken, expiresIn } = await this.#options.issueAccessToken(grant, ctx);
    const refreshToken = await next();
    return {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: expiresIn,
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      ...(grant.scopes.length > 0 && { scope: grant.scopes.join(' ') }),
    };
  }

  async #authenticate(form: Form, ctx: Context): Promise<string> {
    const credentials = readClient(form, ctx);
    const { authenticateClient } = this.#options;
    const isKnown = authenticateClient
      ? await authenticateClient(credentials, ctx)
      : credentials.clientSecret === undefined;
    if (isKnown !== true) throw new OAuthError('invalid_client', 'the client is not known by these credentials');
    return credentials.clientId;
  }

  /** Uses the code up first, so that a caller with a wrong verifier does not get a second try. */
  async #redeem(form: Form, clientId: string): Promise<Granted> {
    const [code, redirectUri, verifier] = [
      form.required('code'),
      form.required('redirect_uri'),
      form.required('code_verifier'),
    ];
    const redeemed = await this.#options.codes.consume(code);
    if (!redeemed) throw invalidGrant();
    const { family, redirectUri: sentTo, codeChallenge, ...grant } = redeemed;
    const isRight = grant.clientId === clientId && sentTo === redirectUri && verifyPkce(verifier, codeChallenge);
    if (!isRight) throw invalidGrant();
    checkResource(form, grant);
    const { refreshTokens } = this.#options;
    return {
      grant,
      async next() {
        if (!refreshTokens) return undefined;
        const token = await refreshTokens.issue(grant, family);
        // Another request has used the code in the meantime.
        if (token === undefined) throw invalidGrant();
        return token;
      },
    };
  }

  async #refresh(form: Form, clientId: string, ctx: Context): Promise<Granted> {
    const token = form.required('refresh_token');
    const refreshTokens = this.#options.refreshTokens as RefreshTokenStore;
    const rotate = async () => {
      const rotation = await refreshTokens.rotate(token, clientId);
      if ('refused' in rotation) throw refusedRotation(rotation.refused, ctx);
      return rotation.token;
    };
    const known = await refreshTokens.peek(token, clientId);
    if (!known) {
      await rotate();
      throw invalidGrant();
    }
    checkResource(form, known);
    return { grant: { ...known, scopes: narrowedScopes(form, known) }, next: rotate };
  }
}

/** RFC 6749 section 2.3.1: reads the header with both parts form-encoded, else the body; both together are rejected. */
function readClient(form: Form, ctx: Context): ClientCredentials {
  const [id, secret] = [form.optional('client_id'), form.optional('client_secret')];
  const headers = ctx.headerAll('authorization');
  if (headers.length === 0) return { clientId: id ?? form.required('client_id'), clientSecret: secret };
  const basic = headers.length === 1 && secret === undefined ? readBasic(headers[0] ?? '') : undefined;
  if (!basic || (id !== undefined && id !== basic.clientId)) {
    throw new OAuthError('invalid_client', 'the client must prove itself in one way');
  }
  return basic;
}

function readBasic(value: string): ClientCredentials | undefined {
  const encoded = /^basic ([A-Za-z0-9+/]+=*)$/i.exec(value)?.[1];
  if (encoded === undefined) return undefined;
  const [, id, secret] = /^([^:]+):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  try {
    return { clientId: decodeForm(id), clientSecret: decodeForm(secret) };
  } catch {
    return undefined;
  }
}

function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/** RFC 8707: a request may repeat the resource of the grant, but not request another resource. */
function checkResource(form: Form, { resource }: Grant): void {
  const named = form.all('resource');
  if (named.some((one) => one !== resource))
    throw new OAuthError('invalid_target', 'the grant is for another resource');
}

function narrowedScopes(form: Form, { scopes }: Grant): readonly string[] {
  const asked = form.optional('scope');
  if (asked === undefined) return scopes;
  const narrowed = splitScopes(asked);
  if (narrowed.length > 0 && narrowed.every((scope) => scopes.includes(scope))) return narrowed;
  throw new OAuthError('invalid_scope', 'the grant does not have this scope');
}

function refusedRotation(refused: RotationRefusal, ctx: Context): OAuthError {
  if (refused === 'reused' || refused === 'foreign') {
    ctx.log.warn('a refresh credential was used again; its family is revoked', {
      event: 'mcp.refresh_family_revoked',
      reason: refused,
    });
  }
  return invalidGrant();
}

function invalidGrant(): OAuthError {
  return new OAuthError('invalid_grant', 'the code or token is not valid for this client');
}
