/** A binary heap: the item with the highest precedence is at the top. */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #goesBefore: (a: T, b: T) => boolean;

  constructor(goesBefore: (a: T, b: T) => boolean) {
    this.#goesBefore = goesBefore;
  }

  get top(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let index = items.push(item) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#goesBefore(item, items[parent] as T)) break;
      items[index] = items[parent] as T;
      index = parent;
    }
    items[index] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (last !== undefined && items.length > 0) this.#sink(last);
    return top;
  }

  /** Removes and returns the matching items, in no particular order. */
  takeOut(matches: (item: T) => boolean): T[] {
    const all = this.#items.splice(0);
    for (const item of all) if (!matches(item)) this.push(item);
    return all.filter(matches);
  }

  #sink(item: T): void {
    const items = this.#items;
    let index = 0;
    for (let child = 1; child < items.length; child = 2 * index + 1) {
      const right = child + 1;
      if (right < items.length && this.#goesBefore(items[right] as T, items[child] as T)) child = right;
      if (!this.#goesBefore(items[child] as T, item)) break;
      items[index] = items[child] as T;
      index = child;
    }
    items[index] = item;
  }
}
