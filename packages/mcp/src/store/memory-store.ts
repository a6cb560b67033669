import { type Clock, systemClock } from '@sallyport/core';
import { defineOptions, integer, withMethods } from '@sallyport/core/options';
import { type McpStore, type PutCondition, type Row, type RowKey, storeFailure } from './store.js';

/** Options of {@link memoryMcpStore}; an unknown key is rejected. */
export interface MemoryMcpStoreOptions {
  /** Maximum number of rows; above it the oldest row is deleted. Default 10,000. */
  readonly maxRows?: number;
  /** The clock for the expiry of rows. Default: the system's clock. */
  readonly clock?: Clock;
}

/** Validators and defaults for {@link MemoryMcpStoreOptions}. */
export const MEMORY_STORE_OPTIONS = defineOptions<MemoryMcpStoreOptions>()({
  maxRows: integer(1).default(10_000),
  clock: withMethods<Clock>('now').default(systemClock),
});

/** A store in the memory of this process, for tests and for a server that runs as one process. */
export function memoryMcpStore(options: MemoryMcpStoreOptions = {}): McpStore {
  const { maxRows, clock } = MEMORY_STORE_OPTIONS.parse(options);
  return new MemoryStore(maxRows, clock);
}

/** Milliseconds between two deletions of expired rows. */
const SWEEP_MS = 60_000;

/**
 * The largest item of DynamoDB, including names and keys
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html).
 */
const MAX_ROW_BYTES = 400 * 1024;

class MemoryStore implements McpStore {
  readonly #maxRows: number;
  readonly #clock: Clock;
  /** All rows, the oldest first. */
  readonly #rows = new Map<string, Row>();
  readonly #partitions = new Map<string, Set<string>>();
  /** Epoch milliseconds. */
  #nextSweep = 0;

  constructor(maxRows: number, clock: Clock) {
    this.#maxRows = maxRows;
    this.#clock = clock;
  }

  async get(key: RowKey): Promise<Row | undefined> {
    const row = this.#unexpired(key);
    return row && copyOf(row);
  }

  async put(row: Row, when?: PutCondition): Promise<boolean> {
    if (row.data.length > MAX_ROW_BYTES)
      throw storeFailure(new RangeError('the row is larger than the limit of DynamoDB, 400 KB'));
    const present = this.#unexpired(row);
    if (present && row.writer !== undefined && present.writer === row.writer) return true;
    if (when === 'absent' ? present !== undefined : when !== undefined && present?.version !== when.version)
      return false;
    this.#delete(row);
    this.#rows.set(keyOf(row), { ...copyOf(row), ...(row.writer === undefined ? {} : { writer: row.writer }) });
    const sorts = this.#partitions.get(row.partition) ?? new Set();
    this.#partitions.set(row.partition, sorts.add(row.sort));
    this.#sweep();
    this.#evict();
    return true;
  }

  async take(key: RowKey): Promise<Row | undefined> {
    const row = this.#unexpired(key);
    this.#delete(key);
    return row && copyOf(row);
  }

  async list(partition: string, after: string, limit: number): Promise<readonly Row[]> {
    const rows: Row[] = [];
    const sorts = [...(this.#partitions.get(partition) ?? [])].filter((sort) => compareUtf8(sort, after) > 0);
    for (const sort of sorts.sort(compareUtf8)) {
      const row = rows.length < limit ? this.#unexpired({ partition, sort }) : undefined;
      if (row) rows.push(copyOf(row));
    }
    return rows;
  }

  #unexpired(key: RowKey): Row | undefined {
    const row = this.#rows.get(keyOf(key));
    return row && row.ttl * 1000 > this.#clock.now().getTime() ? row : undefined;
  }

  #delete(key: RowKey): void {
    this.#rows.delete(keyOf(key));
    const sorts = this.#partitions.get(key.partition);
    sorts?.delete(key.sort);
    if (sorts?.size === 0) this.#partitions.delete(key.partition);
  }

  /** Deletes expired rows first, then live rows. */
  #sweep(): void {
    const now = this.#clock.now().getTime();
    if (now < this.#nextSweep && this.#nextSweep - now <= SWEEP_MS) return;
    this.#nextSweep = now + SWEEP_MS;
    for (const row of this.#rows.values()) if (row.ttl * 1000 <= now) this.#delete(row);
  }

  #evict(): void {
    for (const row of this.#rows.values()) {
      if (this.#rows.size <= this.#maxRows) return;
      this.#delete(row);
    }
  }
}

function keyOf({ partition, sort }: RowKey): string {
  return JSON.stringify([partition, sort]);
}

/** Rows are copied, so that callers cannot change them. */
function copyOf({ partition, sort, version, ttl, data }: Row): Row {
  return { partition, sort, version, ttl, data: new Uint8Array(data) };
}

function compareUtf8(left: string, right: string): number {
  return left === right ? 0 : Buffer.compare(Buffer.from(left), Buffer.from(right));
}
