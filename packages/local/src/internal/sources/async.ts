import {
  type AsyncEvent,
  type AsyncSettings,
  createAsyncEngine,
  type Engine,
  type EngineChange,
} from '@sallyport/testkit/engines';
import type { BusConfig, TopicConfig } from '../config/config.js';
import { Filtered } from './filtered.js';
import { arnOf, deadLetterName } from './names.js';
import type { SourceKind, SourceView } from './sources.js';
import { type DeadLetter, type SourceContext, viewOfDead } from './sources-context.js';

const MAX_TRACES = 10_000;

/** Options of a {@link LocalAsync}. */
export interface AsyncInit {
  readonly settings: TopicConfig & BusConfig;
  /** True if AWS would deliver an event, by a filter policy or by rules; default: AWS delivers all events. */
  readonly takes?: (event: never) => boolean;
}

/** A topic, bus, schedule, bucket or direct invocation. Its events are queued as asynchronous invocations. */
export class LocalAsync {
  readonly kind: SourceKind;
  readonly name: string;
  readonly arn: string;
  readonly settings: AsyncSettings;
  readonly #context: SourceContext;
  readonly #takes: (event: unknown) => boolean;
  readonly #filtered = new Filtered();
  readonly #engine: Engine<AsyncEvent>;
  readonly #dead: DeadLetter<AsyncEvent>[] = [];
  readonly #traces = new Map<string, string>();
  #done = 0;

  constructor(kind: SourceKind, name: string, { settings, takes = () => true }: AsyncInit, context: SourceContext) {
    this.kind = kind;
    this.name = name;
    this.arn = arnOf(kind, name);
    this.settings = settings;
    this.#context = context;
    this.#takes = takes as (event: unknown) => boolean;
    this.#engine = createAsyncEngine({
      ...engineSettings(settings),
      clock: context.clock,
      invoke: (delivery) => context.deliver(this, delivery, (id) => this.#traces.get(id)),
      onChange: (change) => this.#onChange(change),
    });
  }

  /** Sends an event to the function, if AWS would deliver it. @returns its id */
  send(id: string, event: unknown, traceId?: string): string {
    if (!this.#takes(event)) {
      this.#filtered.add(id, this.#context.preview(event));
      this.#context.filtered(this);
      return id;
    }
    if (traceId !== undefined) this.#keepTrace(id, traceId);
    this.#engine.send([{ id, event }]);
    return id;
  }

  /** Records an event that matches no handler, so that the console shows it. */
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

  /** Sends a dead letter again. @returns true if it existed */
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

  /** @returns true if the event exists */
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
      filtered: this.#filtered.view(),
      settings: { maximumRetryAttempts: 2, ...this.settings },
    };
  }
}

/** The settings of the engine, without the filters. */
function engineSettings({
  filterPolicy,
  filterPolicyScope,
  rules,
  ...settings
}: TopicConfig & BusConfig): AsyncSettings {
  return settings;
}
