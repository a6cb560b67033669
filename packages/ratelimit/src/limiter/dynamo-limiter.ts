import { type Clock, completeClock, type Environment, type FullClock, type Logger } from '@sallyport/core';
import {
  defineOptions,
  func,
  group,
  integer,
  kind,
  OptionKind,
  oneOf,
  type ParsedOptions,
  text,
  withMethods,
  wrong,
} from '@sallyport/core/options';
import { LOG_WANTED, parseLog } from '@sallyport/core/pipeline';
import { type Client, DynamoTable, type ItemTable, type StoreCall } from '@sallyport/dynamo';
import { invalidConfig, RateLimitError, storeUnavailable } from '../errors.js';
import { RATE_LIMIT_TABLE_NAME_ENV } from '../schema.js';
import { type CounterStore, type Decider, hasRoom, strategyOption } from '../strategies/internal/definition.js';
import { type AddressedClaim, decideWithoutStore, denyUnfit, toClaim } from './internal/claims.js';
import { DeniedCache } from './internal/denied-cache.js';
import { DynamoStore } from './internal/dynamo-store.js';
import { Reporter } from './internal/report.js';
import type {
  CallOptions,
  ConsumeOptions,
  LimitDecision,
  LimitFor,
  RateLimiter,
  RateLimitKey,
  Strategy,
} from './limiter.js';

/** Options of {@link createDynamoRateLimiter}. */
export interface DynamoRateLimiterOptions {
  /** How requests are counted: `fixedWindow`, `slidingWindow`, `multiWindow` or `tokenBucket`. */
  readonly strategy: Strategy;
  /**
   * What is decided when the store fails. It has no default: a limit that protects something denies, one that only shares
   * capacity may allow.
   */
  readonly onStoreError: 'deny' | 'allow';
  /** The table. Default: the variable `FRAMEWORK_RATE_LIMIT_TABLE_NAME`. */
  readonly tableName?: string;
  /** The DynamoDB client. Default: one with two attempts, made at the first decision. */
  readonly client?: Client;
  /** Tells the time. Default: the system's clock. */
  readonly clock?: Clock;
  /** Environment variables. Default `process.env`. */
  readonly environment?: Environment;
  /** The limits of a key in place of the strategy's; `undefined` for the strategy's. */
  readonly limitFor?: LimitFor;
  /**
   * Denials that are answered again without a call: of at most `maxKeys` keys (default 1,000), each for at most `maxAgeMs`
   * (default 10,000). `false` asks the store every time.
   */
  readonly deniedCache?: { readonly maxKeys?: number; readonly maxAgeMs?: number } | false;
  /** Milliseconds for all attempts of one decision, 1 to 60,000. Default 300. Loading the AWS SDK is not counted. */
  readonly storeTimeoutMs?: number;
  /** How many milliseconds an instance's clock may be behind and still find its counters, 0 to 60,000. Default 1,000. */
  readonly maxClockSkewMs?: number;
  /** Called at each decision without the store. What it throws changes nothing and is logged once. */
  readonly onError?: (error: RateLimitError, key: RateLimitKey) => void;
  /**
   * Gets a `warn` at most once a minute when the store is busy, and an `error` once an instance for a fault of deployment;
   * `false` for silence. Default: JSON lines on standard output.
   */
  readonly log?: Logger | false;
}

const DENIED_CACHE = { maxKeys: 1000, maxAgeMs: 10_000 };
const CACHE_OPTIONS = group<typeof DENIED_CACHE>()({
  maxKeys: integer(1, 1_000_000).default(DENIED_CACHE.maxKeys),
  maxAgeMs: integer(1, 3_600_000, 'milliseconds').default(DENIED_CACHE.maxAgeMs),
});

const OPTIONS = defineOptions<DynamoRateLimiterOptions>()(
  {
    strategy: strategyOption.required(),
    onStoreError: oneOf('deny', 'allow').required(),
    tableName: text('the name of the table').orVariable(RATE_LIMIT_TABLE_NAME_ENV),
    client: withMethods<Client>('send'),
    clock: withMethods<Clock>('now'),
    environment: kind<Environment>('an object', (value) => typeof value === 'object' && value !== null),
    limitFor: func<LimitFor>(),
    deniedCache: new OptionKind<typeof DENIED_CACHE | false>('false, or an object', (value, place) =>
      value === false ? false : (CACHE_OPTIONS.read(value, place) ?? DENIED_CACHE),
    ).default(DENIED_CACHE),
    storeTimeoutMs: integer(1, 60_000, 'milliseconds').default(300),
    maxClockSkewMs: integer(0, 60_000, 'milliseconds').default(1000),
    onError: func<(error: RateLimitError, key: RateLimitKey) => void>(),
    log: new OptionKind<Logger>(LOG_WANTED, (value, place) => {
      try {
        return parseLog(value, process.env);
      } catch {
        throw wrong(place, LOG_WANTED);
      }
    }),
  },
  { fail: invalidConfig },
);

type Settings = ParsedOptions<typeof OPTIONS.kinds>;

/** Attempts of our own client. A retry after a lost answer may count twice, which is strict and never lax. */
const MAX_ATTEMPTS = 2;

/**
 * A limiter that all instances of a function share through one DynamoDB table: one conditional write a decision. The AWS SDK is
 * loaded at the first decision.
 *
 * @throws RateLimitError `ratelimit.invalid_config` for a wrong option, or when neither option nor variable names the table
 * @example
 * const limiter = createDynamoRateLimiter({
 *   strategy: slidingWindow({ limit: 100, windowMs: 60_000 }),
 *   onStoreError: 'deny',
 * });
 * app.use(rateLimitMiddleware({ limiter }));
 */
export function createDynamoRateLimiter(options: DynamoRateLimiterOptions): RateLimiter {
  return new DynamoRateLimiter(OPTIONS.parse(options));
}

interface OpenStore {
  readonly store: CounterStore;
  readonly decider: Decider;
}

type OpenCall<T> = (open: OpenStore, ...args: Parameters<StoreCall<T>>) => Promise<T>;

class DynamoRateLimiter implements RateLimiter {
  readonly #settings: Settings;
  readonly #clock: FullClock;
  readonly #denied: DeniedCache | undefined;
  readonly #reporter: Reporter;
  readonly #table: DynamoTable;
  #opened: OpenStore | undefined;

  constructor(settings: Settings) {
    const { strategy, onError, tableName, client, storeTimeoutMs: timeoutMs, deniedCache } = settings;
    const log = settings.log ?? parseLog(undefined, settings.environment ?? process.env);
    this.#settings = settings;
    this.#clock = completeClock(settings.clock);
    this.#denied = deniedCache === false ? undefined : new DeniedCache(deniedCache.maxKeys, deniedCache.maxAgeMs);
    const clock = this.#clock;
    this.#table = new DynamoTable({
      tableName,
      client,
      clock,
      timeoutMs,
      maxAttempts: MAX_ATTEMPTS,
      toError: (cause, transient) => (cause instanceof RateLimitError ? cause : storeUnavailable(transient, cause)),
    });
    this.#reporter = new Reporter({ policy: strategy.policy, clock, log, onError });
  }

  get strategy(): Strategy {
    return this.#settings.strategy;
  }

  async consume(key: RateLimitKey, { cost = 1, signal }: ConsumeOptions = {}): Promise<LimitDecision> {
    const { claim, address, name } = this.#claim(key, cost);
    signal?.throwIfAborted();
    const known = denyUnfit(this.#settings.strategy, claim) ?? this.#denied?.find(name, claim);
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
      return decideWithoutStore(claim, this.#settings.onStoreError);
    }
  }

  async peek(key: RateLimitKey, { signal }: CallOptions = {}): Promise<LimitDecision> {
    const { claim, address } = this.#claim(key, 1);
    signal?.throwIfAborted();
    return (
      denyUnfit(this.#settings.strategy, claim) ??
      this.#call(signal, ({ decider }, within) => decider.peek(address, claim, within))
    );
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
    return this.#table.within<T>(signal, (table, inner, commit) => {
      this.#opened ??= this.#open(table);
      return run(this.#opened, inner, commit);
    });
  }

  /** A decider remembers what it has seen, so there is one for the life of the limiter. */
  #open(table: ItemTable): OpenStore {
    const { strategy, maxClockSkewMs } = this.#settings;
    const store = new DynamoStore(table);
    const onBrokenClock = (key: RateLimitKey) => {
      const message = 'framework: token bucket was written by a broken clock';
      this.#reporter.failed(new RateLimitError('ratelimit.store_unavailable', message), key);
    };
    return { store, decider: strategy.createDecider(store, { maxClockSkewMs, onBrokenClock }) };
  }
}
