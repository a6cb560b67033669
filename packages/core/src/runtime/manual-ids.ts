import type { IdGenerator } from './ids.js';

/** Ids that a test can foretell: queued ones first, then `test-id-1`, `test-id-2`, … */
export class ManualIdGenerator implements IdGenerator {
  readonly #prefix: string;
  readonly #queued: string[] = [];
  #count = 0;

  constructor(prefix = 'test-id') {
    this.#prefix = prefix;
  }

  newId(): string {
    const queued = this.#queued.shift();
    if (queued !== undefined) return queued;
    this.#count += 1;
    return `${this.#prefix}-${this.#count}`;
  }

  /** Ids to give out before the counted ones. */
  queue(...ids: string[]): void {
    this.#queued.push(...ids);
  }

  /** Forgets queued ids and starts counting anew. */
  reset(): void {
    this.#queued.length = 0;
    this.#count = 0;
  }
}
