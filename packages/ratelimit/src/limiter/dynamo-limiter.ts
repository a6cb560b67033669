import type { Clock, Environment, Logger } from '@sallyport/core';
import { LOG_WANTED, parseLog } from '@sallyport/core/pipeline';
import type { Client } from '@sallyport/dynamo';
import { invalidConfig, type RateLimitError } from '../errors.js';
import { assertClock, assertFunctions, assertOptions, wholeNumber } from '../internal/options.js';
import { RATE_LIMIT_TABLE_NAME_ENV } from '../schema.js';
import type { Strategy } from '../strategies/strategy.js';
import { DynamoRateLimiter } from './internal/dynamo-rate-limiter.js';
import { parseStrategy } from './internal/limits.js';
import type { LimitFor, RateLimiter, RateLimitKey } from './limiter.js';

export interface DynamoRateLimiterOptions {
  readonly strategy: Strategy;
  /** What a decision without the store is. No default: a limit that guards something fails closed, one that shares fails open. */
  readonly onStoreError: 'deny' | 'allow';
  /** Else `FRAMEWORK_RATE_LIMIT_TABLE_NAME`. */
  readonly tableName?: string;
  /** Else one with two attempts, made at the first decision. */
  readonly client?: Client;
  readonly clock?: Clock;
  /** `process.env`. */
  readonly environment?: Environment;
  /** The enforced limits of a key; `undefined` for the strategy's. */
  readonly limitFor?: LimitFor;
  /** Denials that are answered again without a call: 1,000 keys for at most 10,000 ms; `false` for none. */
  readonly deniedCache?: { readonly maxKeys?: number; readonly maxAgeMs?: number } | false;
  /** Milliseconds for all attempts of one decision, 1 to 60,000; 300. */
  readonly storeTimeoutMs?: number;
  /** How far an instance's clock may be behind and still find its counters, 0 to 60,000; 1,000. */
  readonly maxClockSkewMs?: number;
  /** Called at each decision without the store. What it throws is dropped. */
  readonly onError?: (error: RateLimitError, key: RateLimitKey) => void;
  /**
   * Gets one line a minute while the store fails, and one an instance for a fault of deployment; `false` for silence.
   * Default: JSON lines on standard output.
   */
  readonly log?: Logger | false;
}

const OPTIONS = [
  'strategy',
  'onStoreError',
  'tableName',
  'client',
  'clock',
  'environment',
  'limitFor',
  'deniedCache',
  'storeTimeoutMs',
  'maxClockSkewMs',
  'onError',
  'log',
];

/**
 * A limiter that all instances share through one DynamoDB table: one conditional write a decision. The AWS SDK is loaded
 * at the first decision.
 *
 * @throws RateLimitError `ratelimit.invalid_config`
 * @example createDynamoRateLimiter({ strategy: fixedWindow({ limit: 100, windowMs: 60_000 }), onStoreError: 'deny' })
 */
export function createDynamoRateLimiter(options: DynamoRateLimiterOptions): RateLimiter {
  assertOptions(options, OPTIONS);
  assertFunctions(options, ['limitFor', 'onError']);
  assertClock(options.clock);
  const { onStoreError, client, limitFor, onError, clock } = options;
  if (onStoreError !== 'deny' && onStoreError !== 'allow') {
    throw invalidConfig('option "onStoreError" must be "deny" or "allow"');
  }
  if (client !== undefined && typeof client?.send !== 'function') {
    throw invalidConfig('option "client" must be a DynamoDB client');
  }
  return new DynamoRateLimiter({
    strategy: parseStrategy(options.strategy),
    allowOnError: onStoreError === 'allow',
    tableName: tableNameOf(options),
    client,
    clock,
    limitFor,
    onError,
    log: loggerOf(options),
    deniedCache: deniedCacheOf(options.deniedCache),
    storeTimeoutMs: wholeNumber('storeTimeoutMs', options.storeTimeoutMs ?? 300, 1, 60_000),
    maxClockSkewMs: wholeNumber('maxClockSkewMs', options.maxClockSkewMs ?? 1000, 0, 60_000),
  });
}

function loggerOf({ log, environment = process.env }: DynamoRateLimiterOptions): Logger {
  try {
    return parseLog(log, environment);
  } catch {
    throw invalidConfig(`option "log" must be ${LOG_WANTED}`);
  }
}

function tableNameOf({ tableName, environment = process.env }: DynamoRateLimiterOptions): string {
  const name: unknown = tableName ?? environment[RATE_LIMIT_TABLE_NAME_ENV];
  if (typeof name === 'string' && name.trim() !== '') return name.trim();
  throw invalidConfig(`option "tableName" or ${RATE_LIMIT_TABLE_NAME_ENV} must name the table`);
}

function deniedCacheOf(
  option: DynamoRateLimiterOptions['deniedCache'],
): { maxKeys: number; maxAgeMs: number } | undefined {
  if (option === false) return undefined;
  const given = option ?? {};
  assertOptions(given, ['maxKeys', 'maxAgeMs']);
  return {
    maxKeys: wholeNumber('maxKeys', given.maxKeys ?? 1000, 1, 1_000_000),
    maxAgeMs: wholeNumber('maxAgeMs', given.maxAgeMs ?? 10_000, 1, 3_600_000),
  };
}
