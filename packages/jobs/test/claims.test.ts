import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { ManualClock } from '@sallyport/core/testing';
import { createLocalClient, createTable, FaultyTable, THROTTLED } from '@sallyport/dynamodb-local';
import {
  createEventBusStore,
  createJobLedger,
  createMemoryJobLedger,
  createMemoryTable,
  type JobLedger,
  withLease,
} from '@sallyport/jobs';
import { EVENTBUS_TABLE_SCHEMA, JOBS_TABLE_SCHEMA } from '@sallyport/jobs/schema';
import { createLogRecorder } from './support/log.js';

const START_MS = 1_700_000_000_000;
const clock = { ms: START_MS, now: () => new Date(clock.ms) };
let faulty: FaultyTable;
let ledger: JobLedger;
let count = 0;

beforeAll(async () => {
  faulty = await FaultyTable.start(JOBS_TABLE_SCHEMA);
});

beforeEach(async () => {
  await faulty.renew();
  count += 1;
  clock.ms = START_MS;
  ledger = createJobLedger({ client: faulty.client, tableName: faulty.name, clock, log: createLogRecorder() });
});

afterAll(() => faulty.stop());

describe('a job with more records than one page of candidates', () => {
  it('is claimed once by two instances, from any start', async () => {
    const table = createMemoryTable();
    const [one, other] = [createMemoryJobLedger({ clock, table }), createMemoryJobLedger({ clock, table })];
    const jobId = 'pages';
    await one.createRecords({ jobId, recordIds: Array.from({ length: 450 }, (_, index) => `r${index}`) });
    const seen: string[] = [];
    const drain = async (ledger: JobLedger) => {
      for (;;) {
        const record = await ledger.claimNext({ jobId });
        if (!record) return;
        seen.push(record.recordId);
      }
    };
    await Promise.all([drain(one), drain(one), drain(other), drain(other)]);
    expect(seen.length).toBe(450);
    expect(new Set(seen).size).toBe(450);
  });
});

describe('a counted record', () => {
  const prepared = async (recordIds: readonly string[]) => {
    const jobId = `counted${count}`;
    await ledger.createJob({ jobId, tenantId: 't', recordCount: recordIds.length });
    await ledger.createRecords({ jobId, recordIds });
    return jobId;
  };

  it('is counted once when the answer to its end is lost', async () => {
    const jobId = await prepared(['a', 'b']);
    faulty.proxy.inject({ kind: 'lost-answer' }, { operation: 'TransactWriteItems', times: 1 });
    await ledger.transitionRecord({ jobId, recordId: 'a', to: 'SKIPPED' });
    faulty.proxy.inject({ kind: 'lost-answer' }, { operation: 'TransactWriteItems', after: 1, times: 1 });
    const last = await ledger.transitionRecord({ jobId, recordId: 'b', to: 'SKIPPED' });
    expect(last).toMatchObject({ status: 'SKIPPED', isLast: true });
    expect(await ledger.getJob({ jobId, consistent: true })).toMatchObject({ progress: { open: 0, skipped: 2 } });
  });

  it('ends when other transactions of the job were in the way', async () => {
    const jobId = await prepared(['a']);
    const body = { CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }] };
    const conflict = { kind: 'error', status: 400, type: 'TransactionCanceledException', body } as const;
    faulty.proxy.inject(conflict, { operation: 'TransactWriteItems', times: 3 });
    expect(await ledger.transitionRecord({ jobId, recordId: 'a', to: 'SKIPPED' })).toMatchObject({ isLast: true });
  });

  it('has ended, even if it cannot be read afterwards', async () => {
    const jobId = await prepared(['a']);
    faulty.proxy.inject(THROTTLED, { operation: 'GetItem' });
    const ended = await ledger.transitionRecord({ jobId, recordId: 'a', to: 'SKIPPED' });
    expect(ended).toMatchObject({ jobId, recordId: 'a', status: 'SKIPPED', isLast: true });
  });
});

describe('rows that an older version wrote', () => {
  const put = (item: Record<string, { S: string } | { N: string }>) =>
    faulty.direct.send(new PutItemCommand({ TableName: faulty.name, Item: item }));

  it('are read and transitioned with the tenant of their job', async () => {
    const jobId = `older${count}`;
    await ledger.createJob({ jobId, tenantId: 't' });
    const key = { pk: { S: `JOB#${jobId}` }, sk: { S: 'REC#r' } };
    await put({
      ...key,
      job_id: { S: jobId },
      record_id: { S: 'r' },
      status: { S: 'PROCESSING' },
      attempts: { N: '3' },
    });
    const record = { jobId, recordId: 'r' };
    expect(await ledger.getRecord({ ...record, tenantId: 't' })).toMatchObject({ attempts: 3 });
    expect(await ledger.getRecord({ ...record, tenantId: 'other' })).toBeUndefined();
    expect((await ledger.listRecords({ jobId, tenantId: 'other' })).items).toEqual([]);
    const end = { ...record, to: 'SUCCEEDED', expectedAttempts: 3 } as const;
    await expect(ledger.transitionRecord({ ...end, tenantId: 'other' })).rejects.toMatchObject({ type: 'not_found' });
    expect(await ledger.transitionRecord({ ...end, tenantId: 't' })).toMatchObject({
      status: 'SUCCEEDED',
      attempts: 3,
    });
  });

  it.each<[string, object, string]>([
    [
      'with both times',
      { created_at: { S: '2023-11-14T22:13:20.000Z' }, updated_at: { S: '2023-11-15T00:00:00.000Z' } },
      '2023-11-15T00:00:00.000Z',
    ],
    ['without the time of a change', { created_at: { S: '2023-11-14T22:13:20.000Z' } }, '2023-11-14T22:13:20.000Z'],
    ['without times', {}, ''],
  ])('%s: the time of the last change', async (_what, times, updatedAt) => {
    const jobId = `times${count}`;
    await ledger.createJob({ jobId, tenantId: 't' });
    await put({ pk: { S: `JOB#${jobId}` }, sk: { S: 'REC#r' }, job_id: { S: jobId }, record_id: { S: 'r' }, ...times });
    expect(await ledger.getRecord({ jobId, recordId: 'r' })).toMatchObject({ updatedAt });
  });

  it('are distinguished from the own write of the caller, even if they look equal', async () => {
    const jobId = `foreign${count}`;
    const now = '2023-11-14T22:13:20.000Z';
    await put({
      ...{ pk: { S: `JOB#${jobId}` }, sk: { S: 'META' }, w: { S: 'somebody' }, job_id: { S: jobId } },
      ...{ tenant_id: { S: 't' }, status: { S: 'RUNNING' }, version: { N: '2' } },
      ...{ created_at: { S: now }, updated_at: { S: now }, started_at: { S: now } },
    });
    faulty.proxy.inject({ kind: 'reset' }, { operation: 'UpdateItem', times: 1 });
    await expect(ledger.transitionJob({ jobId, to: 'RUNNING' })).rejects.toMatchObject({ reason: 'transition' });
    expect(await ledger.transitionJob({ jobId, to: 'SUCCEEDED' })).toMatchObject({ version: 3 });
  });
});

describe('a batch against a slow partition', () => {
  it('waits longer while it is throttled, and writes all records', async () => {
    // A partition that accepts three writes per 20 ms and throttles other writes.
    let window = 0;
    let taken = 0;
    const isOver = () => {
      const now = Math.floor(performance.now() / 20);
      if (now !== window) [window, taken] = [now, 0];
      taken += 1;
      return taken > 3;
    };
    const hasty = await createLocalClient({ endpoint: faulty.proxy.endpoint, maxAttempts: 1 });
    faulty.proxy.inject(THROTTLED, { operation: 'PutItem', when: isOver });
    const recordIds = Array.from({ length: 120 }, (_, index) => `r${index}`);
    const slow = createJobLedger({ client: hasty, tableName: faulty.name, clock });
    const outcomes = await slow.createRecords({ jobId: `slow${count}`, recordIds, concurrency: 64 });
    expect(outcomes.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    hasty.destroy();
  });
});

describe('an index that is older or newer than the items', () => {
  it('loses no job: a row that is not readable yet is read again, and a job with a changed status is shown on request', async () => {
    const jobId = `index${count}`;
    const tenantId = `t${count}`;
    await ledger.createJob({ jobId, tenantId });
    const empty = { Responses: { [faulty.name]: [] }, UnprocessedKeys: {} };
    faulty.proxy.inject(
      { kind: 'error', status: 200, type: 'none', body: empty },
      { operation: 'BatchGetItem', times: 1 },
    );
    expect((await ledger.listJobs({ tenantId })).items.map((job) => job.jobId)).toEqual([jobId]);
    // The index still contains PENDING.
    await put2(jobId, tenantId);
    expect((await ledger.listJobs({ tenantId, status: 'PENDING' })).items).toEqual([]);
    const page = await ledger.listJobs({ tenantId, status: 'PENDING', includeMoved: true, consistent: true });
    expect(page.items).toMatchObject([{ jobId, status: 'RUNNING' }]);
  });

  const put2 = (jobId: string, tenantId: string) =>
    faulty.direct.send(
      new PutItemCommand({
        TableName: faulty.name,
        Item: {
          ...{ pk: { S: `JOB#${jobId}` }, sk: { S: 'META' }, job_id: { S: jobId }, tenant_id: { S: tenantId } },
          ...{ tenant_status: { S: `${tenantId}#PENDING` }, status: { S: 'RUNNING' }, version: { N: '2' } },
          created_at: { S: '2023-11-14T22:13:20.000Z' },
        },
      }),
    );

  it('loses no event', async () => {
    const eventTable = await createTable(faulty.direct, EVENTBUS_TABLE_SCHEMA);
    const events = createEventBusStore({ client: faulty.client, tableName: eventTable, clock });
    await events.publish({ tenantId: 't', type: 'T', id: 'e', payload: 1 });
    const empty = { Responses: { [eventTable]: [] }, UnprocessedKeys: {} };
    faulty.proxy.inject(
      { kind: 'error', status: 200, type: 'none', body: empty },
      { operation: 'BatchGetItem', times: 1 },
    );
    expect((await events.query({ tenantId: 't' })).items.map(({ id }) => id)).toEqual(['e']);
  });
});

describe('the time that a write carries', () => {
  it('is read when the client is loaded', async () => {
    // Loading lasts a minute by this clock.
    const slowClock = { ms: START_MS, now: () => new Date(slowClock.ms) };
    const lazy = createJobLedger({ tableName: faulty.name, clock: slowClock, client: faulty.direct });
    const loading = lazy.createJob({ jobId: `cold${count}`, tenantId: 't' });
    slowClock.ms = START_MS + 60_000;
    expect((await loading).createdAt).toBe('2023-11-14T22:14:20.000Z');
  });

  it('and warming up opens the connection with one small read', async () => {
    await ledger.warm();
    expect(faulty.proxy.operations).toEqual(['GetItem']);
  });
});

describe('a clock that jumps by an hour', () => {
  const HOUR_MS = 3_600_000;

  it.each([
    ['forward', HOUR_MS],
    ['back', -HOUR_MS],
  ])('%s: tokens grow, and of two workers one ends a record', async (_, jump) => {
    const table = createMemoryTable();
    const one = createMemoryJobLedger({ clock, table });
    const name = 'n';
    await one.createRecords({ jobId: 'j', recordIds: ['r'] });
    const lease = await one.acquireLease({ name, owner: 'a' });
    const claim = await one.claimNext({ jobId: 'j' });
    clock.ms += jump;
    // Another instance, whose clock is right.
    const right = { ms: START_MS + 61_000, now: () => new Date(right.ms) };
    const other = createMemoryJobLedger({ clock: right, table });
    await one.refreshLease(lease).catch(() => undefined);
    const next = await other.acquireLease({ name, owner: 'b' }).catch(() => one.acquireLease({ name, owner: 'a' }));
    expect(next.token).toBeGreaterThan(lease.token);
    const taken = await other.claimNext({ jobId: 'j' });
    expect(taken?.attempts).toBe(2);
    const end = { jobId: 'j', recordId: 'r', to: 'SUCCEEDED' } as const;
    await expect(one.transitionRecord({ ...end, claimId: claim?.claim.id ?? '' })).rejects.toMatchObject({
      reason: 'claim_lost',
    });
    expect((await other.transitionRecord({ ...end, claimId: taken?.claim.id ?? '' })).attempts).toBe(2);
  });
});

describe('waiters of a lease', () => {
  it('write once, then only read, at growing intervals, and acquire it when it is free', async () => {
    const manual = new ManualClock(START_MS);
    const table = createMemoryTable();
    const holder = createMemoryJobLedger({ clock: manual, table });
    const held = await holder.acquireLease({ name: 'n', owner: 'holder', durationMs: 60_000 });
    const counts = { writes: 0, looks: 0 };
    const waiter = (): JobLedger => ({
      ...holder,
      acquireLease: (...input) => {
        counts.writes += 1;
        return holder.acquireLease(...input);
      },
      getLease: (...input) => {
        counts.looks += 1;
        return holder.getLease(...input);
      },
    });
    const WAITERS = 20;
    const runs = Array.from({ length: WAITERS }, () =>
      withLease(waiter(), { name: 'n', waitMs: 600_000 }, async ({ token }) => token),
    );
    await manual.advance(30_000);
    expect(counts.writes).toBe(WAITERS);
    expect(counts.looks).toBeLessThanOrEqual(WAITERS * 40);
    expect(counts.looks).toBeGreaterThanOrEqual(WAITERS * 10);
    await holder.releaseLease(held);
    await manual.advance(600_000);
    const tokens = await Promise.all(runs);
    expect(new Set(tokens).size).toBe(WAITERS);
    expect(counts.writes).toBeLessThanOrEqual(WAITERS * 6);
    expect(manual.pendingTimers).toBe(0);
  });

  it('and a holder keeps its lease after one refresh without an answer, however short the lease is', async () => {
    for (const durationMs of [2000, 6000, 12_000]) {
      const manual = new ManualClock(START_MS);
      const store = createMemoryJobLedger({ clock: manual });
      let refreshes = 0;
      const silentOnce: JobLedger = {
        ...store,
        refreshLease: (...input) => {
          refreshes += 1;
          return refreshes === 1 ? new Promise<never>(() => {}) : store.refreshLease(...input);
        },
      };
      const run = withLease(silentOnce, { name: 'n', durationMs }, async ({ signal }) => {
        await new Promise((resolve) => manual.after(durationMs * 3, () => resolve(undefined)));
        return signal.aborted;
      });
      await manual.advance(durationMs * 3);
      expect(await run).toBe(false);
      expect(manual.pendingTimers).toBe(0);
    }
  });
});
