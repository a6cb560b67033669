import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Clock, completeClock, type FullClock, type Logger } from '@sallyport/core';
import { isTransient, type StoreCall, withDeadline } from '@sallyport/core/store';
import { RateLimitError, storeUnavailable } from '../errors.js';
import type { CallOptions, ConsumeOptions, LimitDecision, LimitFor, RateLimiter, RateLimitKey } from '../limiter.js';
import type { Strategy } from '../strategy.js';
import { type AddressedClaim, decideWithoutStore, denyUnfit, toClaim } from './claims.js';
import type { CounterStore } from './counter-store.js';
import { createDecider, type Decider } from './deciders.js';
import { DeniedCache } from './denied-cache.js';
import { openDynamoStore } from './dynamo-store.js';
import type { AnyStrategy } from './limits.js';
import { Reporter } from './report.js';
import { canFit, hasRoom } from './windows.js';

export interface DynamoRateLimiterSettings {
  readonly strategy: AnyStrategy;
  readonly allowOnError: boolean;
  readonly tableName: string;
  readonly client: Pick<DynamoDBClient, 'send'> | undefined;
  readonly clock: Clock | undefined;
  readonly limitFor: LimitFor | undefined;
  readonly deniedCache: { readonly maxKeys: number; readonly maxAgeMs: number } | undefined;
  readonly storeTimeoutMs: number;
  readonly maxClockSkewMs: number;
  readonly onError: ((error: RateLimitError, key: RateLimitKey) => void) | undefined;
  readonly log: Logger | undefined;
}

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
  #opening: Promise<OpenStore> | undefined;

  constructor(settings: DynamoRateLimiterSettings) {
    this.#settings = settings;
    this.#clock = completeClock(settings.clock);
    const cache = settings.deniedCache;
    this.#denied = cache && new DeniedCache(cache.maxKeys, cache.maxAgeMs);
    const { strategy, log, onError } = settings;
    this.#reporter = new Reporter({ policy: strategy.policy, clock: this.#clock, log, onError });
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
      this.#reporter.failed(toStoreError(error), key);
      return decideWithoutStore(claim, this.#settings.allowOnError);
    }
  }

  async peek(key: RateLimitKey, { signal }: CallOptions = {}): Promise<LimitDecision> {
    const { claim, address } = this.#claim(key, 1);
    signal?.throwIfAborted();
    if (!canFit(claim)) return denyUnfit(this.#settings.strategy, claim);
    return this.#orThrow(signal, ({ decider }, within) => decider.peek(address, claim, within));
  }

  async reset(key: RateLimitKey, { signal }: CallOptions = {}): Promise<void> {
    const { address, name } = this.#claim(key, 1);
    await this.#orThrow(signal, ({ store }, within) => store.remove(address, within));
    this.#denied?.delete(name);
  }

  #claim(key: RateLimitKey, cost: unknown): AddressedClaim {
    const { strategy, limitFor } = this.#settings;
    return toClaim(strategy, limitFor, key, cost, this.#clock.now().getTime());
  }

  async #orThrow<T>(signal: AbortSignal | undefined, run: OpenCall<T>): Promise<T> {
    try {
      return await this.#call(signal, run);
    } catch (error) {
      signal?.throwIfAborted();
      throw toStoreError(error);
    }
  }

  /** Loading the SDK at the first decision is a cold start's own time and not the store's. */
  async #call<T>(signal: AbortSignal | undefined, run: OpenCall<T>): Promise<T> {
    const open = await this.#open();
    const deadline = { ms: this.#settings.storeTimeoutMs, clock: this.#clock, signal };
    return withDeadline<T>(deadline, (within, commit) => run(open, within, commit));
  }

  #open(): Promise<OpenStore> {
    this.#opening ??= this.#load().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #load(): Promise<OpenStore> {
    const { tableName, client, strategy, maxClockSkewMs } = this.#settings;
    const store = await openDynamoStore(tableName, client);
    const onBrokenClock = (key: RateLimitKey) => this.#reporter.failed(brokenClock(), key);
    return { store, decider: createDecider(strategy, store, { maxClockSkewMs, onBrokenClock }) };
  }
}

function toStoreError(error: unknown): RateLimitError {
  return error instanceof RateLimitError ? error : storeUnavailable(isTransient(error), error);
}

function brokenClock(): RateLimitError {
  return new RateLimitError('ratelimit.store_unavailable', 'framework: token bucket was written by a broken clock');
}
