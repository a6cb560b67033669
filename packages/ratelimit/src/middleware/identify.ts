import { type Context, FrameworkError, type MaybePromise } from '@sallyport/core';
import { callerKey, canonicalIp, stateOf } from '@sallyport/core/internal';
import { defineOptions, integer, kind as optionKind } from '@sallyport/core/options';
import { invalidConfig, invalidInput } from '../errors.js';
import type { RateLimitKey } from '../limiter/limiter.js';

/** The caller, and the source of its identifier. */
export type Identity = Pick<RateLimitKey, 'identifier' | 'caller'> & { readonly kind: string };

export type Identify = (ctx: Context) => Promise<Identity>;

/** Public, not a secret: a short credential could be guessed from its fingerprint. */
const DEFAULT_KEY = 'framework/rate-limit/identifier-fingerprint/v1';
const MIN_KEY_BYTES = 16;
const KINDS: readonly unknown[] = ['api_key', 'bearer'];
const WANTED = `a text or bytes, at least ${MIN_KEY_BYTES} bytes`;
const EQUALS_SIGN = 61;
const ANONYMOUS: Identity = { kind: 'anonymous', identifier: 'anonymous' };
/** RFC 6750 section 2.1; the scheme in any case (RFC 9110 section 11.1). */
const BEARER = /^bearer +/i;

/**
 * Uses the first value that is not blank: result of `extract`, verified caller, API key, bearer token, tenant. Headers are not
 * verified: if they were used before the verified caller, a new API key in each request would avoid the limit.
 */
export function createIdentify(
  extract: ((ctx: Context) => MaybePromise<string>) | undefined,
  fingerprintKey: FingerprintKey | undefined,
): Identify {
  const keyOf = onceKey(fingerprintKey);
  return async (ctx) => {
    const own = extract === undefined ? '' : await askText(extract, ctx);
    if (own.trim() !== '') return { kind: 'custom', identifier: own };
    if (ctx.authIdentity.trim() !== '') return { kind: 'auth', identifier: ctx.authIdentity, caller: callerOf(ctx) };
    const credential = credentialOf(ctx);
    if (credential !== undefined) return fingerprintOf(credential, await keyOf());
    return ctx.tenantId.trim() === '' ? ANONYMOUS : { kind: 'tenant', identifier: ctx.tenantId };
  };
}

/** Uses only the result of `extract`: unverified data must not determine the counter of a caller. */
export function createIdentifyBefore(extract: (ctx: Context) => MaybePromise<string>): Identify {
  return async (ctx) => {
    const own = await askText(extract, ctx);
    return own.trim() === '' ? ANONYMOUS : { kind: 'custom', identifier: own };
  };
}

/**
 * Calls a function of the application that must return a string.
 *
 * @throws FrameworkError `app.internal` if it throws or returns another type; then the request is never allowed
 */
export async function askText(extract: (ctx: Context) => MaybePromise<string>, ctx: Context): Promise<string> {
  let text: unknown;
  try {
    text = await extract(ctx);
  } catch (cause) {
    throw new FrameworkError('app.internal', undefined, { cause });
  }
  if (typeof text === 'string') return text;
  throw new FrameworkError('app.internal', undefined, {
    cause: new TypeError('rate limit extractor must return a string'),
  });
}

/** Without a principal the tenant may be unverified, and must not determine the counter of the caller. */
function callerOf(ctx: Context): string {
  const { principal, authIdentity, tenantId } = stateOf(ctx);
  return callerKey({ principal, authIdentity, tenantId: principal ? tenantId : '' });
}

interface Credential {
  readonly kind: 'api_key' | 'bearer';
  readonly text: string;
}

function credentialOf(ctx: Context): Credential | undefined {
  const apiKey = stripBlanks(ctx.header('x-api-key') ?? '');
  if (apiKey !== '') return { kind: 'api_key', text: apiKey };
  const authorization = stripBlanks(ctx.header('authorization') ?? '');
  const token = BEARER.test(authorization) ? stripPadding(stripBlanks(authorization.replace(BEARER, ''))) : '';
  return token === '' ? undefined : { kind: 'bearer', text: token };
}

/** Most decoders accept a token with and without its padding as the same token. */
function stripPadding(token: string): string {
  let end = token.length;
  while (end > 0 && token.charCodeAt(end - 1) === EQUALS_SIGN) end -= 1;
  return token.slice(0, end);
}

function fingerprintOf({ kind, text }: Credential, key: string | Uint8Array | undefined): Identity {
  return { kind, identifier: `${kind}:hmac-sha256:${fingerprintCredential(kind, text, key)}` };
}

/**
 * Calls the function for the key once, and again only after a failure. A key that was given as a value was checked with the
 * options.
 */
function onceKey(key: FingerprintKey | undefined): () => Promise<string | Uint8Array | undefined> {
  if (typeof key !== 'function') return async () => key;
  let asked: Promise<string | Uint8Array> | undefined;
  return async () => {
    asked ??= Promise.resolve().then(key).then(parseFingerprintKey);
    try {
      return await asked;
    } catch (cause) {
      asked = undefined;
      throw new FrameworkError('app.internal', undefined, { cause });
    }
  };
}

/** The kind of a credential: API key or bearer token. Equal strings of different kinds have different fingerprints. */
export type CredentialKind = 'api_key' | 'bearer';

/** The key of fingerprints, or a function that returns it and is called once. */
export type FingerprintKey = string | Uint8Array | (() => Promise<string | Uint8Array>);

/** The option `fingerprintKey`. */
export const fingerprintKeyOption = optionKind<FingerprintKey>(
  `${WANTED}, or a function that returns one`,
  (value) => typeof value === 'function' || isKey(value),
);

/**
 * 64 lower-case hex digits that represent a credential in keys: HMAC-SHA256 (RFC 2104) of kind, a zero byte and the
 * credential without spaces and tabs at its ends.
 *
 * @param key text (UTF-8) or bytes, at least 16 bytes. Default: a public key that every runtime has
 * @throws RateLimitError `ratelimit.invalid_input` for a blank credential, `ratelimit.invalid_config` for a short key
 * @example fingerprintCredential('api_key', 'test-key') // '3aac7b87…'
 */
export function fingerprintCredential(kind: CredentialKind, credential: string, key?: string | Uint8Array): string {
  if (!KINDS.includes(kind)) throw invalidInput('kind must be "api_key" or "bearer"');
  if (typeof credential !== 'string' || stripBlanks(credential) === '') throw invalidInput('credential is blank');
  const hmac = process.getBuiltinModule('node:crypto').createHmac('sha256', parseFingerprintKey(key ?? DEFAULT_KEY));
  return hmac.update(`${kind}\0${stripBlanks(credential)}`, 'utf8').digest('hex');
}

/** @throws RateLimitError `ratelimit.invalid_config` for a value that is neither text nor bytes, or shorter than 16 bytes */
function parseFingerprintKey(key: unknown): string | Uint8Array {
  if (isKey(key)) return key;
  throw invalidConfig(`option "fingerprintKey" must be ${WANTED}`);
}

function isKey(key: unknown): key is string | Uint8Array {
  return (typeof key === 'string' || key instanceof Uint8Array) && Buffer.byteLength(key) >= MIN_KEY_BYTES;
}

/** Without spaces and tabs at both ends (optional whitespace of RFC 9110 section 5.6.3). */
function stripBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

/** Options of {@link bySourceIp}. */
export interface BySourceIpOptions {
  /** Bits of an IPv6 address that count, 1 to 128. Default 64, because one subscriber usually has a whole /64. */
  readonly ipv6Prefix?: number;
}

/** Validators and defaults for {@link BySourceIpOptions}. */
export const SOURCE_IP_OPTIONS = defineOptions<BySourceIpOptions>()(
  { ipv6Prefix: integer(1, 128).default(64) },
  { fail: invalidConfig },
);

const MAPPED = '::ffff:';
const GROUPS = 8;

/**
 * Identifies a caller by the source address that AWS reports: `ip:192.0.2.1`, `ip:2001:db8::`, or `ip:unknown`. Forwarding
 * headers are never read.
 *
 * @throws RateLimitError `ratelimit.invalid_config` for a wrong option
 * @example rateLimitPolicy({ limiter, extractIdentifier: bySourceIp({ ipv6Prefix: 56 }) })
 */
export function bySourceIp(options: BySourceIpOptions = {}): (ctx: Context) => string {
  const { ipv6Prefix: prefix } = SOURCE_IP_OPTIONS.parse(options);
  return (ctx) => {
    const { valid, sourceIP } = ctx.sourceProvenance();
    return valid ? `ip:${cutAddress(sourceIP, prefix)}` : 'ip:unknown';
  };
}

/** An IPv4 address written as IPv6 is not truncated; otherwise all IPv4 callers would be one. */
function cutAddress(address: string, prefix: number): string {
  if (address.startsWith(MAPPED) && address.includes('.')) return address.slice(MAPPED.length);
  if (!address.includes(':')) return address;
  const cut = groupsOf(address).map((group, index) => group & maskOf(prefix - index * 16));
  return canonicalIp(cut.map((group) => group.toString(16)).join(':'));
}

/** The groups of an address in canonical form. */
function groupsOf(address: string): number[] {
  const [head = '', tail = ''] = address.split('::');
  const [before, after] = [parseGroups(head), parseGroups(tail)];
  return [...before, ...Array<number>(GROUPS - before.length - after.length).fill(0), ...after];
}

function parseGroups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

/** The mask of a group whose first bits count. */
function maskOf(bits: number): number {
  return bits >= 16 ? 0xffff : (0xffff << (16 - Math.max(bits, 0))) & 0xffff;
}
