import { type Clock, systemClock } from '@sallyport/core';
import { sha256Url } from '@sallyport/core/internal';
import { defineOptions, integer, invalidOption, withMethods } from '@sallyport/core/options';
import { decodeRow, encodeRow, type McpStore, toTtl } from '../store/store.js';
import { isPkceChallenge } from './pkce.js';
import { createOpaqueToken, type Grant, lastingTokens, type RefreshTokenStore } from './refresh-tokens.js';

/** A grant of a user, stored until the client redeems its code. */
export interface AuthorizationCode extends Grant {
  /** The redirect URI of the code. The client repeats it in the token request. */
  readonly redirectUri: string;
  /** The PKCE challenge, method `S256`. */
  readonly codeChallenge: string;
}

/** The grant of a redeemed code. */
export interface RedeemedCode extends AuthorizationCode {
  /** The family of refresh tokens that is issued for this code. */
  readonly family: string;
}

/** Options of {@link createAuthorizationCodeStore}; an unknown key is rejected. */
export interface AuthorizationCodeStoreOptions {
  /** Store for the hashes: `memoryMcpStore()` or `dynamoMcpStore()`; required. */
  readonly store: McpStore;
  /** Refresh tokens; a family is revoked if its code is redeemed a second time. Default: there are no refresh tokens. */
  readonly refreshTokens?: RefreshTokenStore;
  /** Lifetime of a code in seconds. Default 60, at most 600. */
  readonly ttlSeconds?: number;
  /** The clock for expiry; the same as the clock of the store. Default: the system's clock. */
  readonly clock?: Clock;
}

/** Validators and defaults for {@link AuthorizationCodeStoreOptions}. */
export const AUTHORIZATION_CODE_STORE_OPTIONS = defineOptions<AuthorizationCodeStoreOptions>()({
  store: withMethods<McpStore>('get', 'put', 'take', 'list').required(),
  refreshTokens: withMethods<RefreshTokenStore>('revokeFamily'),
  ttlSeconds: integer(1, 600, 'seconds').default(60),
  clock: withMethods<Clock>('now').default(systemClock),
});

/** A store of single-use authorization codes. */
export interface AuthorizationCodeStore {
  /**
   * Stores a grant and returns its code.
   *
   * @throws FrameworkError `app.invalid_configuration` if the challenge does not have the form of method `S256`
   */
  put(grant: AuthorizationCode): Promise<string>;
  /** Redeems a code. Returns `undefined` for an unknown, expired or redeemed code; a second use revokes the family of the first. */
  consume(code: string): Promise<RedeemedCode | undefined>;
}

/** Milliseconds for which a redeemed code is stored, so that a second use is detected: the longest lifetime of a code. */
const REMEMBERED_MS = 600_000;
const SORT = '!';

interface CodeData extends RedeemedCode {
  readonly isRedeemed: boolean;
}

/**
 * Authorization codes in an MCP store. Only the SHA-256 of a code is stored. A failed call of the store is repeated for up to five seconds,
 * because the client cannot redeem a code again if the response to the first attempt is missing.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option; methods reject with the errors of the store
 * @example const codes = createAuthorizationCodeStore({ store, refreshTokens });
 */
export function createAuthorizationCodeStore(options: AuthorizationCodeStoreOptions): AuthorizationCodeStore {
  const { store: given, refreshTokens, ttlSeconds, clock } = AUTHORIZATION_CODE_STORE_OPTIONS.parse(options ?? null);
  const store = lastingTokens(given, clock);
  const now = () => clock.now().getTime();
  return {
    async put({ clientId, subject, resource, scopes, redirectUri, codeChallenge }) {
      if (!isPkceChallenge(codeChallenge)) throw invalidOption('codeChallenge', 'a challenge of method S256');
      const code = createOpaqueToken();
      const known = {
        clientId,
        subject,
        scopes,
        redirectUri,
        codeChallenge,
        ...(resource !== undefined && { resource }),
      };
      const data: CodeData = { ...known, family: createOpaqueToken(), isRedeemed: false };
      const ttl = toTtl(now() + ttlSeconds * 1000);
      await store.put({ partition: partitionOf(code), sort: SORT, version: 1, ttl, data: encodeRow(data) }, 'absent');
      return code;
    },
    async consume(code) {
      const row = await store.get({ partition: partitionOf(code), sort: SORT });
      if (!row) return undefined;
      const { isRedeemed, ...redeemed } = decodeRow<CodeData>(row);
      const marked: CodeData = { ...redeemed, isRedeemed: true };
      const next = { ...row, version: row.version + 1, ttl: toTtl(now() + REMEMBERED_MS), data: encodeRow(marked) };
      if (!isRedeemed && (await store.put(next, { version: row.version }))) return redeemed;
      await refreshTokens?.revokeFamily(redeemed.family);
      return undefined;
    },
  };
}

function partitionOf(code: string): string {
  return `oc#${sha256Url(code)}`;
}
