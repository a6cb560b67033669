import { ManualClock } from '@sallyport/core/testing';
import { createDynamoRateLimiter, fixedWindow } from '@sallyport/ratelimit';
import { KEY } from './support/dynamo.js';
import { createLogRecorder } from './support/recorder.js';

const strategy = fixedWindow({ limit: 2, windowMs: 60_000 });
const ANSWER = { Attributes: { n: { N: '1' } } };

function createLimiter(
  clock: ManualClock,
  send: (options: { abortSignal: AbortSignal }) => Promise<unknown>,
  more = {},
) {
  const client = { send: (_: unknown, options: { abortSignal: AbortSignal }) => send(options) };
  const base = { strategy, clock, tableName: 't', onStoreError: 'deny', log: createLogRecorder() } as const;
  return createDynamoRateLimiter({ ...base, ...more, client: client as never });
}

describe('the time that a decision waits for the store', () => {
  it.each([
    [{}, 3000],
    [{ storeTimeoutMs: 50 }, 3000],
    [{ coldTimeoutMs: 1 }, 300],
    [{ storeTimeoutMs: 50, coldTimeoutMs: 1 }, 50],
    [{ storeTimeoutMs: 5000 }, 5000],
  ])('with %j is %i ms for the first answer, then the call is aborted', async (options, waitMs) => {
    const clock = new ManualClock();
    const signals: AbortSignal[] = [];
    const limiter = createLimiter(
      clock,
      ({ abortSignal }) => {
        signals.push(abortSignal);
        return new Promise(() => {});
      },
      options,
    );
    let settled = false;
    const pending = limiter.consume(KEY).finally(() => {
      settled = true;
    });
    while (signals.length === 0) await new Promise(setImmediate);
    await clock.advance(waitMs - 1);
    expect([settled, signals[0]?.aborted]).toEqual([false, false]);
    await clock.advance(1);
    expect(await pending).toMatchObject({ degraded: true });
    expect([signals[0]?.aborted, clock.pendingTimers]).toEqual([true, 0]);
  });

  it('is shorter once the store has answered', async () => {
    const clock = new ManualClock();
    let asked = 0;
    const limiter = createLimiter(clock, () => {
      asked += 1;
      return asked === 1 ? Promise.resolve(ANSWER) : new Promise(() => {});
    });
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: true });
    const pending = limiter.consume(KEY);
    while (asked < 2) await new Promise(setImmediate);
    await clock.advance(300);
    expect(await pending).toMatchObject({ degraded: true });
  });

  it('leaves no timer and no listener', async () => {
    const clock = new ManualClock();
    const caller = new AbortController();
    const listeners: string[] = [];
    const signal = new Proxy(caller.signal, {
      get(target, name) {
        if (name === 'addEventListener' || name === 'removeEventListener') listeners.push(name);
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    await createLimiter(clock, async () => ANSWER).consume(KEY, { signal });
    expect([clock.pendingTimers, listeners]).toEqual([0, ['addEventListener', 'removeEventListener']]);
  });

  it('does not matter to a caller that gives up: it receives its reason immediately', async () => {
    const clock = new ManualClock();
    const caller = new AbortController();
    let asked = false;
    const limiter = createLimiter(clock, () => {
      asked = true;
      return new Promise(() => {});
    });
    const pending = limiter.consume(KEY, { signal: caller.signal });
    while (!asked) await new Promise(setImmediate);
    caller.abort('enough');
    await expect(pending).rejects.toBe('enough');
    expect(clock.pendingTimers).toBe(0);
  });
});
