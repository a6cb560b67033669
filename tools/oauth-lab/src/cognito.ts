import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

/** An app client of a user pool. */
export interface CognitoClient {
  /** Its secret; absent for a public client. */
  readonly secret?: string;
  readonly callbackUrls: readonly string[];
  /** Allowed custom scopes, `<resource server>/<scope>`. */
  readonly scopes: readonly string[];
}

/** Options of {@link startCognito}. */
export interface CognitoOptions {
  readonly clients: Readonly<Record<string, CognitoClient>>;
  /** True if the pool binds access tokens to the parameter `resource`: managed login, with the plan Essentials or Plus. */
  readonly resourceBinding: boolean;
  /** True if app clients rotate refresh tokens. Default false, as for new app clients. */
  readonly rotatesRefreshTokens?: boolean;
  /** The current time in milliseconds. Default `Date.now`. */
  readonly now?: () => number;
}

/** A fault of the next responses of one endpoint. */
export type CognitoFault = 'slow' | 'html' | 'down' | undefined;

/** The simulated user pool, at a port of this machine. */
export interface Cognito {
  /** The origin of the pool's domain. */
  readonly domain: string;
  readonly poolId: string;
  readonly issuer: string;
  readonly password: string;
  /** Method and path of every request so far. */
  readonly requests: readonly string[];
  /** Forms that the token endpoint has received. */
  readonly tokenForms: readonly URLSearchParams[];
  /** Faults of the token endpoint, and of the keys. */
  readonly faults: { token: CognitoFault; keys: CognitoFault };
  /** Changes claims of the next access tokens. */
  overrideClaims: Readonly<Record<string, unknown>>;
  /** Signs with a new key; the old key is no longer published. */
  rotateKeys(): Promise<void>;
  /** Rejects all refresh tokens that were issued so far. */
  revokeRefreshTokens(): void;
  /** Replaces `fetch`: sends requests for the issuer to this machine. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  close(): Promise<void>;
}

interface Authorized {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly scope: string;
  readonly resource: string | null;
  readonly account: string;
  readonly until: number;
}

const REGION = 'eu-central-1';
/** A code is valid for five minutes (https://repost.aws/questions/QU0YlI4r_KQI6akc8s7I-2Vw). */
const CODE_MS = 300_000;
const SECONDS = 3600;

/**
 * Simulates Amazon Cognito after its documentation; each rule names its page. Cognito does not support dynamic client registration or client
 * metadata documents. Its authorization responses do not contain `iss`, and its token responses do not contain `scope`.
 */
export async function startCognito(options: CognitoOptions): Promise<Cognito> {
  firstKey ??= createKey();
  const pool = new UserPool(options, await firstKey);
  await once(pool.server.listen(0, '127.0.0.1'), 'listening');
  return pool;
}

interface SigningKey {
  readonly sign: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  readonly jwk: JWK;
}

/** The first key of every pool of this process: the generation of RSA keys is slow. */
let firstKey: Promise<SigningKey> | undefined;

/** RS256, with a `kid` (https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-tokens-verifying-a-jwt.html). */
async function createKey(): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  return { sign: privateKey, jwk: { ...(await exportJWK(publicKey)), kid: randomUUID(), alg: 'RS256', use: 'sig' } };
}

class UserPool implements Cognito {
  readonly server = createServer((request, response) => void this.#serve(request, response));
  readonly poolId = `${REGION}_Lab${randomBytes(4).toString('hex')}`;
  readonly issuer = `https://cognito-idp.${REGION}.amazonaws.com/${this.poolId}`;
  readonly password = randomBytes(18).toString('base64url');
  readonly requests: string[] = [];
  readonly tokenForms: URLSearchParams[] = [];
  readonly faults: Cognito['faults'] = { token: undefined, keys: undefined };
  overrideClaims: Readonly<Record<string, unknown>> = {};
  readonly #options: CognitoOptions;
  readonly #now: () => number;
  readonly #codes = new Map<string, Authorized>();
  readonly #refreshTokens = new Map<string, Authorized>();
  #key: SigningKey;

  constructor(options: CognitoOptions, key: SigningKey) {
    this.#options = options;
    this.#key = key;
    this.#now = options.now ?? Date.now;
  }

  get domain(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  readonly fetch: Cognito['fetch'] = (url, init) =>
    fetch(url.replace(`https://cognito-idp.${REGION}.amazonaws.com`, this.domain), init);

  async rotateKeys(): Promise<void> {
    this.#key = await createKey();
  }

  revokeRefreshTokens(): void {
    this.#refreshTokens.clear();
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.domain);
    const at = `${request.method} ${url.pathname}`;
    this.requests.push(at);
    if (at === 'GET /oauth2/authorize') return this.#authorize(url, response);
    if (at === 'GET /login') return html(response, 200, LOGIN);
    if (at === 'POST /login') return this.#login(url, new URLSearchParams(await text(request)), response);
    if (at === 'POST /oauth2/token') {
      if (fail(this.faults.token, response)) return;
      return this.#token(request, new URLSearchParams(await text(request)), response);
    }
    if (at === `GET /${this.poolId}/.well-known/jwks.json`) {
      if (fail(this.faults.keys, response)) return;
      return json(response, 200, { keys: [this.#key.jwk] });
    }
    html(response, 404, 'Not found');
  }

  /**
   * https://docs.aws.amazon.com/cognito/latest/developerguide/authorization-endpoint.html: an unknown client or callback URL is not
   * redirected, other errors are; the user is sent to the login endpoint with the same parameters.
   */
  #authorize(url: URL, response: ServerResponse): void {
    const of = (name: string) => url.searchParams.get(name);
    const client = this.#options.clients[of('client_id') ?? ''];
    const redirectUri = of('redirect_uri') ?? '';
    if (!client?.callbackUrls.includes(redirectUri)) {
      html(response, 400, 'redirect_mismatch');
      return;
    }
    const error = this.#errorOf(url.searchParams, client);
    if (error === undefined) redirect(response, `/login${url.search}`);
    else redirect(response, `${redirectUri}?${new URLSearchParams({ error, state: of('state') ?? '' })}`);
  }

  #errorOf(parameters: URLSearchParams, client: CognitoClient): string | undefined {
    if (parameters.get('response_type') !== 'code') return 'unsupported_response_type';
    const challenge = parameters.get('code_challenge');
    if (challenge !== null && parameters.get('code_challenge_method') !== 'S256') return 'invalid_request';
    const scopes = (parameters.get('scope') ?? client.scopes.join(' ')).split(' ');
    if (!scopes.every((scope) => client.scopes.includes(scope) || scope === 'openid')) return 'invalid_scope';
    // The value is a URL that begins with https://, http://localhost or a custom scheme; here a loopback address stands for localhost.
    const resource = parameters.get('resource');
    const isUrl = resource === null || /^[a-z][a-z0-9+.-]*:\/\//.test(resource);
    return this.#options.resourceBinding && !isUrl ? 'invalid_request' : undefined;
  }

  /** https://docs.aws.amazon.com/cognito/latest/developerguide/login-endpoint.html */
  #login(url: URL, form: URLSearchParams, response: ServerResponse): void {
    const of = (name: string) => url.searchParams.get(name);
    if (form.get('password') !== this.password) {
      html(response, 403, LOGIN);
      return;
    }
    const code = randomUUID();
    const clientId = of('client_id') ?? '';
    const redirectUri = of('redirect_uri') ?? '';
    this.#codes.set(code, {
      clientId,
      redirectUri,
      challenge: of('code_challenge'),
      scope: of('scope') ?? this.#options.clients[clientId]?.scopes.join(' ') ?? '',
      resource: of('resource'),
      account: form.get('username') ?? '',
      until: this.#now() + CODE_MS,
    });
    redirect(response, `${redirectUri}?${new URLSearchParams({ code, state: of('state') ?? '' })}`);
  }

  /** https://docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html */
  async #token(request: IncomingMessage, form: URLSearchParams, response: ServerResponse): Promise<void> {
    this.tokenForms.push(form);
    const [clientId, secret] = credentials(request, form);
    const client = this.#options.clients[clientId];
    // "Client authentication failed": the request does not contain the secret of the client.
    if (!client || client.secret !== secret) return json(response, 400, { error: 'invalid_client' });
    if (form.get('grant_type') === 'authorization_code') return this.#redeem(clientId, form, response);
    if (form.get('grant_type') === 'refresh_token') return this.#refresh(clientId, form, response);
    json(response, 400, { error: 'unsupported_grant_type' });
  }

  /** "The authorization code … has been consumed already or does not exist": each code is used once. */
  async #redeem(clientId: string, form: URLSearchParams, response: ServerResponse): Promise<void> {
    const code = form.get('code') ?? '';
    const authorized = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      authorized?.clientId === clientId &&
      authorized.until > this.#now() &&
      authorized.redirectUri === form.get('redirect_uri') &&
      (authorized.challenge === null || authorized.challenge === challenge);
    if (!authorized || !isRight) return json(response, 400, { error: 'invalid_grant' });
    json(response, 200, { ...(await this.#tokens(authorized)), refresh_token: this.#addRefreshToken(authorized) });
  }

  /**
   * A refresh answers with a new refresh token only if the app client rotates them, and then rejects the old one
   * (https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-refresh-token.html).
   */
  async #refresh(clientId: string, form: URLSearchParams, response: ServerResponse): Promise<void> {
    const token = form.get('refresh_token') ?? '';
    const authorized = this.#refreshTokens.get(token);
    if (authorized?.clientId !== clientId) return json(response, 400, { error: 'invalid_grant' });
    const rotates = this.#options.rotatesRefreshTokens === true;
    if (rotates) this.#refreshTokens.delete(token);
    json(response, 200, {
      ...(await this.#tokens(authorized)),
      ...(rotates && { refresh_token: this.#addRefreshToken(authorized) }),
    });
  }

  #addRefreshToken(authorized: Authorized): string {
    const token = randomBytes(64).toString('base64url');
    this.#refreshTokens.set(token, authorized);
    return token;
  }

  /**
   * The claims of an access token: `aud` only with resource binding
   * (https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html).
   */
  async #tokens({ clientId, scope, resource, account }: Authorized): Promise<object> {
    const now = Math.floor(this.#now() / 1000);
    const sign = (claims: object) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: this.#key.jwk.kid as string })
        .sign(this.#key.sign);
    const common = {
      sub: `sub-${account}`,
      iss: this.issuer,
      origin_jti: randomUUID(),
      jti: randomUUID(),
      auth_time: now,
      iat: now,
      exp: now + SECONDS,
    };
    const access = {
      ...common,
      client_id: clientId,
      token_use: 'access',
      scope,
      version: 2,
      username: account,
      ...(this.#options.resourceBinding && resource !== null && { aud: resource }),
      ...this.overrideClaims,
    };
    return {
      id_token: await sign({ ...common, aud: clientId, token_use: 'id', 'cognito:username': account }),
      access_token: await sign(access),
      token_type: 'Bearer',
      expires_in: SECONDS,
    };
  }
}

const LOGIN = `<!doctype html><title>Sign in</title><form method="post">
<input name="username" autocomplete="username"><input name="password" type="password"><button>Sign in</button></form>`;

/**
 * `client_secret_basic`, `client_secret_post`, or no secret. The header is "Basic Base64Encode(client_id:client_secret)", without the form
 * encoding of RFC 6749 section 2.3.1 (https://docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html).
 */
function credentials(request: IncomingMessage, form: URLSearchParams): readonly [string, string | undefined] {
  const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (basic === undefined) return [form.get('client_id') ?? '', form.get('client_secret') ?? undefined];
  const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString('utf8').split(':');
  return [id, secret];
}

/** True if the response is a fault. A slow response never ends. */
function fail(fault: CognitoFault, response: ServerResponse): boolean {
  if (fault === 'html') html(response, 200, '<h1>Maintenance</h1>');
  if (fault === 'down') response.destroy();
  return fault !== undefined;
}

async function text(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  return body;
}

function html(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(body);
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json;charset=UTF-8' }).end(JSON.stringify(body));
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location }).end();
}
