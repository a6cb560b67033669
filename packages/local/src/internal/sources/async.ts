import { type AsyncEvent, type AsyncSettings, createAsyncEngine, type EngineChange } from '@sallyport/testkit/engines';
import { EngineSource, type FailureMessage, type SourceNames } from './engine-source.js';
import { asyncFailure } from './failures.js';
import { remember, type SourceContext } from './sources-context.js';

/** Options of a {@link AsyncSource}. */
export interface AsyncInit {
  /** Settings as the developer wrote them, for the view. */
  readonly settings?: AsyncSettings;
  /** Settings of the engine; default: all settings. */
  readonly engine?: AsyncSettings;
  /** True if AWS would deliver an event, by a filter policy or by rules; default: AWS delivers all events. */
  readonly takes?: (event: never) => boolean;
}

/** A topic, bus, schedule, bucket or direct invocation. Its events are queued as asynchronous invocations. */
export class AsyncSource extends EngineSource<AsyncEvent> {
  readonly isAsynchronous = true;
  readonly #settings: AsyncSettings;
  readonly #takes: (event: unknown) => boolean;
  readonly #traces = new Map<string, string>();

  constructor(type: SourceNames, name: string, context: SourceContext, init: AsyncInit = {}) {
    super(type, name, context);
    const { settings = {}, engine = settings, takes = () => true } = init;
    this.#settings = settings;
    this.#takes = takes as (event: unknown) => boolean;
    this.engine = createAsyncEngine({
      ...engine,
      clock: context.clock,
      invoke: (delivery) => context.deliver(this, delivery, { traceOf: (id) => this.#traces.get(id), settings }),
      onChange: (change) => this.onChange(change),
    });
  }

  /** Sends an event to the function, if AWS would deliver it. @returns its id */
  send(id: string, event: unknown, traceId?: string): string {
    if (!this.#takes(event)) {
      this.discard(id, event);
      return id;
    }
    if (traceId !== undefined) remember(this.#traces, id, traceId);
    this.engine?.send([{ id, event }]);
    return id;
  }

  /** Records an event that matches no handler, so that the console shows it. */
  refuse(id: string, event: unknown, state: string): void {
    this.keep(id, { id, event }, state);
    this.context.changed(this, { id, lane: '', record: { id, event }, deliveries: 0, state: 'discarded', at: 0 });
  }

  protected failuresOf(changes: readonly EngineChange<AsyncEvent>[]): readonly FailureMessage[] {
    const { functionArn, clock, lastInvocationOf } = this.context;
    return changes.map((change) => ({
      ids: [change.id],
      body: asyncFailure(change, change.record.event, {
        functionArn,
        at: clock.now(),
        last: lastInvocationOf(change.id),
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
