import { createMap } from '@sallyport/core';
import type {
  Address,
  Check,
  ConditionalWrite,
  CounterStore,
  Counters,
  WriteOutcome,
} from '../../strategies/internal/counter-store.js';
import { Lru } from '../../strategies/internal/lru.js';

/** A table of one process. Each write is one synchronous step, so nothing comes between check and change. */
export class MemoryStore implements CounterStore {
  readonly #items: Lru<Record<string, number>>;

  constructor(maxItems: number) {
    this.#items = new Lru(maxItems);
  }

  async write(address: Address, write: ConditionalWrite): Promise<WriteOutcome> {
    const item = this.#items.get(nameOf(address)) ?? createMap<number>();
    if (!write.checks.every((check) => holds(check, item[check.counter]))) {
      return { applied: false, counters: copy(item) };
    }
    for (const { counter, value } of write.sets) item[counter] = value;
    for (const { counter, value } of write.adds) item[counter] = (item[counter] ?? 0) + value;
    for (const counter of write.removes) delete item[counter];
    this.#items.set(nameOf(address), item);
    return { applied: true, counters: copy(item) };
  }

  async read(address: Address): Promise<Counters> {
    return copy(this.#items.get(nameOf(address)) ?? {});
  }

  async remove(address: Address): Promise<void> {
    this.#items.delete(nameOf(address));
  }
}

/** Keys hold no control characters. */
function nameOf({ pk, sk }: Address): string {
  return `${pk}\n${sk}`;
}

function holds({ above, max }: Check, value: number | undefined): boolean {
  if (value === undefined) return above === undefined;
  return value <= max && (above === undefined || value > above);
}

function copy(item: Counters): Counters {
  return Object.assign(createMap<number>(), item);
}
