import { ManualClock } from '@sallyport/core/testing';
import {
  createMemoryJobLedger,
  createMemoryTable,
  type IdempotencyRecord,
  type IdempotentRun,
  type JobLedger,
  JobLedgerError,
  runIdempotent,
} from '@sallyport/jobs';
import { createFakeJobLedger, type FakeJobLedger } from '@sallyport/jobs/testing';
import { createLogRecorder, type LogRecorder } from './support/log.js';

const KEY = { scope: 'orders', key: 'k1' };
const JOBS_UNAVAILABLE = new JobLedgerError('internal_error', 'store_unavailable', 'away', { retryable: true });
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
  it('runs once and answers the stored value, without sanitizing it', async () => {
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

  it('rejects while the work is in progress elsewhere, with the time to retry', async () => {
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

  it('returns the result that another caller completed meanwhile', async () => {
    const outcome = await runIdempotent(ledger, KEY, async () => {
      clock.tick(60_000);
      await runIdempotent(ledger, KEY, async () => 'theirs');
      return 'mine';
    });
    expect(outcome).toEqual({ value: 'theirs', replayed: true });
    expect(log.lines).toEqual([['warn', 'result was not stored']]);
  });

  it('answers its own value with one warning when it lost the key or the store remains away', async () => {
    const lost = await runIdempotent(ledger, KEY, async () => {
      clock.tick(60_000);
      await ledger.beginIdempotency({ ...KEY, inProgressMs: 60_000 });
      return 'mine';
    });
    expect(lost).toEqual({ value: 'mine', replayed: false });
    expect(log.lines).toEqual([['warn', 'result was not stored']]);
    ledger.fail('completeIdempotency', { times: 1000 });
    const run = runIdempotent(ledger, { ...KEY, key: 'k2', remainingMs: 60_000 }, work);
    await clock.advance(60_000);
    expect((await run).value).toMatchObject({ id: 1 });
    expect(log.lines.length).toBe(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not retry a call that cannot succeed', async () => {
    const error = new JobLedgerError('internal_error', 'store_unavailable', 'no table', { retryable: false });
    ledger.fail('completeIdempotency', { error });
    expect((await runIdempotent(ledger, KEY, work)).value).toMatchObject({ id: 1 });
    expect(log.lines).toEqual([['warn', 'result was not stored']]);
  });

  it('keeps the stored value when only the answer of the completion was lost', async () => {
    ledger.fail('completeIdempotency', { when: 'after' });
    const run = runIdempotent(ledger, KEY, work);
    await clock.advance(100);
    expect(await run).toMatchObject({ value: { id: 1 }, replayed: false });
    expect(await runIdempotent(ledger, KEY, work)).toMatchObject({ value: { id: 1 }, replayed: true });
    expect(log.lines).toEqual([]);
  });

  it('does not run work again whose result is not JSON or is too large', async () => {
    for (const [key, value] of [
      ['bigint', 10n],
      ['large', 'x'.repeat(400_000)],
    ] as const) {
      expect(await runIdempotent(ledger, { ...KEY, key }, async () => value)).toEqual({ value, replayed: false });
      await expect(runIdempotent(ledger, { ...KEY, key }, work)).rejects.toMatchObject({ reason: 'result_omitted' });
    }
    expect(ran).toBe(0);
  });

  it('requires the time limit of a durable execution, and returns its own record', async () => {
    await expect(runIdempotent(ledger, { ...KEY, executionId: 'e1' }, work)).rejects.toMatchObject({
      code: 'jobs.invalid_input',
    });
    const durable = { ...KEY, executionId: 'e1', inProgressMs: 3_600_000 };
    await ledger.beginIdempotency(durable);
    expect(await runIdempotent(ledger, durable, work)).toMatchObject({ replayed: false, value: { id: 1 } });
    expect(await runIdempotent(ledger, durable, work)).toMatchObject({ replayed: true, value: { id: 1 } });
  });

  it('rejects another fingerprint', async () => {
    await runIdempotent(ledger, { ...KEY, fingerprint: 'a'.repeat(64) }, work);
    await expect(runIdempotent(ledger, { ...KEY, fingerprint: 'b'.repeat(64) }, work)).rejects.toMatchObject({
      reason: 'payload_mismatch',
    });
  });
});

describe('a store that is away for two seconds when the work is done, and ten seconds are left', () => {
  const AWAY_MS = 2000;
  type Completion = FakeJobLedger['completeIdempotency'];

  /** Effects of an outage on a completion. */
  const OUTAGES: Readonly<Record<string, (complete: Completion) => Completion>> = {
    refuses: () => () => Promise.reject(JOBS_UNAVAILABLE),
    'applies the write and fails':
      (complete) =>
      async (...input) => {
        await complete(...input);
        throw JOBS_UNAVAILABLE;
      },
    'does not answer': () => () => new Promise(() => {}),
    'applies the write and does not answer':
      (complete) =>
      async (...input) => {
        await complete(...input);
        return new Promise(() => {});
      },
  };

  it.each(Object.keys(OUTAGES))('no effect is doubled: it %s', async (name) => {
    let doubled = 0;
    for (let number = 0; number < 50; number += 1) {
      const key = { scope: 's', key: `${name}-${number}`, inProgressMs: 11_000, remainingMs: 10_000 };
      let effects = 0;
      let awayUntil = 0;
      const complete = ledger.completeIdempotency;
      const away = OUTAGES[name]?.(complete) ?? complete;
      const shaken: JobLedger = {
        ...ledger,
        completeIdempotency: (...input) => (clock.now().getTime() < awayUntil ? away : complete)(...input),
      };
      const effect = async () => {
        effects += 1;
        awayUntil = clock.now().getTime() + AWAY_MS;
        return effects;
      };
      const first = runIdempotent(shaken, key, effect);
      await clock.advance(10_000);
      const again = runIdempotent(ledger, key, effect);
      await clock.advance(11_000);
      expect([(await first).value, (await again).value]).toEqual([1, 1]);
      doubled += effects - 1;
    }
    expect(doubled).toBe(0);
    expect(log.lines).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('an owner that lost its key', () => {
  it.each([
    [1_999, 'owner_lost'],
    [2_000, undefined],
  ])(
    'and abandons it %s ms after the start is rejected with %s: the next owner keeps its key until 2,000',
    async (ms, reason) => {
      const begin = () => ledger.beginIdempotency({ ...KEY, inProgressMs: 1_000, ttlSeconds: 1 });
      const lost = await begin();
      await clock.advance(1_000);
      expect((await begin()).outcome).toBe('created');
      await clock.advance(ms - 1_000);
      if (lost.outcome !== 'created') throw new Error(lost.outcome);
      const outcome = await ledger.abandonIdempotency(lost.handle).catch((error: JobLedgerError) => error.reason);
      expect(outcome).toBe(reason);
    },
  );
});

describe('the argument of the work', () => {
  it('has a unique owner, the deadline, and a signal that aborts at the deadline', async () => {
    let seen: IdempotentRun | undefined;
    const run = runIdempotent(ledger, { ...KEY, inProgressMs: 30_000, remainingMs: 20_000 }, async (given) => {
      seen = given;
      await new Promise((resolve) => given.signal.addEventListener('abort', resolve));
      return 'late';
    });
    await clock.advance(19_999);
    expect(seen?.signal.aborted).toBe(false);
    expect(seen?.deadlineMs).toBe(1_700_000_020_000);
    await clock.advance(1);
    expect(seen?.signal.reason).toMatchObject({ code: 'jobs.conflict', reason: 'owner_lost' });
    expect((await run).value).toBe('late');
    let other: IdempotentRun | undefined;
    await runIdempotent(ledger, { ...KEY, key: 'k2' }, async (given) => {
      other = given;
    });
    expect(typeof other?.owner === 'string' && other.owner !== seen?.owner).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('has a signal that does not abort before the deadline while the key is renewed', async () => {
    let signal: AbortSignal | undefined;
    const run = runIdempotent(ledger, { ...KEY, remainingMs: 100_000 }, async (given) => {
      signal = given.signal;
      await new Promise((resolve) => given.signal.addEventListener('abort', resolve));
    });
    await clock.advance(99_999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(signal?.reason).toMatchObject({ reason: 'owner_lost' });
    await run;
    expect(clock.pendingTimers).toBe(0);
  });

  it('has a signal that aborts before the mark ends when the key cannot be renewed, and runs on', async () => {
    ledger.fail('renewIdempotency', { times: 1000 });
    let abortedAtMs = 0;
    const run = runIdempotent(ledger, { ...KEY, remainingMs: 100_000 }, async (given) => {
      await new Promise((resolve) => given.signal.addEventListener('abort', resolve));
      abortedAtMs = clock.now().getTime();
      return 'done';
    });
    await clock.advance(60_000);
    expect(abortedAtMs).toBe(1_700_000_045_000);
    expect((await run).value).toBe('done');
  });

  it('aborts with the signal of the caller', async () => {
    const controller = new AbortController();
    const run = runIdempotent(ledger, { ...KEY, signal: controller.signal }, async ({ signal }) => {
      controller.abort(new Error('stop'));
      return String(signal.reason);
    });
    expect((await run).value).toBe('Error: stop');
  });

  it.each([
    [2_147_483_646, true],
    [2_147_483_647, true],
    [2_147_483_648, false],
  ])(
    'has a signal that aborts at a deadline in %i ms, if a timer can be that long: %s',
    async (inProgressMs, aborts) => {
      let seen: IdempotentRun | undefined;
      let end = () => {};
      const run = runIdempotent(ledger, { ...KEY, executionId: 'e', inProgressMs }, async (given) => {
        seen = given;
        await new Promise<void>((resolve) => {
          end = resolve;
        });
      });
      await clock.advance(inProgressMs - 1);
      expect(seen?.signal.aborted).toBe(false);
      await clock.advance(1);
      expect(seen?.signal.aborted).toBe(aborts);
      end();
      await run;
      expect(clock.pendingTimers).toBe(0);
    },
  );

  it('needs no timer for a year', async () => {
    const year = { ...KEY, executionId: 'e', inProgressMs: 366 * 86_400_000 };
    expect((await runIdempotent(ledger, year, async ({ signal }) => signal.aborted)).value).toBe(false);
  });
});

it('the first caller gets the same value as later ones', async () => {
  class Money {
    readonly cents = 7;
    toJSON() {
      return { amount: this.cents };
    }
  }
  const made = { at: new Date(0), gone: undefined, money: new Money(), list: [undefined, 1] };
  const first = await runIdempotent(ledger, KEY, async () => made);
  const again = await runIdempotent(ledger, KEY, async () => made);
  expect(first.value).toEqual({ at: '1970-01-01T00:00:00.000Z', money: { amount: 7 }, list: [null, 1] });
  expect('gone' in first.value).toBe(false);
  expect(again).toEqual({ value: first.value, replayed: true });
  const text: string = first.value.at;
  expect(text.length).toBe(24);
  expect((await runIdempotent(ledger, { ...KEY, key: 'nothing' }, async () => undefined)).value).toBeUndefined();
});

it('a hook is called for each replay, and its errors are ignored', async () => {
  const seen: unknown[] = [];
  const onReplay = (record: IdempotencyRecord) => {
    seen.push([record.key, record.result]);
    throw new Error('hook');
  };
  await runIdempotent(ledger, { ...KEY, onReplay }, async () => 7);
  expect(seen).toEqual([]);
  expect((await runIdempotent(ledger, { ...KEY, onReplay }, async () => 8)).value).toBe(7);
  expect(seen).toEqual([['k1', 7]]);
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
