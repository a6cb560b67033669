import { isTransient, pause, StoreTimeout, withDeadline } from '@sallyport/core/internal';
import { ManualClock } from '@sallyport/core/testing';

describe('a call with a deadline', () => {
  it('rejects when time is over, aborts the call and leaves no timer', async () => {
    const clock = new ManualClock();
    let seen: AbortSignal | undefined;
    const call = withDeadline({ ms: 100, clock, signal: undefined }, (signal) => {
      seen = signal;
      return new Promise<never>(() => {});
    });
    const rejected = expect(call).rejects.toThrow(new StoreTimeout('no answer within 100 ms'));
    await clock.advance(100);
    await rejected;
    expect(seen?.aborted).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects with the caller’s own reason', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const call = withDeadline({ ms: 100, clock, signal: controller.signal }, () => new Promise<never>(() => {}));
    controller.abort(new Error('gone'));
    await expect(call).rejects.toThrow('gone');
    expect(clock.pendingTimers).toBe(0);
  });

  it('answers what the call answers', async () => {
    const clock = new ManualClock();
    expect(await withDeadline({ ms: 100, clock, signal: undefined }, async () => 7)).toBe(7);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a pause', () => {
  it.each([
    ['before', 0],
    ['during', 50],
  ])('ends with the reason of the signal that aborts %s it, and leaves no timer', async (_, afterMs) => {
    const clock = new ManualClock();
    const controller = new AbortController();
    if (afterMs === 0) controller.abort(new Error('gone'));
    const paused = pause(clock, 100, controller.signal);
    const rejected = expect(paused).rejects.toThrow('gone');
    await clock.advance(afterMs);
    controller.abort(new Error('gone'));
    await rejected;
    expect(clock.pendingTimers).toBe(0);
  });

  it('measures its time', async () => {
    const clock = new ManualClock();
    let isOver = false;
    const paused = pause(clock, 100, new AbortController().signal).then(() => {
      isOver = true;
    });
    await clock.advance(99);
    expect(isOver).toBe(false);
    await clock.advance(1);
    await paused;
  });
});

it.each([
  [{ name: 'ProvisionedThroughputExceededException' }, true],
  [{ name: 'TransactionConflictException' }, true],
  [{ name: 'TimeoutError' }, true],
  [{ code: 'ECONNRESET' }, true],
  [{ $metadata: { httpStatusCode: 503 } }, true],
  [{ $metadata: { httpStatusCode: 500 } }, true],
  [{ $metadata: { httpStatusCode: 429 } }, true],
  [{ $metadata: { httpStatusCode: 499 } }, false],
  // The SDK marks a failure that its service calls retryable.
  [{ name: 'Odd', $retryable: { throttling: true } }, true],
  [{ name: 'Odd', $retryable: null }, false],
  [{ name: 'Odd', $retryable: true }, false],
  [{ name: 'ResourceNotFoundException', $metadata: { httpStatusCode: 400 } }, false],
  [{ name: 'ValidationException' }, false],
  [new TypeError('no'), false],
  [null, false],
])('%j may pass automatically: %s', (error, expected) => {
  expect(isTransient(error)).toBe(expected);
});
