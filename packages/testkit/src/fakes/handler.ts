import type { FullClock } from '@sallyport/core';
import { CallLog, type FakeOptions } from './call-log.js';

/** What one call of a fake handler does: waits if it says so, then throws or answers. */
export interface FakeResult<T> {
  readonly returns?: T;
  readonly throws?: unknown;
  /** Milliseconds of the clock; needs the option `clock`. */
  readonly waitMs?: number;
}

export interface FakeHandlerOptions extends FakeOptions {
  readonly clock?: FullClock;
}

interface HandlerContext {
  readonly signal: AbortSignal;
}

/** A handler of requests, records or events. */
export interface FakeHandler<T> {
  (ctx: HandlerContext, event?: unknown): Promise<T>;
  /** What each call was given besides the context. */
  readonly events: readonly unknown[];
  readonly callCount: number;
  /** The signal of each call. */
  readonly signals: readonly AbortSignal[];
}

/**
 * A handler that does what a list says, call by call; calls beyond it do what its last entry says.
 *
 * @example app.queue('orders', fakeHandler([{ throws: new Error('first') }, { returns: undefined }]));
 */
export function fakeHandler<T>(
  results: readonly FakeResult<T>[],
  { clock, pause }: FakeHandlerOptions = {},
): FakeHandler<T> {
  const events = new CallLog<unknown>();
  const signals = new CallLog<AbortSignal>();
  let callCount = 0;
  const handler = async (ctx: HandlerContext, event?: unknown): Promise<T> => {
    const result = results[Math.min(callCount, results.length - 1)] ?? {};
    callCount += 1;
    events.push(event);
    signals.push(ctx.signal);
    await pause?.();
    if (result.waitMs !== undefined) await wait(result.waitMs, clock);
    if ('throws' in result) throw result.throws;
    return result.returns as T;
  };
  return Object.defineProperties(handler, {
    events: { value: events.entries },
    signals: { value: signals.entries },
    callCount: { get: () => callCount },
  }) as FakeHandler<T>;
}

function wait(ms: number, clock: FullClock | undefined): Promise<void> {
  if (!clock) throw new TypeError('a handler that waits needs a clock');
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}
