import { createTable, FaultyTable } from '@sallyport/dynamodb-local';
import { createEventBusStore, createJobLedger, type EventBusStore, type JobLedger } from '@sallyport/jobs';
import { EVENTBUS_TABLE_SCHEMA, JOBS_TABLE_SCHEMA } from '@sallyport/jobs/schema';

/** A stopped clock, so that two callers write exactly equal items. */
const clock = { ms: 1_700_000_000_000, now: () => new Date(clock.ms) };

let faulty: FaultyTable;
let eventTable: string;
/** Callers of two instances: `calm` has a stable connection, the other caller uses the faulty proxy. */
let calm: JobLedger;
let shaken: JobLedger;
let calmEvents: EventBusStore;
let shakenEvents: EventBusStore;
let count = 0;

beforeAll(async () => {
  faulty = await FaultyTable.start(JOBS_TABLE_SCHEMA);
  eventTable = await createTable(faulty.direct, EVENTBUS_TABLE_SCHEMA);
});

beforeEach(async () => {
  await faulty.renew();
  count += 1;
  const { direct, client, name: tableName } = faulty;
  calm = createJobLedger({ client: direct, tableName, clock });
  shaken = createJobLedger({ client, tableName, clock });
  calmEvents = createEventBusStore({ client: direct, tableName: eventTable, clock });
  shakenEvents = createEventBusStore({ client, tableName: eventTable, clock });
});

afterAll(() => faulty.stop());

interface Callers {
  readonly jobs: JobLedger;
  readonly events: EventBusStore;
}

/** A write, its preparation, and a check that its response belongs to this caller. */
interface Write {
  readonly name: string;
  prepare?(ledger: JobLedger, id: string): Promise<unknown>;
  run(callers: Callers, id: string): Promise<boolean>;
}

const wins = (call: Promise<unknown>) =>
  call.then(
    () => true,
    (error: { type?: string }) => {
      if (error.type === 'conflict') return false;
      throw error;
    },
  );
const pending = (ledger: JobLedger, jobId: string) => ledger.createJob({ jobId, tenantId: 't' });
const running = (ledger: JobLedger, jobId: string) => ledger.createJob({ jobId, tenantId: 't', status: 'RUNNING' });
const record = (ledger: JobLedger, jobId: string) => ledger.createRecords({ jobId, recordIds: ['r'] });

const WRITES: readonly Write[] = [
  { name: 'createJob', run: ({ jobs }, jobId) => wins(jobs.createJob({ jobId, tenantId: 't' })) },
  {
    name: 'createJob with metadata and an end',
    run: ({ jobs }, jobId) => wins(jobs.createJob({ jobId, tenantId: 't', metadata: { a: '1' }, ttlSeconds: 60 })),
  },
  {
    name: 'transitionJob',
    prepare: pending,
    run: ({ jobs }, jobId) => wins(jobs.transitionJob({ jobId, to: 'RUNNING' })),
  },
  {
    name: 'transitionJob of a job with metadata',
    prepare: (ledger, jobId) => ledger.createJob({ jobId, tenantId: 't', metadata: { a: '1' }, ttlSeconds: 60 }),
    run: ({ jobs }, jobId) => wins(jobs.transitionJob({ jobId, to: 'RUNNING' })),
  },
  {
    name: 'transitionJob to a final status',
    prepare: running,
    run: ({ jobs }, jobId) =>
      wins(jobs.transitionJob({ jobId, to: 'SUCCEEDED', result: { n: 1 }, expectedVersion: 1 })),
  },
  {
    name: 'createRecords',
    run: async ({ jobs }, jobId) => (await jobs.createRecords({ jobId, recordIds: ['r'] }))[0]?.outcome === 'ok',
  },
  {
    name: 'transitionRecord',
    prepare: record,
    run: ({ jobs }, jobId) => wins(jobs.transitionRecord({ jobId, recordId: 'r', to: 'PROCESSING' })),
  },
  {
    name: 'transitionRecord of a record with an end',
    prepare: (ledger, jobId) => ledger.createRecords({ jobId, recordIds: ['r'], ttlSeconds: 60 }),
    run: ({ jobs }, jobId) => wins(jobs.transitionRecord({ jobId, recordId: 'r', to: 'SKIPPED', ttlSeconds: 60 })),
  },
  {
    name: 'transitionRecord that makes the record',
    run: ({ jobs }, jobId) => wins(jobs.transitionRecord({ jobId, recordId: 'r', to: 'PROCESSING', orCreate: true })),
  },
  { name: 'acquireLease', run: ({ jobs }, name) => wins(jobs.acquireLease({ name, owner: 'o' })) },
  {
    name: 'beginIdempotency',
    run: async ({ jobs }, key) =>
      (await jobs.beginIdempotency({ scope: 's', key, inProgressMs: 1000 })).outcome === 'created',
  },
  {
    name: 'publish',
    run: async ({ events }, id) =>
      (await events.publish({ tenantId: 't', type: 'T', id, payload: 1, tags: ['x'] })).outcome === 'created',
  },
];

describe('two callers of which the second had to try twice', () => {
  it.each(WRITES)('only the first made it: $name', async ({ prepare, run }) => {
    const id = `two${count}`;
    await prepare?.(calm, id);
    expect(await run({ jobs: calm, events: calmEvents }, id)).toBe(true);
    for (const operation of ['PutItem', 'UpdateItem']) faulty.proxy.inject({ kind: 'reset' }, { operation, times: 1 });
    expect(await run({ jobs: shaken, events: shakenEvents }, id)).toBe(false);
    expect(faulty.proxy.operations.filter((operation) => operation !== 'GetItem').length).toBeGreaterThanOrEqual(2);
  });
});

describe('one caller with a lost response', () => {
  it.each(WRITES)('made it: $name', async ({ prepare, run }) => {
    const id = `one${count}`;
    await prepare?.(calm, id);
    for (const operation of ['PutItem', 'UpdateItem'])
      faulty.proxy.inject({ kind: 'lost-answer' }, { operation, times: 1 });
    expect(await run({ jobs: shaken, events: shakenEvents }, id)).toBe(true);
  });

  const lose = (...operations: readonly string[]) => {
    for (const operation of operations) faulty.proxy.inject({ kind: 'lost-answer' }, { operation, times: 1 });
  };

  it('refreshes and releases leases and slots', async () => {
    const name = `held${count}`;
    const lease = await calm.acquireLease({ name, owner: 'o' });
    lose('UpdateItem');
    await shaken.refreshLease(lease);
    lose('UpdateItem');
    await shaken.releaseLease(lease);
    expect(await calm.getLease(name)).toBeUndefined();
    lose('PutItem');
    const slot = await shaken.acquireSlot({ scope: 's', subject: name, limit: 1, owner: 'o' });
    lose('UpdateItem');
    expect((await shaken.refreshSlot(slot)).id).toBe(slot.id);
    lose('DeleteItem');
    await shaken.releaseSlot(slot);
    expect((await calm.inspectSemaphore({ scope: 's', subject: name })).occupancy).toBe(0);
  });

  it('completes and abandons its key', async () => {
    const begin = async (key: string) => {
      const start = await calm.beginIdempotency({ scope: 's', key, inProgressMs: 1000 });
      if (start.outcome !== 'created') throw new Error(start.outcome);
      return start.handle;
    };
    const [completed, abandoned] = [await begin(`done${count}`), await begin(`free${count}`)];
    lose('UpdateItem');
    await shaken.completeIdempotency(completed, { result: 'once' });
    expect(await calm.getIdempotencyRecord({ scope: 's', key: completed.key })).toMatchObject({ result: 'once' });
    await expect(calm.completeIdempotency(completed, { result: 'once' })).rejects.toMatchObject({
      reason: 'already_completed',
    });
    lose('DeleteItem');
    await shaken.abandonIdempotency(abandoned);
    expect(await calm.getIdempotencyRecord({ scope: 's', key: abandoned.key })).toBeUndefined();
  });

  it('claims, extends, completes and reclaims records', async () => {
    const jobId = `claims${count}`;
    await calm.createJob({ jobId, tenantId: 't', recordCount: 2 });
    await calm.createRecords({ jobId, recordIds: ['r'] });
    lose('UpdateItem');
    const record = await shaken.claimNext({ jobId, durationMs: 1000 });
    const claim = { jobId, recordId: 'r', claimId: record?.claim.id ?? '' };
    lose('UpdateItem');
    await shaken.heartbeatRecord({ ...claim, durationMs: 2000 });
    clock.ms += 2000;
    lose('UpdateItem');
    expect((await shaken.reapRecords({ jobId })).requeued.length).toBe(1);
    clock.ms -= 2000;
    lose('UpdateItem', 'TransactWriteItems');
    const again = await shaken.claimNext({ jobId });
    const end = { jobId, recordId: 'r', to: 'FAILED', claimId: again?.claim.id ?? '' } as const;
    expect(await shaken.transitionRecord(end)).toMatchObject({ status: 'FAILED', attempts: 2 });
    expect((await calm.getJob({ jobId, consistent: true }))?.progress).toMatchObject({ open: 1, failed: 1 });
  });

  it('recognizes its own transition, even if another caller made the next one before the answer', async () => {
    const jobId = `next${count}`;
    await pending(calm, jobId);
    const meanwhile = () => calm.transitionJob({ jobId, to: 'CANCELED' });
    faulty.proxy.inject({ kind: 'lost-answer', meanwhile }, { operation: 'UpdateItem', times: 1 });
    expect(await shaken.transitionJob({ jobId, to: 'RUNNING' })).toMatchObject({ status: 'CANCELED', version: 3 });
  });

  it('deleted its event', async () => {
    const event = { tenantId: 't', id: `gone${count}` };
    await calmEvents.publish({ ...event, type: 'T', payload: 1 });
    for (const operation of ['DeleteItem', 'UpdateItem'])
      faulty.proxy.inject({ kind: 'lost-answer' }, { operation, times: 1 });
    expect(await shakenEvents.delete(event)).toBe(true);
    expect(await shakenEvents.delete(event)).toBe(false);
    expect(await shakenEvents.get(event)).toBeUndefined();
    expect((await shakenEvents.publish({ ...event, type: 'T', payload: 2 })).outcome).toBe('created');
  });

  it('deletes no event that another instance published before the retry', async () => {
    const event = { tenantId: 't', id: `between${count}` };
    await calmEvents.publish({ ...event, type: 'T', payload: 1 });
    const outcomes: string[] = [];
    const meanwhile = async () => {
      outcomes.push((await calmEvents.publish({ ...event, type: 'T', payload: 2 })).outcome);
    };
    faulty.proxy.inject({ kind: 'lost-answer', meanwhile }, { operation: 'UpdateItem', times: 1 });
    expect(await shakenEvents.delete(event)).toBe(true);
    expect(outcomes).toEqual(['created']);
    expect(await shakenEvents.get({ ...event, consistent: true })).toMatchObject({ payload: 2 });
  });

  it('publishes nothing again that another instance deleted before the repetition', async () => {
    const event = { tenantId: 't', id: `back${count}` };
    const outcomes: boolean[] = [];
    const meanwhile = async () => {
      outcomes.push(await calmEvents.delete(event));
    };
    faulty.proxy.inject({ kind: 'lost-answer', meanwhile }, { operation: 'UpdateItem', times: 1 });
    expect((await shakenEvents.publish({ ...event, type: 'T', payload: 1 })).outcome).toBe('created');
    expect(outcomes).toEqual([true]);
    expect(await calmEvents.get({ ...event, consistent: true })).toBeUndefined();
  });

  it('releases no lease that another caller acquired before the retry', async () => {
    const begin = { scope: 's', key: `released${count}`, inProgressMs: 1000 };
    const start = await calm.beginIdempotency(begin);
    if (start.outcome !== 'created') throw new Error(start.outcome);
    const meanwhile = () => calm.beginIdempotency(begin);
    faulty.proxy.inject({ kind: 'lost-answer', meanwhile }, { operation: 'DeleteItem', times: 1 });
    await shaken.abandonIdempotency(start.handle);
    expect((await calm.beginIdempotency(begin)).outcome).toBe('already_in_progress');
  });

  it('begins a durable execution for the first time', async () => {
    const begin = { scope: 's', key: `durable${count}`, inProgressMs: 60_000, executionId: 'e1' };
    faulty.proxy.inject({ kind: 'lost-answer' }, { operation: 'PutItem', times: 1 });
    expect(await shaken.beginIdempotency(begin)).toMatchObject({ outcome: 'created', replayed: false });
    expect(await shaken.beginIdempotency(begin)).toMatchObject({ outcome: 'created', replayed: true });
  });
});
