import type { EngineChange } from '@sallyport/testkit/engines';
import { failureQueueOf } from './failures.js';
import { Filtered } from './filtered.js';
import type { Delivering, Receiver } from './receiver.js';
import type { LocalSource, SourceType } from './source.js';
import type { SourceRecordView, SourceView } from './sources.js';
import type { SourceContext } from './sources-context.js';

/** A record that has left its source for its failure destination. */
interface DeadLetter<R> {
  /** `undefined` if no function received it. */
  readonly receiver: Delivering<R> | undefined;
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

/** A source whose records engines of the test kit deliver, one for each receiver, and whose dead letters wait for the developer. */
export abstract class EngineSource<R> implements LocalSource {
  abstract readonly isAsynchronous: boolean;
  readonly kind: string;
  readonly name: string;
  protected readonly context: SourceContext;
  protected readonly receivers: readonly Delivering<R>[];
  #arn: string;
  #dead: DeadLetter<R>[] = [];
  readonly #filtered = new Filtered();
  #done = 0;

  /** @param filterOf the filter of a receiver: true if AWS would deliver a record to its function */
  constructor(
    { kind, arn }: SourceNames,
    name: string,
    context: SourceContext,
    filterOf: (receiver: Receiver) => (record: R) => boolean,
  ) {
    this.kind = kind;
    this.name = name;
    this.#arn = arn(name);
    this.context = context;
    this.receivers = context.receiversOf(kind, name).map((receiver) => ({
      ...receiver,
      takes: filterOf(receiver),
      engine: undefined,
      givenUp: [],
    }));
  }

  /** The settings of the console's view, defaults included. */
  protected abstract shownSettings(): Readonly<Record<string, unknown>> & { readonly maximumRetryAttempts: number };

  /** The part of a record that the console shows. */
  protected abstract contentOf(record: R): unknown;

  /** The messages that AWS sends to the failure destination for records that were given up at the same time. */
  protected abstract failuresOf(changes: readonly EngineChange<R>[], receiver: Receiver): readonly FailureMessage[];

  get failureQueues(): readonly string[] {
    return this.receivers.map((receiver) => this.#queueOf(receiver));
  }

  /** The queue of the messages about records of a receiver. */
  #queueOf(receiver: Receiver | undefined): string {
    return failureQueueOf(this.name, this.receivers.length > 1 ? receiver?.function : undefined);
  }

  get arn(): string {
    return this.#arn;
  }

  protected set arn(arn: string) {
    this.#arn = arn;
  }

  get isServed(): boolean {
    return this.receivers.some(({ engine }) => engine !== undefined);
  }

  /** Records an event that AWS would not deliver because of filters. */
  protected discard(id: string, content: unknown): void {
    this.#filtered.add(id, this.context.preview(content));
    this.context.filtered(this);
  }

  /** Keeps a record that is not delivered. */
  protected keep(dead: Omit<DeadLetter<R>, 'message'>): void {
    this.#dead.push(dead);
  }

  protected onChange(receiver: Delivering<R>, change: EngineChange<R>): void {
    const { id, record, state, deliveries } = change;
    if (state === 'done') this.#done += 1;
    if (state === 'dead-letter' || state === 'expired') {
      this.keep({ receiver, id, record, state, deliveries });
      receiver.givenUp.push(change);
      if (receiver.givenUp.length === 1) queueMicrotask(() => this.#sendFailures(receiver));
    }
    this.context.changed(this, change, receiver.function);
  }

  #sendFailures(receiver: Delivering<R>): void {
    for (const { ids, body } of this.failuresOf(receiver.givenUp.splice(0), receiver)) {
      const message = this.context.failures.add(this.#queueOf(receiver), body);
      for (const dead of this.#dead) if (dead.receiver === receiver && ids.includes(dead.id)) dead.message ??= message;
    }
  }

  /** The records whose message is still in the failure queue: a client that has deleted it has handled them. */
  #waiting(): readonly DeadLetter<R>[] {
    const { failures } = this.context;
    const isKept = ({ receiver, message }: DeadLetter<R>) =>
      message === undefined || failures.has(this.#queueOf(receiver), message);
    this.#dead = this.#dead.filter(isKept);
    return this.#dead;
  }

  sendBack(id: string, fn?: string): boolean {
    const dead = this.#removeDead(id, fn);
    // Another function that has processed the record does not receive it again; a record that no function received reaches all of them.
    const receivers = dead?.receiver ? [dead.receiver] : this.receivers;
    if (dead) for (const { engine } of receivers) engine?.send([dead.record]);
    return dead !== undefined;
  }

  drop(id: string, fn?: string): boolean {
    return this.#removeDead(id, fn) !== undefined;
  }

  #removeDead(id: string, fn: string | undefined): DeadLetter<R> | undefined {
    const index = this.#waiting().findIndex((dead) => dead.id === id && isOf(dead.receiver, fn));
    const [removed] = index < 0 ? [] : this.#dead.splice(index, 1);
    const { message } = removed ?? {};
    if (message !== undefined && !this.#dead.some((dead) => dead.message === message)) {
      this.context.failures.remove(this.#queueOf(removed?.receiver), message);
    }
    return removed;
  }

  hurry(id?: string, fn?: string): boolean {
    const receivers = this.receivers.filter((receiver) => isOf(receiver, fn));
    for (const { engine } of receivers) engine?.hurry(id);
    return id === undefined || receivers.some((one) => recordsOf(one).some((record) => record.id === id));
  }

  stop(): void | Promise<void> {
    for (const { engine } of this.receivers) engine?.stop();
  }

  view(): SourceView {
    const { clock, preview } = this.context;
    const settings = this.shownSettings();
    const dead = ({ receiver, id, record, state, deliveries }: DeadLetter<R>): SourceRecordView => ({
      ...{ id, lane: '', state, deliveries, until: null },
      preview: preview(this.contentOf(record)),
      ...functionOf(receiver),
    });
    const here = (receiver: Delivering<R>) =>
      recordsOf(receiver).map(({ id, lane, state, deliveries, until, record }) => ({
        id,
        lane: this.isAsynchronous ? '' : lane.replace(/^shard:/, ''),
        state,
        deliveries,
        until: until === undefined ? null : clock.toEpochMs(until),
        preview: preview(this.contentOf(record)),
        ...functionOf(receiver),
      }));
    return {
      kind: this.kind,
      name: this.name,
      arn: this.arn,
      hasHandler: this.context.hasHandler(this.kind, this.name),
      maxDeliveries: settings.maximumRetryAttempts + 1,
      records: this.receivers.flatMap(here),
      deadLetters: this.#waiting().map(dead),
      deadLetterName: this.failureQueues.join(', '),
      done: this.#done,
      filtered: this.#filtered.view(),
      settings,
    };
  }
}

function recordsOf<R>({ engine }: Delivering<R>) {
  return engine?.snapshot().records ?? [];
}

/** @param fn `undefined` for any function */
function isOf(receiver: Receiver | undefined, fn: string | undefined): boolean {
  return fn === undefined || receiver?.function === fn;
}

function functionOf(receiver: Receiver | undefined): { readonly function?: string } {
  return receiver?.function === undefined ? {} : { function: receiver.function };
}
