import { generateKeyPairSync, type JsonWebKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { type Clock, systemClock } from '@sallyport/core';
import { defineOptions, integer, kind, list, object, text, withMethods } from '@sallyport/core/options';
import { anyText } from '../internal/kinds.js';

/** Options of {@link createTokenIssuer}. */
export interface TokenIssuerOptions {
  /** Claim `iss`, and prefix of the URL of the keys. Default: `https://issuer.test`. */
  readonly issuer?: string;
  /** Claim `aud`, unless a token specifies another audience. Default: left out. */
  readonly audience?: string;
  /** The clock that `iat` and `exp` are counted from: `env.clock`. Default: the system clock. */
  readonly clock?: Clock;
}

/** Options of `issuer.issueToken`. */
export interface TokenOptions {
  /** Claim `sub`. Default: left out. */
  readonly subject?: string;
  /** Claim `aud`: one audience or several. Default: the option `audience` of the issuer. */
  readonly audience?: string | readonly string[];
  /** Claim `scope`, joined by blanks (RFC 8693, section 4.2). Default: left out. */
  readonly scopes?: readonly string[];
  /** Seconds until `exp`; with 0 or less the token has expired. Default: 300. */
  readonly expiresInSeconds?: number;
  /** Additional claims; they take precedence over the claims above, and `undefined` removes a claim. Default: none. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Members of the header; they take precedence over `alg` (`ES256`), `kid` and `typ`. Default: none. */
  readonly header?: Readonly<Record<string, unknown>>;
}

/** Signs tokens for tests. */
export interface TokenIssuer {
  /** Claim `iss` of the tokens. */
  readonly issuer: string;
  /** URL of the keys: `<issuer>/.well-known/jwks.json`. */
  readonly jwksUri: string;
  /** The public keys (RFC 7517). */
  readonly jwks: { readonly keys: readonly JsonWebKey[] };
  /** Answers a verifier's request for the keys without a network; other requests receive 404. */
  readonly fetch: (url: string | URL) => Promise<Response>;
  /**
   * A signed JWT (RFC 7519), without `Bearer`.
   *
   * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
   */
  issueToken(options?: TokenOptions): string;
  /** Replaces the key, as a provider does from time to time. Tokens of the old key are no longer accepted. */
  rotateKey(): void;
}

/** Validators and defaults for {@link TokenIssuerOptions}. */
export const TOKEN_ISSUER_OPTIONS = defineOptions<TokenIssuerOptions>()({
  issuer: text().default('https://issuer.test'),
  audience: text(),
  clock: withMethods<Clock>('now'),
});

const oneOrMore = kind<string | readonly string[]>(
  'a string or a list of strings',
  (value) => typeof value === 'string' || (Array.isArray(value) && value.every((member) => typeof member === 'string')),
);

/** Validators and defaults for {@link TokenOptions}. */
export const TOKEN_OPTIONS = defineOptions<TokenOptions>()({
  subject: anyText,
  audience: oneOrMore,
  scopes: list(text()),
  expiresInSeconds: integer(Number.MIN_SAFE_INTEGER).default(300),
  claims: object<Readonly<Record<string, unknown>>>().default({}),
  header: object<Readonly<Record<string, unknown>>>().default({}),
});

/**
 * Creates an issuer that signs tokens for tests with a new ES256 key. Pass its `jwksUri` and `fetch` to the resolver, which then reads the
 * public key without a network.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example
 * const issuer = createTokenIssuer({ audience: 'notes', clock: env.clock });
 * const { jwksUri, fetch } = issuer;
 * const app = new SecureApp({ ...env.options(), principalResolver: jwtPrincipalResolver({ issuer: issuer.issuer, audience: ['notes'], jwksUri, fetch }) });
 * const authorization = `Bearer ${issuer.issueToken({ subject: 'ada', scopes: ['notes:read'] })}`;
 */
export function createTokenIssuer(options: TokenIssuerOptions = {}): TokenIssuer {
  const { issuer, audience, clock = systemClock } = TOKEN_ISSUER_OPTIONS.parse(options);
  const jwksUri = `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`;
  let key = createKey();
  return {
    issuer,
    jwksUri,
    get jwks() {
      return { keys: [key.jwk] };
    },
    fetch: async (url) =>
      String(url) === jwksUri ? Response.json({ keys: [key.jwk] }) : new Response(null, { status: 404 }),
    issueToken(own = {}) {
      const given = TOKEN_OPTIONS.parse(own);
      const now = Math.floor(clock.now().getTime() / 1000);
      const claims = {
        iss: issuer,
        sub: given.subject,
        aud: given.audience ?? audience,
        scope: given.scopes?.join(' '),
        iat: now,
        exp: now + given.expiresInSeconds,
        ...given.claims,
      };
      return signJwt(key, { alg: 'ES256', kid: key.jwk.kid, typ: 'JWT', ...given.header }, claims);
    },
    rotateKey() {
      key = createKey();
    },
  };
}

interface SigningKey {
  readonly privateKey: KeyObject;
  readonly jwk: JsonWebKey;
}

function createKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'ES256', use: 'sig' };
  return { privateKey, jwk };
}

/** RFC 7515, section 3.1; an ES256 signature consists of the two concatenated numbers (RFC 7518, section 3.4). */
function signJwt({ privateKey }: SigningKey, header: object, claims: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
