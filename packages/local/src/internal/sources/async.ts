import {
  type AsyncEvent,
  type AsyncSettings,
  createAsyncEngine,
  type Engine,
  type EngineChange,
} from '@sallyport/testkit/engines';
import { arnOf, deadLetterName } from './names.js';
import type { SourceKind, SourceView } from './sources.js';
import { type DeadLetter, type SourceContext, viewOfDead } from './sources-context.js';

const MAX_TRACES = 10_000;

/** An asynchronous invocation has no event source mapping, and so no filters. */
const NOTHING_FILTERED = { count: 0, latest: [] } as const;

/** A topic, bus, schedule, bucket or direct invocation: its events go through the queue of asynchronous invocations. */
export class LocalAsync {
  readonly kind: SourceKind;
  readonly name: string;
  readonly arn: string;
  readonly settings: AsyncSettings;
  readonly #context: SourceContext;
  readonly #engine: Engine<AsyncEvent>;
  readonly #dead: DeadLetter<AsyncEvent>[] = [];
  readonly #traces = new Map<string, string>();
  #done = 0;

  constructor(kind: SourceKind, name: string, settings: AsyncSettings, context: SourceContext) {
    this.kind = kind;
    this.name = name;
    this.arn = arnOf(kind, name);
    this.settings = settings;
    this.#context = context;
    this.#engine = createAsyncEngine({
      ...settings,
      clock: context.clock,
      invoke: (delivery) => context.deliver(this, delivery, (id) => this.#traces.get(id)),
      onChange: (change) => this.#onChange(change),
    });
  }

  /** Sends an event to the function. @returns its id */
  send(id: string, event: unknown, traceId?: string): string {
    if (traceId !== undefined) this.#keepTrace(id, traceId);
    this.#engine.send([{ id, event }]);
    return id;
  }

  /** Keeps an event that nobody takes, so that it is seen. */
  refuse(id: string, event: unknown, state: string): void {
    this.#dead.push({ id, record: { id, event }, state, deliveries: 0 });
    this.#context.changed(this, { id, lane: '', record: { id, event }, deliveries: 0, state: 'discarded', at: 0 });
  }

  #keepTrace(id: string, traceId: string): void {
    this.#traces.set(id, traceId);
    if (this.#traces.size <= MAX_TRACES) return;
    for (const oldest of this.#traces.keys()) {
      this.#traces.delete(oldest);
      break;
    }
  }

  #onChange(change: EngineChange<AsyncEvent>): void {
    const { id, record, state, deliveries } = change;
    if (state === 'done') this.#done += 1;
    if (state === 'dead-letter' || state === 'expired') this.#dead.push({ id, record, state, deliveries });
    this.#context.changed(this, change);
  }

  /** Sends an event that was given up once more. @returns whether there is one */
  sendBack(id: string): boolean {
    const dead = this.#removeDead(id);
    if (dead) this.#engine.send([dead.record]);
    return dead !== undefined;
  }

  drop(id: string): boolean {
    return this.#removeDead(id) !== undefined;
  }

  #removeDead(id: string): DeadLetter<AsyncEvent> | undefined {
    const index = this.#dead.findIndex((dead) => dead.id === id);
    return index < 0 ? undefined : this.#dead.splice(index, 1)[0];
  }

  /** @returns whether there is such an event */
  hurry(id?: string): boolean {
    this.#engine.hurry(id);
    return id === undefined || this.#engine.snapshot().records.some((record) => record.id === id);
  }

  async settle(): Promise<void> {
    await this.#engine.settle();
  }

  get isIdle(): boolean {
    const { records, running } = this.#engine.snapshot();
    return records.length === 0 && running === 0;
  }

  stop(): void {
    this.#engine.stop();
  }

  view(): SourceView {
    const { clock, preview } = this.#context;
    return {
      kind: this.kind,
      name: this.name,
      arn: this.arn,
      hasHandler: this.#context.hasHandler(this.kind, this.name),
      maxDeliveries: (this.settings.maximumRetryAttempts ?? 2) + 1,
      records: this.#engine.snapshot().records.map(({ id, state, deliveries, until, record }) => ({
        id,
        lane: '',
        state,
        deliveries,
        until: until === undefined ? null : clock.toEpochMs(until),
        preview: preview(record.event),
      })),
      deadLetters: this.#dead.map((dead) => viewOfDead(dead, preview(dead.record.event))),
      deadLetterName: deadLetterName(this.kind, this.name),
      done: this.#done,
      filtered: NOTHING_FILTERED,
      settings: { maximumRetryAttempts: 2, ...this.settings },
    };
  }
}
