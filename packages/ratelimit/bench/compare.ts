/**
 * Compares the costs of a decision with public packages, measured with a counting client against DynamoDB Local:
 * `node --conditions=@sallyport/source --import tsx packages/ratelimit/bench/compare.ts`
 */
import { randomUUID } from 'node:crypto';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { type CallCounter, countCalls, createTable, dynamodbEndpoint } from '@sallyport/dynamodb-local';
import {
  createDynamoRateLimiter,
  fixedWindow,
  multiWindow,
  type Strategy,
  slidingWindow,
  tokenBucket,
} from '@sallyport/ratelimit';
import { RATE_LIMIT_TABLE_SCHEMA } from '@sallyport/ratelimit/schema';
import { RateLimiterDynamo } from 'rate-limiter-flexible';

const LIMIT = 5;
const WINDOW_SECONDS = 3600;
const BURST = 50;

interface Contender {
  readonly name: string;
  /** True if a request of this caller is admitted. */
  consume(caller: string): Promise<boolean>;
}

const client = new DynamoDB({
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  endpoint: await dynamodbEndpoint(),
});
const counter = countCalls(client);

const rows: string[] = [];
for (const contender of [...(await ours()), ...(await peers())]) rows.push(await measure(contender));
process.stdout.write(
  [
    '| package | first | allowed | denied | denied again | 50 at once against 5 |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n'),
);
client.destroy();
process.exit(0);

async function ours(): Promise<Contender[]> {
  const tableName = await createTable(client, RATE_LIMIT_TABLE_SCHEMA);
  const windowMs = WINDOW_SECONDS * 1000;
  const strategies: readonly (readonly [string, Strategy])[] = [
    ['fixed window', fixedWindow({ limit: LIMIT, windowMs })],
    ['sliding window', slidingWindow({ limit: LIMIT, windowMs })],
    [
      'three windows',
      multiWindow([windowMs / 60, windowMs, windowMs * 24].map((ms) => ({ limit: LIMIT, windowMs: ms }))),
    ],
    ['token bucket', tokenBucket({ capacity: LIMIT, refillPerSecond: LIMIT / WINDOW_SECONDS })],
  ];
  return strategies.map(([name, strategy]) => {
    const limiter = createDynamoRateLimiter({
      strategy,
      client,
      tableName,
      onStoreError: 'deny',
      storeTimeoutMs: 10_000,
    });
    const consume = async (identifier: string) => {
      const decision = await limiter.consume({ identifier, resource: '/', operation: 'GET' });
      if (decision.degraded) throw new Error('the store did not answer');
      return decision.allowed;
    };
    return { name: `@sallyport/ratelimit, ${name}`, consume };
  });
}

async function peers(): Promise<Contender[]> {
  const tableName = await createTable(client, { partitionKey: { name: 'key', type: 'S' } });
  const shared = {
    storeClient: client,
    tableName,
    tableCreated: true,
    ttlSet: true,
    points: LIMIT,
    duration: WINDOW_SECONDS,
  };
  return [
    ['rate-limiter-flexible, fixed window', new RateLimiterDynamo({ ...shared, keyPrefix: 'a' })],
    [
      'rate-limiter-flexible, denied callers kept in memory',
      new RateLimiterDynamo({ ...shared, keyPrefix: 'b', inMemoryBlockOnConsumed: LIMIT + 1 }),
    ],
  ].map(([name, limiter]) => ({
    name: name as string,
    /** A denial rejects with a result; a fault with an error. */
    consume: (caller) =>
      (limiter as RateLimiterDynamo).consume(caller).then(
        () => true,
        (reason: unknown) => {
          if (reason instanceof Error) throw reason;
          return false;
        },
      ),
  }));
}

/** One row: calls and units of each kind of decision, and how many a burst admits. */
async function measure({ name, consume }: Contender): Promise<string> {
  await consume(randomUUID());
  counter.take();
  const caller = randomUUID();
  const costs: string[] = [];
  for (let request = 1; request <= LIMIT + 2; request += 1) {
    await consume(caller);
    const cost = costOf(counter);
    if ([1, 2, LIMIT + 1, LIMIT + 2].includes(request)) costs.push(cost);
  }
  const burst = randomUUID();
  const admitted = await Promise.all(Array.from({ length: BURST }, () => consume(burst)));
  counter.take();
  return `| ${[name, ...costs, `${admitted.filter(Boolean).length} admitted`].join(' | ')} |`;
}

function costOf(counted: CallCounter): string {
  const { calls, writeUnits, readUnits } = counted.total();
  counted.take();
  return calls === 0
    ? 'no call'
    : `${calls} call${calls > 1 ? 's' : ''}, ${writeUnits} WCU${readUnits > 0 ? `, ${readUnits} RCU` : ''}`;
}
