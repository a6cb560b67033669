import { defineOptions, invalidConfiguration, kind, list, string, text } from '@sallyport/core/options';
import { hashText } from '../store/internal/crypto.js';
import { scopeList } from './internal/scopes.js';
import { type BearerClaims, BearerError, type Validator } from './validator.js';

/** One token that {@link staticBearerValidator} takes; an unknown key is rejected. */
export interface StaticBearerOptions {
  /** SHA-256 of the token, as base64url: what `hashBearerToken` gives. */
  readonly tokenHash: string;
  /** Who calls with it. */
  readonly subject: string;
  /** For whom it is. Default: it does not say. */
  readonly audience?: readonly string[];
  /** What the caller may do. Default nothing in particular. */
  readonly scopes?: readonly string[];
  /** When it expires. Default never. */
  readonly expiresAt?: Date;
  /** The client that it was issued to. Default: it does not say. */
  readonly clientId?: string;
}

/** Validators and defaults for {@link StaticBearerOptions}. */
export const STATIC_BEARER_OPTIONS = defineOptions<StaticBearerOptions>()({
  tokenHash: kind<string>(
    'a SHA-256 as base64url',
    (value) => typeof value === 'string' && /^[\w-]{43}$/.test(value),
  ).required(),
  subject: text().required(),
  audience: list(string, 'a list of texts').default([]),
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
  return hashText(token);
}

/**
 * A validator that knows its tokens beforehand, for tests, local runs and a handful of machines. Only hashes of the tokens are kept.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong record, and for two of one token
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
    const claims = known.get(hashText(token));
    if (!claims) throw new BearerError('invalid', 'unknown');
    return claims;
  };
}
