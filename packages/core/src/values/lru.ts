/** A map of limited size: the least recently used entry is removed first. */
export class Lru<T> {
  readonly #entries = new Map<string, T>();
  readonly #maxEntries: number;
  readonly #onRemoved: ((value: T) => void) | undefined;

  /** @param onRemoved called with each entry that is removed because there are too many */
  constructor(maxEntries: number, onRemoved?: (value: T) => void) {
    this.#maxEntries = maxEntries;
    this.#onRemoved = onRemoved;
  }

  /** The number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key, which is then the last to be removed; `undefined` if absent. */
  get(key: string): T | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  /** Adds or replaces an entry. */
  set(key: string, value: T): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#maxEntries) return;
    for (const [oldest, removed] of this.#entries) {
      this.#entries.delete(oldest);
      this.#onRemoved?.(removed);
      return;
    }
  }

  /** All keys, the least recently used one first. */
  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  /** All values, the least recently used one first. */
  values(): Iterable<T> {
    return this.#entries.values();
  }

  /** Removes an entry without a call of `onRemoved`. */
  delete(key: string): void {
    this.#entries.delete(key);
  }
}
