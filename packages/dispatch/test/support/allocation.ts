// Prints, for each kind, how far the heap grew over a million detections. Started by a test, with --expose-gc.
import { detect } from '@sallyport/dispatch';
import { EVENTS } from './events.js';

const CALLS = 1_000_000;

function growth(event: unknown): number {
  for (let call = 0; call < CALLS; call += 1) detect(event);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (let call = 0; call < CALLS; call += 1) detect(event);
  return process.memoryUsage().heapUsed - before;
}

const grown = Object.entries(EVENTS).map(([kind, event]) => [kind, growth(JSON.parse(JSON.stringify(event)))]);
process.stdout.write(JSON.stringify(Object.fromEntries(grown)));
