import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
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
}, 60_000);

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

describe('what an operation costs: calls, write units, read units', () => {
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
  });

  it('a record that is counted: its end is a transaction over record and job', async () => {
    await ledger.createJob({ jobId: 'counted', tenantId: 't', recordCount: 2 });
    await ledger.createRecords({ jobId: 'counted', recordIds: ['a', 'b'] });
    for (const recordId of ['a', 'b']) await ledger.transitionRecord({ jobId: 'counted', recordId, to: 'PROCESSING' });
    const end = (recordId: string) =>
      costOf(() => ledger.transitionRecord({ jobId: 'counted', recordId, to: 'SUCCEEDED' }));
    // The refusal of the row that says it is counted; the transaction; the record as it is now.
    expect(await end('a')).toEqual([3, 5, 1]);
    // Of the last one two transactions are tried.
    expect(await end('b')).toEqual([4, 9, 1]);
  });

  it('a write that is refused by the size of the item that it meets', async () => {
    await ledger.createJob({ jobId: 'large', tenantId: 't', status: 'RUNNING' });
    await ledger.transitionJob({ jobId: 'large', to: 'SUCCEEDED', result: 'x'.repeat(20_000) });
    expect(await costOf(() => ledger.transitionJob({ jobId: 'large', to: 'FAILED' }))).toEqual([1, 20, 0]);
  });

  it('a semaphore that is full costs no write, whatever its limit', async () => {
    const semaphore = { scope: 's', subject: 'x', owner: 'o' };
    await ledger.acquireSlot({ ...semaphore, limit: 30 });
    expect(await costOf(() => ledger.acquireSlot({ ...semaphore, limit: 30 }))).toEqual([2, 1, 1]);
    for (let taken = 2; taken < 30; taken += 1) await ledger.acquireSlot({ ...semaphore, limit: 30 });
    expect(await costOf(() => ledger.acquireSlot({ ...semaphore, limit: 30 }))).toEqual([1, 0, 1]);
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

  it('what does not exist costs one look more, since the service does not say that it is absent', async () => {
    expect(await costOf(() => ledger.transitionJob({ jobId: 'none', to: 'RUNNING' }))).toEqual([2, 1, 1]);
  });

  it('bad input costs nothing', async () => {
    expect(await costOf(() => ledger.createJob({ jobId: '', tenantId: 't' }))).toEqual([0, 0, 0]);
    expect(await costOf(() => ledger.transitionJob({ jobId: 'j', to: 'FAILED', result: 10n }))).toEqual([0, 0, 0]);
    expect(await costOf(() => ledger.createRecords({ jobId: 'j', recordIds: ['a', 'a'] }))).toEqual([0, 0, 0]);
  });
});
