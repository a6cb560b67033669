import { type Context, FrameworkError, type MaybePromise } from '@sallyport/core';
import { callerKey, stateOf } from '@sallyport/core/pipeline';
import type { RateLimitKey } from '../../limiter/limiter.js';
import { type FingerprintKey, fingerprintCredential, parseFingerprintKey, stripBlanks } from '../fingerprint.js';

/** Who calls, and how that is known. */
export type Identity = Pick<RateLimitKey, 'identifier' | 'caller'> & { readonly kind: string };

export type Identify = (ctx: Context) => Promise<Identity>;

const EQUALS_SIGN = 61;
const ANONYMOUS: Identity = { kind: 'anonymous', identifier: 'anonymous' };
/** RFC 6750 section 2.1; the scheme in any case (RFC 9110 section 11.1). */
const BEARER = /^bearer +/i;

/**
 * The first of own identifier, proved caller, API key, bearer token, tenant that is not blank. Nobody has verified a header:
 * where it came before the proved caller, an invented API key would be a fresh bucket.
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

/** The own identifier alone: what a caller sends without proof must not choose the bucket. */
export function createIdentifyBefore(extract: (ctx: Context) => MaybePromise<string>): Identify {
  return async (ctx) => {
    const own = await askText(extract, ctx);
    return own.trim() === '' ? ANONYMOUS : { kind: 'custom', identifier: own };
  };
}

/**
 * Asks a function of the user's for a text.
 *
 * @throws FrameworkError `app.internal` when it throws or answers anything else: never "allow"
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
    cause: new TypeError('rate limit extractor must answer a text'),
  });
}

/** Without a principal the tenant may be the caller's own claim, which must not choose the bucket. */
function callerOf(ctx: Context): string {
  const { principal, authIdentity, tenantId } = stateOf(ctx);
  return callerKey({ principal, authIdentity, tenantId: principal ? tenantId : '' });
}

interface Credential {
  readonly kind: 'api_key' | 'bearer';
  readonly text: string;
}

function credentialOf(ctx: Context): Credential | undefined {
  const apiKey = stripBlanks(ctx.header('x-api-key'));
  if (apiKey !== '') return { kind: 'api_key', text: apiKey };
  const authorization = stripBlanks(ctx.header('authorization'));
  const token = BEARER.test(authorization) ? stripPadding(stripBlanks(authorization.replace(BEARER, ''))) : '';
  return token === '' ? undefined : { kind: 'bearer', text: token };
}

/** A token without its padding is the same token to most who decode it. */
function stripPadding(token: string): string {
  let end = token.length;
  while (end > 0 && token.charCodeAt(end - 1) === EQUALS_SIGN) end -= 1;
  return token.slice(0, end);
}

function fingerprintOf({ kind, text }: Credential, key: string | Uint8Array | undefined): Identity {
  return { kind, identifier: `${kind}:hmac-sha256:${fingerprintCredential(kind, text, key)}` };
}

/** Checks a given key at once; asks a function once, and again only if it failed. */
function onceKey(key: FingerprintKey | undefined): () => Promise<string | Uint8Array | undefined> {
  if (typeof key !== 'function') {
    const parsed = key === undefined ? undefined : parseFingerprintKey(key);
    return async () => parsed;
  }
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
