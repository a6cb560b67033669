import { RateLimitError } from '../../errors.js';
import type { AnyStrategy } from '../../limiter/internal/limits.js';
import type { LimitDecision, RateLimitKey } from '../../limiter/limiter.js';
import { TokenBucket } from '../token-bucket.js';
import type { Address, ConditionalWrite, CounterStore, Counters, WriteOutcome } from './counter-store.js';
import { Lru } from './lru.js';
import { type Claim, type CountingShape, decide, hasRoom } from './windows.js';

/** Keys whose bucket is remembered, so that the right one of two writes comes first. */
const REMEMBERED_BUCKETS = 1000;
const MAX_BUCKET_WRITES = 4;

/** Turns claims into writes and their outcomes into decisions. */
export interface Decider {
  /** @param commit told of the decision when only clearing up is left to do */
  consume(
    address: Address,
    claim: Claim,
    signal?: AbortSignal,
    commit?: (decision: LimitDecision) => void,
  ): Promise<LimitDecision>;
  peek(address: Address, claim: Claim, signal?: AbortSignal): Promise<LimitDecision>;
}

export interface DeciderOptions {
  readonly maxClockSkewMs: number;
  /** Told of a bucket that a broken clock wrote. */
  readonly onBrokenClock: (key: RateLimitKey) => void;
}

export function createDecider(strategy: AnyStrategy, store: CounterStore, options: DeciderOptions): Decider {
  return strategy instanceof TokenBucket
    ? new BucketDecider(strategy, store, options)
    : new WindowDecider(strategy, store, options);
}

class WindowDecider implements Decider {
  readonly #strategy: CountingShape;
  readonly #store: CounterStore;
  readonly #options: DeciderOptions;

  constructor(strategy: CountingShape, store: CounterStore, options: DeciderOptions) {
    this.#strategy = strategy;
    this.#store = store;
    this.#options = options;
  }

  async consume(
    address: Address,
    claim: Claim,
    signal?: AbortSignal,
    commit?: (decision: LimitDecision) => void,
  ): Promise<LimitDecision> {
    const write = this.#strategy.write(claim, this.#options.maxClockSkewMs);
    const { applied, counters } = await this.#store.write(address, write, signal);
    const counted = counters ?? (await this.#store.read(address, signal));
    const decision = decide(this.#strategy.usage(counted, claim, applied), claim, applied, 'store');
    commit?.(decision);
    if (applied) await this.#tidy(address, counted, claim, signal);
    return decision;
  }

  async peek(address: Address, claim: Claim, signal?: AbortSignal): Promise<LimitDecision> {
    const counters = await this.#store.read(address, signal);
    const allowed = hasRoom(this.#strategy.usage(counters, claim, true), claim.cost);
    return decide(this.#strategy.usage(counters, claim, allowed), claim, allowed, 'store');
  }

  /** The request is decided: that this fails changes nothing. */
  async #tidy(address: Address, counters: Counters, claim: Claim, signal?: AbortSignal): Promise<void> {
    const removes = this.#strategy.overdue(counters, claim, this.#options.maxClockSkewMs);
    if (removes.length === 0) return;
    const write = { checks: [], adds: [], sets: [], removes, expiresAt: undefined, keepsExpiry: true };
    await this.#store.write(address, write, signal).catch(() => {});
  }
}

class BucketDecider implements Decider {
  readonly #bucket: TokenBucket;
  readonly #store: CounterStore;
  readonly #options: DeciderOptions;
  readonly #lastSeen = new Lru<number>(REMEMBERED_BUCKETS);

  constructor(bucket: TokenBucket, store: CounterStore, options: DeciderOptions) {
    this.#bucket = bucket;
    this.#store = store;
    this.#options = options;
  }

  async consume(address: Address, claim: Claim, signal?: AbortSignal): Promise<LimitDecision> {
    const name = `${address.pk}\n${address.sk}`;
    let tat = this.#lastSeen.get(name);
    for (let attempt = 0; attempt < MAX_BUCKET_WRITES; attempt += 1) {
      const write = this.#writeFor(tat, claim);
      const outcome = await this.#store.write(address, write, signal);
      const counters = await this.#countersOf(outcome, tat, address, claim, signal);
      tat = counters.tat;
      if (tat !== undefined) this.#lastSeen.set(name, tat);
      else this.#lastSeen.delete(name);
      if (outcome.applied) return decide(this.#bucket.usage(counters, claim, true), claim, true, 'store');
      if (!this.#bucket.hasRoom(tat, claim) && !this.#isBroken(tat, claim)) {
        return decide(this.#bucket.usage(counters, claim, false), claim, false, 'store');
      }
    }
    throw new RateLimitError('ratelimit.store_unavailable', 'framework: token bucket is contended', {
      retryable: true,
    });
  }

  async peek(address: Address, claim: Claim, signal?: AbortSignal): Promise<LimitDecision> {
    const counters = await this.#store.read(address, signal);
    const allowed = this.#bucket.hasRoom(counters.tat, claim) || this.#isBroken(counters.tat, claim);
    return decide(this.#bucket.usage(counters, claim, allowed), claim, allowed, 'store');
  }

  #writeFor(tat: number | undefined, claim: Claim): ConditionalWrite {
    if (this.#bucket.isIdle(tat, claim)) return this.#bucket.idleWrite(claim);
    if (tat === undefined || !this.#isBroken(tat, claim)) return this.#bucket.busyWrite(claim);
    this.#options.onBrokenClock(claim.key);
    return this.#bucket.repairWrite(claim, tat);
  }

  #isBroken(tat: number | undefined, claim: Claim): boolean {
    return this.#bucket.isBroken(tat, claim, this.#options.maxClockSkewMs);
  }

  /** A bucket that was thought busy and has no old item is gone; only an idle one that was refused must be read. */
  async #countersOf(
    outcome: WriteOutcome,
    guess: number | undefined,
    address: Address,
    claim: Claim,
    signal: AbortSignal | undefined,
  ): Promise<Counters> {
    if (outcome.counters !== undefined) return outcome.counters;
    return this.#bucket.isIdle(guess, claim) ? this.#store.read(address, signal) : {};
  }
}
