import type { FullClock } from '@sallyport/core';
import type { DynamoTable, ItemTable, StoreCall } from '@sallyport/dynamo';
import { RateLimitError, storeUnavailable } from '../../errors.js';
import type { Address, Claim, CounterStore, Decider } from '../../strategies/internal/definition.js';
import type { DynamoRateLimiterSettings } from '../dynamo-options.js';
import type { RateLimitKey, WindowLimit } from '../limiter.js';
import type { Call, Share } from './claims.js';
import { DynamoStore } from './dynamo-store.js';
import { Layouts, OtherItems } from './layout.js';
import { shardsOf, sharesOf } from './shards.js';

/** Number of times that one decision may find another number of items: it changes at most once in a window. */
const MAX_LAYOUTS = 4;

/** A call, with the complete limits of its key. */
export interface LimitedCall extends Call {
  readonly windows: readonly WindowLimit[];
}

interface OpenStore {
  readonly table: ItemTable;
  readonly store: CounterStore;
  readonly decider: Decider;
}

type OpenCall<T> = (open: OpenStore, ...args: Parameters<StoreCall<T>>) => Promise<T>;

interface KeyItemsOptions {
  readonly table: DynamoTable;
  readonly clock: FullClock;
  readonly onBrokenClock: (error: RateLimitError, key: RateLimitKey) => void;
}

/** The items of keys in a table: how many a key has, and the calls to them. */
export class KeyItems {
  readonly table: DynamoTable;
  readonly #settings: DynamoRateLimiterSettings;
  readonly #options: KeyItemsOptions;
  readonly #layouts = new Layouts();
  #opened: OpenStore | undefined;

  constructor(settings: DynamoRateLimiterSettings, options: KeyItemsOptions) {
    this.table = options.table;
    this.#settings = settings;
    this.#options = options;
  }

  /** The items of a key, from this instance's cache. */
  of({ name, windows }: LimitedCall): readonly Share[] {
    const { strategy, shardAbove } = this.#settings;
    const nowMs = this.#nowMs();
    const first = { pk: name, sk: strategy.sortKey(nowMs) };
    return sharesOf(strategy, name, windows, this.#layouts.of(first, shardsOf(windows, shardAbove), nowMs));
  }

  /** Runs with the items of a key, and again if the key turns out to have another number of them. */
  async run<T>(
    call: LimitedCall,
    signal: AbortSignal | undefined,
    work: (shares: readonly Share[]) => Promise<T>,
  ): Promise<T> {
    const { strategy, shardAbove } = this.#settings;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work(this.of(call));
      } catch (error) {
        if (!(error instanceof OtherItems)) throw error;
        if (attempt === MAX_LAYOUTS) throw storeUnavailable(true, error);
        const nowMs = this.#nowMs();
        const first = { pk: call.name, sk: strategy.sortKey(nowMs) };
        const wanted = shardsOf(call.windows, shardAbove);
        await this.call(signal, ({ table }) => this.#layouts.adopt({ table, strategy, nowMs }, first, wanted, error));
      }
    }
  }

  /** Returns units, except to an item of a key that was spread again in the meantime: there they count until their window ends. */
  async refund(
    { address, claim, units }: { readonly address: Address; readonly claim: Claim; readonly units: number },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const nowMs = this.#nowMs();
    const current = { ...address, part: { ...address.part, nowMs } };
    await this.call(signal, ({ decider }, within) => decider.refund(current, claim, units, nowMs, within)).catch(
      (error: unknown) => {
        if (!(error instanceof OtherItems)) throw error;
      },
    );
  }

  /** One deadline for all requests of a decision. */
  call<T>(signal: AbortSignal | undefined, run: OpenCall<T>): Promise<T> {
    return this.table.within<T>(signal, (table, inner, commit) => {
      this.#opened ??= this.#open(table);
      return run(this.#opened, inner, commit);
    });
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }

  /** A decider caches the state of items, so each limiter has its own. */
  #open(table: ItemTable): OpenStore {
    const { strategy, maxClockSkewMs, storeTimeoutMs, coldTimeoutMs } = this.#settings;
    const { clock, onBrokenClock } = this.#options;
    const store = new DynamoStore(table);
    const slackMs = Math.max(maxClockSkewMs, storeTimeoutMs, coldTimeoutMs);
    const report = (key: RateLimitKey) => {
      const message = 'framework: token bucket was written by a broken clock';
      onBrokenClock(new RateLimitError('ratelimit.store_unavailable', message), key);
    };
    const decider = strategy.createDecider(store, { clock, maxClockSkewMs, slackMs, onBrokenClock: report });
    return { table, store, decider };
  }
}
