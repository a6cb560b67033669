/** What {@link raceWithAbort} resolves to when the signal aborts first. */
export const ABORTED = Symbol('aborted');

/**
 * Races one promise after another with a signal, through one listener however many they are. A promise that loses is
 * still handled: its late rejection is nobody's.
 */
export function raceWithAbort(signal: AbortSignal): <T>(work: Promise<T>) => Promise<T | typeof ABORTED> {
  let stop: (() => void) | undefined;
  signal.addEventListener('abort', () => stop?.(), { once: true });
  return (work) =>
    new Promise((resolve, reject) => {
      stop = () => resolve(ABORTED);
      if (signal.aborted) stop();
      work.then(resolve, reject);
    });
}
