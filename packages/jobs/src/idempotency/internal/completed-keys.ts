import { Lru } from '@sallyport/core/internal';
import type { IdempotencyRecord } from '../record.js';

/** Longer results are not cached, because the memory of a function is small. */
const MAX_BYTES = 4096;

interface Entry {
  readonly json: string;
  readonly expiresAtMs: number;
}

/**
 * A cache of completed keys; the least recently used keys are removed first. A completed record does not
 * change until it expires, so a duplicate needs no request to the table.
 */
export class CompletedKeys {
  readonly #most: number;
  readonly #entries: Lru<Entry>;

  /** With `most` 0 nothing is cached. */
  constructor(most: number) {
    this.#most = most;
    this.#entries = new Lru(most);
  }

  /** A copy of the record of a key; `undefined` if it is unknown or has expired. */
  find(scope: string, key: string, nowMs: number): IdempotencyRecord | undefined {
    const name = nameOf(scope, key);
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    if (entry.expiresAtMs > nowMs) return JSON.parse(entry.json) as IdempotencyRecord;
    this.#entries.delete(name);
    return undefined;
  }

  /** Caches a completed record. */
  keep(record: IdempotencyRecord): void {
    if (this.#most === 0 || record.status !== 'COMPLETED') return;
    const json = JSON.stringify(record);
    if (json.length > MAX_BYTES) return;
    this.#entries.set(nameOf(record.scope, record.key), { json, expiresAtMs: record.expiresAtMs });
  }
}

/** Neither part contains control characters. */
function nameOf(scope: string, key: string): string {
  return `${scope}\n${key}`;
}
