import { readFileSync } from 'node:fs';
import { DeleteItemCommand, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { type CallCounter, countCalls, createLocalClient, createTable } from '@sallyport/dynamodb-local';
import {
  createEventBusStore,
  createJobLedger,
  type EventBusStore,
  type JobLedger,
  type JobRecord,
  runIdempotent,
} from '@sallyport/jobs';
import { EVENTBUS_TABLE_SCHEMA, JOBS_TABLE_SCHEMA } from '@sallyport/jobs/schema';

const clock = { ms: 1_700_000_000_000, now: () => new Date(clock.ms) };
let client: DynamoDBClient;
let counter: CallCounter;
let ledger: JobLedger;
let events: EventBusStore;
let tableName: string;

beforeAll(async () => {
  client = await createLocalClient();
  tableName = await createTable(client, JOBS_TABLE_SCHEMA);
  const eventTable = await createTable(client, EVENTBUS_TABLE_SCHEMA);
  counter = countCalls(client);
  ledger = createJobLedger({ client, tableName, clock });
  events = createEventBusStore({ client, tableName: eventTable, clock });
});

afterAll(() => client.destroy());

/** Calls, write units and read units of one operation. */
async function costOf(run: () => Promise<unknown>): Promise<[number, number, number]> {
  counter.take();
  await run().catch(() => undefined);
  const { calls, writeUnits, readUnits } = counter.total();
  counter.take();
  return [calls, writeUnits, readUnits];
}

async function begun(key: string) {
  const start = await ledger.beginIdempotency({ scope: 's', key, inProgressMs: 1000 });
  if (start.outcome !== 'created') throw new Error(start.outcome);
  return start.handle;
}

describe('the cost of an operation: calls, write units, read units', () => {
  it('jobs', async () => {
    expect(await costOf(() => ledger.createJob({ jobId: 'j', tenantId: 't' }))).toEqual([1, 3, 0]);
    expect(await costOf(() => ledger.transitionJob({ jobId: 'j', to: 'RUNNING' }))).toEqual([1, 3, 0]);
    expect(await costOf(() => ledger.getJob({ jobId: 'j' }))).toEqual([1, 0, 0.5]);
    expect(await costOf(() => ledger.transitionJob({ jobId: 'j', to: 'PENDING' }))).toEqual([1, 1, 0]);
    for (let number = 0; number < 50; number += 1) await ledger.createJob({ jobId: `j${number}`, tenantId: 'many' });
    const [calls, written, read] = await costOf(() => ledger.listJobs({ tenantId: 'many' }));
    expect([calls, written]).toEqual([2, 0]);
    expect(read).toBeGreaterThanOrEqual(25.5);
    expect(read).toBeLessThanOrEqual(27);
  });

  it('records and leases', async () => {
    expect(await costOf(() => ledger.createRecords({ jobId: 'j', recordIds: ['r'] }))).toEqual([2, 1, 1]);
    expect(await costOf(() => ledger.transitionRecord({ jobId: 'j', recordId: 'r', to: 'PROCESSING' }))).toEqual([
      1, 1, 0,
    ]);
    expect(await costOf(() => ledger.acquireLease({ name: 'l', owner: 'o' }))).toEqual([1, 1, 0]);
    expect(await costOf(() => ledger.acquireLease({ name: 'l', owner: 'o' }))).toEqual([1, 1, 0]);
    expect(await costOf(() => ledger.getLease('l', { consistent: false }))).toEqual([1, 0, 0.5]);
    const lease = await ledger.getLease('l');
    if (!lease) throw new Error('no lease');
    expect(await costOf(() => ledger.refreshLease(lease))).toEqual([1, 1, 0]);
    expect(await costOf(() => ledger.releaseLease(lease))).toEqual([1, 1, 0]);
  });

  it('a batch of records reads its job once, and a record that a transition makes reads it too', async () => {
    const recordIds = Array.from({ length: 20 }, (_, index) => `b${index}`);
    expect(await costOf(() => ledger.createRecords({ jobId: 'j', recordIds }))).toEqual([21, 20, 1]);
    const made = { jobId: 'j', recordId: 'made', to: 'PROCESSING', orCreate: true } as const;
    expect(await costOf(() => ledger.transitionRecord(made))).toEqual([2, 1, 1]);
  });

  it('a record that reads its job reads a unit for each 4 KB of its row, because a projection saves none', async () => {
    await ledger.createJob({ jobId: 'result', tenantId: 't', status: 'RUNNING' });
    await ledger.transitionJob({ jobId: 'result', to: 'SUCCEEDED', result: 'x'.repeat(20_000) });
    const sent: number[] = [];
    client.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        const { Item } = result.output as { Item?: object };
        if (Item) sent.push(JSON.stringify(Item).length);
        return result;
      },
      { step: 'initialize', name: 'sizes' },
    );
    const made = { jobId: 'result', recordId: 'r', to: 'PROCESSING', orCreate: true } as const;
    expect(await costOf(() => ledger.transitionRecord(made))).toEqual([2, 1, 5]);
    expect(await costOf(() => ledger.createRecords({ jobId: 'result', recordIds: ['a', 'b'] }))).toEqual([3, 2, 5]);
    expect(sent.length).toBe(2);
    for (const bytes of sent) expect(bytes).toBeLessThan(200);
    client.middlewareStack.remove('sizes');
  });

  it('records that are claimed: one query for a page of candidates, one write a claim, heartbeat and end', async () => {
    await ledger.createJob({ jobId: 'claims', tenantId: 't' });
    const recordIds = Array.from({ length: 20 }, (_, index) => `r${index}`);
    await ledger.createRecords({ jobId: 'claims', recordIds });
    let record: JobRecord | undefined;
    const claim = async () => {
      record = await ledger.claimNext({ jobId: 'claims' });
    };
    const [calls, written, read] = await costOf(claim);
    expect([calls, written]).toEqual([2, 1]);
    expect(read).toBeLessThanOrEqual(1);
    expect(await costOf(claim)).toEqual([1, 1, 0]);
    const { recordId = '', claim: { id: claimId } = { id: '' } } = record ?? {};
    const claimed = { jobId: 'claims', recordId, claimId };
    expect(await costOf(() => ledger.heartbeatRecord(claimed))).toEqual([1, 1, 0]);
    expect(await costOf(() => ledger.transitionRecord({ ...claimed, to: 'SUCCEEDED' }))).toEqual([1, 1, 0]);
    expect(await costOf(() => ledger.reapRecords({ jobId: 'claims' }))).toEqual([1, 0, read]);
    await ledger.createRecords({ jobId: 'one', recordIds: ['r'] });
    expect((await ledger.claimNext({ jobId: 'one' }))?.recordId).toBe('r');
    // The only page is read again: a record may have been added or released since.
    const findNone = () => costOf(async () => expect(await ledger.claimNext({ jobId: 'one' })).toBeUndefined());
    expect(await findNone()).toEqual([1, 0, 0.5]);
    await ledger.createRecords({ jobId: 'one', recordIds: ['without-claim'] });
    await ledger.transitionRecord({ jobId: 'one', recordId: 'without-claim', to: 'PROCESSING' });
    expect(await findNone()).toEqual([1, 0, 0.5]);
  });

  it('a change of a record that an older version wrote is rejected without a read of its job if no tenant is named', async () => {
    await ledger.createJob({ jobId: 'older', tenantId: 't' });
    const row = { pk: { S: 'JOB#older' }, sk: { S: 'REC#r' }, status: { S: 'SUCCEEDED' } };
    await client.send(new PutItemCommand({ TableName: tableName, Item: row }));
    const restart = () => ledger.transitionRecord({ jobId: 'older', recordId: 'r', to: 'PROCESSING' });
    expect(await costOf(restart)).toEqual([1, 1, 0]);
  });

  it('a record that is counted: its end is a transaction over record and job', async () => {
    await ledger.createJob({ jobId: 'counted', tenantId: 't', recordCount: 2 });
    await ledger.createRecords({ jobId: 'counted', recordIds: ['a', 'b'] });
    for (const recordId of ['a', 'b']) await ledger.transitionRecord({ jobId: 'counted', recordId, to: 'PROCESSING' });
    const end = (recordId: string) =>
      costOf(() => ledger.transitionRecord({ jobId: 'counted', recordId, to: 'SUCCEEDED' }));
    // The transaction, and the record as it is now.
    expect(await end('a')).toEqual([2, 4, 1]);
    // Of the last one two transactions are tried.
    expect(await end('b')).toEqual([3, 8, 1]);
    const fresh = createJobLedger({ client, tableName, clock });
    await ledger.createJob({ jobId: 'unknown', tenantId: 't', recordCount: 2 });
    await ledger.createRecords({ jobId: 'unknown', recordIds: ['a', 'b'] });
    // A rejected write shows an instance without cached records that the job counts its records.
    const skip = (recordId: string) => () => fresh.transitionRecord({ jobId: 'unknown', recordId, to: 'SKIPPED' });
    expect(await costOf(skip('a'))).toEqual([3, 5, 1]);
  });

  it('a write that is rejected by the size of the item that it meets', async () => {
    await ledger.createJob({ jobId: 'large', tenantId: 't', status: 'RUNNING' });
    await ledger.transitionJob({ jobId: 'large', to: 'SUCCEEDED', result: 'x'.repeat(20_000) });
    expect(await costOf(() => ledger.transitionJob({ jobId: 'large', to: 'FAILED' }))).toEqual([1, 20, 0]);
  });

  it('a full semaphore costs no write with any limit', async () => {
    const semaphore = { scope: 's', subject: 'x', owner: 'o' };
    await ledger.acquireSlot({ ...semaphore, limit: 30 });
    expect(await costOf(() => ledger.acquireSlot({ ...semaphore, limit: 30 }))).toEqual([2, 1, 1]);
    for (let taken = 2; taken < 30; taken += 1) await ledger.acquireSlot({ ...semaphore, limit: 30 });
    expect(await costOf(() => ledger.acquireSlot({ ...semaphore, limit: 30 }))).toEqual([1, 0, 2]);
  });

  it('idempotency', async () => {
    const run = (key: string, value: unknown) => runIdempotent(ledger, { scope: 's', key }, async () => value);
    expect(await costOf(() => run('k', 'v'))).toEqual([2, 2, 0]);
    expect(await costOf(() => run('k', 'v'))).toEqual([1, 1, 0]);
    const large = 'x'.repeat(20_000);
    expect(await costOf(() => run('large', large))).toEqual([3, 22, 0]);
    expect(await costOf(() => run('large', large))).toEqual([2, 1, 5]);
    const remembering = createJobLedger({ client, tableName, clock, completedKeys: 10 });
    const remember = () => runIdempotent(remembering, { scope: 's', key: 'k' }, async () => 'never');
    expect(await costOf(remember)).toEqual([1, 1, 0]);
    expect(await costOf(remember)).toEqual([0, 0, 0]);
    const handle = await begun('abandoned');
    expect(await costOf(() => ledger.abandonIdempotency(handle))).toEqual([1, 1, 0]);
  });

  it('a completed key that an instance has cached, until others were used more recently', async () => {
    const remembering = createJobLedger({ client, tableName, clock, completedKeys: 2 });
    const run = (key: string) => costOf(() => runIdempotent(remembering, { scope: 'cached', key }, async () => 'v'));
    for (const key of ['a', 'b']) expect(await run(key)).toEqual([2, 2, 0]);
    for (const key of ['b', 'a']) expect(await run(key)).toEqual([0, 0, 0]);
    // Two are cached: the third replaces the least recently used key.
    expect(await run('c')).toEqual([2, 2, 0]);
    for (const key of ['a', 'c']) expect(await run(key)).toEqual([0, 0, 0]);
    expect(await run('b')).toEqual([1, 1, 0]);
    expect(await run('a')).toEqual([1, 1, 0]);
  });

  it('events', async () => {
    const event = { tenantId: 't', type: 'T' };
    expect(await costOf(() => events.publish({ ...event, payload: 'small' }))).toEqual([1, 3, 0]);
    expect(await costOf(() => events.publish({ ...event, payload: 'x'.repeat(9000) }))).toEqual([1, 12, 0]);
    for (let number = 0; number < 100; number += 1)
      await events.publish({ ...event, tenantId: 'many', payload: number });
    const [calls, written, read] = await costOf(() => events.query({ tenantId: 'many' }));
    expect([calls, written]).toEqual([2, 0]);
    expect(read).toBeGreaterThanOrEqual(50);
    expect(read).toBeLessThanOrEqual(55);
  });

  it.each([
    [true, ['Query', 'BatchGetItem']],
    [false, ['Query', 'BatchGetItem', 'BatchGetItem']],
  ])(
    'a job that is deleted while it is listed is read again unless the read was consistent: %s',
    async (consistent, expected) => {
      const tenantId = `deleted-${consistent}`;
      const jobId = `deleted-${consistent}`;
      await ledger.createJob({ jobId, tenantId });
      const sent: string[] = [];
      const watched = await createLocalClient();
      watched.middlewareStack.add(
        (next, { commandName = '' }) =>
          async (args) => {
            sent.push(commandName.replace(/Command$/, ''));
            if (sent.length === 2) {
              const Key = { pk: { S: `JOB#${jobId}` }, sk: { S: 'META' } };
              await client.send(new DeleteItemCommand({ TableName: tableName, Key }));
            }
            return next(args);
          },
        { step: 'initialize', name: 'watch' },
      );
      const { items } = await createJobLedger({ client: watched, tableName, clock }).listJobs({ tenantId, consistent });
      expect(items).toEqual([]);
      expect(sent).toEqual(expected);
      watched.destroy();
    },
  );

  it('a missing item costs one more read, because the service does not report that it is absent', async () => {
    expect(await costOf(() => ledger.transitionJob({ jobId: 'none', to: 'RUNNING' }))).toEqual([2, 1, 1]);
  });

  it('bad input costs nothing', async () => {
    expect(await costOf(() => ledger.createJob({ jobId: '', tenantId: 't' }))).toEqual([0, 0, 0]);
    expect(await costOf(() => ledger.transitionJob({ jobId: 'j', to: 'FAILED', result: 10n }))).toEqual([0, 0, 0]);
    expect(await costOf(() => ledger.createRecords({ jobId: 'j', recordIds: ['a', 'a'] }))).toEqual([0, 0, 0]);
  });
});

/** Dollars for a million write and read units of an on-demand table in us-east-1, list price. */
const PRICE = { write: 0.625, read: 0.125 };

describe('the cost of a million, as in the README', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const key = { jobId: 'million', recordId: 'r' };

  it.each<[string, number, number, () => Promise<unknown>]>([
    [
      'jobs: created, started, finished',
      9,
      0,
      async () => {
        await ledger.createJob({ jobId: 'million', tenantId: 't' });
        for (const to of ['RUNNING', 'SUCCEEDED'] as const) await ledger.transitionJob({ jobId: 'million', to });
      },
    ],
    [
      'records: created, started, finished',
      3,
      0,
      async () => {
        await ledger.createRecords({ jobId: 'million', recordIds: ['r'] });
        for (const to of ['PROCESSING', 'SUCCEEDED'] as const) await ledger.transitionRecord({ ...key, to });
      },
    ],
    [
      'records of a job that counts them',
      6,
      1,
      async () => {
        await ledger.createJob({ jobId: 'counts', tenantId: 't', recordCount: 9 });
        counter.take();
        await ledger.createRecords({ jobId: 'counts', recordIds: ['r'] });
        const counted = { ...key, jobId: 'counts' };
        for (const to of ['PROCESSING', 'SUCCEEDED'] as const) await ledger.transitionRecord({ ...counted, to });
      },
    ],
    [
      'leases: acquired, released',
      2,
      0,
      async () => ledger.releaseLease(await ledger.acquireLease({ name: 'million', owner: 'o' })),
    ],
    ['reads while waiting for a lease', 0, 0.5, () => ledger.getLease('million', { consistent: false })],
    [
      'idempotency keys, first time',
      2,
      0,
      () => runIdempotent(ledger, { scope: 's', key: 'million' }, async () => 'v'),
    ],
    [
      'idempotency keys, each repetition',
      1,
      0,
      () => runIdempotent(ledger, { scope: 's', key: 'million' }, async () => 'v'),
    ],
    ['events', 3, 0, () => events.publish({ tenantId: 't', type: 'T', payload: 'small' })],
  ])('%s', async (name, writes, reads, run) => {
    const [, written, read] = await costOf(run);
    // A batch reads its job once, which a batch of many shares.
    const shared = name.startsWith('records') ? 1 : 0;
    expect([written, read]).toEqual([writes, reads + shared]);
    const dollars = (writes * PRICE.write + reads * PRICE.read).toFixed(2);
    expect(readme).toContain(`| ${name} | ${writes} | ${reads} | $${dollars} |`);
  });
});

describe('the cost for eight instances that use one key: calls, write units, read units', () => {
  const INSTANCES = 8;
  let fleet: JobLedger[];
  let clients: { readonly client: DynamoDBClient; readonly counter: CallCounter }[];

  beforeAll(async () => {
    clients = await Promise.all(
      Array.from({ length: INSTANCES }, async () => {
        const one = await createLocalClient();
        return { client: one, counter: countCalls(one) };
      }),
    );
    fleet = clients.map((one) => createJobLedger({ client: one.client, tableName, clock, completedKeys: 10 }));
  });

  afterAll(() => {
    for (const one of clients) one.client.destroy();
  });

  async function costOfAll(run: (ledger: JobLedger, index: number) => Promise<unknown>): Promise<number[]> {
    for (const one of clients) one.counter.take();
    await Promise.all(fleet.map((one, index) => run(one, index).catch(() => undefined)));
    const totals = clients.map((one) => one.counter.total());
    return [
      totals.reduce((sum, { calls }) => sum + calls, 0),
      totals.reduce((sum, { writeUnits }) => sum + writeUnits, 0),
      totals.reduce((sum, { readUnits }) => sum + readUnits, 0),
    ];
  }

  it('a key that all begin at the same time: one runs it, seven are rejected; then one request each, then zero', async () => {
    const run = (one: JobLedger) => runIdempotent(one, { scope: 's', key: 'fleet' }, async () => 'v');
    expect(await costOfAll(run)).toEqual([9, 9, 0]);
    await costOfAll(run);
    expect(await costOfAll(run)).toEqual([0, 0, 0]);
  });

  it('a contended lease, job and record', async () => {
    expect(await costOfAll((one, index) => one.acquireLease({ name: 'fleet', owner: `o${index}` }))).toEqual([8, 8, 0]);
    await ledger.createJob({ jobId: 'fleet', tenantId: 't' });
    await ledger.createRecords({ jobId: 'fleet', recordIds: ['r'] });
    const record = { jobId: 'fleet', recordId: 'r', to: 'PROCESSING' } as const;
    expect(await costOfAll((one) => one.transitionRecord(record))).toEqual([8, 8, 0]);
    // The successful transition writes two index entries.
    expect(await costOfAll((one) => one.transitionJob({ jobId: 'fleet', to: 'RUNNING' }))).toEqual([8, 10, 0]);
  });

  it('a hundred records that all drain: little more than one write a claim', async () => {
    await ledger.createJob({ jobId: 'drain', tenantId: 't' });
    const recordIds = Array.from({ length: 100 }, (_, index) => `r${index}`);
    await ledger.createRecords({ jobId: 'drain', recordIds, concurrency: 64 });
    const claims: string[] = [];
    const [, written = 0, read = 0] = await costOfAll(async (one) => {
      for (;;) {
        const record = await one.claimNext({ jobId: 'drain' });
        if (!record) return;
        claims.push(record.recordId);
      }
    });
    expect(new Set(claims).size).toBe(100);
    expect(claims.length).toBe(100);
    // After a rejected claim, a worker reads again instead of trying claimed records.
    expect(written).toBeLessThanOrEqual(200);
    expect(read).toBeLessThanOrEqual(500);
  });
});
