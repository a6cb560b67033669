/** One instance in a duel as a separate process: makes decisions without end and reports each decision immediately. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoRateLimiter, fixedWindow, multiWindow, slidingWindow, tokenBucket } from '@sallyport/ratelimit';

/** Input of an instance of a duel, as JSON. */
export interface DuelOrder {
  readonly endpoint: string;
  readonly tableName: string;
  readonly strategy: 'fixed' | 'sliding' | 'multi' | 'bucket';
  readonly limit: number;
  readonly windowMs: number;
  readonly skewMs: number;
  readonly reserve: number;
  /** A planted fault: conditions that always hold. */
  readonly plantsFault: boolean;
}

/** One decision. */
export interface Told {
  readonly allowed: boolean;
  readonly degraded: boolean;
  /** Time of the decision, by this instance's clock. */
  readonly atMs: number;
}

const order = JSON.parse(process.argv[2] ?? '{}') as DuelOrder;
const { limit, windowMs } = order;
const STRATEGIES = {
  fixed: () => fixedWindow({ limit, windowMs }),
  sliding: () => slidingWindow({ limit, windowMs }),
  multi: () =>
    multiWindow([
      { limit, windowMs },
      { limit: 100 * limit, windowMs: 100 * windowMs },
    ]),
  bucket: () => tokenBucket({ capacity: limit, refillPerSecond: (limit * 1000) / windowMs }),
};

/** The last reading before an answer is the time of the decision: one decision at a time. */
const clock = {
  lastMs: 0,
  now() {
    clock.lastMs = Date.now() + order.skewMs;
    return new Date(clock.lastMs);
  },
};

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const client = new DynamoDBClient({ region: 'us-east-1', credentials, endpoint: order.endpoint, maxAttempts: 2 });
if (order.plantsFault) {
  client.middlewareStack.add(
    (next) => (args) => {
      const { ConditionExpression } = args.input as { ConditionExpression?: string };
      const open = ConditionExpression && `(${ConditionExpression}) OR attribute_not_exists(nothing)`;
      return next({ ...args, input: { ...args.input, ConditionExpression: open } });
    },
    { step: 'initialize', name: 'plantFault' },
  );
}
const limiter = createDynamoRateLimiter({
  strategy: STRATEGIES[order.strategy](),
  onStoreError: 'deny',
  tableName: order.tableName,
  client,
  clock,
  reserve: order.reserve,
  deniedCache: false,
  storeTimeoutMs: 2000,
  log: false,
});

process.on('disconnect', () => process.exit());
for (;;) {
  const { allowed, degraded } = await limiter.consume({ identifier: 'duel', resource: '/', operation: 'GET' });
  await new Promise<void>((resolve) => {
    const told: Told = { allowed, degraded, atMs: clock.lastMs };
    process.send?.(told, undefined, {}, () => resolve());
  });
}
