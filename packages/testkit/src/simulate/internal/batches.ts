import type { Engine, EngineOptions, Outcome } from '../../engines/engine.js';
import { Book, type Entry } from '../../engines/internal/book.js';

/** A record with its part of the event. */
export interface Item {
  /** Its id, unique in the simulation. */
  readonly id: string;
  /** Records of the same lane wait while a record of the lane is retried; `''` for no lane. */
  readonly lane: string;
  /** The member of the event. */
  readonly part: unknown;
}

/** One delivery of a record, as a model sees it. */
export interface Delivered {
  readonly item: Item;
  /** Number of deliveries, including this delivery. */
  readonly deliveries: number;
}

/** Outcome of a record after an answer. `halt`: it is given up, and no later record is delivered. */
export type Fate = 'done' | 'dead-letter' | 'discarded' | 'halt' | { readonly againMs: number };

/** A service that invokes a function with several records, one invocation after the other. */
export interface BatchModel {
  /** Most records of one invocation. */
  readonly batchSize: number;
  /** The event for these records. */
  eventOf(items: readonly Item[]): unknown;
  /** The service's reading of the answer: one outcome for each record, in order. */
  judge(outcome: Outcome, delivered: readonly Delivered[]): readonly Fate[];
}

interface Queued extends Entry<Item> {
  /** Its position among all sent records. */
  readonly place: number;
}

/** Makes the engine of a model. */
export function createBatchEngine(options: EngineOptions<Item>, model: BatchModel): Engine<Item> {
  return new BatchEngine(options, model).engine;
}

class BatchEngine {
  readonly engine: Engine<Item>;
  readonly #model: BatchModel;
  readonly #book: Book<Item, Queued>;
  #waiting: Queued[] = [];
  /** Lanes whose first record waits for its next delivery. */
  readonly #blocked = new Map<string, number>();
  #sent = 0;

  constructor({ clock, invoke, onChange, onUnclear }: EngineOptions<Item>, model: BatchModel) {
    this.#model = model;
    this.#book = new Book<Item, Queued>({ clock, invoke, onChange, onUnclear }, (entries) => this.#resume(entries));
    this.engine = { ...this.#book.controls, send: (items) => this.#send(items) };
  }

  #send(items: readonly Item[]): readonly string[] {
    const entries = items.map((record): Queued => {
      this.#sent += 1;
      return { ...record, record, place: this.#sent, deliveries: 0, state: 'waiting', until: undefined };
    });
    this.#enqueue(entries);
    return items.map(({ id }) => id);
  }

  #enqueue(entries: readonly Queued[]): void {
    for (const entry of entries) this.#book.enqueue(entry);
    this.#waiting = [...this.#waiting, ...entries].sort((a, b) => a.place - b.place);
    this.#next();
  }

  #resume(entries: readonly Queued[]): void {
    for (const { lane } of entries) this.#block(lane, -1);
    this.#enqueue(entries);
  }

  #block(lane: string, by: number): void {
    if (lane !== '') this.#blocked.set(lane, (this.#blocked.get(lane) ?? 0) + by);
  }

  #next(): void {
    if (this.#book.running > 0 || !this.#book.isOpen) return;
    const free = this.#waiting.filter(({ lane }) => (this.#blocked.get(lane) ?? 0) === 0);
    const batch = free.slice(0, this.#model.batchSize);
    if (batch.length === 0) return;
    this.#waiting = this.#waiting.filter((entry) => !batch.includes(entry));
    void this.#deliver(batch);
  }

  async #deliver(batch: readonly Queued[]): Promise<void> {
    const items = batch.map(({ record }) => record);
    const outcome = await this.#book.invoke(this.#model.eventOf(items), batch);
    const fates = this.#model.judge(
      outcome,
      batch.map(({ record: item, deliveries }) => ({ item, deliveries })),
    );
    for (const [index, entry] of batch.entries()) this.#settle(entry, fates[index] ?? 'done');
    this.#next();
    this.#book.checkSettled();
  }

  #settle(entry: Queued, fate: Fate): void {
    if (typeof fate === 'object') {
      this.#block(entry.lane, 1);
      this.#book.delay(entry, this.#book.now + fate.againMs);
    } else {
      this.#book.end(entry, fate === 'halt' ? 'dead-letter' : fate);
      if (fate === 'halt') this.#book.controls.stop();
    }
  }
}
