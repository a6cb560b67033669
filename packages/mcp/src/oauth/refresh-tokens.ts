import { type Clock, systemClock } from '@sallyport/core';
import { completeClock, sha256Url } from '@sallyport/core/internal';
import { defineOptions, integer, withMethods } from '@sallyport/core/options';
import { randomText } from '../internal/crypto.js';
import { lastingStore } from '../store/internal/lasting.js';
import { decodeRow, encodeRow, type McpStore, type Row, toTtl } from '../store/store.js';

/** Milliseconds for which calls of the store are repeated: five seconds, and one second for the response. */
const REPEATED_MS = 6000;

/** A store of codes and tokens that repeats failed calls. */
export function lastingTokens(store: McpStore, given: Clock): McpStore {
  const clock = completeClock(given);
  return lastingStore(store, clock, () => clock.now().getTime() + REPEATED_MS);
}

/** Bytes of a token or code: 256 bits, so a hash without salt is enough. */
const TOKEN_BYTES = 32;

/** Creates a random token or code of 43 characters. Stores keep only its hash. */
export function createOpaqueToken(): string {
  return randomText(TOKEN_BYTES);
}

/** A user's grant to a client, for one resource. */
export interface Grant {
  /** The id of the client. */
  readonly clientId: string;
  /** The user who granted it. */
  readonly subject: string;
  /** The URL of the MCP server that the tokens are for. Default: the request contained no `resource`. */
  readonly resource?: string;
  /** Granted scopes. */
  readonly scopes: readonly string[];
}

/** Reason of a rejected rotation. `reused` and `foreign` have revoked the family; `repeated` is a use within ten seconds of the first. */
export type RotationRefusal = 'unknown' | 'revoked' | 'repeated' | 'reused' | 'foreign';

/** The next token, or the reason why there is no next token. */
export type Rotation =
  | { readonly token: string; readonly grant: Grant; readonly family: string }
  | { readonly refused: RotationRefusal };

/** Options of {@link createRefreshTokenStore}; an unknown key is rejected. */
export interface RefreshTokenStoreOptions {
  /** Store for the hashes: `memoryMcpStore()` or `dynamoMcpStore()`; required. */
  readonly store: McpStore;
  /** Lifetime of an unused token in seconds. Default 30 days, at most 90. */
  readonly ttlSeconds?: number;
  /** Seconds after which a user must sign in again, even if tokens were used. Default 90 days, at most 365. */
  readonly familyTtlSeconds?: number;
  /** The clock for expiry; the same as the clock of the store. Default: the system's clock. */
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
 * Single-use refresh tokens. All tokens of one sign-in form a family. If a used token is sent again, the token or its successor has been
 * stolen, and the family is revoked (RFC 9700 section 4.14.2).
 */
export interface RefreshTokenStore {
  /** Issues the first token for a grant, or the next token of a family. Returns `undefined` if the family was revoked or has expired. */
  issue(grant: Grant, family?: string): Promise<string | undefined>;
  /** Exchanges a token for the next token. A conditional write lets only one of several concurrent calls succeed. */
  rotate(token: string, clientId: string): Promise<Rotation>;
  /** The grant of a token, without using it; `undefined` if the token is unknown, used, revoked or issued to another client. */
  peek(token: string, clientId: string): Promise<Grant | undefined>;
  /** Revokes a family: none of its tokens can be used again. */
  revokeFamily(family: string): Promise<void>;
}

/**
 * Refresh tokens in an MCP store. Only the SHA-256 of a token is stored. A failed call of the store is repeated for up to five seconds,
 * because a client that does not receive the next token would have to sign in again.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option; methods reject with the errors of the store
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
  /** Epoch milliseconds at which the family expires. */
  readonly endsAt: number;
  readonly isRevoked: boolean;
}

/** Milliseconds in which a client that did not receive the response may repeat the request. */
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
    // The successor is stored first: if that fails, the token is still valid and the client can send it again.
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

  /** Adds the next token of a family; it expires with the family at the latest. */
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
  return `or#${sha256Url(token)}`;
}

function familyPartition(family: string): string {
  return `of#${family}`;
}

function familyRow(family: string, data: FamilyData): Row {
  return { partition: familyPartition(family), sort: SORT, version: 1, ttl: toTtl(data.endsAt), data: encodeRow(data) };
}
