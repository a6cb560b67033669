import { ChangeReader, sizeOf } from './changes.js';
import { createCleaner } from './cleaner.js';
import type { Failure } from './failure-record.js';
import type {
  InvocationRecord,
  Journal,
  JournalChange,
  JournalNote,
  OpenRecord,
  RawRecord,
  RecordLists,
  RecordMembers,
} from './journal.js';
import { type ShownOptions, ShownRecord } from './shown-record.js';
import { parseTrace } from './trace.js';

/** Options of {@link createJournal}. */
export interface JournalOptions {
  /** True if strings are not sanitized. */
  readonly reveal: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Reads the failures of a sanitized record; default: none. */
  readonly failuresOf?: (record: InvocationRecord) => readonly Failure[];
  /** The last number of the run before; default 0. */
  readonly lastId?: number;
  /** Maximum number of kept invocations; default 1,000. */
  readonly maxRecords?: number;
  /** Approximate maximum of kept bytes; default 64 MiB. */
  readonly maxBytes?: number;
  /** Maximum number of kept log lines of an invocation; default 2,000. */
  readonly maxLogs?: number;
  /** Maximum length of the kept log lines of an invocation; default 4 MiB. */
  readonly maxLogBytes?: number;
}

const MAX_NOTES = 500;

interface Entry {
  readonly raw: RawRecord;
  readonly segment: string;
  bytes: number;
  logBytes: number;
  /** Created on first access: most records are shown by the console only, which has its own. */
  shown: { readonly reader: ChangeReader; readonly record: ShownRecord } | undefined;
}

/** Makes the journal of a run: the newest invocations, in memory. */
export function createJournal(options: JournalOptions): Journal {
  return new Ring(options);
}

class Ring implements Journal {
  readonly #options: Required<JournalOptions>;
  readonly #shownOptions: ShownOptions;
  readonly #entries = new Map<number, Entry>();
  readonly #byTrace = new Map<string, number>();
  readonly #bySegment = new Map<string, number>();
  readonly #byRequest = new Map<string, number>();
  /** The span that a header named as the cause, before it arrived → the invocations. */
  readonly #bySpan = new Map<string, readonly number[]>();
  readonly #notes: JournalNote[] = [];
  readonly #listeners = new Set<(change: JournalChange) => void>();
  #bytes = 0;
  #last: number;

  constructor(options: JournalOptions) {
    this.#options = {
      maxRecords: 1000,
      maxBytes: 64 * 1024 * 1024,
      maxLogs: 2000,
      maxLogBytes: 4 * 1024 * 1024,
      lastId: 0,
      failuresOf: () => [],
      ...options,
    };
    this.#last = this.#options.lastId;
    this.#shownOptions = { clean: createCleaner(options.reveal), failuresOf: this.#options.failuresOf };
  }

  open({ requestId, traceId, segment, parent, origin, event }: OpenRecord): number {
    this.#last += 1;
    const id = this.#last;
    const causedBy = this.#bySegment.get(parent ?? '') ?? null;
    const startedAt = this.#options.now();
    const first = { id, requestId, traceId, parentSpan: spanOf(parent), origin, causedBy, event, startedAt };
    const raw: RawRecord = { ...EMPTY, ...emptyLists(), ...first };
    const entry: Entry = { raw, segment, bytes: 0, logBytes: 0, shown: undefined };
    this.#entries.set(id, entry);
    this.#byTrace.set(traceId, id);
    if (causedBy === null && raw.parentSpan !== '')
      this.#bySpan.set(raw.parentSpan, [...(this.#bySpan.get(raw.parentSpan) ?? []), id]);
    this.#bySegment.set(segment, id);
    this.#byRequest.set(requestId, id);
    this.#weigh(entry, sizeOf(event));
    this.#publish({ type: 'record', id });
    return id;
  }

  update(id: number, members: Partial<RecordMembers>): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    Object.assign(entry.raw, members);
    this.#weigh(entry, sizeOf(members.answer) + sizeOf(members.client));
    this.#publish({ type: 'record', id });
  }

  append<L extends keyof RecordLists>(id: number, list: L, added: RecordLists[L]): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    const { raw } = entry;
    if (list === 'traced') this.#addSpan(id, (added as RecordLists['traced']).spanId);
    const bytes = sizeOf(added);
    if (list === 'logs') entry.logBytes += bytes;
    const { maxLogs, maxLogBytes } = this.#options;
    if (list === 'logs' && (raw.logs.length >= maxLogs || entry.logBytes > maxLogBytes)) raw.logsDropped += 1;
    else {
      (raw[list] as RecordLists[L][]).push(added);
      this.#weigh(entry, bytes);
    }
    this.#publish({ type: 'record', id });
  }

  list(): readonly InvocationRecord[] {
    return [...this.#entries.values()].map(({ raw: { id } }) => this.get(id) as InvocationRecord);
  }

  get(id: number): InvocationRecord | undefined {
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    entry.shown ??= { reader: new ChangeReader(), record: new ShownRecord(this.#shownOptions) };
    entry.shown.record.apply(entry.shown.reader.read(entry.raw));
    return entry.shown.record.get();
  }

  /** A tracer replaces the segment in the headers of calls with its spans, which arrive when the invocation has ended. */
  #addSpan(id: number, spanId: string): void {
    this.#bySegment.set(spanId, id);
    for (const caused of this.#bySpan.get(spanId) ?? []) this.update(caused, { causedBy: id });
    this.#bySpan.delete(spanId);
  }

  raw(id: number): RawRecord | undefined {
    return this.#entries.get(id)?.raw;
  }

  rawEvent(id: number): unknown {
    return this.#entries.get(id)?.raw.event;
  }

  idByTrace(header: string): number | undefined {
    const { root, parent } = parseTrace(header);
    return this.#bySegment.get(parent) ?? this.#byTrace.get(root);
  }

  idOf(requestId: string): number | undefined {
    return this.#byRequest.get(requestId);
  }

  note(given: JournalNote): void {
    const note = { ...given, text: String(this.#shownOptions.clean(given.text)) };
    this.#notes.push(note);
    if (this.#notes.length > MAX_NOTES) this.#notes.shift();
    this.#publish({ type: 'note', note });
  }

  notes(): readonly JournalNote[] {
    return [...this.#notes];
  }

  ids(): readonly number[] {
    return [...this.#entries.keys()];
  }

  subscribe(listener: (change: JournalChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #publish(change: JournalChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #weigh(entry: Entry, bytes: number): void {
    entry.bytes += bytes;
    this.#bytes += bytes;
    const { maxRecords, maxBytes } = this.#options;
    for (const [id, oldest] of this.#entries) {
      const fits = this.#entries.size <= maxRecords && this.#bytes <= maxBytes;
      if (fits || oldest === entry) return;
      this.#drop(id, oldest);
    }
  }

  #drop(id: number, entry: Entry): void {
    const { raw, segment, bytes } = entry;
    this.#entries.delete(id);
    this.#bytes -= bytes;
    this.#byRequest.delete(raw.requestId);
    for (const key of [segment, ...raw.traced.map(({ spanId }) => spanId)]) this.#bySegment.delete(key);
    this.#bySpan.delete(raw.parentSpan);
    if (this.#byTrace.get(raw.traceId) === id) this.#byTrace.delete(raw.traceId);
  }
}

/** A caller can send any other string. */
function spanOf(parent = ''): string {
  return /^[\da-f]{16}$/.test(parent) ? parent : '';
}

const EMPTY = {
  kind: null,
  ms: null,
  status: 'waiting',
  summary: '',
  environment: null,
  answer: undefined,
  error: null,
  thrown: [],
  client: null,
  explain: null,
  logsDropped: 0,
  maxMemoryMb: null,
} as const;

function emptyLists() {
  return { gate: [], spans: [], traced: [], logs: [], awsCalls: [], changes: [], leftovers: [], differences: [] };
}
