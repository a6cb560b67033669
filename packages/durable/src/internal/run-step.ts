import type { FullClock, MaybePromise } from '@sallyport/core';
import { DurableError } from '../errors.js';
import type { StepContext } from '../types.js';

/**
 * Calls the function of a step, for at most the given time. After it, the signal of the step aborts.
 *
 * @throws DurableError `durable.timeout`
 */
export function runTimed<T>(
  clock: FullClock,
  place: string,
  seconds: number | undefined,
  context: StepContext,
  run: (step: StepContext) => MaybePromise<T>,
): MaybePromise<T> {
  return seconds === undefined ? run(context) : runLimited(clock, place, seconds, context, run);
}

async function runLimited<T>(
  clock: FullClock,
  place: string,
  seconds: number,
  context: StepContext,
  run: (step: StepContext) => MaybePromise<T>,
): Promise<T> {
  const { attempt, idempotencyKey, log, now, newId } = context;
  const timedOut = new DurableError('durable.timeout', `${place} did not end within ${seconds} s`);
  const controller = new AbortController();
  const signal = AbortSignal.any([context.signal, controller.signal]);
  let cancel: (() => void) | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    cancel = clock.after(seconds * 1000, () => {
      controller.abort(timedOut);
      reject(timedOut);
    });
  });
  try {
    return await Promise.race([late, run({ attempt, idempotencyKey, log, now, newId, signal })]);
  } finally {
    cancel?.();
  }
}
