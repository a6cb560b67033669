import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { FrameworkError } from '@sallyport/core';
import {
  calculateJwkThumbprint,
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose';
import { makeStateFolder, writePrivateFile } from '../config/state-folder.js';
import type { TokenRequest } from '../console/api.js';
import { guardOf, guardRequests } from '../guard/listener.js';
import type { Part, RunBase } from '../host/base.js';
import type { Identity } from './identity.js';

const LIFETIME = '1h';
const ALGORITHM = 'ES256';
const KEYS_PATH = '/.well-known/jwks.json';
/** The audience of services that accept tokens of this issuer. */
const AUDIENCE = 'local';

/** State that is kept over a restart, so that tokens and sessions remain valid. */
interface Kept {
  readonly key: JWK;
  readonly secret: string;
}

/**
 * An issuer of tokens on this machine. Its key and secret are in `.sallyport/identity.json`, readable to its owner only; its public
 * key is served on loopback.
 */
export class LocalIdentity implements Identity, Part {
  readonly name = 'identity';
  readonly #host: RunBase;
  readonly #server: Server;
  #kept: Kept | undefined;
  #issuer = '';

  constructor(host: RunBase) {
    this.#host = host;
    this.#server = createServer(
      guardRequests(guardOf(host, 'issuer'), ({ method }: IncomingMessage, response, { path }) => {
        const isKeys = method === 'GET' && path === KEYS_PATH;
        response.writeHead(isKeys ? 200 : 404, { 'content-type': 'application/json' });
        response.end(isKeys ? JSON.stringify({ keys: [publicPart(this.#opened().key)] }) : '{}');
      }),
    );
  }

  async start(): Promise<void> {
    this.#kept = await openKept(join(this.#host.config.stateFolder, 'identity.json'));
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    this.#issuer = `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async token({ sub, scopes = [], tenant, kind }: TokenRequest): Promise<string> {
    if (typeof sub !== 'string' || sub.trim() === '') {
      throw new FrameworkError('local.usage', 'framework: a token requires a subject: pass "sub"');
    }
    const { key } = this.#opened();
    const claims = {
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      ...(tenant !== undefined && { tenant, tenant_id: tenant }),
      ...(kind !== undefined && { kind }),
    };
    return new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', ...(key.kid !== undefined && { kid: key.kid }) })
      .setIssuer(this.#issuer)
      .setSubject(sub)
      .setAudience(this.#audiences())
      .setIssuedAt()
      .setExpirationTime(LIFETIME)
      .setJti(randomUUID())
      .sign(await importJWK(key, ALGORITHM));
  }

  /** @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html */
  async verify(token: string): Promise<Readonly<Record<string, unknown>>> {
    const { key } = this.#opened();
    const now = this.#host.clock.now();
    const { payload, protectedHeader } = await jwtVerify(token, await importJWK(publicPart(key), ALGORITHM), {
      algorithms: [ALGORITHM],
      issuer: this.#issuer,
      requiredClaims: ['exp'],
      currentDate: now,
    }).catch((error: unknown) => {
      throw new Error(reasonOf(error));
    });
    if (protectedHeader.kid !== key.kid) throw new Error('the token does not name the key that signed it');
    const { aud = payload.client_id, iat } = payload;
    if (![aud].flat().some((one) => [this.#audiences()].flat().includes(String(one))))
      throw new Error('the token does not have a valid audience');
    if (iat !== undefined && iat * 1000 > now.getTime()) throw new Error('the token was issued in the future');
    return payload;
  }

  substitute(value: string): string {
    const { secret } = this.#opened();
    const values: Readonly<Record<string, string>> = {
      $issuer: this.#issuer,
      $jwks: `${this.#issuer}${KEYS_PATH}`,
      $secret: secret,
      $audience: AUDIENCE,
      $api: `http://127.0.0.1:${this.#host.ports['gateway-v2']}`,
    };
    return value.replace(/\$(?:issuer|jwks|secret|audience|api)\b/g, (name) => values[name] ?? name);
  }

  /** A single audience is a string, several are a list (RFC 7519 section 4.1.3). */
  #audiences(): string | string[] {
    const { audiences } = this.#host.config;
    return audiences.length === 0 ? AUDIENCE : [AUDIENCE, ...audiences.map((one) => this.substitute(one))];
  }

  #opened(): Kept {
    if (!this.#kept) throw new FrameworkError('local.not_running', 'framework: the issuer has not started');
    return this.#kept;
  }
}

async function openKept(file: string): Promise<Kept> {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept;
    await importJWK(kept.key, ALGORITHM);
    if (typeof kept.secret === 'string' && kept.secret !== '') {
      // A copied or unpacked file can have other permissions.
      chmodSync(file, 0o600);
      return kept;
    }
  } catch {
    // The file does not exist yet, or is incomplete.
  }
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kept: Kept = {
    key: { ...jwk, kid: await calculateJwkThumbprint(jwk) },
    secret: randomBytes(32).toString('base64url'),
  };
  makeStateFolder(dirname(file));
  writePrivateFile(file, JSON.stringify(kept));
  return kept;
}

/** The reason for the developer and for the challenge of a door. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  const claim = error instanceof errors.JWTClaimValidationFailed ? error.claim : undefined;
  if (claim === 'iss') return 'the token does not have a valid issuer';
  if (claim === 'nbf') return 'the token is not valid yet';
  if (claim === 'exp') return 'the token does not expire';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'signing method is invalid';
  return error instanceof errors.JWSSignatureVerificationFailed ? 'the signature is invalid' : 'the token is malformed';
}

function publicPart({ d: _, ...key }: JWK): JWK {
  return { ...key, alg: ALGORITHM, use: 'sig' };
}
