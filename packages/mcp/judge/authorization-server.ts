// An authorization server from the parts of @sallyport/mcp/oauth. Every user is ada, who agrees to every request.
import { type Clock, type Context, FrameworkError, type Handler } from '@sallyport/core';
import { Public, SecureApp } from '@sallyport/secure';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { type McpStore, memoryMcpStore } from '../src/index.js';
import {
  type ClientMetadata,
  createAuthorizationCodeStore,
  createAuthorizationServerMetadata,
  createAuthorizeResponse,
  createMetadataHandler,
  createRefreshTokenStore,
  createRegistrationHandler,
  createTokenHandler,
  type Grant,
  isPkceChallenge,
} from '../src/oauth.js';
import { OAUTH_AUTHORIZATION_SERVER_PATH } from '../src/routes.js';

export interface LabServerOptions {
  /** Its URL. */
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** Scopes of a client that requests no scope. */
  readonly defaultScopes: readonly string[];
  /** Registered clients, and clients whose id is a URL. */
  readonly clients?: Readonly<Record<string, Pick<ClientMetadata, 'redirect_uris'>>>;
  readonly clock?: Clock;
  readonly store?: McpStore;
  /** Default `true`. */
  readonly hasRefreshTokens?: boolean;
}

const ACCESS_TOKEN_SECONDS = 300;

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

/** The server, as the handler of a function. */
export class LabServer {
  readonly app: SecureApp;
  readonly jwks: { readonly keys: readonly JWK[] };
  readonly #options: LabServerOptions;
  readonly #key: PrivateKey;
  readonly #clients = new Map<string, Pick<ClientMetadata, 'redirect_uris'>>();
  readonly #codes;

  static async create(options: LabServerOptions): Promise<LabServer> {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    return new LabServer(options, privateKey, { ...(await exportJWK(publicKey)), kid: 'lab', alg: 'ES256' });
  }

  private constructor(options: LabServerOptions, key: PrivateKey, jwk: JWK) {
    const { issuer, scopes, clock, store = memoryMcpStore({ ...(clock && { clock }) }) } = options;
    this.#options = options;
    this.#key = key;
    this.jwks = { keys: [jwk] };
    for (const [id, client] of Object.entries(options.clients ?? {})) this.#clients.set(id, client);
    const refreshTokens = createRefreshTokenStore({ store, ...(clock && { clock }) });
    this.#codes = createAuthorizationCodeStore({ store, refreshTokens, ...(clock && { clock }) });
    const document = createAuthorizationServerMetadata({
      issuer,
      authorizationEndpoint: `${issuer}/authorize`,
      tokenEndpoint: `${issuer}/token`,
      registrationEndpoint: `${issuer}/register`,
      scopesSupported: scopes,
      authorizationResponseIssParameterSupported: true,
      clientIdMetadataDocumentSupported: true,
    });
    const register = createRegistrationHandler({ save: (client) => void this.#clients.set(client.client_id, client) });
    const token = createTokenHandler({
      codes: this.#codes,
      ...(options.hasRefreshTokens !== false && { refreshTokens }),
      issueAccessToken: (grant, ctx) => this.#issue(grant, ctx),
    });
    this.app = new SecureApp({ log: false, ...(clock && { clock }) });
    this.app.get(OAUTH_AUTHORIZATION_SERVER_PATH, createMetadataHandler(document), Public());
    this.app.post('/register', register, Public());
    this.app.get('/authorize', this.#authorize, Public());
    this.app.post('/token', token, Public());
  }

  /** Signs a token without a request of a client. */
  sign(claims: { readonly resource: string; readonly scopes: readonly string[] }, now: Date): Promise<string> {
    const seconds = Math.floor(now.getTime() / 1000);
    return new SignJWT({ scope: claims.scopes.join(' ') })
      .setProtectedHeader({ alg: 'ES256', kid: 'lab', typ: 'at+jwt' })
      .setIssuer(this.#options.issuer)
      .setSubject('ada')
      .setAudience(claims.resource)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + ACCESS_TOKEN_SECONDS)
      .sign(this.#key);
  }

  async #issue({ resource = this.#options.issuer, scopes }: Grant, ctx: Context) {
    return { accessToken: await this.sign({ resource, scopes }, ctx.now()), expiresIn: ACCESS_TOKEN_SECONDS };
  }

  readonly #authorize: Handler = async (ctx) => {
    const { issuer, scopes, defaultScopes } = this.#options;
    const [clientId = '', redirectUri = ''] = [ctx.query('client_id'), ctx.query('redirect_uri')];
    // An unknown client is not redirected.
    if (!this.#clients.get(clientId)?.redirect_uris.includes(redirectUri)) throw new FrameworkError('app.bad_request');
    const state = ctx.query('state');
    const back = { redirectUri, issuer, ...(state !== undefined && { state }) };
    const codeChallenge = ctx.query('code_challenge');
    const isRight = ctx.query('response_type') === 'code' && ctx.query('code_challenge_method') === 'S256';
    if (!isRight || !isPkceChallenge(codeChallenge))
      return createAuthorizeResponse({ ...back, error: 'invalid_request' });
    const asked = (ctx.query('scope') ?? defaultScopes.join(' ')).split(' ');
    const granted = scopes.filter((scope) => asked.includes(scope));
    const resource = ctx.query('resource');
    const grant = {
      clientId,
      subject: 'ada',
      scopes: granted,
      redirectUri,
      codeChallenge,
      ...(resource !== undefined && { resource }),
    };
    return createAuthorizeResponse({ ...back, code: await this.#codes.put(grant) });
  };
}
