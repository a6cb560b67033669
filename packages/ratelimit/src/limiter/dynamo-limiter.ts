import type { FullClock } from '@sallyport/core';
import { Breaker, completeClock, parseLog, randomFraction } from '@sallyport/core/internal';
import { DynamoTable, StoreTimeout } from '@sallyport/dynamo';
import { invalidConfig, RateLimitError, storeUnavailable } from '../errors.js';
import { type Address, hasRoom, type Taken } from '../strategies/internal/definition.js';
import {
  DYNAMO_LIMITER_OPTIONS,
  type DynamoRateLimiter,
  type DynamoRateLimiterOptions,
  type DynamoRateLimiterSettings,
} from './dynamo-options.js';
import {
  type AddressedClaim,
  claimOn,
  decideWithoutStore,
  denyUnfit,
  parseCall,
  type Share,
  wholeShare,
} from './internal/claims.js';
import { DeniedCache } from './internal/denied-cache.js';
import { KeyItems, type LimitedCall } from './internal/key-items.js';
import { OtherItems, verify } from './internal/layout.js';
import { type CacheSize, Limits } from './internal/limits.js';
import { Receipts } from './internal/receipts.js';
import { Reporter } from './internal/report.js';
import {
  type Grant,
  type Held,
  hasMoved,
  Reservations,
  type Spent,
  stillCounts,
  takeFrom,
} from './internal/reservations.js';
import { inOrder, scaled, soonest, summed } from './internal/shards.js';
import type { CallOptions, ConsumeOptions, LimitDecision, RateLimitKey, RefundOptions, Strategy } from './limiter.js';

/** Attempts of the framework's client. A second attempt of a write that was applied is recognized by the write's id. */
const MAX_ATTEMPTS = 2;
/** Maximum number of items of a key that one decision tries, except items with a cached denial. */
const MAX_ASKED = 10;

/**
 * Creates a limiter that all instances of a function share through one DynamoDB table. Each decision is one conditional write. The AWS
 * SDK is loaded at the first decision, or by `warm`.
 *
 * @throws RateLimitError `ratelimit.invalid_config` for a wrong option, or if the table name is missing
 * @example
 * const limiter = createDynamoRateLimiter({
 *   strategy: slidingWindow({ limit: 100, windowMs: 60_000 }),
 *   onStoreError: 'deny',
 * });
 * app.use(rateLimitMiddleware({ limiter }));
 */
export function createDynamoRateLimiter(options: DynamoRateLimiterOptions): DynamoRateLimiter {
  const settings = DYNAMO_LIMITER_OPTIONS.parse(options);
  if (settings.reserve > Math.min(...settings.strategy.windows.map(({ limit }) => limit))) {
    throw invalidConfig('option "reserve" must be at most the smallest limit of the strategy');
  }
  return new SharedRateLimiter(settings);
}

/** The longest pause between two requests that check if the store answers again. */
const MAX_PAUSE_MS = 10_000;

class SharedRateLimiter implements DynamoRateLimiter {
  readonly #settings: DynamoRateLimiterSettings;
  readonly #clock: FullClock;
  readonly #limits: Limits;
  readonly #denied: DeniedCache | undefined;
  readonly #reservations: Reservations | undefined;
  readonly #receipts = new Receipts();
  /** Decisions without the store, each with the decision of the limiter in `onStoreError`. */
  readonly #standIns = new WeakMap<LimitDecision, LimitDecision>();
  readonly #breaker: Breaker;
  readonly #reporter: Reporter;
  readonly #items: KeyItems;

  constructor(settings: DynamoRateLimiterSettings) {
    const { strategy, onError, tableName, client, deniedCache, limitFor, limitCache, reserve } = settings;
    const { storeTimeoutMs: timeoutMs, coldTimeoutMs } = settings;
    const log = settings.log ?? parseLog(undefined, settings.environment ?? process.env);
    const clock = completeClock(settings.clock);
    this.#settings = settings;
    this.#clock = clock;
    this.#limits = new Limits(strategy, { limitFor, cache: limitCache, clock });
    this.#denied = cacheOf(deniedCache);
    this.#reservations = reserve === 0 ? undefined : new Reservations(strategy, reserve);
    this.#breaker = new Breaker(clock, {
      firstPauseMs: timeoutMs,
      maxPauseMs: MAX_PAUSE_MS,
      refuse: (cause) => storeUnavailable(true, cause),
    });
    const toError = (cause: unknown, transient: boolean) =>
      cause instanceof RateLimitError || cause instanceof OtherItems ? cause : storeUnavailable(transient, cause);
    const maxAttempts = MAX_ATTEMPTS;
    const table = new DynamoTable({ tableName, client, clock, timeoutMs, coldTimeoutMs, maxAttempts, toError });
    this.#reporter = new Reporter({ policy: strategy.policy, clock, log, onError });
    this.#items = new KeyItems(settings, { table, clock, onBrokenClock: this.#reporter.failed.bind(this.#reporter) });
  }

  get strategy(): Strategy {
    return this.#settings.strategy;
  }

  async warm(): Promise<void> {
    await this.#items.table.warm().catch((error: unknown) => {
      if (!(error instanceof RateLimitError)) throw error;
      this.#reporter.noted(error);
    });
  }

  async consume(key: RateLimitKey, { cost = 1, signal }: ConsumeOptions = {}): Promise<LimitDecision> {
    const call = parseCall(this.#settings.strategy, key, cost);
    signal?.throwIfAborted();
    let { windows } = this.#settings.strategy;
    try {
      windows = await this.#limits.of(key, call.name);
      const { decision, counted } = await this.#decide({ ...call, windows }, signal);
      return counted === undefined ? decision : this.#receipts.add(decision, counted, cost);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof RateLimitError) || error.code !== 'ratelimit.store_unavailable') throw error;
      this.#reporter.failed(error, key);
      return this.#decideWithoutStore({ ...call, windows }, signal);
    }
  }

  async refund(decision: LimitDecision, { units, signal }: RefundOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    const { onStoreError } = this.#settings;
    const options = { ...(units !== undefined && { units }), ...(signal && { signal }) };
    const standIn = this.#standIns.get(decision);
    if (standIn !== undefined && typeof onStoreError === 'object') return onStoreError.refund(standIn, options);
    if (decision?.degraded === true) return;
    const { claim, address, units: taken } = this.#receipts.take(decision, units);
    await this.#items.refund({ address, claim, units: taken }, signal);
    this.#denied?.delete(address.pk);
  }

  async peek(key: RateLimitKey, { signal }: CallOptions = {}): Promise<LimitDecision> {
    const { strategy } = this.#settings;
    const call = parseCall(strategy, key, 1);
    signal?.throwIfAborted();
    const windows = await this.#limits.of(key, call.name);
    const unfit = denyUnfit(strategy, claimOn(strategy, wholeShare(call, windows), call, this.#nowMs()).claim);
    if (unfit !== undefined) return unfit;
    return this.#items.run({ ...call, windows }, signal, async (shares) => {
      const decisions = await this.#items.call<LimitDecision[]>(signal, ({ decider }, within) =>
        Promise.all(
          shares.map((share) => {
            const { address, claim } = claimOn(strategy, share, call, this.#nowMs());
            return decider.peek(address, claim, within);
          }),
        ),
      );
      return shares.length === 1 ? soonest(decisions) : summed(decisions, windows);
    });
  }

  async reset(key: RateLimitKey, { signal }: CallOptions = {}): Promise<void> {
    const { strategy } = this.#settings;
    const call = parseCall(strategy, key, 1);
    signal?.throwIfAborted();
    this.#reservations?.forget(call.name);
    await this.#items.run({ ...call, windows: await this.#limits.of(key, call.name) }, signal, async (shares) => {
      const remove = (share: Share) =>
        this.#items.call(signal, ({ store }, within) =>
          store.remove(claimOn(strategy, share, call, this.#nowMs()).address, within),
        );
      // The first item contains the number of items, so it must be removed before the others.
      const [first, ...others] = shares;
      if (first) await remove(first);
      await Promise.all(others.map(remove));
      for (const share of shares) this.#denied?.delete(share.name);
    });
  }

  async release({ signal }: CallOptions = {}): Promise<void> {
    for (const held of this.#reservations?.all() ?? []) {
      // Requests that waited for a write may write again.
      do {
        await held.pending;
        await this.#giveBack(takeFrom(held), signal);
      } while (held.pending !== undefined || (held.grant?.units ?? 0) > 0);
    }
    await this.#giveBack(this.#reservations?.takeEvicted() ?? [], signal);
  }

  /** Returns units to their items. If that fails, they count until their window ends. */
  async #giveBack(grants: readonly Grant[], signal: AbortSignal | undefined): Promise<void> {
    for (const grant of grants.filter((held) => stillCounts(held, this.#nowMs()))) {
      await this.#items.refund(grant, signal).catch((error: RateLimitError) => {
        signal?.throwIfAborted();
        this.#reporter.noted(error);
      });
    }
  }

  /** Uses cached denials, then reserved units, else the store. */
  async #decide(call: LimitedCall, signal: AbortSignal | undefined): Promise<Outcome> {
    const { strategy } = this.#settings;
    const shares = this.#items.of(call);
    const smallest = shares.at(-1) ?? wholeShare(call, call.windows);
    const { claim } = claimOn(strategy, smallest, call, this.#nowMs());
    const unfit = denyUnfit(strategy, claim);
    if (unfit !== undefined) return { decision: scaled(unfit, call.windows, shares.length) };
    if (this.#reservations === undefined) return this.#askShares(call, undefined, signal);
    const held = this.#reservations.of(call.name, claim);
    const outcome = this.#decideInTurn(this.#reservations, held, call, signal);
    const evicted = this.#reservations.takeEvicted();
    if (evicted.length > 0) await Promise.all([outcome, this.#giveBack(evicted, signal)]);
    return outcome;
  }

  /** Runs one write at a time for each key: waiting requests may use the units that it reserves. */
  async #decideInTurn(
    reservations: Reservations,
    held: Held,
    call: LimitedCall,
    signal: AbortSignal | undefined,
  ): Promise<Outcome> {
    const { strategy } = this.#settings;
    for (;;) {
      const { claim } = claimOn(strategy, wholeShare(call, call.windows), call, this.#nowMs());
      const spent: Spent | undefined = reservations.spend(held, claim, call.windows);
      if (spent !== undefined) {
        return { ...spent, decision: scaled(spent.decision, call.windows, spent.counted.claim.shards) };
      }
      if (held.pending === undefined) break;
      held.waiting += call.cost;
      const failed = await held.pending.finally(() => {
        held.waiting -= call.cost;
      });
      signal?.throwIfAborted();
      if (failed !== undefined) throw failed.failure;
    }
    const asked = this.#askShares(call, held, signal);
    const hasGivenUp = () => signal?.aborted === true;
    held.pending = asked
      .then(
        () => undefined,
        (failure: unknown) => (hasGivenUp() ? undefined : { failure }),
      )
      .finally(() => {
        held.pending = undefined;
      });
    return asked;
  }

  /**
   * Tries items of the key without a cached denial, until an item admits the request. With a reserve the first item is the item in
   * which this instance holds units. They are returned before another item is tried.
   */
  #askShares(call: LimitedCall, held: Held | undefined, signal: AbortSignal | undefined): Promise<Outcome> {
    return this.#items.run(call, signal, (shares) => this.#askEach(call, shares, held, signal));
  }

  async #askEach(
    call: LimitedCall,
    shares: readonly Share[],
    held: Held | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Outcome> {
    const { strategy } = this.#settings;
    const denials: LimitDecision[] = [];
    let asked = 0;
    const place = held?.place ?? randomFraction();
    for (const share of shares.length === 1 ? shares : inOrder(shares, place, held?.item)) {
      const { claim } = claimOn(strategy, share, call, this.#nowMs());
      const known = this.#denied?.find(share.name, claim);
      if (known === undefined && asked === MAX_ASKED) break;
      if (known === undefined) {
        asked += 1;
        if (held && hasMoved(held.grant, { pk: share.name })) await this.#giveBack(takeFrom(held), signal);
      }
      const { decision, counted } = known ? { decision: known } : await this.#ask(share, call, held, signal);
      if (decision.allowed) return { decision: scaled(decision, call.windows, shares.length), counted };
      denials.push(decision);
    }
    return { decision: scaled(soonest(denials), call.windows, shares.length) };
  }

  /** Calls the store for one item. The clock is read after the client is loaded, because loading takes time. */
  async #ask(
    share: Share,
    call: LimitedCall,
    held: Held | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Outcome & { readonly counted: AddressedClaim }> {
    const { strategy } = this.#settings;
    let counted = claimOn(strategy, share, call, this.#nowMs());
    let unspent: Grant | undefined;
    const ask = () =>
      this.#items.call<Taken>(signal, ({ decider, table }, within, commit) => {
        counted = claimOn(strategy, share, call, this.#nowMs());
        const claim = held ? this.#reservations?.toClaim(held, counted, call.windows) : undefined;
        unspent = claim?.unspent;
        const consume = (address: Address) => decider.consume(address, claim ?? counted.claim, within, commit);
        return consume(counted.address).catch(async (error: unknown) => {
          if (!(error instanceof OtherItems) || error.found !== undefined) throw error;
          return consume(await verify(table, counted.address, call.name, call.windows[0]?.windowMs ?? 0, within));
        });
      });
    const taken = await this.#breaker.run(ask, (error) => isTimeout(error) && signal?.aborted !== true);
    const { decision } = taken;
    if (decision.allowed) this.#denied?.delete(share.name);
    else if (!hasRoom(decision.windows, call.cost)) this.#denied?.add(share.name, counted.claim, decision);
    const own = held ? (this.#reservations?.keep(held, counted, call.windows, taken) ?? decision) : decision;
    const units = (unspent?.units ?? 0) - taken.returned;
    if (unspent && units > 0) await this.#giveBack([{ ...unspent, units }], signal);
    return { decision: own, counted };
  }

  async #decideWithoutStore(call: LimitedCall, signal: AbortSignal | undefined): Promise<LimitDecision> {
    const { onStoreError } = this.#settings;
    const claim = { nowMs: this.#nowMs(), cost: call.cost, windows: call.windows };
    if (typeof onStoreError === 'string') return decideWithoutStore(claim, onStoreError);
    const local = await onStoreError.consume(call.key, { cost: call.cost, ...(signal && { signal }) });
    const decision: LimitDecision = { ...local, degraded: true, source: local.degraded ? 'none' : 'local' };
    this.#standIns.set(decision, local);
    return decision;
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}

/** A decision, and the item in which the store counted it, if it did. */
interface Outcome {
  readonly decision: LimitDecision;
  readonly counted?: AddressedClaim | undefined;
}

function cacheOf(size: CacheSize | false): DeniedCache | undefined {
  return size === false ? undefined : new DeniedCache(size.maxKeys, size.maxAgeMs);
}

function isTimeout(error: unknown): boolean {
  return error instanceof RateLimitError && error.cause instanceof StoreTimeout;
}
