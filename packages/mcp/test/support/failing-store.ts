import type { FullClock } from '@sallyport/core';
import type { McpStore } from '../../src/index.js';
import { storeFailure } from '../../src/store/store.js';

/** One way in which a store fails, from one of its calls on. */
export interface Failure {
  readonly name: string;
  /** For how many milliseconds every call is rejected and not applied. */
  readonly awayMs: number;
  /** Number of calls in a row that are applied and rejected. */
  readonly lost: number;
  /** For how many milliseconds every call is applied and rejected. Default 0. */
  readonly lostMs?: number;
}

export const FAILURES: readonly Failure[] = [
  { name: 'an outage of 0.5 s', awayMs: 500, lost: 0 },
  { name: 'an outage of 1.5 s', awayMs: 1500, lost: 0 },
  { name: 'an outage of 5 s', awayMs: 5000, lost: 0 },
  { name: 'a lost answer', awayMs: 0, lost: 1 },
  { name: 'three lost answers', awayMs: 0, lost: 3 },
];

/** Failures that last longer than a client waits, and end before the invocation does. */
export const LONG_FAILURES: readonly Failure[] = [
  { name: 'an outage of 20 s', awayMs: 20_000, lost: 0 },
  { name: 'answers that are lost for 20 s', awayMs: 0, lost: 0, lostMs: 20_000 },
];

/** A failure of DynamoDB after which the same call may succeed, as `dynamoMcpStore` reports it. */
export function away(): Error {
  return storeFailure(Object.assign(new Error('away'), { $metadata: { httpStatusCode: 500 } }));
}

/** A store that fails from one call on; the first call is 0. */
export class FailingStore implements McpStore {
  /** Number of calls so far. */
  calls = 0;
  /** The failure, and the call at which it begins. */
  fails: { readonly at: number; readonly failure: Failure } | undefined;
  /** Called before each call. */
  before: (method: string, key: string) => void = () => {};
  readonly #store: McpStore;
  readonly #clock: FullClock;
  #awayUntilMs = Number.NEGATIVE_INFINITY;
  #lostUntilMs = Number.NEGATIVE_INFINITY;

  constructor(store: McpStore, clock: FullClock) {
    this.#store = store;
    this.#clock = clock;
  }

  get: McpStore['get'] = (key) => this.#call('get', key.sort, () => this.#store.get(key));
  put: McpStore['put'] = (row, when) => this.#call('put', row.sort, () => this.#store.put(row, when));
  take: McpStore['take'] = (key) => this.#call('take', key.sort, () => this.#store.take(key));
  list: McpStore['list'] = (partition, after, limit) =>
    this.#call('list', after, () => this.#store.list(partition, after, limit));

  async #call<T>(method: string, key: string, run: () => Promise<T>): Promise<T> {
    const call = this.calls;
    this.calls += 1;
    this.before(method, key);
    const { at = Number.POSITIVE_INFINITY, failure } = this.fails ?? {};
    const { awayMs = 0, lost = 0, lostMs = 0 } = failure ?? {};
    const now = this.#clock.now().getTime();
    if (call === at) {
      this.#awayUntilMs = now + awayMs;
      this.#lostUntilMs = now + lostMs;
    }
    if (now < this.#awayUntilMs) throw away();
    const result = await run();
    if (now < this.#lostUntilMs || (call >= at && call < at + lost)) throw away();
    return result;
  }
}
