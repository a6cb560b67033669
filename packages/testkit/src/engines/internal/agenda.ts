import type { FullClock } from '@sallyport/core';
import { Heap } from './heap.js';

interface Entry<T> {
  readonly item: T;
  readonly at: number;
  readonly order: number;
}

/** Items that each wait for their time, on one timer of the clock. */
export class Agenda<T> {
  readonly #clock: FullClock;
  readonly #onDue: (items: readonly T[]) => void;
  readonly #entries = new Heap<Entry<T>>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  #order = 0;
  #armedFor = Number.POSITIVE_INFINITY;
  #disarm = () => {};

  constructor(clock: FullClock, onDue: (items: readonly T[]) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** Lets an item wait until `at`, in milliseconds of the clock's `monotonicMs`. */
  add(item: T, at: number): void {
    this.#entries.push({ item, at, order: this.#order++ });
    this.#arm();
  }

  /** Ends the wait of the matching items and passes them to the callback now. */
  hurry(matches: (item: T) => boolean): void {
    const taken = this.#entries.takeOut(({ item }) => matches(item));
    this.#arm();
    this.#onDue(taken.sort((a, b) => a.order - b.order).map(({ item }) => item));
  }

  /** Removes an item without the callback. */
  remove(item: T): void {
    this.#entries.takeOut((entry) => entry.item === item);
    this.#arm();
  }

  /** Removes all items. */
  clear(): void {
    this.#entries.takeOut(() => true);
    this.#arm();
  }

  #arm(): void {
    const next = this.#entries.top?.at ?? Number.POSITIVE_INFINITY;
    if (next === this.#armedFor) return;
    this.#disarm();
    this.#armedFor = next;
    this.#disarm = Number.isFinite(next)
      ? this.#clock.after(Math.max(0, next - this.#clock.monotonicMs()), () => this.#fire())
      : () => {};
  }

  #fire(): void {
    this.#armedFor = Number.POSITIVE_INFINITY;
    const now = this.#clock.monotonicMs();
    const due: T[] = [];
    for (let top = this.#entries.top; top && top.at <= now; top = this.#entries.top) {
      this.#entries.pop();
      due.push(top.item);
    }
    this.#arm();
    if (due.length > 0) this.#onDue(due);
  }
}
