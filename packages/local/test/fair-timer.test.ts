import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@sallyport/core/testing';
import { CpuWait, FairTimer } from '../src/internal/runtime/fair-timer.js';
import { initLimitMs } from '../src/internal/runtime/pool.js';
import { answerOf, projectOf, start } from './support/run.js';

describe('the time for which a process waits for a CPU', () => {
  let proc: string;
  beforeEach(() => {
    proc = mkdtempSync(join(tmpdir(), 'sallyport-proc-'));
  });
  afterEach(() => rmSync(proc, { recursive: true, force: true }));

  /** Nanoseconds on a CPU, nanoseconds of waiting, turns. */
  const set = (thread: number, text: string) => {
    mkdirSync(join(proc, '7/task', String(thread)), { recursive: true });
    writeFileSync(join(proc, '7/task', String(thread), 'schedstat'), text);
  };

  it('is the longest wait of a thread since the start', () => {
    set(7, '100 5000000000 1\n');
    set(8, '100 9000000000 1\n');
    const wait = new CpuWait(7, proc);
    expect(wait.ms()).toBe(0);
    set(7, '200 6500000000 2\n');
    expect(wait.ms()).toBe(1500);
    wait.includeOthers();
    expect(wait.ms()).toBe(1500);
    set(8, '200 12000000000 2\n');
    // A thread that began later.
    set(9, '1 2000000000 1\n');
    expect(wait.ms()).toBe(3000);
    wait.includeOthers();
    expect(wait.ms()).toBe(3000);
  });

  it('does not count time on a CPU, nor sleep', () => {
    set(7, '100 5 1\n');
    const wait = new CpuWait(7, proc);
    set(7, '60000000000 5 9\n');
    expect(wait.ms()).toBe(0);
  });

  it.each([
    ['without the file', undefined],
    ['with a file that is empty', ''],
    ['with a file of another form', 'x y z'],
  ])('is 0 %s', (_name, text) => {
    if (text !== undefined) set(7, text);
    const wait = new CpuWait(7, proc);
    wait.includeOthers();
    expect(wait.ms()).toBe(0);
  });
});

describe('a limit', () => {
  /** Runs a limit of ten seconds, with the waiting time at each of its ends. */
  async function run(waits: readonly number[]) {
    const clock = new ManualClock(new Date(0));
    const seen: string[] = [];
    let asked = 0;
    const at = () => clock.now().getTime();
    const timer = new FairTimer({
      limitMs: 10_000,
      wait: { ms: () => waits[Math.min(asked++, waits.length - 1)] ?? 0 },
      onAdded: (ms) => seen.push(`${at()} +${ms}`),
      onEnd: () => seen.push(`${at()} end`),
      after: (ms, call) => clock.after(ms, call),
    });
    for (let second = 0; second < 120; second += 1) {
      await clock.advance(1000);
      await new Promise(setImmediate);
    }
    timer.cancel();
    return seen;
  }

  it.each<[string, readonly number[], readonly string[]]>([
    ['ends in time where nothing waited', [0], ['10000 end']],
    ['ends in time where a thread waited for a moment', [99], ['10000 end']],
    ['is longer by the time of waiting', [3000, 3000], ['10000 +3000', '13000 end']],
    ['is made longer again', [3000, 5000, 5050], ['10000 +3000', '13000 +2000', '15000 end']],
    ['is at most ten times as long', [10_000, 500_000], ['10000 +10000', '20000 +80000', '100000 end']],
  ])('%s', async (_name, waits, expected) => {
    expect(await run(waits)).toEqual(expected);
  });

  it('does not end where the answer is read in the same turn', async () => {
    let expire = () => {};
    let ends = 0;
    const after = (_ms: number, call: () => void) => {
      expire = call;
      return () => {};
    };
    const limit = { limitMs: 10_000, wait: { ms: () => 0 }, onAdded: () => {}, onEnd: () => (ends += 1), after };
    const answered = new FairTimer(limit);
    expire();
    answered.cancel();
    await new Promise(setImmediate);
    expect(ends).toBe(0);
    new FairTimer(limit);
    expire();
    await new Promise(setImmediate);
    expect(ends).toBe(1);
  });

  it('that is cancelled does not end', async () => {
    const clock = new ManualClock(new Date(0));
    let ends = 0;
    const after = (ms: number, call: () => void) => clock.after(ms, call);
    const wait = { ms: () => 3000 };
    const timer = new FairTimer({ limitMs: 10_000, wait, onAdded: () => {}, onEnd: () => (ends += 1), after });
    await clock.advance(10_000);
    timer.cancel();
    await clock.advance(100_000);
    expect(ends).toBe(0);
  });
});

test.each([
  ['of a function', undefined, 900_000, 10_000],
  ['of a managed instance', 2, 10_000, 130_000],
  ['of a managed instance with a longer timeout', 2, 900_000, 900_000],
])('the init phase %s', (_name, managedInstances, timeoutMs, expected) => {
  expect(initLimitMs({ managedInstances, timeoutMs })).toBe(expected);
});

test('a function that sleeps gets no more time', async () => {
  const project = projectOf('mixed.mjs');
  const host = await start(project, { timeout: 0.3 });
  try {
    expect(await answerOf(host, { do: 'wait', ms: 60_000 })).toMatchObject({
      reason: 'timeout',
      errorType: 'Sandbox.Timedout',
    });
    expect(host.journal.list().flatMap(({ logs }) => logs.filter(({ text }) => text.includes('busy')))).toEqual([]);
  } finally {
    await host.stop();
    project.remove();
  }
});
