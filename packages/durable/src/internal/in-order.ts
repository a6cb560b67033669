import type { MapOptions } from '../types.js';
import { assertWhole } from './checks.js';

const CONCURRENCY = 10;

/**
 * Processes items side by side, begun in order. Waits for all, then throws the failure of the lowest index.
 *
 * @throws DurableError `durable.invalid_operation`
 */
export async function mapInOrder<I, T>(
  place: string,
  items: readonly I[],
  { concurrency = CONCURRENCY }: MapOptions,
  run: (item: I, index: number) => Promise<T>,
): Promise<T[]> {
  const workers = Math.min(items.length, assertWhole(concurrency, 1, 1000, `${place}: concurrency`));
  const results: T[] = [];
  const failures: { readonly thrown: unknown }[] = [];
  let next = 0;
  const work = async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      try {
        results[index] = await run(items[index] as I, index);
      } catch (thrown) {
        failures[index] = { thrown };
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  const first = failures.find((failure) => failure !== undefined);
  if (first) throw first.thrown;
  return results;
}
