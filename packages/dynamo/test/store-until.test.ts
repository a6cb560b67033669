import { ManualClock } from '@sallyport/core/testing';
import { StoreTimeout, storeUntil } from '@sallyport/dynamo';

const START_MS = Date.UTC(2026, 0, 1);
const timedOut = (cause: StoreTimeout) => new Error('the store is unavailable', { cause });

/** A store of one process, which is away for some time. It keeps the ids of applied writes. */
class Store {
  readonly applied: string[] = [];
  readonly attempts: { readonly atMs: number; readonly id: string }[] = [];
  constructor(
    readonly clock: ManualClock,
    readonly awayMs: number,
    readonly failure: unknown = Object.assign(new Error('away'), { $metadata: { httpStatusCode: 500 } }),
  ) {}

  readonly write = async (id: string): Promise<string> => {
    const atMs = this.clock.now().getTime() - START_MS;
    this.attempts.push({ atMs, id });
    if (atMs < this.awayMs) throw this.failure;
    this.applied.push(id);
    return 'stored';
  };
}

function start(awayMs: number, leftMs: number, failure?: unknown) {
  const clock = new ManualClock(START_MS);
  const store = new Store(clock, awayMs, failure);
  const settled = storeUntil({ clock, deadlineMs: START_MS + leftMs, timedOut }, store.write).then(
    (value) => value,
    (error: unknown) => error,
  );
  return { clock, store, settled };
}

describe('storing the end of work', () => {
  it.each([0, 50, 500, 1500, 5000, 60_000])(
    'survives a store that is away for %d ms, with one id for every attempt',
    async (awayMs) => {
      const { clock, store, settled } = start(awayMs, 120_000);
      await clock.advance(70_000);
      expect(await settled).toBe('stored');
      expect(store.applied).toHaveLength(1);
      expect(new Set(store.attempts.map(({ id }) => id)).size).toBe(1);
      expect(clock.pendingTimers).toBe(0);
    },
  );

  it('makes at most one attempt a second when the store remains away', async () => {
    const { clock, store } = start(Number.POSITIVE_INFINITY, 120_000);
    await clock.advance(60_000);
    const inLastHalfMinute = store.attempts.filter(({ atMs }) => atMs >= 30_000).length;
    expect(inLastHalfMinute).toBeGreaterThanOrEqual(30);
    expect(inLastHalfMinute).toBeLessThanOrEqual(60);
  });

  it('stops one second before the deadline with the last failure', async () => {
    const failure = Object.assign(new Error('away'), { name: 'ThrottlingException' });
    const { clock, store, settled } = start(Number.POSITIVE_INFINITY, 10_000, failure);
    await clock.advance(9_000);
    expect(await settled).toBe(failure);
    expect(Math.max(...store.attempts.map(({ atMs }) => atMs))).toBeLessThan(9_000);
    expect(clock.pendingTimers).toBe(0);
  });

  it.each(Array.from({ length: 20 }, (_, seed) => 1000 + seed * 350))(
    'survives an outage of %d ms that is over one second before the deadline',
    async (awayMs) => {
      const { clock, settled } = start(awayMs, awayMs + 1_005);
      await clock.advance(awayMs + 1_005);
      expect(await settled).toBe('stored');
    },
  );

  it('makes one attempt even if the deadline has passed', async () => {
    const { clock, store, settled } = start(0, -5_000);
    await clock.advance(0);
    expect(await settled).toBe('stored');
    expect(store.attempts).toHaveLength(1);
  });

  it.each([
    [
      'an invalid request',
      Object.assign(new Error('no'), { name: 'ValidationException', $metadata: { httpStatusCode: 400 } }),
    ],
    [
      'a missing permission',
      Object.assign(new Error('no'), { name: 'AccessDeniedException', $metadata: { httpStatusCode: 400 } }),
    ],
    ['a value that is too large', new RangeError('too large')],
  ])('does not repeat %s', async (_, failure) => {
    const { clock, store, settled } = start(Number.POSITIVE_INFINITY, 60_000, failure);
    await clock.advance(0);
    expect(await settled).toBe(failure);
    expect(store.attempts).toHaveLength(1);
  });

  it('recognizes a transient failure in the cause of an error', async () => {
    const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    const { clock, settled } = start(1_000, 60_000, new Error('the store failed', { cause }));
    await clock.advance(5_000);
    expect(await settled).toBe('stored');
  });

  it('gives up an attempt without a response, aborts it, and makes another', async () => {
    const clock = new ManualClock(START_MS);
    const reasons: unknown[] = [];
    let attempts = 0;
    const settled = storeUntil({ clock, deadlineMs: START_MS + 31_000, timedOut }, (_, signal) => {
      attempts += 1;
      if (attempts > 1) return Promise.resolve('stored');
      return new Promise<string>(() => signal.addEventListener('abort', () => reasons.push(signal.reason)));
    });
    await clock.advance(10_000);
    expect(attempts).toBe(1);
    await clock.advance(100);
    expect(await settled).toBe('stored');
    expect(reasons).toEqual([expect.any(StoreTimeout)]);
  });

  it('rejects with the error of the store when no attempt gets a response', async () => {
    const clock = new ManualClock(START_MS);
    const settled = storeUntil({ clock, deadlineMs: START_MS + 10_000, timedOut }, () => new Promise(() => {})).catch(
      (error: unknown) => error,
    );
    await clock.advance(12_000);
    expect(await settled).toMatchObject({ message: 'the store is unavailable', cause: expect.any(StoreTimeout) });
    expect(clock.pendingTimers).toBe(0);
  });

  it('retries only errors that the caller names as transient', async () => {
    const clock = new ManualClock(START_MS);
    const error = new Error('busy');
    let attempts = 0;
    const write = () => {
      attempts += 1;
      return attempts < 3 ? Promise.reject(error) : Promise.resolve('stored');
    };
    const mayPass = (thrown: unknown) => thrown === error;
    const settled = storeUntil({ clock, deadlineMs: START_MS + 60_000, timedOut, mayPass }, write);
    await clock.advance(1_000);
    expect(await settled).toBe('stored');
    expect(attempts).toBe(3);
  });
});
