import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import type { KeyFetch } from '../../src/resolvers/jwt/options.js';

/** Seconds since the epoch; the time of the test clock. */
export const NOW = 1_700_000_000;
export const ISSUER = 'https://id.example';
export const AUDIENCE = 'https://api.example';

export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly jwk: JWK;
}

export async function createKey(kid: string, alg = 'RS256'): Promise<SigningKey> {
  const { privateKey, publicKey } = alg.startsWith('ES')
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : alg === 'EdDSA'
      ? generateKeyPairSync('ed25519')
      : generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { kid, alg, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** Claims of any kind: bad ones too. */
export type Claims = Readonly<Record<string, unknown>>;

/** Claims of a good token. */
export const GOOD: Claims = {
  iss: ISSUER,
  aud: AUDIENCE,
  sub: 'ada',
  exp: NOW + 300,
  iat: NOW,
  scope: 'read write',
};

export function sign(key: SigningKey, claims: Claims = GOOD, header: Record<string, unknown> = {}): Promise<string> {
  return new SignJWT(claims as JWTPayload)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey);
}

/** A compact token of unchanged parts. */
export function rawToken(header: unknown, claims: unknown, signature = ''): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(claims)}.${signature}`;
}

export interface KeyServer {
  /** The configured URL of the resolver: `https`, which the fetch below maps to loopback. */
  readonly jwksUri: string;
  readonly fetch: KeyFetch;
  readonly port: number;
  /** Requested paths. */
  readonly requests: string[];
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  close(): Promise<void>;
}

/** A real HTTP server on loopback that publishes keys, and the way there. */
export async function serveKeys(keys: () => readonly JWK[]): Promise<KeyServer> {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request.url ?? '');
    keyServer.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const keyServer: KeyServer = {
    jwksUri: 'https://keys.example/.well-known/jwks.json',
    fetch: (url, init) => fetch(url.replace('https://keys.example', `http://127.0.0.1:${port}`), init),
    port,
    requests,
    answer: (_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ keys: keys() }));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return keyServer;
}
