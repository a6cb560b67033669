/**
 * Compares the costs of operations with public packages, measured with a counting client against DynamoDB Local:
 * `node --conditions=@sallyport/source --import tsx packages/jobs/bench/compare.ts`
 */
import { randomUUID } from 'node:crypto';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { dynamoDBLockClientFactory } from '@deliveryhero/dynamodb-lock';
import { countCalls, createTable, dynamodbEndpoint } from '@sallyport/dynamodb-local';
import { createJobLedger, runIdempotent } from '@sallyport/jobs';
import { JOBS_TABLE_SCHEMA } from '@sallyport/jobs/schema';

const LARGE = 'x'.repeat(20_000);
const client = new DynamoDBClient({
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  endpoint: await dynamodbEndpoint(),
});
const counter = countCalls(client);
const ledger = createJobLedger({ client, tableName: await createTable(client, JOBS_TABLE_SCHEMA) });

process.stdout.write(`${[...(await idempotency()), '', ...(await leases())].join('\n')}\n`);
client.destroy();
process.exit(0);

async function idempotency(): Promise<string[]> {
  const tableName = await createTable(client, { partitionKey: { name: 'id', type: 'S' } });
  process.env.AWS_LAMBDA_FUNCTION_NAME ??= 'compare';
  const persistenceStore = new DynamoDBPersistenceLayer({ tableName, awsSdkV3Client: client });
  const config = new IdempotencyConfig({ throwOnNoIdempotencyKey: true });
  const runs: readonly (readonly [string, (key: string, value: string) => Promise<unknown>])[] = [
    ['**this one**', (key, value) => runIdempotent(ledger, { scope: 'compare', key }, async () => value)],
    [
      '@aws-lambda-powertools/idempotency 2.35.0',
      (key, value) => makeIdempotent(async (_: { key: string }) => value, { persistenceStore, config })({ key }),
    ],
  ];
  const rows = [];
  for (const [name, run] of runs) {
    const [small, large] = [randomUUID(), randomUUID()];
    const costs = [];
    for (const [key, value] of [
      [small, 'v'],
      [small, 'v'],
      [large, LARGE],
      [large, LARGE],
    ] as const) {
      costs.push(await costOf(() => run(key, value)));
    }
    rows.push(`| ${[name, ...costs].join(' | ')} |`);
  }
  return [
    '| package | first time | duplicate | first time, 20 KB | duplicate, 20 KB |',
    '|---|---|---|---|---|',
    ...rows,
  ];
}

async function leases(): Promise<string[]> {
  const keys = { partitionKey: { name: 'lockId', type: 'S' }, sortKey: { name: 'lockGroup', type: 'S' } } as const;
  const locks = dynamoDBLockClientFactory(DynamoDBDocument.from(client), {
    tableName: await createTable(client, keys),
  });
  const options = { leaseDurationInMs: 30_000, prolongLeaseEnabled: false, trustLocalTime: true } as const;
  const refusal = { ...options, waitDurationInMs: 1, maxRetryCount: 0 };
  const [name, id] = [randomUUID(), randomUUID()];
  const own = [
    await costOf(() => ledger.acquireLease({ name, owner: 'a' })),
    await costOf(() => ledger.acquireLease({ name, owner: 'b' }).catch(() => undefined)),
  ];
  const lease = await ledger.getLease(name);
  if (lease) own.push(await costOf(() => ledger.releaseLease(lease)));
  let held: Awaited<ReturnType<typeof locks.lock>> | undefined;
  const take = async () => {
    held = await locks.lock('group', id, refusal);
  };
  const peer = [await costOf(take)];
  peer.push(await costOf(() => locks.lock('group', id, refusal).catch(() => undefined)));
  peer.push(await costOf(async () => held && locks.releaseLock(held)));
  return [
    '| package | acquire | refused | release | fencing token |',
    '|---|---|---|---|---|',
    `| ${['**this one**', ...own, 'yes'].join(' | ')} |`,
    `| ${['@deliveryhero/dynamodb-lock 2.0.0', ...peer, 'no'].join(' | ')} |`,
  ];
}

/** A write that is rejected is billed by the item that it meets; the server states no units for it. */
async function costOf(run: () => Promise<unknown>): Promise<string> {
  counter.take();
  await run();
  const { calls, writeUnits, readUnits } = counter.total();
  return `${calls} call${calls === 1 ? '' : 's'}, ${writeUnits} WCU${readUnits > 0 ? `, ${readUnits} RCU` : ''}`;
}
