import type { IdempotencyRecord } from '../record.js';

/** Longer results are not kept: the memory of a function is small. */
const MAX_BYTES = 4096;

interface Entry {
  readonly json: string;
  readonly expiresAtMs: number;
}

/**
 * Completed keys that this instance has seen, the least used ones forgotten first. A completed record never changes until it ends, so
 * that a duplicate need not ask the table.
 */
export class CompletedKeys {
  readonly #most: number;
  readonly #entries = new Map<string, Entry>();

  /** Keeps nothing when `most` is 0. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The record of a key, a copy of its own; `undefined` when it is not known or has ended. */
  find(scope: string, key: string, nowMs: number): IdempotencyRecord | undefined {
    const name = nameOf(scope, key);
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    this.#entries.delete(name);
    if (entry.expiresAtMs <= nowMs) return undefined;
    this.#entries.set(name, entry);
    return JSON.parse(entry.json) as IdempotencyRecord;
  }

  /** Remembers a completed record. */
  keep(record: IdempotencyRecord): void {
    if (this.#most === 0 || record.status !== 'COMPLETED') return;
    const json = JSON.stringify(record);
    if (json.length > MAX_BYTES) return;
    const name = nameOf(record.scope, record.key);
    this.#entries.delete(name);
    this.#entries.set(name, { json, expiresAtMs: record.expiresAtMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#most && oldest !== undefined) this.#entries.delete(oldest);
  }
}

/** Neither part holds control characters. */
function nameOf(scope: string, key: string): string {
  return `${scope}\n${key}`;
}
