import type { Given } from '../../internal/kinds.js';
import type {
  EndState,
  Engine,
  EngineChange,
  EngineOptions,
  EngineRecord,
  Outcome,
  RecordState,
  UnclearAnswer,
} from '../engine.js';
import { Agenda } from './agenda.js';

/** A record on its way through an engine. */
export interface Entry<R> {
  readonly id: string;
  readonly lane: string;
  readonly record: R;
  deliveries: number;
  state: RecordState;
  until: number | undefined;
}

/** The parsed options that a book needs. */
type Parts<R> = Pick<EngineOptions<R>, 'clock' | 'invoke'> & Given<Pick<EngineOptions<R>, 'onChange' | 'onUnclear'>>;

/** Common part of all engines: states of records, waits, invocations, and the end of all work. */
export class Book<R, E extends Entry<R>> {
  /** The members of the engine that are the same for all sources. */
  readonly controls: Omit<Engine<R>, 'send'>;
  readonly #options: Parts<R>;
  readonly #held = new Set<E>();
  readonly #ended: Record<EndState, number> = { done: 0, 'dead-letter': 0, discarded: 0, expired: 0 };
  readonly #agenda: Agenda<E>;
  readonly #settling: (() => void)[] = [];
  #running = 0;
  #isOpen = true;

  /** @param resume receives delayed records whose wait has ended, and starts their deliveries */
  constructor(options: Parts<R>, resume: (entries: readonly E[]) => void) {
    this.#options = options;
    this.#agenda = new Agenda<E>(options.clock, (entries) => {
      resume(entries);
      this.checkSettled();
    });
    this.controls = {
      hurry: (id) => this.#hurry(id),
      settle: () => this.#settle(),
      snapshot: () => ({ records: [...this.#held].map(toRecord), ended: { ...this.#ended }, running: this.#running }),
      stop: () => this.#stop(),
    };
  }

  /** True if invocations may still start. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Running invocations. */
  get running(): number {
    return this.#running;
  }

  /** Milliseconds of the clock. */
  get now(): number {
    return this.#options.clock.monotonicMs();
  }

  /** Adds the record to the source. */
  enqueue(entry: E): void {
    this.#held.add(entry);
    this.#set(entry, 'waiting');
  }

  /** Delays the record until `at`. */
  delay(entry: E, at: number): void {
    this.#set(entry, 'delayed', at);
    if (this.#isOpen) this.#agenda.add(entry, at);
  }

  /** Ends the wait of a delayed record; its caller sets the next state. */
  wake(entry: E): void {
    this.#agenda.remove(entry);
  }

  /** Returns the record in the source that matches. */
  find(matches: (entry: E) => boolean): E | undefined {
    return [...this.#held].find(matches);
  }

  /** Removes the record from the source. */
  end(entry: E, state: EndState): void {
    this.#held.delete(entry);
    this.#ended[state] += 1;
    this.#set(entry, state);
  }

  /** Passes records to the function. The caller sets their next states, then calls {@link checkSettled}. */
  async invoke(event: unknown, entries: readonly E[]): Promise<Outcome> {
    for (const entry of entries) {
      entry.deliveries += 1;
      this.#set(entry, 'in-flight');
    }
    this.#running += 1;
    try {
      return await this.#options.invoke({ event, records: entries.map(toRecord) });
    } catch (error) {
      return { error };
    } finally {
      this.#running -= 1;
    }
  }

  /** Reports an answer whose identifiers AWS cannot assign to records. */
  noteUnclear(entries: readonly E[], reason: UnclearAnswer['reason'], identifiers: readonly string[]): void {
    this.#options.onUnclear?.({ records: entries.map(({ id }) => id), reason, identifiers });
  }

  checkSettled(): void {
    if (this.#running > 0 || (this.#held.size > 0 && this.#isOpen)) return;
    for (const resolve of this.#settling.splice(0)) resolve();
  }

  #set(entry: E, state: RecordState, until?: number): void {
    entry.state = state;
    entry.until = until;
    const { onChange } = this.#options;
    if (onChange) onChange(toChange<R>(entry, this.now));
  }

  #hurry(id: string | undefined): void {
    if (id === undefined) {
      this.#agenda.hurry(() => true);
      return;
    }
    const lanes = [...this.#held].flatMap((entry) => (entry.id === id && entry.lane !== '' ? [entry.lane] : []));
    this.#agenda.hurry((entry) => entry.id === id || lanes.includes(entry.lane));
  }

  #settle(): Promise<void> {
    return new Promise((resolve) => {
      this.#settling.push(resolve);
      this.checkSettled();
    });
  }

  #stop(): void {
    this.#isOpen = false;
    this.#agenda.clear();
    this.checkSettled();
  }
}

function toRecord<R>({ id, lane, record, deliveries, state, until }: Entry<R>): EngineRecord<R> {
  return until === undefined ? { id, lane, record, deliveries, state } : { id, lane, record, deliveries, state, until };
}

function toChange<R>({ id, lane, record, deliveries, state, until }: Entry<R>, at: number): EngineChange<R> {
  const change = { id, lane, record, deliveries, state, at };
  return until === undefined ? change : { ...change, until };
}
