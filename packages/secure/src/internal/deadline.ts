import { FrameworkError } from '@sallyport/core';
import { type ContextState, remainingMs } from '@sallyport/core/pipeline';

/** Milliseconds kept free at the end of the invocation, so that the answer still gets out. */
const MARGIN_MS = 100;

/** Waits for a promise, but not past the invocation's deadline where one is known: then it rejects with `app.timeout`. */
export function beforeDeadline<T>(state: ContextState, pending: PromiseLike<T>): Promise<T> {
  // A thenable of any make settles once from here on.
  const settled = Promise.resolve(pending);
  if (typeof state.lambdaContext?.getRemainingTimeInMillis !== 'function') return settled;
  const budget = Math.max(remainingMs(state.lambdaContext) - MARGIN_MS, 1);
  return new Promise<T>((resolve, reject) => {
    const stop = state.runtime.clock.after(budget, () => {
      const error = new FrameworkError('app.timeout');
      reject(error);
      state.abort(error);
    });
    settled.then(resolve, reject).finally(stop);
  });
}
