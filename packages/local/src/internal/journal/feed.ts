import type { FullClock } from '@sallyport/core';
import { ChangeReader, type RecordChange } from './changes.js';
import type { Journal, JournalNote } from './journal.js';

/** Changes of a journal, in the order of their numbers. */
export interface Batch {
  /** 1, 2, 3 … in a run. */
  readonly number: number;
  readonly records: readonly RecordChange[];
  readonly notes: readonly JournalNote[];
}

/** Sends the changes of a journal in batches. */
export interface Feed {
  /** Sends all changes that are not sent yet. */
  flush(): void;
  /** The receiver has processed all batches up to this number. */
  confirm(number: number): void;
  stop(): void;
}

/** Changes are collected for this many milliseconds. */
const COLLECT_MS = 50;
/** With so many changed records the batch is sent immediately, so that the journal removes no record that was not sent. */
const MAX_RECORDS = 200;
/** The journal keeps fewer records. */
const MAX_READERS = 1_200;

/**
 * Reads the changes of a journal. A receiver that is slow gets larger batches, not more of them: the next batch waits until it has confirmed
 * the last one.
 *
 * @param send must not throw
 */
export function createFeed(journal: Journal, clock: Pick<FullClock, 'after'>, send: (batch: Batch) => void): Feed {
  const readers = new Map<number, ChangeReader>();
  const changed = new Set<number>(journal.ids());
  let notes: JournalNote[] = [...journal.notes()];
  let sent = 0;
  let confirmed = 0;
  let cancel: (() => void) | undefined;

  const flush = () => {
    cancel?.();
    cancel = undefined;
    if (changed.size === 0 && notes.length === 0) return;
    const records = [...changed].flatMap((id) => {
      const raw = journal.raw(id);
      if (!raw) return [];
      const reader = readers.get(id) ?? new ChangeReader();
      readers.set(id, reader);
      return reader.read(raw);
    });
    changed.clear();
    if (readers.size > MAX_READERS) forget(journal, readers);
    sent += 1;
    const batch = { number: sent, records, notes };
    notes = [];
    send(batch);
  };
  const plan = () => {
    if (changed.size >= MAX_RECORDS) flush();
    else cancel ??= clock.after(COLLECT_MS, onTime);
  };
  const onTime = () => {
    cancel = undefined;
    if (confirmed === sent) flush();
  };
  const stop = journal.subscribe((change) => {
    if (change.type === 'note') notes.push(change.note);
    else changed.add(change.id);
    plan();
  });
  if (changed.size > 0 || notes.length > 0) plan();
  return {
    flush,
    confirm(number) {
      confirmed = number;
      if (confirmed === sent && (changed.size > 0 || notes.length > 0)) plan();
    },
    stop() {
      stop();
      cancel?.();
    },
  };
}

/** Removes the readers of records that the journal no longer has. */
function forget(journal: Journal, readers: Map<number, ChangeReader>): void {
  for (const id of readers.keys()) if (!journal.raw(id)) readers.delete(id);
}
