import type { FullClock } from '@sallyport/core';
import { withDeadline } from '@sallyport/core/internal';

/** The end of one invocation. */
export interface InvocationLimit {
  readonly clock: FullClock;
  /** Epoch milliseconds. */
  readonly deadline: number;
}

/** Milliseconds of the invocation that are reserved for the answer to a call that timed out. */
const RESERVE_MS = 200;

/** Runs one call, which ends shortly before the invocation does, even if it ignores its signal. */
export function withinInvocation<T>(
  { clock, deadline }: InvocationLimit,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ms = Math.max(1, deadline - RESERVE_MS - clock.now().getTime());
  return withDeadline({ ms, clock, signal }, call);
}
