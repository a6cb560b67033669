import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type CallCounter, countCalls, createLocalClient, createTable, retryAtOnce } from '@sallyport/dynamodb-local';
import {
  createDynamoRateLimiter,
  type DynamoRateLimiter,
  type DynamoRateLimiterOptions,
  type RateLimitKey,
} from '@sallyport/ratelimit';
import { RATE_LIMIT_TABLE_SCHEMA } from '@sallyport/ratelimit/schema';

/** A whole hour of Unix time: 2023-11-14T22:00:00Z. */
export const START_MS = 1_699_999_200_000;
export const KEY: RateLimitKey = { identifier: 'caller', resource: '/notes', operation: 'GET' };

/** A wall clock that the test sets; its timers use the system's clock. */
export class WallClock {
  ms: number;

  constructor(ms = START_MS) {
    this.ms = ms;
  }

  now(): Date {
    return new Date(this.ms);
  }

  monotonicMs(): number {
    return this.ms;
  }
}

/** A separate table with a counting client. */
export interface Bench {
  readonly client: DynamoDBClient;
  readonly counter: CallCounter;
  readonly tableName: string;
  readonly clock: WallClock;
  /** A limiter over the table, fail closed, with time enough for a busy machine. */
  limiter(options: Pick<DynamoRateLimiterOptions, 'strategy'> & Partial<DynamoRateLimiterOptions>): DynamoRateLimiter;
}

export async function createBench(endpoint?: string): Promise<Bench> {
  const client = await createLocalClient({ ...(endpoint && { endpoint }), retryStrategy: retryAtOnce(1) });
  const direct = endpoint === undefined ? client : await createLocalClient();
  const tableName = await createTable(direct, RATE_LIMIT_TABLE_SCHEMA);
  if (direct !== client) direct.destroy();
  const counter = countCalls(client);
  const clock = new WallClock();
  return {
    client,
    counter,
    tableName,
    clock,
    limiter: (options) =>
      createDynamoRateLimiter({ client, tableName, clock, onStoreError: 'deny', storeTimeoutMs: 10_000, ...options }),
  };
}
