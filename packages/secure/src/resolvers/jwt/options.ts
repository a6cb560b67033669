import { assertKnownOptions, invalidOption, type PrincipalKind } from '@sallyport/core';
import type { JSONWebKeySet } from 'jose';

/** The claims of a token whose signature, issuer and times have been verified. */
export type JwtClaims = Readonly<Record<string, unknown>>;

/** Fetches a key set; given `redirect: 'manual'` and a signal, which it must pass on. */
export type KeyFetch = (url: string, init: RequestInit) => Promise<Response>;

/** How tokens of one issuer are verified. Times in seconds. */
export interface JwtVerifierOptions {
  /** Exactly the token's `iss`. */
  readonly issuer: string;
  /**
   * Where the issuer publishes its keys: `https:` only, redirects are refused, at most 512 KiB and 100 keys. A set is used for 10
   * minutes; a fetch takes at most 5 s, and after one that failed the next waits 30 s. Either this or `jwks`.
   */
  readonly jwksUri?: string;
  /** The issuer's public keys. */
  readonly jwks?: JSONWebKeySet;
  /** One of these must be named by the token. Checked last. */
  readonly audience: readonly string[];
  /** Default `RS256 PS256 ES256 EdDSA`; never `none` or `HS*`. */
  readonly algorithms?: readonly string[];
  /** How far clocks may differ; default 5, at most 300. */
  readonly clockToleranceSeconds?: number;
  /** The claim that names the audience; default `aud`. Cognito access tokens carry the client in `client_id`. */
  readonly audienceClaim?: 'aud' | 'client_id';
  /** What the claim `token_use` must be; `access` with `audienceClaim: 'client_id'`. */
  readonly tokenUse?: 'access' | 'id';
  /** What the header's `typ` must be, `at+jwt` say. */
  readonly typ?: string;
  /** How old a token may be by its `iat`, which is required then. */
  readonly maxTokenAgeSeconds?: number;
  /** Claims that must be there, besides `exp`. */
  readonly requiredClaims?: readonly string[];
  /** Fetches the key set in the place of the platform's `fetch`: for a proxy, or an issuer with a certificate of its own. */
  readonly fetch?: KeyFetch;
}

/** How principals are made of one issuer's tokens. */
export interface JwtPrincipalOptions extends JwtVerifierOptions {
  /**
   * Who the token speaks of. Default `sub`; a blank one is 401. Required of each issuer where there are several: a subject is
   * unique within its issuer only (RFC 7519 section 4.1.2), so that subject 42 of one would be taken for subject 42 of the
   * other.
   *
   * @example ({ iss, sub }) => `${iss}#${sub}`
   */
  readonly identity?: (claims: JwtClaims) => string;
  /** Default: `scope` split at spaces, else `scp`, a text or a list. */
  readonly scopes?: (claims: JwtClaims) => readonly string[];
  /** Default: none. */
  readonly tenantId?: (claims: JwtClaims) => string | undefined;
  /** Default `external`. */
  readonly kind?: (claims: JwtClaims) => PrincipalKind;
  /** Default `authorization`. In another header the token may stand without `Bearer`. The same for all issuers. */
  readonly header?: string;
  /** Whether the challenge says `error="invalid_token"` (RFC 6750 section 3). Default `false`; the same for all issuers. */
  readonly describeErrors?: boolean;
}

/** Options with their defaults, checked. */
export interface JwtSettings {
  readonly issuer: string;
  readonly jwksUri: string | undefined;
  readonly jwks: JSONWebKeySet | undefined;
  readonly audience: readonly string[];
  readonly algorithms: readonly string[];
  readonly clockToleranceSeconds: number;
  readonly audienceClaim: 'aud' | 'client_id';
  readonly tokenUse: 'access' | 'id' | undefined;
  readonly typ: string | undefined;
  readonly maxTokenAgeSeconds: number | undefined;
  readonly requiredClaims: readonly string[];
  readonly fetch: KeyFetch | undefined;
}

export const VERIFIER_OPTIONS: readonly string[] = [
  'issuer',
  'jwksUri',
  'jwks',
  'audience',
  'algorithms',
  'clockToleranceSeconds',
  'audienceClaim',
  'tokenUse',
  'typ',
  'maxTokenAgeSeconds',
  'requiredClaims',
  'fetch',
];

/** Signatures that a public key verifies (RFC 7518 section 3.1, RFC 8037, RFC 9864). */
const ASYMMETRIC: readonly unknown[] = [
  ...['RS', 'PS', 'ES'].flatMap((family) => ['256', '384', '512'].map((size) => `${family}${size}`)),
  'EdDSA',
  'Ed25519',
];
const DEFAULT_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const MAX_TOLERANCE_SECONDS = 300;

/** @throws FrameworkError `app.invalid_configuration` that names the option and never its value */
export function parseVerifierOptions(options: unknown, known: readonly string[]): JwtSettings {
  if (typeof options !== 'object' || options === null) throw invalidOption('options', 'an object');
  assertKnownOptions(options, known);
  const given = options as JwtVerifierOptions;
  assertTexts(given);
  assertKeySource(given);
  assertNumbers(given);
  const { audienceClaim = 'aud', tokenUse, algorithms = DEFAULT_ALGORITHMS, fetch } = given;
  if (!isTextList(algorithms) || algorithms.length === 0 || algorithms.some((name) => !ASYMMETRIC.includes(name))) {
    throw invalidOption('algorithms', 'a list of signatures with public keys');
  }
  if (audienceClaim !== 'aud' && audienceClaim !== 'client_id')
    throw invalidOption('audienceClaim', 'aud or client_id');
  if (tokenUse !== undefined && tokenUse !== 'access' && tokenUse !== 'id')
    throw invalidOption('tokenUse', 'access or id');
  if (audienceClaim === 'client_id' && tokenUse === 'id')
    throw invalidOption('tokenUse', 'access where client_id is read');
  if (fetch !== undefined && typeof fetch !== 'function') throw invalidOption('fetch', 'a function');
  return {
    issuer: given.issuer,
    jwksUri: given.jwksUri,
    jwks: given.jwks,
    audience: [...given.audience],
    algorithms: [...algorithms],
    clockToleranceSeconds: given.clockToleranceSeconds ?? 5,
    audienceClaim,
    tokenUse: audienceClaim === 'client_id' ? 'access' : tokenUse,
    typ: given.typ,
    maxTokenAgeSeconds: given.maxTokenAgeSeconds,
    requiredClaims: [...(given.requiredClaims ?? [])],
    fetch,
  };
}

function assertTexts({ issuer, audience, typ, requiredClaims }: JwtVerifierOptions): void {
  if (!isText(issuer)) throw invalidOption('issuer', 'a text');
  if (!isTextList(audience) || audience.length === 0) throw invalidOption('audience', 'a list of one or more texts');
  if (typ !== undefined && !isText(typ)) throw invalidOption('typ', 'a text');
  if (requiredClaims !== undefined && !isTextList(requiredClaims))
    throw invalidOption('requiredClaims', 'a list of texts');
}

function assertKeySource({ jwksUri, jwks }: JwtVerifierOptions): void {
  if ((jwksUri === undefined) === (jwks === undefined)) throw invalidOption('jwksUri', 'given, or jwks in its place');
  if (jwksUri !== undefined && !isHttps(jwksUri)) throw invalidOption('jwksUri', 'an https URL without user name');
  if (jwks !== undefined && (typeof jwks !== 'object' || jwks === null))
    throw invalidOption('jwks', 'a JSON Web Key Set');
}

function assertNumbers({ clockToleranceSeconds: tolerance, maxTokenAgeSeconds: age }: JwtVerifierOptions): void {
  if (
    tolerance !== undefined &&
    !(Number.isFinite(tolerance) && tolerance >= 0 && tolerance <= MAX_TOLERANCE_SECONDS)
  ) {
    throw invalidOption('clockToleranceSeconds', `0 to ${MAX_TOLERANCE_SECONDS}`);
  }
  if (age !== undefined && !(Number.isFinite(age) && age > 0)) throw invalidOption('maxTokenAgeSeconds', 'more than 0');
}

function isHttps(text: unknown): boolean {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocol === 'https:' && username === '' && password === '';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}
