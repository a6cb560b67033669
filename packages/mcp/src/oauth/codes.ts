import { type Clock, systemClock } from '@sallyport/core';
import { defineOptions, integer, invalidOption, withMethods } from '@sallyport/core/options';
import { hashText } from '../store/internal/crypto.js';
import { decodeRow, encodeRow, type McpStore, toTtl } from '../store/store.js';
import { isPkceChallenge } from './pkce.js';
import { createOpaqueToken, type Grant, lastingTokens, type RefreshTokenStore } from './refresh-tokens.js';

/** What a person granted, as it waits for the client to redeem its code. */
export interface AuthorizationCode extends Grant {
  /** Where the code was sent. The client names it again. */
  readonly redirectUri: string;
  /** The challenge of PKCE, method `S256`. */
  readonly codeChallenge: string;
}

/** A code that was redeemed. */
export interface RedeemedCode extends AuthorizationCode {
  /** The family of refresh tokens that comes of it. */
  readonly family: string;
}

/** Options of {@link createAuthorizationCodeStore}; an unknown key is rejected. */
export interface AuthorizationCodeStoreOptions {
  /** Where hashes are kept: `memoryMcpStore()` or `dynamoMcpStore()`; required. */
  readonly store: McpStore;
  /** Whose family ends when a code is redeemed a second time. Default: there are no refresh tokens. */
  readonly refreshTokens?: RefreshTokenStore;
  /** Seconds that a code lives. Default 60, at most 600. */
  readonly ttlSeconds?: number;
  /** Tells what has expired; the same as the store's. Default: the system's clock. */
  readonly clock?: Clock;
}

/** Validators and defaults for {@link AuthorizationCodeStoreOptions}. */
export const AUTHORIZATION_CODE_STORE_OPTIONS = defineOptions<AuthorizationCodeStoreOptions>()({
  store: withMethods<McpStore>('get', 'put', 'take', 'list').required(),
  refreshTokens: withMethods<RefreshTokenStore>('revokeFamily'),
  ttlSeconds: integer(1, 600, 'seconds').default(60),
  clock: withMethods<Clock>('now').default(systemClock),
});

/** Authorization codes, each of which is redeemed once. */
export interface AuthorizationCodeStore {
  /**
   * Keeps a grant and returns its code.
   *
   * @throws FrameworkError `app.invalid_configuration` for a challenge that is none of method `S256`
   */
  put(grant: AuthorizationCode): Promise<string>;
  /** What a code stands for, once. `undefined` for one that is unknown, expired or redeemed; a second use ends the family that came of the first. */
  consume(code: string): Promise<RedeemedCode | undefined>;
}

/** How long a redeemed code is remembered, so that a second use of it is noticed: the longest life of a code. */
const REMEMBERED_MS = 600_000;
const SORT = '!';

interface CodeData extends RedeemedCode {
  readonly isRedeemed: boolean;
}

/**
 * Authorization codes in an MCP store. Only SHA-256 of a code is kept. A call that fails for now is repeated for up to five seconds: a code
 * that is redeemed without an answer could not be redeemed again.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option; methods reject with what the store rejects with
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
  return `oc#${hashText(code)}`;
}
