import { type AsyncEvent, type AsyncSettings, createAsyncEngine, type EngineChange } from '@sallyport/testkit/engines';
import { EngineSource, type FailureMessage, type SourceNames } from './engine-source.js';
import { asyncFailure } from './failures.js';
import type { Receiver } from './receiver.js';
import { remember, type SourceContext } from './sources-context.js';

/** Options of a {@link AsyncSource}. */
export interface AsyncInit {
  /** Settings as the developer wrote them, for the view. */
  readonly settings?: AsyncSettings;
  /** Settings of the engine in the settings of a receiver; default: none. */
  readonly engineOf?: (settings: object) => AsyncSettings;
  /** True if AWS would deliver an event to a receiver, by a filter policy or by rules; default: AWS delivers all events. */
  readonly filterOf?: (receiver: Receiver) => (event: never) => boolean;
}

/** A topic, bus, schedule, bucket or direct invocation. Its events are queued as asynchronous invocations of each receiver. */
export class AsyncSource extends EngineSource<AsyncEvent> {
  readonly isAsynchronous = true;
  readonly #settings: AsyncSettings;
  readonly #traces = new Map<string, string>();

  constructor(type: SourceNames, name: string, context: SourceContext, init: AsyncInit = {}) {
    const { settings = {}, engineOf = () => ({}), filterOf = () => () => true } = init;
    super(type, name, context, (receiver) => {
      const takes = filterOf(receiver) as (event: unknown) => boolean;
      return ({ event }) => takes(event);
    });
    this.#settings = settings;
    for (const receiver of this.receivers) {
      receiver.engine = createAsyncEngine({
        ...engineOf(receiver.settings),
        clock: context.clock,
        invoke: (delivery) =>
          context.deliver(this, delivery, {
            traceOf: (id) => this.#traces.get(id),
            settings: receiver.settings,
            function: receiver.function,
          }),
        onChange: (change) => this.onChange(receiver, change),
      });
    }
  }

  /** Sends an event to each function to which AWS would deliver it. @returns its id */
  send(id: string, event: unknown, traceId?: string): string {
    const receivers = this.receivers.filter(({ takes }) => takes({ id, event }));
    if (receivers.length === 0) this.discard(id, event);
    else if (traceId !== undefined) remember(this.#traces, id, traceId);
    for (const { engine } of receivers) engine?.send([{ id, event }]);
    return id;
  }

  /** Records an event that matches no handler, so that the console shows it. */
  refuse(id: string, event: unknown, state: string): void {
    this.keep({ receiver: undefined, id, record: { id, event }, state, deliveries: 0 });
    this.context.changed(this, { id, lane: '', record: { id, event }, deliveries: 0, state: 'discarded', at: 0 });
  }

  protected failuresOf(
    changes: readonly EngineChange<AsyncEvent>[],
    { function: fn }: Receiver,
  ): readonly FailureMessage[] {
    const { functionArn, clock, lastInvocationOf } = this.context;
    return changes.map((change) => ({
      ids: [change.id],
      body: asyncFailure(change, change.record.event, {
        functionArn: functionArn(fn),
        at: clock.now(),
        last: lastInvocationOf(change.id, fn),
      }),
    }));
  }

  protected contentOf({ event }: AsyncEvent): unknown {
    return event;
  }

  protected shownSettings() {
    return { maximumRetryAttempts: 2, ...this.#settings };
  }
}
