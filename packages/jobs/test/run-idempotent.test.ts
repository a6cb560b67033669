import { ManualClock } from '@sallyport/core/testing';
import { runIdempotent } from '@sallyport/jobs';
import { createMemoryJobLedger, createMemoryTable } from '@sallyport/jobs/memory';
import { createFakeJobLedger, type FakeJobLedger } from '@sallyport/jobs/testing';
import { createLogRecorder, type LogRecorder } from './support/log.js';

const KEY = { scope: 'orders', key: 'k1' };
let clock: ManualClock;
let log: LogRecorder;
let ledger: FakeJobLedger;
let ran: number;

beforeEach(() => {
  clock = new ManualClock(1_700_000_000_000);
  log = createLogRecorder();
  ledger = createFakeJobLedger({ clock, log });
  ran = 0;
});

const work = async () => {
  ran += 1;
  return { id: ran, token: 'kept as it is' };
};

describe('runIdempotent', () => {
  it('runs once and answers the stored value, nothing of it sanitized', async () => {
    expect(await runIdempotent(ledger, KEY, work)).toEqual({
      value: { id: 1, token: 'kept as it is' },
      replayed: false,
    });
    expect(await runIdempotent(ledger, KEY, work)).toEqual({
      value: { id: 1, token: 'kept as it is' },
      replayed: true,
    });
    expect(ran).toBe(1);
  });

  it('frees the key when the work throws', async () => {
    const failing = async () => {
      throw new Error('mine');
    };
    await expect(runIdempotent(ledger, KEY, failing)).rejects.toThrow('mine');
    expect((await runIdempotent(ledger, KEY, work)).replayed).toBe(false);
  });

  it('refuses while the work is in progress elsewhere, and says when to come back', async () => {
    await ledger.beginIdempotency({ ...KEY, inProgressMs: 5000 });
    await expect(runIdempotent(ledger, KEY, work)).rejects.toMatchObject({
      code: 'jobs.conflict',
      reason: 'in_progress',
      retryable: true,
      details: { retryAfterMs: 5000 },
    });
  });

  it('throws a stored error again', async () => {
    const start = await ledger.beginIdempotency({ ...KEY, inProgressMs: 5000 });
    if (start.outcome !== 'created') throw new Error(start.outcome);
    const error = Object.assign(new TypeError('no stock'), { code: 'orders.no_stock', details: { sku: 7 } });
    await ledger.completeIdempotency(start.handle, { error });
    await expect(runIdempotent(ledger, KEY, work)).rejects.toMatchObject({
      name: 'StoredError',
      type: 'TypeError',
      code: 'orders.no_stock',
      message: 'no stock',
      fields: { sku: 7 },
    });
  });

  it('answers what somebody else completed meanwhile', async () => {
    const outcome = await runIdempotent(ledger, KEY, async () => {
      clock.tick(60_000);
      await runIdempotent(ledger, KEY, async () => 'theirs');
      return 'mine';
    });
    expect(outcome).toEqual({ value: 'theirs', replayed: true });
  });

  it('answers its own value with one warning when it lost the key or the store is down', async () => {
    const lost = await runIdempotent(ledger, KEY, async () => {
      clock.tick(60_000);
      await ledger.beginIdempotency({ ...KEY, inProgressMs: 60_000 });
      return 'mine';
    });
    expect(lost).toEqual({ value: 'mine', replayed: false });
    expect(log.lines).toEqual([['warn', 'result was not stored']]);
    ledger.fail('completeIdempotency');
    expect((await runIdempotent(ledger, { ...KEY, key: 'k2' }, work)).value).toMatchObject({ id: 1 });
    expect(log.lines.length).toBe(2);
  });

  it('keeps the stored value when only the answer of the completion was lost', async () => {
    ledger.fail('completeIdempotency', { when: 'after' });
    expect((await runIdempotent(ledger, KEY, work)).value).toMatchObject({ id: 1 });
    expect(await runIdempotent(ledger, KEY, work)).toMatchObject({ value: { id: 1 }, replayed: true });
  });

  it('does not run again what has no JSON result or too large a one', async () => {
    for (const [key, value] of [
      ['bigint', 10n],
      ['large', 'x'.repeat(400_000)],
    ] as const) {
      expect(await runIdempotent(ledger, { ...KEY, key }, async () => value)).toEqual({ value, replayed: false });
      await expect(runIdempotent(ledger, { ...KEY, key }, work)).rejects.toMatchObject({ reason: 'result_omitted' });
    }
    expect(ran).toBe(0);
  });

  it('needs the time limit of a durable execution, and gives it its own record back', async () => {
    await expect(runIdempotent(ledger, { ...KEY, executionId: 'e1' }, work)).rejects.toMatchObject({
      code: 'jobs.invalid_input',
    });
    const durable = { ...KEY, executionId: 'e1', inProgressMs: 3_600_000 };
    await ledger.beginIdempotency(durable);
    expect(await runIdempotent(ledger, durable, work)).toMatchObject({ replayed: false, value: { id: 1 } });
    expect(await runIdempotent(ledger, durable, work)).toMatchObject({ replayed: true, value: { id: 1 } });
  });

  it('refuses another fingerprint', async () => {
    await runIdempotent(ledger, { ...KEY, fingerprint: 'a'.repeat(64) }, work);
    await expect(runIdempotent(ledger, { ...KEY, fingerprint: 'b'.repeat(64) }, work)).rejects.toMatchObject({
      reason: 'payload_mismatch',
    });
  });
});

describe('two runs of one key, interleaved at every await', () => {
  /** Turns that the second run waits before it starts. */
  it.each(Array.from({ length: 16 }, (_, turns) => turns))('run the work once: %i turns apart', async (turns) => {
    const table = createMemoryTable();
    const [one, other] = [createMemoryJobLedger({ clock, table, log }), createMemoryJobLedger({ clock, table, log })];
    const slow = async () => {
      ran += 1;
      const value = ran;
      await Promise.resolve();
      return value;
    };
    const first = runIdempotent(one, KEY, slow);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    const second = runIdempotent(other, KEY, slow);
    const outcomes = await Promise.allSettled([first, second]);
    expect(ran).toBe(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') expect(outcome.value.value).toBe(1);
      else expect(outcome.reason).toMatchObject({ reason: 'in_progress' });
    }
  });
});
