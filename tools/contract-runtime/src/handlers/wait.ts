import type { JsonObject } from '@sallyport/contract';
import type { World } from '../world.js';

/** Waits on the manual clock; with `on_abort: stop` the signal stops the wait and its reason is thrown. */
export function waitFor({ ms, on_abort }: JsonObject, signal: AbortSignal, { env }: World): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = env.clock.after(Number(ms), resolve);
    if (on_abort !== 'stop') return;
    const stop = () => {
      cancel();
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
