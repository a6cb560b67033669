import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { Clock } from '@sallyport/core';
import {
  createTable,
  FaultyTable,
  STORE_FAULTS,
  TableClock,
  THROTTLED,
  unprocessedKeys,
} from '@sallyport/dynamodb-local';
import { createEventBusStore, createJobLedger, type JobLedger } from '@sallyport/jobs';
import { EVENTBUS_TABLE_SCHEMA, JOBS_TABLE_SCHEMA } from '@sallyport/jobs/schema';
import { createLogRecorder } from './support/log.js';

const clock = { ms: 1_700_000_000_000, now: () => new Date(clock.ms) };
const LEASE = { name: 'n', id: 'i', owner: 'o', token: 1, expiresAtMs: 1 };
const SLOT = { scope: 's', subject: 'x', slot: 0, id: 'i', owner: 'o', expiresAtMs: 1 };
const HANDLE = { scope: 's', key: 'k', owner: 'o' };

let faulty: FaultyTable;
let eventTable: string;
let ledger: JobLedger;
let count = 0;

beforeAll(async () => {
  faulty = await FaultyTable.start(JOBS_TABLE_SCHEMA);
  eventTable = await createTable(faulty.direct, EVENTBUS_TABLE_SCHEMA);
});

beforeEach(async () => {
  await faulty.renew();
  count += 1;
  ledger = openLedger(400);
});

function openLedger(timeoutMs: number, its: Clock = clock): JobLedger {
  return createJobLedger({
    client: faulty.client,
    tableName: faulty.name,
    clock: its,
    log: createLogRecorder(),
    storeTimeoutMs: timeoutMs,
    coldTimeoutMs: timeoutMs,
  });
}

afterAll(() => faulty.stop());

/** All operations that use the store. */
function operations(store: JobLedger): readonly (() => Promise<unknown>)[] {
  const id = `f${count}`;
  return [
    () => store.createJob({ jobId: id, tenantId: 't' }),
    () => store.transitionJob({ jobId: id, to: 'RUNNING' }),
    () => store.getJob({ jobId: id }),
    () => store.listJobs({ tenantId: 't' }),
    () => store.transitionRecord({ jobId: id, recordId: 'r', to: 'PROCESSING' }),
    () => store.getRecord({ jobId: id, recordId: 'r' }),
    () => store.claimNext({ jobId: id }),
    () => store.heartbeatRecord({ jobId: id, recordId: 'r', claimId: 'c' }),
    () => store.reapRecords({ jobId: id }),
    () => store.warm(),
    () => store.listRecords({ jobId: id }),
    () => store.acquireLease({ name: id, owner: 'o' }),
    () => store.refreshLease(LEASE),
    () => store.releaseLease(LEASE),
    () => store.getLease(id),
    () => store.acquireSlot({ scope: 's', subject: id, limit: 1, owner: 'o' }),
    () => store.refreshSlot(SLOT),
    () => store.releaseSlot(SLOT),
    () => store.inspectSemaphore({ scope: 's', subject: id }),
    () => store.beginIdempotency({ scope: 's', key: id, inProgressMs: 1000 }),
    () => store.renewIdempotency(HANDLE, { inProgressMs: 1000 }),
    () => store.completeIdempotency(HANDLE, { result: 1 }),
    () => store.abandonIdempotency(HANDLE),
    () => store.getIdempotencyRecord({ scope: 's', key: id }),
  ];
}

describe('a store that fails', () => {
  it.each(STORE_FAULTS)('rejects every operation in time: $name', async ({ fault, transient: retryable, hangs }) => {
    faulty.proxy.inject(fault);
    // Only a missing response needs a short limit; a busy machine may take longer for other calls.
    const outcomes = await Promise.allSettled(operations(openLedger(hangs ? 400 : 10_000)).map((run) => run()));
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: 'jobs.internal_error', status: 500, reason: 'store_unavailable', retryable },
      });
      expect((outcome as PromiseRejectedResult).reason.cause).toBeDefined();
    }
  });

  it('fails the records of a batch separately', async () => {
    faulty.proxy.inject(THROTTLED);
    // The clock skips the pauses between the attempts.
    const waits = new TableClock();
    waits.watch(faulty.client);
    const outcomes = await openLedger(400, waits).createRecords({ jobId: `b${count}`, recordIds: ['a', 'b'] });
    expect(outcomes).toMatchObject([
      { recordId: 'a', outcome: 'failed', error: { retryable: true } },
      { recordId: 'b', outcome: 'failed' },
    ]);
  });

  it('rejects with the caller’s own reason when the caller gives up', async () => {
    faulty.proxy.inject({ kind: 'silence' });
    const controller = new AbortController();
    const call = ledger.createJob({ jobId: 'x', tenantId: 't' }, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });

  it('rejects events with the code of the event store', async () => {
    faulty.proxy.inject(THROTTLED);
    const events = createEventBusStore({
      client: faulty.client,
      tableName: eventTable,
      storeTimeoutMs: 400,
      coldTimeoutMs: 400,
    });
    await expect(events.publish({ tenantId: 't', type: 'T', payload: 1 })).rejects.toMatchObject({
      code: 'eventbus.internal_error',
      retryable: true,
    });
  });
});

describe('a server that does not name the rejected item', () => {
  it('is called for it', async () => {
    const id = `old${count}`;
    ledger = createJobLedger({ client: faulty.client, tableName: faulty.name, clock });
    await ledger.createJob({ jobId: id, tenantId: 't' });
    const held = await ledger.acquireLease({ name: id, owner: 'o' });
    await ledger.beginIdempotency({ scope: 's', key: id, inProgressMs: 1000 });
    faulty.proxy.inject({ kind: 'no-old-item' });
    await expect(ledger.transitionJob({ jobId: id, to: 'SUCCEEDED' })).rejects.toMatchObject({
      reason: 'transition',
      details: { status: 'PENDING', version: 1 },
    });
    await expect(ledger.acquireLease({ name: id, owner: 'o' })).rejects.toMatchObject({
      details: { retryAfterMs: 30_000 },
    });
    await expect(ledger.releaseLease({ ...held, id: 'other' })).rejects.toMatchObject({ reason: 'lease_lost' });
    expect(await ledger.beginIdempotency({ scope: 's', key: id, inProgressMs: 1000 })).toEqual({
      outcome: 'already_in_progress',
      retryAfterMs: 1000,
    });
  });
});

describe('keys that a busy table leaves out', () => {
  it('are called for again, four times in all', async () => {
    const [jobId, tenantId] = [`u${count}`, `ut${count}`];
    ledger = createJobLedger({ client: faulty.client, tableName: faulty.name, clock });
    await ledger.createJob({ jobId, tenantId });
    const busy = unprocessedKeys(faulty.name, [{ pk: { S: `JOB#${jobId}` }, sk: { S: 'META' } }]);
    faulty.proxy.inject(busy, { operation: 'BatchGetItem', times: 3 });
    expect((await ledger.listJobs({ tenantId })).items).toMatchObject([{ jobId }]);
    faulty.proxy.clear();
    faulty.proxy.inject(busy, { operation: 'BatchGetItem' });
    await expect(ledger.listJobs({ tenantId })).rejects.toMatchObject({ type: 'internal_error', retryable: true });
    expect(faulty.proxy.operations.filter((operation) => operation === 'BatchGetItem').length).toBe(4);
  });
});

describe('rows that other versions wrote', () => {
  const put = (item: Record<string, { S: string } | { N: string }>) =>
    faulty.direct.send(new PutItemCommand({ TableName: faulty.name, Item: item }));

  it('of other versions are read with the attributes that they have, and can be changed', async () => {
    const id = `older${count}`;
    await put({ pk: { S: `JOB#${id}` }, sk: { S: 'META' } });
    expect(await ledger.getJob({ jobId: id })).toEqual({
      jobId: '',
      tenantId: '',
      status: '',
      version: 1,
      createdAt: '',
      updatedAt: '',
    });
    await put({
      pk: { S: `JOB#${id}` },
      sk: { S: 'META' },
      job_id: { S: id },
      tenant_id: { S: 'a#b' },
      status: { S: 'PENDING' },
      created_at: { S: '2024-01-01T00:00:00.000Z' },
      result: { S: '{broken' },
    });
    expect(await ledger.transitionJob({ jobId: id, to: 'RUNNING' })).toMatchObject({ status: 'RUNNING', version: 1 });
    expect((await ledger.listJobs({ tenantId: 'a#b', status: 'RUNNING' })).items.map(({ jobId }) => jobId)).toEqual([
      id,
    ]);
    await put({ pk: { S: `JOB#${id}` }, sk: { S: 'REC#r' } });
    expect((await ledger.listRecords({ jobId: id })).items).toMatchObject([{ attempts: 0, status: '' }]);
    await put({ pk: { S: `LEASE#${id}` }, sk: { S: 'LEASE' } });
    expect(await ledger.getLease(id)).toBeUndefined();
    expect((await ledger.acquireLease({ name: id, owner: 'o' })).token).toBe(1_700_000_000_001);
    await put({ pk: { S: `SEM#s#${id}` }, sk: { S: 'SLOT#000000000' } });
    expect((await ledger.acquireSlot({ scope: 's', subject: id, limit: 1, owner: 'o' })).slot).toBe(0);
    await put({ pk: { S: `IDEM#s#${id}` }, sk: { S: 'IDEM' }, status: { S: 'COMPLETED' } });
    expect(await ledger.getIdempotencyRecord({ scope: 's', key: id })).toMatchObject({
      status: 'COMPLETED',
      resultOmitted: false,
    });
  });
});
