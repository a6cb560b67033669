import { invalidOption } from '@sallyport/core/options';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { JwtSettings, KeyFetch } from '../options.js';

/** The issuer's keys could not be fetched; the token was not checked. */
export class KeysUnavailable extends Error {}

/** The keys of one issuer. */
export interface KeySource {
  /** Finds the key that a token's header names, at a given time. */
  finder(now: Date): JWTVerifyGetKey;
  /** The key set that is used at a given time, for comparison by identity; `undefined` when it must be fetched first. */
  current(now: Date): object | undefined;
}

/** One key set per URL and process, and per `fetch` function. Keys are public; the map contains no data of an invocation. */
const REMOTE = new WeakMap<KeyFetch, Map<string, RemoteKeys>>();
const platformFetch: KeyFetch = (url, init) => fetch(url, init);

/** An unknown `kid` means an invalid token; a key set that cannot be fetched does not. */
export function createKeySource(settings: JwtSettings): KeySource {
  if (settings.jwksUri === undefined) {
    const find = localKeys(settings);
    return { finder: () => (header, token) => find(header, token).catch(toUnavailable), current: () => find };
  }
  const keys = remoteKeys(settings.jwksUri, settings.fetch ?? platformFetch);
  return {
    finder: (now) => (header, token) => keys.find(now.getTime(), header, token).catch(toUnavailable),
    current: (now) => keys.current(now.getTime()),
  };
}

function toUnavailable(error: unknown): never {
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
  throw new KeysUnavailable('key set is not available', { cause: error });
}

function localKeys({ jwks }: JwtSettings): FindKey {
  try {
    return createLocalJWKSet(structuredClone(jwks) as NonNullable<typeof jwks>);
  } catch (cause) {
    if (cause instanceof errors.JWKSInvalid) throw invalidOption('jwks', 'a JSON Web Key Set');
    throw cause;
  }
}

function remoteKeys(jwksUri: string, way: KeyFetch): RemoteKeys {
  const sets = REMOTE.get(way) ?? new Map<string, RemoteKeys>();
  REMOTE.set(way, sets);
  const keys = sets.get(jwksUri) ?? new RemoteKeys(jwksUri, way);
  sets.set(jwksUri, keys);
  return keys;
}

const TIMEOUT_MS = 5_000;
/** The minimum time between two fetches: after a failure for any key, after a success for a key that is not in the set. */
const COOLDOWN_MS = 30_000;
const MAX_AGE_MS = 600_000;
const MAX_BYTES = 524_288;
const MAX_KEYS = 100;

/** Finds the key of a token's header in a set. */
type FindKey = ReturnType<typeof createLocalJWKSet>;
type Key = Awaited<ReturnType<FindKey>>;

/**
 * The key set that an issuer publishes at a URL. Requests that need it at the same time share one fetch. An issuer that is
 * down is called once in a cool-down: until then a token whose key is not available is rejected immediately.
 */
class RemoteKeys {
  readonly #url: string;
  readonly #fetch: KeyFetch;
  #find: FindKey | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #failure: unknown;
  #failedAt = Number.NEGATIVE_INFINITY;
  #pending: Promise<FindKey> | undefined;

  constructor(url: string, fetch: KeyFetch) {
    this.#url = url;
    this.#fetch = fetch;
  }

  /**
   * The key of a token's header.
   *
   * @param now milliseconds since the epoch; all times here are measured by it
   * @throws the error of the library for a key that is not in the set, or the error of the fetch
   */
  async find(now: number, ...args: Parameters<FindKey>): Promise<Key> {
    const find = this.current(now) ?? (await this.#load(now));
    try {
      return await find(...args);
    } catch (error) {
      const mayBeNew = error instanceof errors.JWKSNoMatchingKey && !isWithin(COOLDOWN_MS, this.#fetchedAt, now);
      if (!mayBeNew) throw error;
      return (await this.#load(now))(...args);
    }
  }

  /** The fetched set, while it is valid. */
  current(now: number): FindKey | undefined {
    return isWithin(MAX_AGE_MS, this.#fetchedAt, now) ? this.#find : undefined;
  }

  #load(now: number): Promise<FindKey> {
    if (this.#pending) return this.#pending;
    if (isWithin(COOLDOWN_MS, this.#failedAt, now)) return Promise.reject(this.#failure);
    this.#pending = this.#download(now).finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #download(now: number): Promise<FindKey> {
    const startedAt = performance.now();
    try {
      const find = createLocalJWKSet(await download(this.#url, this.#fetch));
      this.#find = find;
      this.#fetchedAt = now;
      return find;
    } catch (error) {
      this.#failure = error;
      this.#failedAt = now + (performance.now() - startedAt);
      throw error;
    }
  }
}

/** Also false after the clock was set back by more than that. */
function isWithin(durationMs: number, since: number, now: number): boolean {
  return Math.abs(now - since) < durationMs;
}

async function download(url: string, fetch: KeyFetch): Promise<JSONWebKeySet> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  // A `fetch` of the application may ignore the signal.
  const timeout = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  const accept = 'application/jwk-set+json, application/json';
  const answer = fetch(url, { method: 'GET', headers: { accept }, redirect: 'manual', signal }).then(readKeySet);
  return Promise.race([answer, timeout]);
}

async function readKeySet(response: Response): Promise<JSONWebKeySet> {
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`key set answered with status ${response.status}`);
  }
  const set = JSON.parse(await readText(response)) as JSONWebKeySet;
  if (Array.isArray(set?.keys) && set.keys.length > MAX_KEYS) throw new Error(`key set has more than ${MAX_KEYS} keys`);
  return set;
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`key set is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
