/** One instance of a function as a separate process: receives orders and reports the admitted requests. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { silentLogger } from '@sallyport/core';
import {
  createDynamoRateLimiter,
  fixedWindow,
  multiWindow,
  type Strategy,
  slidingWindow,
  tokenBucket,
  type WindowOptions,
} from '@sallyport/ratelimit';

/** One round of decisions, as JSON. */
export interface Order {
  readonly endpoint: string;
  readonly tableName: string;
  readonly identifier: string;
  readonly strategy:
    | { readonly fixed: WindowOptions }
    | { readonly sliding: WindowOptions }
    | { readonly multi: readonly WindowOptions[] }
    | { readonly bucket: { readonly capacity: number; readonly refillPerSecond: number } };
  readonly decisions: number;
  /** Number of concurrent decisions. */
  readonly lanes: number;
  /** Added to the machine's clock. */
  readonly skewMs: number;
  readonly deniedCache: boolean;
}

export interface Answer {
  readonly decided: number;
  readonly degraded: number;
  /** Time of each admitted request's decision, by this instance's clock. */
  readonly admittedAt: readonly number[];
}

const clients = new Map<string, DynamoDBClient>();

// The parent process has exited.
process.on('disconnect', () => process.exit());
process.on('message', (order: Order) => {
  void work(order).then((answer) => process.send?.(answer));
});
process.send?.('ready');

async function work(order: Order): Promise<Answer> {
  const share = Math.ceil(order.decisions / order.lanes);
  const answers = await Promise.all(Array.from({ length: order.lanes }, () => lane(order, share)));
  return {
    decided: answers.reduce((sum, { decided }) => sum + decided, 0),
    degraded: answers.reduce((sum, { degraded }) => sum + degraded, 0),
    admittedAt: answers.flatMap(({ admittedAt }) => admittedAt),
  };
}

/** Makes decisions one after the other, so that the last value of the clock is the time of the decision. */
async function lane(order: Order, decisions: number): Promise<Answer> {
  const clock = new SkewedClock(order.skewMs);
  const limiter = createDynamoRateLimiter({
    strategy: strategyOf(order.strategy),
    client: clientOf(order.endpoint),
    clock,
    tableName: order.tableName,
    onStoreError: 'deny',
    log: silentLogger,
    storeTimeoutMs: 30_000,
    // Clocks of a test differ by up to ten seconds, and a decision may reach the table late.
    maxClockSkewMs: 15_000,
    ...(!order.deniedCache && { deniedCache: false }),
  });
  const key = { identifier: order.identifier, resource: '/notes', operation: 'POST' };
  const admittedAt: number[] = [];
  let degraded = 0;
  for (let decided = 0; decided < decisions; decided += 1) {
    const decision = await limiter.consume(key);
    if (decision.degraded) degraded += 1;
    else if (decision.allowed) admittedAt.push(clock.lastMs);
  }
  return { decided: decisions, degraded, admittedAt };
}

function clientOf(endpoint: string): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client =
    clients.get(endpoint) ?? new DynamoDBClient({ region: 'us-east-1', credentials, endpoint, maxAttempts: 2 });
  clients.set(endpoint, client);
  return client;
}

class SkewedClock {
  lastMs = 0;
  readonly #skewMs: number;

  constructor(skewMs: number) {
    this.#skewMs = skewMs;
  }

  now(): Date {
    this.lastMs = Date.now() + this.#skewMs;
    return new Date(this.lastMs);
  }
}

function strategyOf(strategy: Order['strategy']): Strategy {
  if ('fixed' in strategy) return fixedWindow(strategy.fixed);
  if ('sliding' in strategy) return slidingWindow(strategy.sliding);
  if ('multi' in strategy) return multiWindow(strategy.multi);
  return tokenBucket(strategy.bucket);
}
