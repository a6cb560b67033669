import { type Clock, completeClock, type FullClock, type Logger } from '@sallyport/core';
import { type Client, DynamoTable, type ItemTable, type StoreCall } from '@sallyport/dynamo';
import { RateLimitError, storeUnavailable } from '../../errors.js';
import type { CounterStore } from '../../strategies/internal/counter-store.js';
import { createDecider, type Decider } from '../../strategies/internal/deciders.js';
import { canFit, hasRoom } from '../../strategies/internal/windows.js';
import type { Strategy } from '../../strategies/strategy.js';
import type { CallOptions, ConsumeOptions, LimitDecision, LimitFor, RateLimiter, RateLimitKey } from '../limiter.js';
import { type AddressedClaim, decideWithoutStore, denyUnfit, toClaim } from './claims.js';
import { DeniedCache } from './denied-cache.js';
import { DynamoStore } from './dynamo-store.js';
import type { AnyStrategy } from './limits.js';
import { Reporter } from './report.js';

export interface DynamoRateLimiterSettings {
  readonly strategy: AnyStrategy;
  readonly allowOnError: boolean;
  readonly tableName: string;
  readonly client: Client | undefined;
  readonly clock: Clock | undefined;
  readonly limitFor: LimitFor | undefined;
  readonly deniedCache: { readonly maxKeys: number; readonly maxAgeMs: number } | undefined;
  readonly storeTimeoutMs: number;
  readonly maxClockSkewMs: number;
  readonly onError: ((error: RateLimitError, key: RateLimitKey) => void) | undefined;
  readonly log: Logger;
}

/** Attempts of our own client: a retry after a lost answer may count twice, which is strict and never lax. */
const MAX_ATTEMPTS = 2;

interface OpenStore {
  readonly store: CounterStore;
  readonly decider: Decider;
}

type OpenCall<T> = (open: OpenStore, ...args: Parameters<StoreCall<T>>) => Promise<T>;

export class DynamoRateLimiter implements RateLimiter {
  readonly #settings: DynamoRateLimiterSettings;
  readonly #clock: FullClock;
  readonly #denied: DeniedCache | undefined;
  readonly #reporter: Reporter;
  readonly #table: DynamoTable;
  #opened: OpenStore | undefined;

  constructor(settings: DynamoRateLimiterSettings) {
    this.#settings = settings;
    this.#clock = completeClock(settings.clock);
    const cache = settings.deniedCache;
    this.#denied = cache && new DeniedCache(cache.maxKeys, cache.maxAgeMs);
    const { strategy, log, onError, tableName, client, storeTimeoutMs: timeoutMs } = settings;
    const clock = this.#clock;
    this.#table = new DynamoTable({
      tableName,
      client,
      clock,
      timeoutMs,
      maxAttempts: MAX_ATTEMPTS,
      toError: toStoreError,
    });
    this.#reporter = new Reporter({ policy: strategy.policy, clock, log, onError });
  }

  get strategy(): Strategy {
    return this.#settings.strategy;
  }

  async consume(key: RateLimitKey, { cost = 1, signal }: ConsumeOptions = {}): Promise<LimitDecision> {
    const { claim, address, name } = this.#claim(key, cost);
    signal?.throwIfAborted();
    if (!canFit(claim)) return denyUnfit(this.#settings.strategy, claim);
    const known = this.#denied?.find(name, claim);
    if (known !== undefined) return known;
    try {
      const decision = await this.#call<LimitDecision>(signal, ({ decider }, within, commit) =>
        decider.consume(address, claim, within, commit),
      );
      if (!decision.allowed && !hasRoom(decision.windows, cost)) this.#denied?.add(name, claim, decision);
      return decision;
    } catch (error) {
      signal?.throwIfAborted();
      this.#reporter.failed(error as RateLimitError, key);
      return decideWithoutStore(claim, this.#settings.allowOnError);
    }
  }

  async peek(key: RateLimitKey, { signal }: CallOptions = {}): Promise<LimitDecision> {
    const { claim, address } = this.#claim(key, 1);
    signal?.throwIfAborted();
    if (!canFit(claim)) return denyUnfit(this.#settings.strategy, claim);
    return this.#call(signal, ({ decider }, within) => decider.peek(address, claim, within));
  }

  async reset(key: RateLimitKey, { signal }: CallOptions = {}): Promise<void> {
    const { address, name } = this.#claim(key, 1);
    await this.#call(signal, ({ store }, within) => store.remove(address, within));
    this.#denied?.delete(name);
  }

  #claim(key: RateLimitKey, cost: unknown): AddressedClaim {
    const { strategy, limitFor } = this.#settings;
    return toClaim(strategy, limitFor, key, cost, this.#clock.now().getTime());
  }

  /** One deadline for all requests of a decision. */
  #call<T>(signal: AbortSignal | undefined, run: OpenCall<T>): Promise<T> {
    return this.#table.within<T>(signal, (table, inner, commit) => run(this.#open(table), inner, commit));
  }

  /** A decider remembers what it has seen, so there is one for the life of the limiter. */
  #open(table: ItemTable): OpenStore {
    this.#opened ??= this.#storeOf(table);
    return this.#opened;
  }

  #storeOf(table: ItemTable): OpenStore {
    const { strategy, maxClockSkewMs } = this.#settings;
    const onBrokenClock = (key: RateLimitKey) => this.#reporter.failed(brokenClock(), key);
    const store = new DynamoStore(table);
    return { store, decider: createDecider(strategy, store, { maxClockSkewMs, onBrokenClock }) };
  }
}

function toStoreError(cause: unknown, transient: boolean): RateLimitError {
  return cause instanceof RateLimitError ? cause : storeUnavailable(transient, cause);
}

function brokenClock(): RateLimitError {
  return new RateLimitError('ratelimit.store_unavailable', 'framework: token bucket was written by a broken clock');
}
