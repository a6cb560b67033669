import { type FullClock, systemClock } from '@sallyport/core';
import { type Cleaner, createCleaner } from './cleaner.js';
import type { Failure } from './failure-record.js';
import type {
  ClientView,
  InvocationRecord,
  Journal,
  JournalChange,
  JournalNote,
  OpenRecord,
  RecordLists,
} from './journal.js';
import { parseTrace } from './trace.js';

/** Options of {@link createJournal}. */
export interface JournalOptions {
  /** True if strings are not sanitized. */
  readonly reveal: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Timer of the notifications; default: that of the system. */
  readonly after?: FullClock['after'];
  /** Reads the failures of a sanitized record; default: none. */
  readonly failuresOf?: (record: InvocationRecord) => readonly Failure[];
  /** Maximum number of kept invocations; default 1,000. */
  readonly maxRecords?: number;
  /** Approximate maximum of kept bytes; default 64 MiB. */
  readonly maxBytes?: number;
  /** Maximum number of kept log lines of an invocation; default 2,000. */
  readonly maxLogs?: number;
}

const MAX_NOTES = 500;
/** Additions to lists, such as log lines, are published together after this many milliseconds. */
const PUBLISH_MS = 50;
const LIST_NAMES = [
  'gate',
  'spans',
  'logs',
  'awsCalls',
  'changes',
  'leftovers',
  'differences',
] as const satisfies readonly (keyof RecordLists)[];
/** Members whose strings come from callers or from the function. Lists are sanitized too, each entry separately. */
const FOREIGN = ['origin', 'summary', 'event', 'answer', 'error', 'thrown', 'client', 'explain'] as const;
/** An X-Ray id, which contains no secret; a caller may send any other string. */
const TRACE_ID = /^1-[\da-f]{8}-[\da-f]{24}$/;

type Raw = { -readonly [M in keyof InvocationRecord]: InvocationRecord[M] };
type Foreign = (typeof FOREIGN)[number];

interface Entry {
  readonly raw: Raw;
  readonly segment: string;
  bytes: number;
  /** Sanitized members and the values they were made of: a value is sanitized once. */
  readonly foreign: { [M in Foreign]?: { readonly raw: unknown; readonly clean: unknown } };
  /** Sanitized entries of the lists. Lists only grow, so the missing entries are at the end. */
  readonly lists: Readonly<Record<keyof RecordLists, unknown[]>>;
  /** Created on first access, and again after a change. */
  view: InvocationRecord | undefined;
}

/** Makes the journal of a run: the newest invocations, in memory. */
export function createJournal(options: JournalOptions): Journal {
  return new Ring(options);
}

class Ring implements Journal {
  readonly #options: Required<JournalOptions>;
  readonly #clean: Cleaner;
  readonly #entries = new Map<number, Entry>();
  readonly #byTrace = new Map<string, number>();
  readonly #bySegment = new Map<string, number>();
  readonly #byRequest = new Map<string, number>();
  readonly #notes: JournalNote[] = [];
  readonly #listeners = new Set<(change: JournalChange) => void>();
  /** Records with additions that were not published yet. */
  readonly #grown = new Set<Entry>();
  #bytes = 0;
  #last = 0;

  constructor(options: JournalOptions) {
    this.#options = {
      maxRecords: 1000,
      maxBytes: 64 * 1024 * 1024,
      maxLogs: 2000,
      after: systemClock.after,
      failuresOf: () => [],
      ...options,
    };
    this.#clean = createCleaner(options.reveal);
  }

  open({ requestId, traceId, segment, parent, origin, event }: OpenRecord): number {
    this.#last += 1;
    const id = this.#last;
    const causedBy = this.#bySegment.get(parent ?? '') ?? null;
    const raw: Raw = {
      ...EMPTY,
      ...emptyLists(),
      id,
      requestId,
      traceId,
      origin,
      causedBy,
      event,
      startedAt: this.#options.now(),
    };
    const entry: Entry = { raw, segment, bytes: 0, foreign: {}, lists: emptyLists(), view: undefined };
    this.#entries.set(id, entry);
    this.#byTrace.set(traceId, id);
    this.#bySegment.set(segment, id);
    this.#byRequest.set(requestId, id);
    this.#weigh(entry, sizeOf(event));
    this.#notify(entry);
    return id;
  }

  update(id: number, members: Partial<Omit<InvocationRecord, 'id' | keyof RecordLists>>): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    Object.assign(entry.raw, members);
    this.#weigh(entry, sizeOf(members.answer) + sizeOf(members.client));
    this.#notify(entry);
  }

  append<L extends keyof RecordLists>(id: number, list: L, added: RecordLists[L]): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    const { raw } = entry;
    if (list === 'logs' && raw.logs.length >= this.#options.maxLogs) raw.logsDropped += 1;
    else (raw[list] as unknown as RecordLists[L][]).push(added);
    this.#weigh(entry, sizeOf(added));
    entry.view = undefined;
    if (this.#grown.size === 0) this.#options.after(PUBLISH_MS, () => this.#notifyGrown());
    this.#grown.add(entry);
  }

  list(): readonly InvocationRecord[] {
    return [...this.#entries.values()].map((entry) => this.#viewOf(entry));
  }

  get(id: number): InvocationRecord | undefined {
    const entry = this.#entries.get(id);
    return entry && this.#viewOf(entry);
  }

  rawEvent(id: number): unknown {
    return this.#entries.get(id)?.raw.event;
  }

  rawAnswer(id: number): unknown {
    return this.#entries.get(id)?.raw.answer;
  }

  byTrace(header: string): InvocationRecord | undefined {
    const { root, parent } = parseTrace(header);
    return this.get(this.#bySegment.get(parent) ?? this.#byTrace.get(root) ?? 0);
  }

  byRequest(requestId: string): InvocationRecord | undefined {
    return this.get(this.#byRequest.get(requestId) ?? 0);
  }

  idOf(requestId: string): number | undefined {
    return this.#byRequest.get(requestId);
  }

  note(given: JournalNote): void {
    const note = { ...given, text: String(this.#clean(given.text)) };
    this.#notes.push(note);
    if (this.#notes.length > MAX_NOTES) this.#notes.shift();
    this.#publish({ type: 'note', note });
  }

  notes(): readonly JournalNote[] {
    return [...this.#notes];
  }

  subscribe(listener: (change: JournalChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The sanitized record; it is sanitized once. */
  #viewOf(entry: Entry): InvocationRecord {
    entry.view ??= this.#cleaned(entry);
    return entry.view;
  }

  #cleaned(entry: Entry): InvocationRecord {
    const { raw, lists: shown } = entry;
    const foreign = Object.fromEntries(FOREIGN.map((name) => [name, this.#cleanedMember(entry, name)]));
    for (const name of LIST_NAMES)
      for (const added of raw[name].slice(shown[name].length)) shown[name].push(this.#clean(added));
    const lists = Object.fromEntries(LIST_NAMES.map((name) => [name, [...shown[name]]]));
    const traceId = TRACE_ID.test(raw.traceId) ? raw.traceId : String(this.#clean(raw.traceId));
    const client = raw.client && { ...(foreign.client as ClientView), headers: this.#cleanHeaders(raw.client.headers) };
    const cleaned = { ...raw, traceId, ...foreign, ...lists, client } as unknown as InvocationRecord;
    // Lines arrive through three pipes, each with the time at which it was written.
    const sorted = { ...cleaned, logs: [...cleaned.logs].sort((a, b) => a.at - b.at) };
    // The lines of the source that a failure shows were not sanitized yet.
    return { ...sorted, failures: this.#clean(this.#options.failuresOf(sorted)) as readonly Failure[] };
  }

  #cleanedMember({ raw, foreign }: Entry, name: Foreign): unknown {
    const known = foreign[name];
    if (known && known.raw === raw[name]) return known.clean;
    const clean = this.#clean(raw[name]);
    foreign[name] = { raw: raw[name], clean };
    return clean;
  }

  /** Sanitizes name and value as an object: in a pair the sanitizer would not see that the first string names the second. */
  #cleanHeaders(headers: ClientView['headers']): ClientView['headers'] {
    return headers.map(([name, value]) => [name, String(Object.values(this.#clean({ [name]: value }) as object)[0])]);
  }

  #notifyGrown(): void {
    const grown = [...this.#grown];
    this.#grown.clear();
    for (const entry of grown) this.#notify(entry);
  }

  #notify(entry: Entry): void {
    entry.view = undefined;
    const view = () => this.#viewOf(entry);
    this.#publish({
      type: 'record',
      get record() {
        return view();
      },
    });
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
    this.#grown.delete(entry);
    this.#bytes -= bytes;
    this.#byRequest.delete(raw.requestId);
    this.#bySegment.delete(segment);
    if (this.#byTrace.get(raw.traceId) === id) this.#byTrace.delete(raw.traceId);
  }
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
  failures: [],
  client: null,
  explain: null,
  logsDropped: 0,
  maxMemoryMb: null,
} as const;

function emptyLists() {
  return { gate: [], spans: [], logs: [], awsCalls: [], changes: [], leftovers: [], differences: [] };
}

/** Approximate size of a value in bytes; exact only for strings. */
function sizeOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object') return 8;
  let bytes = 16;
  for (const [key, member] of Object.entries(value)) bytes += key.length + sizeOf(member);
  return bytes;
}
