import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
// @ts-expect-error the package has no types
import Provider, { errors } from 'oidc-provider';
import { SIGN_IN_PATH, serveSignIn } from './sign-in.js';

/** Options of {@link startAuthorizationServer}. */
export interface AuthorizationServerOptions {
  /** URLs of the MCP endpoints for which tokens are issued. */
  readonly resources: readonly string[];
  /** Scopes that a client may request. */
  readonly scopes: readonly string[];
  /** Seconds for which an access token is valid. Default 300. */
  readonly accessTokenSeconds?: number;
}

/** An authorization server on this machine; its keys and its password exist until it is closed. */
export interface AuthorizationServer {
  /** Its URL. */
  readonly issuer: string;
  /** URL of its public keys. */
  readonly keysUrl: string;
  /** The password of every account. */
  readonly password: string;
  /** Method and path of every request so far. */
  readonly requests: readonly string[];
  /** Signs an access token without an OAuth flow. */
  sign(claims: JWTPayload, audience: string, expiresIn?: string): Promise<string>;
  close(): Promise<void>;
}

const KEY_ID = 'lab';
const ALGORITHM = 'ES256';
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?\//;

/**
 * Starts the server at a free port of 127.0.0.1. Clients register dynamically, with redirect URIs on this machine only. A user signs in
 * with the password of this run and consents for each client.
 *
 * @throws Error in a Lambda function: the server is for a developer's machine only
 */
export async function startAuthorizationServer(options: AuthorizationServerOptions): Promise<AuthorizationServer> {
  if (process.env.AWS_LAMBDA_FUNCTION_NAME)
    throw new Error('this authorization server is for tests on one machine only');
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: KEY_ID, alg: ALGORITHM, use: 'sig' };
  const password = randomBytes(18).toString('base64url');
  const requests: string[] = [];
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = createProvider(issuer, jwk, options);
  const serve: (request: IncomingMessage, response: ServerResponse) => void = provider.callback();
  server.on('request', (request, response) => {
    const [pathname = '/'] = (request.url ?? '/').split('?', 1);
    requests.push(`${request.method} ${pathname}`);
    if (pathname.startsWith(SIGN_IN_PATH)) void serveSignIn(provider, password, request, response);
    else serve(request, response);
  });
  return {
    issuer,
    keysUrl: `${issuer}/jwks`,
    password,
    requests,
    sign: (claims, audience, expiresIn = '5m') =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: ALGORITHM, kid: KEY_ID, typ: 'at+jwt' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime(expiresIn)
        .sign(privateKey),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function createProvider(
  issuer: string,
  jwk: object,
  { resources, scopes, accessTokenSeconds = 300 }: AuthorizationServerOptions,
) {
  return silently(
    () =>
      new Provider(issuer, {
        jwks: { keys: [jwk] },
        cookies: { keys: [randomBytes(32).toString('base64url')] },
        scopes: [...scopes, 'offline_access'],
        clientAuthMethods: ['none'],
        clientDefaults: {
          application_type: 'native',
          id_token_signed_response_alg: ALGORITHM,
          token_endpoint_auth_method: 'none',
        },
        enabledJWA: { idTokenSigningAlgValues: [ALGORITHM] },
        extraClientMetadata: { properties: ['loopback'], validator: assertLoopback },
        routes: { authorization: '/authorize', registration: '/register', token: '/token', jwks: '/jwks' },
        pkce: { required: () => true },
        rotateRefreshToken: true,
        issueRefreshToken: (_: unknown, client: { grantTypeAllowed(type: string): boolean }) =>
          client.grantTypeAllowed('refresh_token'),
        interactions: { url: (_: unknown, { uid }: { uid: string }) => SIGN_IN_PATH + uid },
        findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
        ttl: {
          AccessToken: accessTokenSeconds,
          AuthorizationCode: 60,
          Grant: 3600,
          IdToken: 300,
          Interaction: 600,
          RefreshToken: 3600,
          Session: 600,
        },
        features: {
          devInteractions: { enabled: false },
          registration: { enabled: true },
          resourceIndicators: {
            enabled: true,
            getResourceServerInfo(_: unknown, resource: string) {
              if (!resources.includes(resource)) throw new errors.InvalidTarget();
              return {
                scope: scopes.join(' '),
                audience: resource,
                accessTokenFormat: 'jwt',
                jwt: { sign: { alg: ALGORITHM } },
              };
            },
            useGrantedResource: () => true,
          },
        },
      }),
  );
}

/** Called for each client that registers. */
function assertLoopback(
  _: unknown,
  __: string,
  ___: unknown,
  { redirect_uris = [] }: { redirect_uris?: readonly string[] },
): void {
  if (!redirect_uris.every((uri) => LOOPBACK.test(uri))) {
    throw new errors.InvalidRedirectUri('redirect URIs must be on this machine');
  }
}

/** Without the warning of the provider that it keeps its state in memory. */
function silently<T>(run: () => T): T {
  const { warn, info } = console;
  console.warn = console.info = () => {};
  try {
    return run();
  } finally {
    Object.assign(console, { warn, info });
  }
}
