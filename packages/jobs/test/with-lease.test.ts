import { ManualClock } from '@sallyport/core/testing';
import { createMemoryJobLedger, createMemoryTable, JobLedgerError, withLease, withSlot } from '@sallyport/jobs';
import { createFakeJobLedger, type FakeJobLedger } from '@sallyport/jobs/testing';
import { createLogRecorder, type LogRecorder } from './support/log.js';

const NAME = { name: 'report' };
const START_MS = 1_700_000_000_000;
let clock: ManualClock;
let log: LogRecorder;
let ledger: FakeJobLedger;

beforeEach(() => {
  clock = new ManualClock(START_MS);
  log = createLogRecorder();
  ledger = createFakeJobLedger({ clock, log });
});

afterEach(() => expect(clock.pendingTimers).toBe(0));

const refreshes = () => ledger.calls.filter(({ operation }) => operation === 'refreshLease').length;

/** Work that ends on a call of `end` or `fail`, or with its signal if `heeds` is true. */
function createWork<T>(heeds = false) {
  let end: (value: T) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const state: { signal?: AbortSignal; token?: number } = {};
  return {
    state,
    end: (value: T) => end(value),
    fail: (error: unknown) => fail(error),
    run: (held: { signal: AbortSignal; token?: number }) =>
      new Promise<T>((resolve, reject) => {
        Object.assign(state, held);
        [end, fail] = [resolve, reject];
        if (heeds) held.signal.addEventListener('abort', () => reject(held.signal.reason));
      }),
  };
}

describe('withLease', () => {
  it('runs under a lease, refreshes it every third of its duration and releases it', async () => {
    const work = createWork<string>();
    const run = withLease(ledger, { ...NAME, owner: 'me' }, work.run);
    await clock.advance(100_000);
    expect(refreshes()).toBe(10);
    expect(await ledger.getLease('report')).toMatchObject({ owner: 'me', token: START_MS + 1 });
    expect(work.state).toMatchObject({ token: START_MS + 1 });
    work.end('done');
    expect(await run).toBe('done');
    expect(await ledger.getLease('report')).toBeUndefined();
  });

  it('rejects with the error of the work, and releases', async () => {
    await expect(
      withLease(ledger, NAME, async () => {
        throw new TypeError('mine');
      }),
    ).rejects.toThrow(new TypeError('mine'));
    expect(await ledger.getLease('report')).toBeUndefined();
  });

  it('aborts the work when another holder has the lease, and rejects even if the work succeeds', async () => {
    const work = createWork<string>();
    const run = withLease(ledger, NAME, work.run);
    const rejected = expect(run).rejects.toMatchObject({ code: 'jobs.conflict', reason: 'lease_lost' });
    ledger.fail('refreshLease', { error: new JobLedgerError('conflict', 'lease_lost', 'lease lost') });
    await clock.advance(10_000);
    expect(work.state.signal?.reason).toMatchObject({ reason: 'lease_lost' });
    work.end('too late');
    await rejected;
  });

  it('keeps the error of the aborted work as the cause', async () => {
    const work = createWork<string>();
    const run = withLease(ledger, NAME, work.run).catch((error: unknown) => error);
    ledger.fail('refreshLease', { error: new JobLedgerError('conflict', 'lease_lost', 'lease lost') });
    await clock.advance(10_000);
    const thrown = new Error('stopped');
    work.fail(thrown);
    expect(await run).toMatchObject({ reason: 'lease_lost', cause: thrown });
  });

  it('continues while the store is down for less than the lease', async () => {
    const work = createWork<string>();
    const run = withLease(ledger, NAME, work.run);
    ledger.fail('refreshLease', { times: 20 });
    await clock.advance(10_000 + 20 * 250);
    expect(work.state.signal?.aborted).toBe(false);
    expect((await ledger.getLease('report'))?.expiresAtMs).toBe(START_MS + 15_000 + 30_000);
    work.end('done');
    expect(await run).toBe('done');
  });

  it('aborts a tenth of the duration before the end when no refresh gets through', async () => {
    const work = createWork<string>();
    const run = withLease(ledger, NAME, work.run).catch((error: unknown) => error);
    ledger.fail('refreshLease', { times: 1000 });
    await clock.advance(26_999);
    expect(work.state.signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(work.state.signal?.aborted).toBe(true);
    work.end('done');
    expect(await run).toMatchObject({ reason: 'lease_lost' });
  });

  it('aborts half a second before the end of a short lease, even if a refresh never answers', async () => {
    const silent = { ...ledger, refreshLease: () => new Promise<never>(() => {}) };
    const work = createWork<string>();
    const run = withLease(silent, { ...NAME, durationMs: 1000 }, work.run).catch((error: unknown) => error);
    await clock.advance(499);
    expect(work.state.signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(work.state.signal?.aborted).toBe(true);
    work.end('done');
    expect(await run).toMatchObject({ reason: 'lease_lost' });
  });

  it('compares clocks when a timer fires late: a frozen environment does not refresh a lost lease', async () => {
    const work = createWork<string>();
    const run = withLease(ledger, NAME, work.run).catch((error: unknown) => error);
    await clock.advance(0);
    clock.set(new Date(START_MS + 60_000));
    await clock.advance(10_000);
    expect(refreshes()).toBe(0);
    expect(work.state.signal?.aborted).toBe(true);
    work.end('done');
    expect(await run).toMatchObject({ reason: 'lease_lost' });
  });

  it('rejects when the work itself was frozen past the end and no timer has fired yet', async () => {
    const run = withLease(ledger, NAME, async () => clock.set(new Date(START_MS + 27_000)));
    await expect(run).rejects.toMatchObject({ reason: 'lease_lost' });
  });

  it('rejects immediately when another holder has the lease, and waits if an option requires it', async () => {
    const table = createMemoryTable();
    const [one, other] = [createMemoryJobLedger({ clock, table, log }), createMemoryJobLedger({ clock, table, log })];
    const held = await one.acquireLease({ name: 'report', owner: 'other', durationMs: 5000 });
    await expect(withLease(other, NAME, async () => 1)).rejects.toMatchObject({ reason: 'lease_held' });
    const run = withLease(other, { ...NAME, waitMs: 60_000 }, async ({ token }) => token);
    await clock.advance(5000);
    expect(await run).toBe(held.token + 1);
    await one.acquireLease({ name: 'report', owner: 'other', durationMs: 60_000 });
    const late = expect(withLease(other, { ...NAME, waitMs: 1000 }, async () => 1)).rejects.toMatchObject({
      reason: 'lease_held',
    });
    await clock.advance(2000);
    await late;
  });

  it('an abort by the caller ends the waiting and aborts the work', async () => {
    const waiting = new AbortController();
    const held = await ledger.acquireLease({ name: 'report', owner: 'other' });
    const wait = expect(
      withLease(ledger, { ...NAME, waitMs: 60_000, signal: waiting.signal }, async () => 1),
    ).rejects.toThrow('enough');
    await clock.advance(10);
    waiting.abort(new Error('enough'));
    await wait;
    await ledger.releaseLease(held);
    const working = new AbortController();
    const run = expect(
      withLease(ledger, { ...NAME, signal: working.signal }, createWork<void>(true).run),
    ).rejects.toThrow('stop');
    await clock.advance(10);
    working.abort(new Error('stop'));
    await run;
    expect(await ledger.getLease('report')).toBeUndefined();
  });

  it('only logs a release that fails', async () => {
    ledger.fail('releaseLease');
    expect(await withLease(ledger, NAME, async () => 'done')).toBe('done');
    expect(log.lines).toEqual([['warn', 'hold was not released']]);
  });

  it.each([
    { durationMs: 999 },
    { durationMs: 900_001 },
    { heartbeatMs: 0 },
    { durationMs: 1000, heartbeatMs: 501 },
    { waitMs: -1 },
    { ttl: 1 },
    { name: '' },
  ])('rejects %j', async (options) => {
    await expect(withLease(ledger, { ...NAME, ...options }, async () => 1)).rejects.toMatchObject({
      code: 'jobs.invalid_input',
    });
  });
});

describe('withSlot', () => {
  it('runs no more than the limit at the same time', async () => {
    const options = { scope: 'api', subject: 'acme', limit: 2 };
    const works = [createWork<number>(), createWork<number>()];
    const runs = works.map(({ run }) => withSlot(ledger, options, run));
    await clock.advance(50_000);
    await expect(withSlot(ledger, options, async () => 3)).rejects.toMatchObject({ reason: 'semaphore_full' });
    const third = withSlot(ledger, { ...options, waitMs: 10_000 }, async ({ slot }) => slot);
    await clock.advance(100);
    works[0]?.end(1);
    await clock.advance(1000);
    expect([0, 1]).toContain(await third);
    works[1]?.end(2);
    expect(await Promise.all(runs)).toEqual([1, 2]);
    expect(await ledger.inspectSemaphore({ scope: 'api', subject: 'acme' })).toEqual({ occupancy: 0, slots: [] });
  });
});
