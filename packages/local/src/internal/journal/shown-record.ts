import { cleanSpan, type TracedSpan } from '../traces/traced-span.js';
import { LIST_NAMES, type RecordChange } from './changes.js';
import type { Cleaner } from './cleaner.js';
import type { Failure } from './failure-record.js';
import type { ClientView, InvocationRecord, RecordLists } from './journal.js';

/** Members whose strings come from callers or from the function. Entries of lists are sanitized too. */
const FOREIGN = new Set(['origin', 'summary', 'event', 'answer', 'error', 'thrown', 'explain']);
/** An X-Ray id, which contains no secret; a caller may send any other string. */
const TRACE_ID = /^1-[\da-f]{8}-[\da-f]{24}$/;

/** Options of {@link ShownRecord}. */
export interface ShownOptions {
  readonly clean: Cleaner;
  /** Reads the failures of a sanitized record. */
  readonly failuresOf: (record: InvocationRecord) => readonly Failure[];
}

type Shown = { -readonly [M in keyof InvocationRecord]: InvocationRecord[M] };

/** A record in the form that is shown. Each value is sanitized once, when it arrives. */
export class ShownRecord {
  readonly #options: ShownOptions;
  readonly #record: Shown;
  readonly #lists: { readonly [L in keyof RecordLists]: unknown[] };
  #view: InvocationRecord | undefined;

  /** @param saved a record that was shown before, for example from a file */
  constructor(options: ShownOptions, saved?: InvocationRecord) {
    this.#options = options;
    this.#record = { ...EMPTY, ...saved };
    this.#lists = {
      gate: [...this.#record.gate],
      spans: [...this.#record.spans],
      traced: [...this.#record.traced],
      logs: [...this.#record.logs],
      awsCalls: [...this.#record.awsCalls],
      changes: [...this.#record.changes],
      leftovers: [...this.#record.leftovers],
      differences: [...this.#record.differences],
    };
  }

  apply({ members, added }: RecordChange): void {
    const { clean } = this.#options;
    for (const [name, value] of Object.entries(members))
      Object.assign(this.#record, { [name]: this.#member(name, value) });
    for (const name of LIST_NAMES)
      for (const entry of added[name] ?? [])
        this.#lists[name].push(name === 'traced' ? cleanSpan(entry as TracedSpan, clean) : clean(entry));
    this.#view = undefined;
  }

  get status(): InvocationRecord['status'] {
    return this.#record.status;
  }

  /** The same object until the next change. */
  get(): InvocationRecord {
    this.#view ??= this.#toView();
    return this.#view;
  }

  #toView(): InvocationRecord {
    const lists = Object.fromEntries(LIST_NAMES.map((name) => [name, [...this.#lists[name]]]));
    const record: InvocationRecord = { ...this.#record, ...lists };
    // Lines arrive through three pipes, each with the time at which it was written.
    const sorted = { ...record, logs: [...record.logs].sort((a, b) => a.at - b.at) };
    // The lines of the source that a failure shows were not sanitized yet.
    return { ...sorted, failures: this.#options.clean(this.#options.failuresOf(sorted)) as readonly Failure[] };
  }

  #member(name: string, value: unknown): unknown {
    const { clean } = this.#options;
    if (FOREIGN.has(name)) return clean(value);
    if (name === 'client') return value === null ? null : this.#client(value as ClientView);
    if (name === 'traceId') return TRACE_ID.test(String(value)) ? value : String(clean(value));
    return value;
  }

  /** Sanitizes name and value of a header as an object: in a pair the sanitizer would not see that the first string names the second. */
  #client(client: ClientView): ClientView {
    const { clean } = this.#options;
    const headers = client.headers.map(([name, value]): [string, string] => [
      name,
      String(Object.values(clean({ [name]: value }) as object)[0]),
    ]);
    return { ...(clean(client) as ClientView), headers };
  }
}

const EMPTY: InvocationRecord = {
  id: 0,
  requestId: '',
  traceId: '',
  parentSpan: '',
  origin: { kind: '', target: '' },
  causedBy: null,
  startedAt: 0,
  kind: null,
  ms: null,
  status: 'waiting',
  summary: '',
  environment: null,
  event: undefined,
  answer: undefined,
  error: null,
  thrown: [],
  failures: [],
  client: null,
  explain: null,
  gate: [],
  spans: [],
  traced: [],
  logs: [],
  logsDropped: 0,
  awsCalls: [],
  changes: [],
  leftovers: [],
  differences: [],
  maxMemoryMb: null,
};
