import type { PrincipalKind } from '@sallyport/core';
import { isText } from '@sallyport/core/internal';
import {
  boolean,
  defineOptions,
  func,
  invalidOption,
  kind,
  number,
  oneOf,
  type ParsedOptions,
} from '@sallyport/core/options';
import { ALGORITHMS } from './internal/algorithms.js';

/** The claims of a token whose signature, issuer and times have been verified. */
export type JwtClaims = Readonly<Record<string, unknown>>;

/** Fetches a key set; given `redirect: 'manual'` and a signal, which it must pass on. */
export type KeyFetch = (url: string, init: RequestInit) => Promise<Response>;

/** A public key as an issuer publishes it (RFC 7517). Members that are not listed are ignored. */
export interface JwtKey {
  /** The type of the key: `RSA`, `EC` or `OKP`. */
  readonly kty?: string;
  /** The id of the key: a token with a `kid` is verified only by keys with the same id. */
  readonly kid?: string;
  /** The only algorithm of the key. Default: all algorithms of its type. */
  readonly alg?: string;
  /** The use of the key: `sig`, or absent. */
  readonly use?: string;
  /** The operations of the key: `verify` alone, or absent. */
  readonly key_ops?: readonly string[];
  /** Ignored: whether WebCrypto exports the key. */
  readonly ext?: boolean;
  /** The modulus of an RSA key, as base64url; at least 2048 bits. */
  readonly n?: string;
  /** The exponent of an RSA key, as base64url. */
  readonly e?: string;
  /** The curve: `P-256`, `P-384`, `P-521` or `Ed25519`. */
  readonly crv?: string;
  /** The first coordinate, or the public key of Ed25519, as base64url. */
  readonly x?: string;
  /** The second coordinate, as base64url. */
  readonly y?: string;
  /** Ignored: certificates. */
  readonly x5c?: readonly string[];
  /** Ignored: the SHA-1 of the certificate. */
  readonly x5t?: string;
  /** Ignored: the SHA-256 of the certificate. */
  readonly 'x5t#S256'?: string;
  /** Ignored: never fetched. */
  readonly x5u?: string;
}

/** A JSON Web Key Set (RFC 7517 section 5). */
export interface JwtKeySet {
  /** The keys; a token without `kid` can fit several of them. */
  readonly keys: readonly JwtKey[];
}

/** Options for the verification of tokens of one issuer. Times in seconds. */
export interface JwtVerifierOptions {
  /** The value that the token's `iss` must have, exactly. */
  readonly issuer: string;
  /**
   * The URL at which the issuer publishes its keys: `https:`, or `http:` of `127.0.0.1` or `[::1]`, for an issuer on a developer's machine.
   * Redirects are rejected, at most 512 KiB and 100 keys. A set is used for 10 minutes; a fetch takes at most 5 s, and after
   * a failure the next fetch is delayed by 30 s. Set either this or `jwks`.
   */
  readonly jwksUri?: string;
  /** The issuer's public keys. */
  readonly jwks?: JwtKeySet;
  /** Accepted audiences; the token must contain at least one of them. Checked last. */
  readonly audience: readonly string[];
  /** Algorithms of signatures that are accepted, never `none` or `HS*`. Default `RS256 PS256 ES256 EdDSA`. */
  readonly algorithms?: readonly string[];
  /** The allowed difference between clocks; default 5, at most 300. */
  readonly clockToleranceSeconds?: number;
  /** The claim that names the audience; default `aud`. Cognito access tokens contain the client in `client_id`. */
  readonly audienceClaim?: 'aud' | 'client_id';
  /** The required value of the claim `token_use`; `access` with `audienceClaim: 'client_id'`. */
  readonly tokenUse?: 'access' | 'id';
  /** The required `typ` of the header, for example `at+jwt`. Default: not checked. */
  readonly typ?: string;
  /** Greatest age of a token in seconds, by its claim `iat`, which is then required. Default: not checked. */
  readonly maxTokenAgeSeconds?: number;
  /** Required claims of a token, in addition to `exp`. Default: none. */
  readonly requiredClaims?: readonly string[];
  /** Fetches the key set instead of the platform's `fetch`: for a proxy, or an issuer with a private certificate. */
  readonly fetch?: KeyFetch;
}

/** Options for principals from the tokens of one issuer. */
export interface JwtPrincipalOptions extends JwtVerifierOptions {
  /**
   * The identity of the caller. Default `sub`; a blank value is answered with 401. Required for each issuer if there are several issuers: a subject is
   * unique within its issuer only (RFC 7519 section 4.1.2), so subject 42 of one issuer would be identified with subject 42 of
   * another.
   *
   * @example ({ iss, sub }) => `${iss}#${sub}`
   */
  readonly identity?: (claims: JwtClaims) => string;
  /** The scopes of the caller. Default: `scope` split at spaces, else `scp`, a string or a list. */
  readonly scopes?: (claims: JwtClaims) => readonly string[];
  /** The tenant of the caller. Default: none. */
  readonly tenantId?: (claims: JwtClaims) => string | undefined;
  /** The kind of the principal. Default `external`. */
  readonly kind?: (claims: JwtClaims) => PrincipalKind;
  /** The header that contains the token. Default `authorization`. Other headers accept the token without `Bearer`. The same for all issuers. */
  readonly header?: string;
  /** True if the challenge contains `error="invalid_token"` (RFC 6750 section 3). Default `false`; the same for all issuers. */
  readonly describeErrors?: boolean;
}

/** Compared exactly with values of tokens, so it is not trimmed. */
const exactText = kind<string>('a string that is not blank', isText);
const textList = (least: number, wanted: string) =>
  kind<readonly string[]>(wanted, (value) => Array.isArray(value) && value.length >= least && value.every(isText));
/** At least one string. */
export const texts = textList(1, 'a list of at least one string');
const headerName = kind<string>(
  'the name of a header',
  (value) => typeof value === 'string' && /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(value),
);

const DEFAULT_ALGORITHMS: readonly string[] = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/** Validators and defaults for {@link JwtVerifierOptions}, for option sets that extend it. */
export const VERIFIER_KINDS = {
  issuer: exactText.required(),
  jwksUri: kind<string>('an https URL without user name', isKeyAddress),
  jwks: kind<JwtKeySet>('a JSON Web Key Set', isKeySet),
  audience: texts.required(),
  algorithms: kind<readonly string[]>(
    'a list of algorithms with public keys, such as RS256 or ES256',
    (value) => Array.isArray(value) && value.length > 0 && value.every((name) => ALGORITHMS.has(name)),
  ).default(DEFAULT_ALGORITHMS),
  clockToleranceSeconds: number(0, 300, 'seconds').default(5),
  audienceClaim: oneOf('aud', 'client_id').default('aud'),
  tokenUse: oneOf('access', 'id'),
  typ: exactText,
  maxTokenAgeSeconds: kind<number>(
    'a number of seconds above 0',
    (value) => Number.isFinite(value) && (value as number) > 0,
  ),
  requiredClaims: textList(0, 'a list of strings'),
  fetch: func<KeyFetch>(),
};

/** Options of a principal resolver, except the values that a user pool determines. */
export const PRINCIPAL_KINDS = {
  jwks: VERIFIER_KINDS.jwks,
  clockToleranceSeconds: VERIFIER_KINDS.clockToleranceSeconds,
  typ: VERIFIER_KINDS.typ,
  maxTokenAgeSeconds: VERIFIER_KINDS.maxTokenAgeSeconds,
  requiredClaims: VERIFIER_KINDS.requiredClaims,
  fetch: VERIFIER_KINDS.fetch,
  identity: func<NonNullable<JwtPrincipalOptions['identity']>>(),
  scopes: func<NonNullable<JwtPrincipalOptions['scopes']>>(),
  tenantId: func<NonNullable<JwtPrincipalOptions['tenantId']>>(),
  kind: func<NonNullable<JwtPrincipalOptions['kind']>>(),
  header: headerName,
  describeErrors: boolean,
};

const VERIFIER_OPTIONS = defineOptions<JwtVerifierOptions>()(VERIFIER_KINDS);
export const PRINCIPAL_OPTIONS = defineOptions<JwtPrincipalOptions>()({ ...VERIFIER_KINDS, ...PRINCIPAL_KINDS });

/** Checked options of one issuer's verifier, with their defaults. */
export type JwtSettings = ParsedOptions<typeof VERIFIER_KINDS>;
/** Checked options of one issuer's principal resolver. */
export type PrincipalSettings = ParsedOptions<typeof PRINCIPAL_OPTIONS.kinds>;

/**
 * Checks that options are consistent, and copies their lists.
 *
 * @throws FrameworkError `app.invalid_configuration` that names the option and never its value
 */
export function toSettings(options: JwtSettings): JwtSettings {
  const { jwksUri, jwks, audienceClaim, tokenUse } = options;
  if ((jwksUri === undefined) === (jwks === undefined))
    throw invalidOption('jwksUri', 'set if jwks is absent, and absent if jwks is set');
  if (audienceClaim === 'client_id' && tokenUse === 'id') {
    throw invalidOption('tokenUse', '"access" if "audienceClaim" is "client_id"');
  }
  return {
    ...options,
    audience: [...options.audience],
    algorithms: [...options.algorithms],
    requiredClaims: [...(options.requiredClaims ?? [])],
    tokenUse: audienceClaim === 'client_id' ? 'access' : tokenUse,
  };
}

/**
 * Checked settings of each issuer.
 *
 * @throws FrameworkError `app.invalid_configuration`
 */
export function parseSettings(options: JwtVerifierOptions | readonly JwtVerifierOptions[]): readonly JwtSettings[] {
  const list: readonly JwtVerifierOptions[] = Array.isArray(options) ? options : [options as JwtVerifierOptions];
  return differentIssuers(list.map((entry) => toSettings(VERIFIER_OPTIONS.parse(entry ?? null))));
}

/** @throws FrameworkError `app.invalid_configuration` for an empty list, and for two settings with the same issuer */
export function differentIssuers(all: readonly JwtSettings[]): readonly JwtSettings[] {
  if (all.length === 0) throw invalidOption('options', 'at least one issuer');
  if (new Set(all.map(({ issuer }) => issuer)).size < all.length) {
    throw invalidOption('issuer', 'different in each configuration');
  }
  return all;
}

function isKeySet(value: unknown): boolean {
  const keys = typeof value === 'object' && value !== null ? (value as Partial<JwtKeySet>).keys : undefined;
  return Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null);
}

/** Requests on the loopback interface do not leave the machine. A name could be resolved to another address. */
const LOOPBACK: readonly string[] = ['127.0.0.1', '[::1]'];

function isKeyAddress(text: unknown): boolean {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
}
