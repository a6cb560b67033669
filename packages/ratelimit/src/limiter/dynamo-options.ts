import type { Clock, Environment, Logger } from '@sallyport/core';
import { LOG_WANTED, parseLog } from '@sallyport/core/internal';
import {
  defineOptions,
  func,
  integer,
  kind,
  OptionKind,
  type ParsedOptions,
  text,
  withMethods,
  wrong,
} from '@sallyport/core/options';
import type { Client } from '@sallyport/dynamo';
import { invalidConfig, type RateLimitError } from '../errors.js';
import { RATE_LIMIT_TABLE_NAME_ENV } from '../schema.js';
import { strategyOption } from '../strategies/internal/definition.js';
import { cacheOption } from './internal/limits.js';
import type { CallOptions, LimitFor, RateLimiter, RateLimitKey, Strategy } from './limiter.js';

/** Options of `createDynamoRateLimiter`. */
export interface DynamoRateLimiterOptions {
  /** The strategy for counting requests: `fixedWindow`, `slidingWindow`, `multiWindow` or `tokenBucket`. */
  readonly strategy: Strategy;
  /**
   * The decision if the store fails: `deny`, `allow`, or another limiter, such as `createMemoryRateLimiter()` with this instance's part of
   * the limit. It has no default: use `deny` for a limit that protects a resource; `allow` is possible for a limit that only shares
   * capacity.
   */
  readonly onStoreError: 'deny' | 'allow' | RateLimiter;
  /** The table. Default: the variable `FRAMEWORK_RATE_LIMIT_TABLE_NAME`. */
  readonly tableName?: string;
  /** The DynamoDB client. Default: a client with two attempts, created at the first decision. */
  readonly client?: Client;
  /** Time source. Default: the system's clock. */
  readonly clock?: Clock;
  /** Environment variables. Default `process.env`. */
  readonly environment?: Environment;
  /** Returns the limits of a key, or a promise of them, instead of the strategy's limits; `undefined` for the limits of the strategy. */
  readonly limitFor?: LimitFor;
  /**
   * A cache for results of `limitFor`: for at most `maxKeys` keys, each for at most `maxAgeMs`. `false` calls it each time.
   * Default: 1,000 keys, 10,000 ms.
   */
  readonly limitCache?: { readonly maxKeys?: number; readonly maxAgeMs?: number } | false;
  /**
   * A cache of denials, which then need no call: for at most `maxKeys` keys, each for at most `maxAgeMs`. `false` calls the store
   * every time. Default: 1,000 keys, 10,000 ms.
   */
  readonly deniedCache?: { readonly maxKeys?: number; readonly maxAgeMs?: number } | false;
  /**
   * Additional units that one write may reserve for later requests, 0 to 10,000. They are spent without a call as long as they
   * belong to the same window, and returned with a later write, or by `release`. An instance never holds more unspent units of one
   * key, and near the limit it reserves less. At most the strategy's smallest limit. Default 0.
   */
  readonly reserve?: number;
  /**
   * Requests per second for one item, 1 to 1,000,000. A key whose limits allow more is spread over several items, up to 100.
   * Versions with different numbers share the limit. Default: one item per key.
   */
  readonly shardAbove?: number;
  /** Timeout in milliseconds for all attempts of one decision, 1 to 60,000. Default 300. Loading the AWS SDK is not counted. */
  readonly storeTimeoutMs?: number;
  /**
   * Timeout in milliseconds for all attempts before the first response of the store, 1 to 60,000: a small function needs longer to
   * open a connection. At least `storeTimeoutMs`. Default 3,000.
   */
  readonly coldTimeoutMs?: number;
  /** Milliseconds by which an instance's clock may be slow and still find its counters, 0 to 60,000. Default 1,000. */
  readonly maxClockSkewMs?: number;
  /** Called at each decision without the store. Its errors are logged once and otherwise ignored. */
  readonly onError?: (error: RateLimitError, key: RateLimitKey) => void;
  /**
   * Logs a `warn` at most once a minute while the store is unavailable, and an `error` once per instance for an error in the
   * deployment; `false` disables it. Default: JSON lines on standard output.
   */
  readonly log?: Logger | false;
}

/** A limiter whose counters are in a DynamoDB table. */
export interface DynamoRateLimiter extends RateLimiter {
  /**
   * Loads the AWS SDK and opens a connection: for the init phase of a function, which has more CPU than the invocations of a small
   * function. Costs half a read unit. A failure is logged, and the first decision tries again.
   *
   * @example
   * const limiter = createDynamoRateLimiter({ strategy, onStoreError: 'deny' });
   * await limiter.warm();
   */
  warm(): Promise<void>;
  /**
   * Returns all unspent units of `reserve`, after writes in progress: call it before the process exits. A failure is logged,
   * and its units count until their window ends.
   */
  release(options?: CallOptions): Promise<void>;
}

type OnStoreError = DynamoRateLimiterOptions['onStoreError'];

/** Validators and defaults for {@link DynamoRateLimiterOptions}. */
export const DYNAMO_LIMITER_OPTIONS = defineOptions<DynamoRateLimiterOptions>()(
  {
    strategy: strategyOption.required(),
    onStoreError: kind<OnStoreError>(
      'one of "deny", "allow", or a limiter',
      (value) => value === 'deny' || value === 'allow' || typeof (value as RateLimiter | null)?.consume === 'function',
    ).required(),
    tableName: text('the name of the table').orVariable(RATE_LIMIT_TABLE_NAME_ENV),
    client: withMethods<Client>('send'),
    clock: withMethods<Clock>('now'),
    environment: kind<Environment>('an object', (value) => typeof value === 'object' && value !== null),
    limitFor: func<LimitFor>(),
    limitCache: cacheOption,
    deniedCache: cacheOption,
    reserve: integer(0, 10_000).default(0),
    shardAbove: integer(1, 1_000_000, 'requests a second'),
    storeTimeoutMs: integer(1, 60_000, 'milliseconds').default(300),
    coldTimeoutMs: integer(1, 60_000, 'milliseconds').default(3000),
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

/** The options with all defaults. */
export type DynamoRateLimiterSettings = ParsedOptions<typeof DYNAMO_LIMITER_OPTIONS.kinds>;
