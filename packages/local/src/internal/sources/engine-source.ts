import type { Engine, EngineChange } from '@sallyport/testkit/engines';
import { failureQueueOf } from './failures.js';
import { Filtered } from './filtered.js';
import type { LocalSource, SourceType } from './source.js';
import type { SourceRecordView, SourceView } from './sources.js';
import type { SourceContext } from './sources-context.js';

/** A record that has left its source for its failure destination. */
interface DeadLetter<R> {
  readonly id: string;
  readonly record: R;
  readonly state: string;
  readonly deliveries: number;
  /** The message about it in the failure queue; `undefined` if absent. */
  message?: string;
}

/** A message for the failure queue, and the ids of its records. */
export interface FailureMessage {
  readonly ids: readonly string[];
  readonly body: object;
}

/** The names that a source receives from its type. */
export type SourceNames = Pick<SourceType, 'kind' | 'arn'>;

/** A source whose records an engine of the test kit delivers, and whose dead letters wait for the developer. */
export abstract class EngineSource<R> implements LocalSource {
  abstract readonly isAsynchronous: boolean;
  readonly kind: string;
  readonly name: string;
  protected readonly context: SourceContext;
  protected engine: Engine<R> | undefined;
  #arn: string;
  #dead: DeadLetter<R>[] = [];
  /** Records that were given up now: those of one batch become one message. */
  #givenUp: EngineChange<R>[] = [];
  readonly #filtered = new Filtered();
  #done = 0;

  constructor({ kind, arn }: SourceNames, name: string, context: SourceContext) {
    this.kind = kind;
    this.name = name;
    this.#arn = arn(name);
    this.context = context;
  }

  /** The settings of the console's view, defaults included. */
  protected abstract shownSettings(): Readonly<Record<string, unknown>> & { readonly maximumRetryAttempts: number };

  /** The part of a record that the console shows. */
  protected abstract contentOf(record: R): unknown;

  /** The messages that AWS sends to the failure destination for records that were given up at the same time. */
  protected abstract failuresOf(changes: readonly EngineChange<R>[]): readonly FailureMessage[];

  /** The queue of these messages. */
  get failureQueue(): string {
    return failureQueueOf(this.name);
  }

  get arn(): string {
    return this.#arn;
  }

  protected set arn(arn: string) {
    this.#arn = arn;
  }

  get isServed(): boolean {
    return this.engine !== undefined;
  }

  /** Records an event that AWS would not deliver because of filters. */
  protected discard(id: string, content: unknown): void {
    this.#filtered.add(id, this.context.preview(content));
    this.context.filtered(this);
  }

  /** Keeps a record that is not delivered. */
  protected keep(id: string, record: R, state: string, deliveries = 0): void {
    this.#dead.push({ id, record, state, deliveries });
  }

  protected onChange(change: EngineChange<R>): void {
    const { id, record, state, deliveries } = change;
    if (state === 'done') this.#done += 1;
    if (state === 'dead-letter' || state === 'expired') {
      this.keep(id, record, state, deliveries);
      this.#givenUp.push(change);
      if (this.#givenUp.length === 1) queueMicrotask(() => this.#sendFailures());
    }
    this.context.changed(this, change);
  }

  #sendFailures(): void {
    for (const { ids, body } of this.failuresOf(this.#givenUp.splice(0))) {
      const message = this.context.failures.add(this.failureQueue, body);
      for (const dead of this.#dead) if (ids.includes(dead.id)) dead.message ??= message;
    }
  }

  /** The records whose message is still in the failure queue: a client that has deleted it has handled them. */
  #waiting(): readonly DeadLetter<R>[] {
    const queue = this.failureQueue;
    const isKept = ({ message }: DeadLetter<R>) => message === undefined || this.context.failures.has(queue, message);
    this.#dead = this.#dead.filter(isKept);
    return this.#dead;
  }

  sendBack(id: string): boolean {
    const dead = this.#removeDead(id);
    if (dead) this.engine?.send([dead.record]);
    return dead !== undefined;
  }

  drop(id: string): boolean {
    return this.#removeDead(id) !== undefined;
  }

  #removeDead(id: string): DeadLetter<R> | undefined {
    const index = this.#waiting().findIndex((dead) => dead.id === id);
    const [removed] = index < 0 ? [] : this.#dead.splice(index, 1);
    const { message } = removed ?? {};
    if (message !== undefined && !this.#dead.some((dead) => dead.message === message)) {
      this.context.failures.remove(this.failureQueue, message);
    }
    return removed;
  }

  hurry(id?: string): boolean {
    this.engine?.hurry(id);
    return id === undefined || this.#records().some((record) => record.id === id);
  }

  stop(): void | Promise<void> {
    this.engine?.stop();
  }

  view(): SourceView {
    const { clock, preview } = this.context;
    const settings = this.shownSettings();
    const dead = ({ id, record, state, deliveries }: DeadLetter<R>): SourceRecordView => ({
      ...{ id, lane: '', state, deliveries, until: null },
      preview: preview(this.contentOf(record)),
    });
    return {
      kind: this.kind,
      name: this.name,
      arn: this.arn,
      hasHandler: this.context.hasHandler(this.kind, this.name),
      maxDeliveries: settings.maximumRetryAttempts + 1,
      records: this.#records().map(({ id, lane, state, deliveries, until, record }) => ({
        id,
        lane: this.isAsynchronous ? '' : lane.replace(/^shard:/, ''),
        state,
        deliveries,
        until: until === undefined ? null : clock.toEpochMs(until),
        preview: preview(this.contentOf(record)),
      })),
      deadLetters: this.#waiting().map(dead),
      deadLetterName: this.failureQueue,
      done: this.#done,
      filtered: this.#filtered.view(),
      settings,
    };
  }

  #records() {
    return this.engine?.snapshot().records ?? [];
  }
}
