import { Lru } from './lru.js';

/** Items whose counters are remembered. */
const REMEMBERED = 1000;

/** When this process first saw each counter of the items that it used last, by a clock that never goes back. */
export class Sightings {
  readonly #items = new Lru<Map<string, number>>(REMEMBERED);

  /** Remembers the counters of an item, and forgets those that it has no more. */
  see(item: string, counters: readonly string[], nowMs: number): void {
    const before = this.#items.get(item);
    this.#items.set(item, new Map(counters.map((counter) => [counter, before?.get(counter) ?? nowMs])));
  }

  /** The counters of an item that were first seen at least their life ago. */
  olderThan(item: string, nowMs: number, lifeOf: (counter: string) => number | undefined): string[] {
    const old: string[] = [];
    for (const [counter, seenAtMs] of this.#items.get(item) ?? []) {
      const life = lifeOf(counter);
      if (life !== undefined && nowMs - seenAtMs >= life) old.push(counter);
    }
    return old;
  }
}
