import type { Clock } from '@sallyport/core';
import { sha256Url } from '@sallyport/core/internal';
import type { Sealer } from '../../internal/crypto.js';
import { createOpaqueToken, lastingTokens } from '../../oauth/refresh-tokens.js';
import { decodeRow, encodeRow, type McpStore, type Row, toTtl } from '../../store/store.js';

/** A sign-in to which the user has agreed, until the provider returns the user. */
export interface PendingSignIn {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state?: string;
  readonly scopes: readonly string[];
  /** The challenge of the client. */
  readonly codeChallenge: string;
  /** The verifier for the provider. */
  readonly verifier: string;
}

/** The provider's tokens of one sign-in. */
export interface SignedIn {
  /** The scopes of the sign-in. */
  readonly scopes: readonly string[];
  /** The first access token, until the client has received it. */
  readonly accessToken?: string;
  /** Epoch milliseconds. */
  readonly expiresAt?: number;
  readonly refreshToken?: string;
  /** Epoch milliseconds until which one request refreshes the tokens. */
  readonly busyUntil?: number;
}

/** The tokens with the row that they were read from. */
export interface StoredSignIn {
  readonly row: Row;
  readonly signedIn: SignedIn;
}

/** Milliseconds in which a user signs in at the provider. */
export const PENDING_MS = 600_000;
/** The lifetime of a family of refresh tokens: 90 days. */
const SIGNED_IN_MS = 7_776_000_000;
const SORT = '!';

/**
 * Sign-ins in an MCP store. Each row is encrypted, and its key is the hash of a value that the store does not contain: `state`, or the
 * handle in a grant. A pending sign-in opens only with the cookie of the browser in which the user has agreed.
 */
export class SignIns {
  readonly #store: McpStore;
  readonly #sealer: Sealer;
  readonly #clock: Clock;

  constructor(store: McpStore, sealer: Sealer, clock: Clock) {
    this.#store = lastingTokens(store, clock);
    this.#sealer = sealer;
    this.#clock = clock;
  }

  /** Stores a pending sign-in and returns the `state` for the provider. */
  async begin(pending: PendingSignIn, browser: string): Promise<string> {
    const state = createOpaqueToken();
    await this.#put(pendingPartition(state), 1, PENDING_MS, pending, browser, 'absent');
    return state;
  }

  /** Uses a `state` up. Returns `undefined` if it is unknown, expired or used, or belongs to another browser, which does not use it up. */
  async end(state: string, browser: string): Promise<PendingSignIn | undefined> {
    const key = { partition: pendingPartition(state), sort: SORT };
    const row = await this.#store.get(key);
    const pending = row && (await this.#open<PendingSignIn>(row, browser));
    return pending && (await this.#store.take(key)) ? pending : undefined;
  }

  /** Stores the tokens of a sign-in and returns its handle. */
  async keep(signedIn: SignedIn): Promise<string> {
    const handle = createOpaqueToken();
    await this.#put(handlePartition(handle), 1, SIGNED_IN_MS, signedIn, handle, 'absent');
    return handle;
  }

  async read(handle: string): Promise<StoredSignIn | undefined> {
    const row = await this.#store.get({ partition: handlePartition(handle), sort: SORT });
    const signedIn = row && (await this.#open<SignedIn>(row, handle));
    return row && signedIn && { row, signedIn };
  }

  /** Replaces the tokens; returns `undefined` if another request was faster. */
  async replace(handle: string, { row }: StoredSignIn, signedIn: SignedIn): Promise<StoredSignIn | undefined> {
    const version = row.version + 1;
    const when = { version: row.version };
    const next = await this.#put(row.partition, version, SIGNED_IN_MS, signedIn, handle, when);
    return next && { row: next, signedIn };
  }

  async forget(handle: string): Promise<void> {
    await this.#store.take({ partition: handlePartition(handle), sort: SORT });
  }

  async #put(
    partition: string,
    version: number,
    lifeMs: number,
    value: object,
    bound: string,
    when: 'absent' | { readonly version: number },
  ): Promise<Row | undefined> {
    const data = encodeRow(await this.#sealer.seal('sign-in', JSON.stringify(value), bound));
    const ttl = toTtl(this.#clock.now().getTime() + lifeMs);
    const row: Row = { partition, sort: SORT, version, ttl, data };
    return (await this.#store.put(row, when)) ? row : undefined;
  }

  async #open<T>(row: Row, bound: string): Promise<T | undefined> {
    const text = await this.#sealer.open('sign-in', decodeRow<string>(row), bound);
    return text === undefined ? undefined : (JSON.parse(text) as T);
  }
}

function pendingPartition(state: string): string {
  return `oa#${sha256Url(state)}`;
}

function handlePartition(handle: string): string {
  return `ot#${sha256Url(handle)}`;
}
