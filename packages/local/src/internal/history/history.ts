import type { InvocationRow } from '../console/api.js';
import { sizeOf } from '../journal/changes.js';
import { createCleaner } from '../journal/cleaner.js';
import type { Failure } from '../journal/failure-record.js';
import type { Batch } from '../journal/feed.js';
import type { InvocationRecord, JournalNote } from '../journal/journal.js';
import { type ShownOptions, ShownRecord } from '../journal/shown-record.js';
import { createFilter } from './filter.js';
import { fromTexts, toRow, toTexts } from './row.js';
import { openStore, type RecordStore } from './store.js';

/** The changes of one batch. */
export interface HistoryChange {
  /** The numbers of the changed records. */
  readonly ids: readonly number[];
  readonly notes: readonly JournalNote[];
}

/** The invocations that the console and the terminal show: the newest in memory, the others in files. */
export interface History {
  /** Identifies the run and its last batch. */
  readonly cursor: string;
  bounds(): { readonly oldest: number; readonly last: number };
  apply(batch: Batch): void;
  get(id: number): InvocationRecord | undefined;
  row(id: number): InvocationRow | undefined;
  /** The records that changed after a cursor; `undefined` if this is not known: after a restart, or after too many changes. */
  changedSince(cursor: string): readonly number[] | undefined;
  /**
   * Numbers of the records that match a filter, newest first; upper and lower case do not matter.
   *
   * @param from the lowest number; default: all
   */
  search(filter: string, from?: number): Promise<readonly number[]>;
  /** Calls the listener after each batch. @returns a function that ends the subscription */
  subscribe(listener: (change: HistoryChange) => void): () => void;
  /** Writes what is only in memory. */
  close(): void;
}

/** Options of {@link openHistory}. */
export interface HistoryOptions {
  readonly folder: string;
  /** True if strings are not sanitized. Files are sanitized nevertheless. */
  readonly reveal: boolean;
  readonly failuresOf: (record: InvocationRecord) => readonly Failure[];
  /** A message for the developer. */
  readonly notice: (text: string) => void;
  /** Default 50,000. */
  readonly maxRecords?: number;
  /** Maximum bytes of the files; default 256 MiB. */
  readonly maxBytes?: number;
  /** Default 8 MiB. */
  readonly fileBytes?: number;
}

/** Maximum number of invocations that are kept in files. */
export const MAX_RECORDS = 50_000;
const MAX_BYTES = 256 * 1024 * 1024;
const FILE_BYTES = 8 * 1024 * 1024;
/** A finished record is written when it has not changed for this time. */
const QUIET_MS = 500;
/** Records in memory, with a small share for records that still run. */
const MAX_HOT = 300;
const MAX_HOT_BYTES = 16 * 1024 * 1024;
/** With `--reveal` records in memory are shown unsanitized: as many as the journal of the run has. */
const MAX_REVEALED = 1000;
const MAX_REVEALED_BYTES = 64 * 1024 * 1024;
/** Time between two attempts to write to a full disk. */
const RETRY_MS = 5_000;
/** Maximum number of changes that a page can receive after an absence. */
const MAX_CHANGES = 20_000;

interface Hot {
  readonly record: ShownRecord;
  bytes: number;
  changedAt: number;
  isWritten: boolean;
}

export function openHistory(options: HistoryOptions): History {
  return new DiskHistory(options);
}

class DiskHistory implements History {
  #number = 0;
  readonly #run = String(Date.now());
  readonly #options: HistoryOptions;
  readonly #shown: ShownOptions;
  readonly #store: RecordStore | undefined;
  /** By the time of the last change, oldest first. */
  readonly #hot = new Map<number, Hot>();
  readonly #listeners = new Set<(change: HistoryChange) => void>();
  /** Record → the number of its last batch, in that order. */
  readonly #changes = new Map<number, number>();
  #forgotten = 0;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** After a failed attempt nothing is written before this time. */
  #writesAt = 0;

  constructor(options: HistoryOptions) {
    this.#options = options;
    const { folder, reveal, failuresOf, notice } = options;
    this.#shown = { clean: createCleaner(reveal), failuresOf };
    const { maxRecords = MAX_RECORDS, maxBytes = MAX_BYTES, fileBytes = FILE_BYTES } = options;
    const onFull = ({ code }: NodeJS.ErrnoException) =>
      notice(`the invocations cannot be written to ${folder} (${code}): the oldest are removed`);
    try {
      this.#store = openStore({ folder, maxRecords, maxBytes, fileBytes, onFull });
    } catch (error) {
      onFull(error as NodeJS.ErrnoException);
    }
  }

  get cursor(): string {
    return `${this.#run}-${this.#number}`;
  }

  bounds() {
    const stored = this.#store?.bounds();
    let [oldest, last] = stored ? [stored.oldest, stored.last] : [Number.POSITIVE_INFINITY, 0];
    for (const id of this.#hot.keys()) [oldest, last] = [Math.min(oldest, id), Math.max(last, id)];
    // Records in memory are not written yet: the oldest of the files are removed with them.
    const { maxRecords = MAX_RECORDS } = this.#options;
    return last === 0 ? { oldest: 1, last: 0 } : { oldest: Math.max(oldest, last - maxRecords + 1), last };
  }

  apply({ number, records, notes }: Batch): void {
    this.#number = number;
    const now = Date.now();
    for (const change of records) {
      const { id } = change;
      const hot = this.#hot.get(id) ?? this.#warm(id);
      hot.record.apply(change);
      const bytes = sizeOf(change);
      hot.bytes += bytes;
      this.#bytes += bytes;
      hot.changedAt = now;
      hot.isWritten = false;
      this.#hot.delete(id);
      this.#hot.set(id, hot);
      this.#changes.delete(id);
      this.#changes.set(id, number);
    }
    this.#forget();
    this.#cool(now);
    const change = { ids: records.map(({ id }) => id), notes };
    for (const listener of this.#listeners) listener(change);
  }

  get(id: number): InvocationRecord | undefined {
    const hot = this.#hot.get(id);
    if (hot) return hot.record.get();
    const texts = this.#store?.get(id);
    return texts && fromTexts(texts);
  }

  row(id: number): InvocationRow | undefined {
    const hot = this.#hot.get(id);
    if (hot) return toRow(hot.record.get());
    const text = this.#store?.row(id);
    return text === undefined ? undefined : (JSON.parse(text) as InvocationRow);
  }

  changedSince(cursor: string): readonly number[] | undefined {
    const [run, text] = cursor.split('-');
    const number = Number(text);
    if (run !== this.#run || !(number >= this.#forgotten && number <= this.#number)) return undefined;
    const changed: number[] = [];
    for (const [id, at] of [...this.#changes].reverse()) {
      if (at <= number) break;
      changed.push(id);
    }
    return changed.reverse();
  }

  async search(filter: string, from = 0): Promise<readonly number[]> {
    const accepts = createFilter(filter);
    const inMemory = new Map(
      [...this.#hot].map(([id, { record }]) => {
        const shown = record.get();
        return [id, id >= from && accepts(JSON.stringify(shown), () => shown)];
      }),
    );
    const isStored = (text: string, row: () => string) => accepts(text, () => JSON.parse(row()) as InvocationRow);
    const stored = (await this.#store?.find(from, isStored)) ?? [];
    const found = [...inMemory].flatMap(([id, isFound]) => (isFound ? [id] : []));
    // A record that is written again while the files are read is found in both places.
    return [...new Set([...found, ...stored.filter((id) => !inMemory.has(id))])].sort((a, b) => b - a);
  }

  subscribe(listener: (change: HistoryChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const [id, hot] of this.#hot) this.#write(id, hot);
    this.#store?.close();
  }

  /** The record in memory: a new one, or the one of the files, which changes again. */
  #warm(id: number): Hot {
    const texts = this.#store?.get(id);
    const record = new ShownRecord(this.#shown, texts && fromTexts(texts));
    return { record, bytes: texts ? texts.row.length + texts.rest.length : 0, changedAt: 0, isWritten: false };
  }

  /** Writes what no longer changes, and what memory has no place for. */
  #cool(now: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { reveal } = this.#options;
    const [maxHot, maxBytes] = reveal ? [MAX_REVEALED, MAX_REVEALED_BYTES] : [MAX_HOT, MAX_HOT_BYTES];
    let mustWait = false;
    for (const [id, hot] of this.#hot) {
      const { status } = hot.record;
      const isDone = status === 'ok' || status === 'failed';
      const isQuiet = now - hot.changedAt >= QUIET_MS;
      if (isDone && isQuiet) this.#write(id, hot);
      else if (isDone) mustWait = true;
      const isTooMuch = this.#hot.size > maxHot || this.#bytes > maxBytes;
      if (isTooMuch) this.#write(id, hot);
      if (isTooMuch || (hot.isWritten && !reveal)) {
        this.#hot.delete(id);
        this.#bytes -= hot.bytes;
      }
    }
    if (mustWait) this.#timer = setTimeout(() => this.#cool(Date.now()), QUIET_MS);
  }

  #write(id: number, hot: Hot): void {
    if (hot.isWritten || Date.now() < this.#writesAt) return;
    const record = hot.record.get();
    hot.isWritten = this.#store?.put(id, toTexts(this.#options.reveal ? sanitized(record) : record)) ?? false;
    if (!hot.isWritten) this.#writesAt = Date.now() + RETRY_MS;
  }

  #forget(): void {
    for (const [id, number] of this.#changes) {
      if (this.#changes.size <= MAX_CHANGES) return;
      this.#changes.delete(id);
      this.#forgotten = number;
    }
  }
}

/** The record of `--reveal` in the form of files. */
function sanitized(record: InvocationRecord): InvocationRecord {
  const shown = new ShownRecord({ clean: createCleaner(false), failuresOf: () => record.failures });
  const { gate, spans, traced, logs, awsCalls, changes, leftovers, differences, failures: _, ...members } = record;
  shown.apply({
    id: record.id,
    members,
    added: { gate, spans, traced, logs, awsCalls, changes, leftovers, differences },
  });
  return shown.get();
}
