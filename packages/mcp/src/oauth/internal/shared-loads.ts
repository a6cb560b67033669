import { OAuthError } from '../oauth-error.js';

/** Maximum number of concurrent loads, of all ids. */
const MAX_IN_FLIGHT = 10;
/** Maximum number of loads in a minute, for one host and in all. */
const MAX_OF_HOST = 20;
const MAX_LOADS = 100;
const WINDOW_MS = 60_000;
/** Milliseconds for which a failed load is not repeated. */
const FAILED_MS = 30_000;
/** Maximum number of cached results, for one host and in all. */
const MAX_KNOWN_OF_HOST = 20;
const MAX_KNOWN = 200;

interface Known<T> {
  readonly host: string;
  /** Epoch milliseconds. */
  readonly until: number;
  readonly lifeMs: number;
  readonly value?: T;
  readonly error?: unknown;
}

/**
 * Loads values whose ids any caller may choose. Concurrent loads of one id share one load, and a failure is cached for a short time. The
 * number of loads and of cached results is bounded in all and for each host, because ids may differ only in their query.
 */
export class SharedLoads<T> {
  readonly #keepMs: number;
  readonly #now: () => number;
  readonly #loading = new Map<string, Promise<T>>();
  readonly #known = new Map<string, Known<T>>();
  #windowMs = Number.NEGATIVE_INFINITY;
  #loads: string[] = [];

  constructor(keepMs: number, now: () => number) {
    this.#keepMs = keepMs;
    this.#now = now;
  }

  /** @throws OAuthError `temporarily_unavailable` if there are too many loads; rejects with the error of the load */
  async get(id: string, host: string, load: () => Promise<T>): Promise<T> {
    const known = this.#fresh(id);
    if (known && 'error' in known) throw known.error;
    if (known) return known.value as T;
    const running = this.#loading.get(id);
    if (running) return running;
    this.#count(host);
    const loading = this.#load(id, host, load);
    this.#loading.set(id, loading);
    return loading;
  }

  async #load(id: string, host: string, load: () => Promise<T>): Promise<T> {
    try {
      const value = await load();
      this.#keep(id, { host, until: this.#now() + this.#keepMs, lifeMs: this.#keepMs, value });
      return value;
    } catch (error) {
      this.#keep(id, { host, until: this.#now() + FAILED_MS, lifeMs: FAILED_MS, error });
      throw error;
    } finally {
      this.#loading.delete(id);
    }
  }

  /** A clock that was set back does not extend the life of a result. */
  #fresh(id: string): Known<T> | undefined {
    const known = this.#known.get(id);
    const leftMs = (known?.until ?? 0) - this.#now();
    return known && leftMs > 0 && leftMs <= known.lifeMs ? known : undefined;
  }

  #keep(id: string, known: Known<T>): void {
    this.#known.delete(id);
    const ofHost = [...this.#known].filter(([, { host }]) => host === known.host);
    const [oldest] = ofHost.length >= MAX_KNOWN_OF_HOST ? ofHost.map(([key]) => key) : this.#known.keys();
    const isFull = ofHost.length >= MAX_KNOWN_OF_HOST || this.#known.size >= MAX_KNOWN;
    if (isFull && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(id, known);
  }

  #count(host: string): void {
    const now = this.#now();
    if (now >= this.#windowMs + WINDOW_MS || now < this.#windowMs) {
      this.#windowMs = now;
      this.#loads = [];
    }
    const ofHost = this.#loads.filter((loaded) => loaded === host).length;
    if (this.#loading.size >= MAX_IN_FLIGHT || this.#loads.length >= MAX_LOADS || ofHost >= MAX_OF_HOST) {
      throw new OAuthError('temporarily_unavailable', 'too many clients are being loaded; try again in a minute');
    }
    this.#loads.push(host);
  }
}
