import { sha256Url } from '@sallyport/core/internal';
import { defineOptions, invalidConfiguration, kind, list, string, text } from '@sallyport/core/options';
import { scopeList } from './internal/scopes.js';
import { type BearerClaims, BearerError, type Validator } from './validator.js';

/** A token that {@link staticBearerValidator} accepts; an unknown key is rejected. */
export interface StaticBearerOptions {
  /** SHA-256 of the token, as base64url: the result of `hashBearerToken`. */
  readonly tokenHash: string;
  /** The caller's identity. */
  readonly subject: string;
  /** Audiences of the token. Default: unknown. */
  readonly audience?: readonly string[];
  /** Scopes of the caller. Default none. */
  readonly scopes?: readonly string[];
  /** Expiry of the token. Default never. */
  readonly expiresAt?: Date;
  /** The client that the token was issued to. Default: unknown. */
  readonly clientId?: string;
}

/** Validators and defaults for {@link StaticBearerOptions}. */
export const STATIC_BEARER_OPTIONS = defineOptions<StaticBearerOptions>()({
  tokenHash: kind<string>(
    'a SHA-256 as base64url',
    (value) => typeof value === 'string' && /^[\w-]{43}$/.test(value),
  ).required(),
  subject: text().required(),
  audience: list(string, 'a list of strings').default([]),
  scopes: scopeList.default([]),
  expiresAt: kind<Date>('a valid Date', (value) => value instanceof Date && !Number.isNaN(value.getTime())),
  clientId: text(),
});

/**
 * SHA-256 of a token, as base64url.
 *
 * @example hashBearerToken('local') // 'Jb-OGiOT8RCNNwKbPfVZMjbHVXQuyTRlu6-pspC93PY'
 */
export function hashBearerToken(token: string): string {
  return sha256Url(token);
}

/**
 * A validator with a fixed list of tokens, for tests, local runs and a handful of machines. It stores only hashes of the tokens.
 *
 * @throws FrameworkError `app.invalid_configuration` for an invalid record, and for two records of one token
 * @example
 * const validator = staticBearerValidator([{ tokenHash: hashBearerToken('local'), subject: 'ada', scopes: ['notes:read'] }]);
 */
export function staticBearerValidator(records: readonly StaticBearerOptions[]): Validator {
  if (!Array.isArray(records)) throw invalidConfiguration('the records of tokens must be a list');
  const known = new Map<string, BearerClaims>();
  for (const record of records) {
    const { tokenHash, subject, audience, scopes, expiresAt, clientId } = STATIC_BEARER_OPTIONS.parse(record ?? null);
    if (known.has(tokenHash)) throw invalidConfiguration('option "tokenHash" must be different in each record');
    const claims = { sub: subject, scope: scopes.join(' ') };
    const end = expiresAt && { expiresAt: new Date(expiresAt) };
    known.set(tokenHash, Object.freeze({ subject, audience, scopes, claims, ...end, ...(clientId && { clientId }) }));
  }
  return (token) => {
    const claims = known.get(sha256Url(token));
    if (!claims) throw new BearerError('invalid', 'unknown');
    return claims;
  };
}
