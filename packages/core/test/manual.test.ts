import { completeClock, randomIds, systemClock } from '../src/runtime/invocation.js';
import { ManualClock, ManualIdGenerator, SettableClock } from '../src/testing.js';

describe('ManualClock', () => {
  it('starts at the epoch and does not advance', () => {
    const clock = new ManualClock();
    expect([clock.now().getTime(), clock.monotonicMs()]).toEqual([0, 0]);
    expect(new ManualClock(new Date(5)).now().getTime()).toBe(5);
    expect(new ManualClock(7).now().getTime()).toBe(7);
  });

  it('fires due timers in order of time, then of making, each at its own time', async () => {
    const clock = new ManualClock();
    const fired: [string, number][] = [];
    clock.after(30, () => fired.push(['c', clock.monotonicMs()]));
    clock.after(10, () => fired.push(['a', clock.monotonicMs()]));
    clock.after(10, () => fired.push(['b', clock.monotonicMs()]));
    clock.after(31, () => fired.push(['never', 0]));
    await clock.advance(30);
    expect(fired).toEqual([
      ['a', 10],
      ['b', 10],
      ['c', 30],
    ]);
    expect(clock.now().getTime()).toBe(30);
    expect(clock.pendingTimers).toBe(1);
  });

  it('awaits what a firing causes, also timers that it sets', async () => {
    const clock = new ManualClock();
    const seen: number[] = [];
    clock.after(1, async () => {
      await Promise.resolve();
      clock.after(1, () => seen.push(clock.monotonicMs()));
    });
    await clock.advance(5);
    expect(seen).toEqual([2]);
  });

  it('fires no cancelled timer, and no timer on set or tick', async () => {
    const clock = new ManualClock();
    let fired = 0;
    const cancel = clock.after(1, () => {
      fired += 1;
    });
    clock.set(new Date(1000));
    clock.tick(10);
    expect(fired).toBe(0);
    cancel();
    await clock.advance(10);
    expect(fired).toBe(0);
    expect([clock.now().getTime(), clock.monotonicMs()]).toEqual([1020, 20]);
  });

  it('treats a negative delay as 0', async () => {
    const clock = new ManualClock();
    let fired = false;
    clock.after(-5, () => {
      fired = true;
    });
    await clock.advance(0);
    expect(fired).toBe(true);
  });
});

it('SettableClock says the time that was set, counted from its start', () => {
  const clock = new SettableClock(1_700_000_000_000);
  expect(clock.now().toISOString()).toBe('2023-11-14T22:13:20.000Z');
  clock.at(1500);
  expect(clock.now().toISOString()).toBe('2023-11-14T22:13:21.500Z');
  clock.at(-1000);
  expect(clock.now().toISOString()).toBe('2023-11-14T22:13:19.000Z');
});

describe('ManualIdGenerator', () => {
  it('counts, returns queued ids first, and restarts', () => {
    const ids = new ManualIdGenerator();
    ids.queue('x', 'y');
    expect([ids.newId(), ids.newId(), ids.newId(), ids.newId()]).toEqual(['x', 'y', 'test-id-1', 'test-id-2']);
    ids.queue('z');
    ids.reset();
    expect(ids.newId()).toBe('test-id-1');
    expect(new ManualIdGenerator('req').newId()).toBe('req-1');
  });
});

it('random ids are version 4 UUIDs and differ', () => {
  const id = randomIds.newId();
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(randomIds.newId()).not.toBe(id);
});

describe('completeClock', () => {
  it('uses the system for members that a clock lacks', () => {
    expect(completeClock(undefined)).toBe(systemClock);
    const clock = completeClock({ now: () => new Date(5) });
    expect(clock.now().getTime()).toBe(5);
    expect(clock.monotonicMs).toBe(systemClock.monotonicMs);
    expect(clock.after).toBe(systemClock.after);
  });

  it('keeps existing members, called with the clock as this', async () => {
    const manual = new ManualClock(3);
    const clock = completeClock(manual);
    let fired = false;
    clock.after(1, () => {
      fired = true;
    });
    await manual.advance(1);
    expect([clock.now().getTime(), clock.monotonicMs(), fired]).toEqual([4, 1, true]);
  });
});

it('a timer of the system clock is cancelled by the function that it returned', () => {
  const cancel = systemClock.after(1e12, () => {});
  expect(cancel()).toBeUndefined();
});
