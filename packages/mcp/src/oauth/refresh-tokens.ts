import { type Clock, systemClock } from '@sallyport/core';
import { defineOptions, integer, withMethods } from '@sallyport/core/options';
import { completeClock } from '@sallyport/core/pipeline';
import { hashText, randomText } from '../store/internal/crypto.js';
import { lastingStore } from '../store/internal/lasting.js';
import { decodeRow, encodeRow, type McpStore, type Row, toTtl } from '../store/store.js';

/** How long calls of the store are repeated: five seconds, and one to answer. */
const REPEATED_MS = 6000;

/** The store of codes and tokens, whose failed calls are repeated. */
export function lastingTokens(store: McpStore, given: Clock): McpStore {
  const clock = completeClock(given);
  return lastingStore(store, clock, () => clock.now().getTime() + REPEATED_MS);
}

/** Bytes of a token or code: 256 bits, so that a hash without salt is enough. */
const TOKEN_BYTES = 32;

/** A new random token or code of 43 characters. Stores keep its hash only. */
export function createOpaqueToken(): string {
  return randomText(TOKEN_BYTES);
}

/** What a person granted to a client, for one resource. */
export interface Grant {
  /** The client that asked. */
  readonly clientId: string;
  /** Who granted it. */
  readonly subject: string;
  /** What the tokens are for: the URL of an MCP server. Default: the request named none. */
  readonly resource?: string;
  /** What the client may do. */
  readonly scopes: readonly string[];
}

/** What became of a refresh token. `reused` and `foreign` have revoked its family; `repeated` is a use within ten seconds of the first. */
export type RotationRefusal = 'unknown' | 'revoked' | 'repeated' | 'reused' | 'foreign';

/** The next token, or why there is none. */
export type Rotation =
  | { readonly token: string; readonly grant: Grant; readonly family: string }
  | { readonly refused: RotationRefusal };

/** Options of {@link createRefreshTokenStore}; an unknown key is rejected. */
export interface RefreshTokenStoreOptions {
  /** Where hashes are kept: `memoryMcpStore()` or `dynamoMcpStore()`; required. */
  readonly store: McpStore;
  /** Seconds that a token lives when it is not used. Default 30 days, at most 90. */
  readonly ttlSeconds?: number;
  /** Seconds after which a person must sign in again, however often tokens were used. Default 90 days, at most 365. */
  readonly familyTtlSeconds?: number;
  /** Tells what has expired; the same as the store's. Default: the system's clock. */
  readonly clock?: Clock;
}

const DAY = 86_400;

/** Validators and defaults for {@link RefreshTokenStoreOptions}. */
export const REFRESH_TOKEN_STORE_OPTIONS = defineOptions<RefreshTokenStoreOptions>()({
  store: withMethods<McpStore>('get', 'put', 'take', 'list').required(),
  ttlSeconds: integer(60, 90 * DAY, 'seconds').default(30 * DAY),
  familyTtlSeconds: integer(60, 365 * DAY, 'seconds').default(90 * DAY),
  clock: withMethods<Clock>('now').default(systemClock),
});

/**
 * Refresh tokens, each of which is used once. All that came of one sign-in are a family: when a used one is retried, somebody has stolen
 * it or its successor, and the family ends (RFC 9700 section 4.14.2).
 */
export interface RefreshTokenStore {
  /** A first token for a grant, or the next one of a family. `undefined` when the family was revoked or has ended. */
  issue(grant: Grant, family?: string): Promise<string | undefined>;
  /** Uses a token up: one conditional write decides who gets the next one. */
  rotate(token: string, clientId: string): Promise<Rotation>;
  /** What a token is for, without using it; `undefined` for one that is unknown, used, revoked or another client's. */
  peek(token: string, clientId: string): Promise<Grant | undefined>;
  /** Ends a family: no token of it is taken any more. */
  revokeFamily(family: string): Promise<void>;
}

/**
 * Refresh tokens in an MCP store. Only SHA-256 of a token is kept. A call that fails for now is repeated for up to five seconds, because
 * a client that does not learn that its token was used up would have to sign in again.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option; methods reject with what the store rejects with
 * @example const refreshTokens = createRefreshTokenStore({ store: dynamoMcpStore() });
 */
export function createRefreshTokenStore(options: RefreshTokenStoreOptions): RefreshTokenStore {
  const { store, ttlSeconds, familyTtlSeconds, clock } = REFRESH_TOKEN_STORE_OPTIONS.parse(options ?? null);
  return new StoredRefreshTokens(lastingTokens(store, clock), clock, ttlSeconds * 1000, familyTtlSeconds * 1000);
}

interface TokenData extends Grant {
  readonly family: string;
  /** Epoch milliseconds. */
  readonly usedAt?: number;
}

interface FamilyData {
  /** Epoch milliseconds at which the family ends. */
  readonly endsAt: number;
  readonly isRevoked: boolean;
}

/** A client whose answer was lost sends its token again. */
const RETRY_MS = 10_000;
const SORT = '!';

class StoredRefreshTokens implements RefreshTokenStore {
  readonly #store: McpStore;
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #familyTtlMs: number;

  constructor(store: McpStore, clock: Clock, ttlMs: number, familyTtlMs: number) {
    this.#store = store;
    this.#clock = clock;
    this.#ttlMs = ttlMs;
    this.#familyTtlMs = familyTtlMs;
  }

  async issue(grant: Grant, family: string = createOpaqueToken()): Promise<string | undefined> {
    const data: FamilyData = { endsAt: this.#now() + this.#familyTtlMs, isRevoked: false };
    const isNew = await this.#store.put(familyRow(family, data), 'absent');
    const known = isNew ? data : await this.#family(family);
    return known && !known.isRevoked ? this.#add(grant, family, known.endsAt) : undefined;
  }

  async rotate(token: string, clientId: string): Promise<Rotation> {
    const row = await this.#row(token);
    if (!row) return { refused: 'unknown' };
    const { family, usedAt, ...grant } = decodeRow<TokenData>(row);
    if (grant.clientId !== clientId) return this.#refuse(family, 'foreign');
    if (usedAt !== undefined) {
      return this.#now() - usedAt < RETRY_MS ? { refused: 'repeated' } : this.#refuse(family, 'reused');
    }
    const known = await this.#family(family);
    if (!known || known.isRevoked) return { refused: 'revoked' };
    const used: TokenData = { ...grant, family, usedAt: this.#now() };
    const next = { ...row, version: row.version + 1, ttl: toTtl(known.endsAt), data: encodeRow(used) };
    // The successor is stored first: if that fails, the token is not used up, and the client sends it again.
    const successor = await this.#add(grant, family, known.endsAt);
    if (await this.#store.put(next, { version: row.version })) return { token: successor, grant, family };
    await this.#store.take({ partition: partitionOf(successor), sort: SORT });
    return { refused: 'repeated' };
  }

  async peek(token: string, clientId: string): Promise<Grant | undefined> {
    const row = await this.#row(token);
    if (!row) return undefined;
    const { family, usedAt, ...grant } = decodeRow<TokenData>(row);
    if (usedAt !== undefined || grant.clientId !== clientId) return undefined;
    const known = await this.#family(family);
    return known && !known.isRevoked ? grant : undefined;
  }

  async revokeFamily(family: string): Promise<void> {
    const known = await this.#family(family);
    const endsAt = known?.endsAt ?? this.#now() + this.#familyTtlMs;
    await this.#store.put(familyRow(family, { endsAt, isRevoked: true }));
  }

  async #refuse(family: string, refused: RotationRefusal): Promise<Rotation> {
    await this.revokeFamily(family);
    return { refused };
  }

  /** The next token of a family, none of which outlives it. */
  async #add(grant: Grant, family: string, endsAt: number): Promise<string> {
    const token = createOpaqueToken();
    const data: TokenData = { ...grant, family };
    const ttl = toTtl(Math.min(this.#now() + this.#ttlMs, endsAt));
    await this.#store.put(
      { partition: partitionOf(token), sort: SORT, version: 1, ttl, data: encodeRow(data) },
      'absent',
    );
    return token;
  }

  #row(token: string): Promise<Row | undefined> {
    return this.#store.get({ partition: partitionOf(token), sort: SORT });
  }

  async #family(family: string): Promise<FamilyData | undefined> {
    const row = await this.#store.get({ partition: familyPartition(family), sort: SORT });
    return row && decodeRow<FamilyData>(row);
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}

function partitionOf(token: string): string {
  return `or#${hashText(token)}`;
}

function familyPartition(family: string): string {
  return `of#${family}`;
}

function familyRow(family: string, data: FamilyData): Row {
  return { partition: familyPartition(family), sort: SORT, version: 1, ttl: toTtl(data.endsAt), data: encodeRow(data) };
}
