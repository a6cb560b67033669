import { membersOf } from '@sallyport/core/internal';
import { invalidOption } from '@sallyport/core/options';
import { JwtError } from '../jwt-error.js';
import type { JwtSettings, KeyFetch } from '../options.js';
import { KeySet } from './key-set.js';

/** The keys of one issuer. */
export interface KeySource {
  /** The key set that is used at a given time; `undefined` when it must be fetched first. */
  current(now: Date): KeySet | undefined;
  /** True if a key that is not in the current set may have been published meanwhile. */
  mayHaveNewKeys(now: Date): boolean;
  /**
   * Fetches the key set. Requests that need it at the same time share one fetch.
   *
   * @throws JwtError `unavailable`
   */
  load(now: Date): Promise<KeySet>;
}

/** One key set per URL and process, and per `fetch` function. Keys are public; the map contains no data of an invocation. */
const REMOTE = new WeakMap<KeyFetch, Map<string, RemoteKeys>>();
const platformFetch: KeyFetch = (url, init) => fetch(url, init);

/** An unknown `kid` means an invalid token; a key set that cannot be fetched does not. */
export function createKeySource({ jwksUri, jwks, fetch }: JwtSettings): KeySource {
  if (jwksUri !== undefined) return remoteKeys(jwksUri, fetch ?? platformFetch);
  const set = localKeys(jwks);
  return { current: () => set, mayHaveNewKeys: () => false, load: async () => set };
}

function localKeys(jwks: JwtSettings['jwks']): KeySet {
  try {
    return new KeySet(JSON.parse(JSON.stringify(jwks)));
  } catch {
    throw invalidOption('jwks', 'a JSON Web Key Set');
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

/**
 * The key set that an issuer publishes at a URL. An issuer that is down is called once in a cool-down: until then a token whose key
 * is not available is rejected immediately.
 */
class RemoteKeys implements KeySource {
  readonly #url: string;
  readonly #fetch: KeyFetch;
  #set: KeySet | undefined;
  /** All times are measured by the time of requests, in milliseconds since the epoch. */
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #failure: JwtError | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  #pending: Promise<KeySet> | undefined;

  constructor(url: string, fetch: KeyFetch) {
    this.#url = url;
    this.#fetch = fetch;
  }

  current(now: Date): KeySet | undefined {
    return isWithin(MAX_AGE_MS, this.#fetchedAt, now.getTime()) ? this.#set : undefined;
  }

  mayHaveNewKeys(now: Date): boolean {
    return !isWithin(COOLDOWN_MS, this.#fetchedAt, now.getTime());
  }

  load(now: Date): Promise<KeySet> {
    if (this.#pending) return this.#pending;
    if (this.#failure && isWithin(COOLDOWN_MS, this.#failedAt, now.getTime())) return Promise.reject(this.#failure);
    this.#pending = this.#download(now.getTime()).finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #download(now: number): Promise<KeySet> {
    const startedAt = performance.now();
    try {
      const set = new KeySet(await download(this.#url, this.#fetch));
      this.#set = set;
      this.#fetchedAt = now;
      return set;
    } catch (error) {
      this.#failure = error instanceof JwtError ? error : new JwtError('unavailable', problemOf(error));
      this.#failedAt = now + (performance.now() - startedAt);
      throw this.#failure;
    }
  }
}

function problemOf(error: unknown): string {
  return error instanceof Error ? `${error.name} ${error.message}` : 'unknown';
}

/** Also false after the clock was set back by more than that. */
function isWithin(durationMs: number, since: number, now: number): boolean {
  return Math.abs(now - since) < durationMs;
}

async function download(url: string, fetch: KeyFetch): Promise<unknown> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  // A `fetch` of the application may ignore the signal.
  const timeout = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  const accept = 'application/jwk-set+json, application/json';
  const answer = fetch(url, { method: 'GET', headers: { accept }, redirect: 'manual', signal }).then(readKeySet);
  return Promise.race([answer, timeout]);
}

async function readKeySet(response: Response): Promise<unknown> {
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`key set answered with status ${response.status}`);
  }
  const set: unknown = JSON.parse(await readText(response));
  const { keys } = membersOf(set);
  if (Array.isArray(keys) && keys.length > MAX_KEYS) throw new Error(`key set has more than ${MAX_KEYS} keys`);
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
