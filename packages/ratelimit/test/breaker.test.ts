import { ManualClock } from '@sallyport/core/testing';
import { createDynamoRateLimiter, fixedWindow, type RateLimitError } from '@sallyport/ratelimit';
import { KEY } from './support/dynamo.js';
import { createLogRecorder, createRecorder } from './support/recorder.js';

const strategy = fixedWindow({ limit: 100, windowMs: 60_000 });
const ANSWER = { Attributes: { n: { N: '1' } } };

/** A store whose availability the test sets. */
function createStore() {
  const clock = new ManualClock();
  const store = { asked: 0, answer: () => new Promise<unknown>(() => {}) };
  const client = {
    send: () => {
      store.asked += 1;
      return store.answer();
    },
  };
  const onError = createRecorder<[RateLimitError, object]>();
  const options = { strategy, clock, tableName: 't', onStoreError: 'deny', coldTimeoutMs: 1 } as const;
  const limiter = createDynamoRateLimiter({ ...options, onError, log: createLogRecorder(), client: client as never });
  /** A decision; `waitMs` pass while it is in progress. */
  const decide = async (waitMs = 0) => {
    const before = store.asked;
    const pending = limiter.consume(KEY);
    for (let turn = 0; turn < 50 && store.asked === before; turn += 1) await new Promise(setImmediate);
    if (waitMs > 0) await clock.advance(waitMs);
    return pending;
  };
  return { clock, store, onError, limiter, decide };
}

describe('a store that is silent', () => {
  it('costs one timeout, not one per request', async () => {
    const { store, onError, decide } = createStore();
    expect(await decide(300)).toMatchObject({ degraded: true, source: 'none' });
    for (let request = 0; request < 20; request += 1) {
      expect(await decide()).toMatchObject({ allowed: false, degraded: true, source: 'none', retryAfterMs: 1000 });
    }
    expect(store.asked).toBe(1);
    expect(onError.calls.length).toBe(21);
    expect(onError.calls.every(([error]) => error.retryable && error.cause !== undefined)).toBe(true);
  });

  it('is called again by one request after a pause that doubles, and by all after it answers', async () => {
    const { clock, store, decide } = createStore();
    await decide(300);
    const pauses: number[] = [];
    for (let trial = 0; trial < 7; trial += 1) {
      const before = store.asked;
      let pausedMs = 0;
      while (store.asked === before) {
        await clock.advance(100);
        pausedMs += 100;
        const pending = decide();
        await new Promise(setImmediate);
        if (store.asked > before) await clock.advance(300);
        await pending;
      }
      pauses.push(pausedMs);
    }
    expect(pauses).toEqual([300, 600, 1200, 2400, 4800, 9600, 10_000]);
    store.answer = () => Promise.resolve(ANSWER);
    await clock.advance(10_000);
    expect(await decide()).toMatchObject({ degraded: false });
    const before = store.asked;
    for (const _ of [1, 2, 3]) expect(await decide()).toMatchObject({ degraded: false });
    expect(store.asked - before).toBe(3);
    // After the next failure, the first pause is short again.
    store.answer = () => new Promise(() => {});
    expect(await decide(300)).toMatchObject({ degraded: true });
    const silent = store.asked;
    await clock.advance(299);
    expect(await decide()).toMatchObject({ degraded: true });
    expect(store.asked).toBe(silent);
    await clock.advance(1);
    expect(await decide(300)).toMatchObject({ degraded: true });
    expect(store.asked).toBe(silent + 1);
  });

  it('lets only one request try at a time', async () => {
    const { clock, store, limiter, decide } = createStore();
    await decide(300);
    await clock.advance(300);
    const first = limiter.consume(KEY);
    while (store.asked < 2) await new Promise(setImmediate);
    expect(await limiter.consume(KEY)).toMatchObject({ degraded: true });
    expect(store.asked).toBe(2);
    await clock.advance(300);
    expect(await first).toMatchObject({ degraded: true });
  });

  it('does not count as silent when another request was answered meanwhile', async () => {
    const { clock, store, limiter, decide } = createStore();
    const lost = limiter.consume(KEY);
    while (store.asked < 1) await new Promise(setImmediate);
    await clock.advance(10);
    store.answer = () => Promise.resolve(ANSWER);
    expect(await decide()).toMatchObject({ degraded: false });
    await clock.advance(300);
    expect(await lost).toMatchObject({ degraded: true });
    expect(await decide()).toMatchObject({ degraded: false });
  });

  it('does not count as silent when it rejects, or when a caller gives up', async () => {
    const { store, limiter, decide } = createStore();
    const caller = new AbortController();
    const given = limiter.consume(KEY, { signal: caller.signal });
    while (store.asked < 1) await new Promise(setImmediate);
    caller.abort(new Error('gone'));
    await expect(given).rejects.toThrow('gone');
    store.answer = () => Promise.reject(Object.assign(new Error('busy'), { name: 'ThrottlingException' }));
    expect(await decide()).toMatchObject({ degraded: true });
    store.answer = () => Promise.resolve(ANSWER);
    expect(await decide()).toMatchObject({ degraded: false });
  });
});
