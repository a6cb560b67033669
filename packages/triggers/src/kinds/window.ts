import type { LambdaContext, MaybePromise, TriggerKind, TriggerRecord } from '@sallyport/core';
import { isObject, isText, type Members, membersOf, stringOf } from '@sallyport/core/internal';
import type { StreamRecord, TableStreamRecord } from '@sallyport/streams';
import type { Delivered, EventContext, EventHandler } from '@sallyport/streams/delivery';
import { invalidAnswer, refused, triggersError } from '../errors.js';
import { toJson } from '../internal/answer.js';
import { assertHandler } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { recordsOf, requiredText, sourceOf } from '../internal/read.js';
import { defineTrigger, TriggerSurface } from '../internal/surface.js';

/** A window of time: https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-windows.html. */
export interface TumblingWindow {
  /** Start of the window, ISO 8601. */
  readonly start: string;
  /** End of the window, ISO 8601. */
  readonly end: string;
  /** The id of the shard: each shard has its own state. */
  readonly shardId: string;
  /** True if the window ended because its state exceeded 1 MB. */
  readonly isTerminatedEarly: boolean;
}

/** Functions that aggregate the records of a window. The state is JSON; after a state of more than 1 MB, Lambda ends the window early. */
export interface WindowHandlers<State, R> {
  /** The state before the first record. */
  readonly initial: () => State;
  /** Adds a record: returns the next state. A throw fails the batch, and Lambda retries it with the same state. */
  readonly add: (ctx: EventContext, state: State, record: R) => MaybePromise<State>;
  /** Receives the state at the end of the window. Default: nothing. */
  readonly final?: (ctx: EventContext, state: State, window: TumblingWindow) => MaybePromise<unknown>;
}

/** The answer to a batch. */
export interface WindowAnswer {
  /** The state for the next batch of the window. */
  readonly state: unknown;
}

/** Row, natural key and answer of streams with tumbling windows. @internal */
export const WINDOW_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'window',
  // The last invocation of a window can be without records; batches with records satisfy the rows of their streams.
  anyOf: [
    [
      { path: 'window.start', test: 'text' },
      { path: 'window.end', test: 'text' },
      { path: 'eventSourceARN', test: 'text' },
      { path: 'Records[0]', test: 'absent' },
    ],
  ],
  sample: { window: { start: 's', end: 'e' }, eventSourceARN: 'a', Records: [] },
  key: ({ source, id }: Delivered) => keyOf(source.arn, id),
  answer: '{ state }',
});

/** True for a batch of a tumbling window. */
function hasWindow(event: unknown): boolean {
  const { window } = membersOf(event);
  return isObject(window) && isText(membersOf(window).start) && isText(membersOf(window).end);
}

type Handlers = WindowHandlers<unknown, never>;

/** The methods of `FRAMEWORK_EVENT_SOURCES` by the service in an ARN. */
const METHODS: Readonly<Record<string, string>> = { kinesis: 'kinesis', dynamodb: 'tableStream' };

/** Handlers of streams with tumbling windows. */
export class WindowTrigger extends TriggerSurface {
  readonly #entries = new Map<string, { readonly name: string; readonly handlers: Handlers }>();
  /** The state of each batch that runs. */
  readonly #states = new WeakMap<readonly Delivered[], () => unknown>();

  constructor() {
    super(WINDOW_TRIGGER);
  }

  /** Batches with records satisfy the rows of their streams. */
  claims(kind: TriggerKind | undefined, event: unknown): boolean {
    return (kind === 'stream' || kind === 'table-stream') && hasWindow(event);
  }

  /**
   * Registers the functions of a data stream whose mapping has a tumbling window.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated name, or a missing function
   * @example
   * tumblingWindow().stream('clicks', {
   *   initial: () => ({ count: 0 }),
   *   add: (ctx, { count }) => ({ count: count + 1 }),
   *   final: (ctx, { count }, { end }) => store(end, count),
   * });
   */
  stream<State>(name: string, handlers: WindowHandlers<State, StreamRecord>): this {
    return this.#add('kinesis', name, handlers as Handlers);
  }

  /**
   * Registers the functions of a table whose mapping has a tumbling window.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated name, or a missing function
   */
  tableStream<State>(name: string, handlers: WindowHandlers<State, TableStreamRecord>): this {
    return this.#add('tableStream', name, handlers as Handlers);
  }

  #add(method: string, name: string, handlers: Handlers): this {
    if (!isText(name)) throw refused('tumblingWindow: the name of a stream is empty');
    const place = `${method} ${name}`;
    if (this.#entries.has(place)) throw refused(`tumblingWindow: duplicate functions for ${place}`);
    assertHandler(handlers?.initial, 'tumblingWindow initial');
    assertHandler(handlers.add, 'tumblingWindow add');
    if (handlers.final !== undefined) assertHandler(handlers.final, 'tumblingWindow final');
    this.#entries.set(place, { name, handlers });
    return this;
  }

  /** The streams, in order. */
  override triggers(): readonly TriggerRecord[] {
    return [...this.#entries].map(([place, { name }]) => {
      return { kind: this.kind, name, options: { source: place.slice(0, place.indexOf(' ')) } };
    });
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { Records, eventSourceARN, shardId, window: windowPart, isWindowTerminatedEarly, ...rest } = membersOf(event);
    const arn = requiredText(this.kind, 'eventSourceARN', eventSourceARN);
    const { start, end } = membersOf(windowPart);
    const window: TumblingWindow = {
      start: requiredText(this.kind, 'window.start', start),
      end: requiredText(this.kind, 'window.end', end),
      shardId: stringOf(shardId),
      isTerminatedEarly: isWindowTerminatedEarly === true,
    };
    const { name, handlers } = this.#find(arn);
    const source = sourceOf(name, arn);
    let state: unknown;
    const current = () => (state ??= stateOf(rest.state) ?? handlers.initial());
    const add: EventHandler<never> = async (ctx, record) => {
      state = toState(await handlers.add(ctx, current(), record));
    };
    const items = recordsOf(this.kind, 'Records', Records).map((record): Delivered => {
      return { name, source, handler: add, record, id: stringOf(record.eventID) };
    });
    const batch: Delivered[] = [...items];
    if (rest.isFinalInvokeForWindow === true) {
      const handler = async (ctx: EventContext) => void (await handlers.final?.(ctx, current(), window));
      batch.push({ name, source, handler, record: window, id: `${window.shardId}/${window.end}` });
    }
    this.#states.set(batch, current);
    return batch;
  }

  /** @throws FrameworkError `triggers.no_handler` */
  #find(arn: string) {
    const [, , service = '', , , resource = ''] = arn.split(':');
    const method = METHODS[service];
    const came = resource.split('/')[1] ?? '';
    for (const [place, entry] of this.#entries) {
      if (method === undefined || !place.startsWith(`${method} `)) continue;
      if ([arn, came].includes(this.delivery.physicalName(method, entry.name))) return entry;
    }
    const cause = new Error(`the stream is ${JSON.stringify(came.slice(0, 256))}`);
    throw triggersError('triggers.no_handler', `no handler for ${this.kind}`, { cause });
  }

  protected override async answer(
    items: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
  ): Promise<WindowAnswer> {
    await this.delivery.each(items, lambdaContext);
    return { state: toState(this.#states.get(items)?.()) };
  }
}

/** The state of an event; `undefined` at the start of a window. */
function stateOf(state: unknown): Members | undefined {
  return isObject(state) && Object.keys(state).length > 0 ? membersOf(state) : undefined;
}

/** @throws FrameworkError `triggers.invalid_answer` for a state that is not an object, or is more than 6 MB */
function toState(state: unknown): Members {
  const given = toJson('the state', state ?? null);
  if (!isObject(given)) throw invalidAnswer('the state must be an object');
  return membersOf(given);
}

/**
 * Makes the surface for data streams and table streams whose event source mapping has a tumbling window. Batches without a window reach
 * the handlers of the container.
 *
 * @example
 * const clicks = tumblingWindow().stream('clicks', {
 *   initial: () => ({ count: 0 }),
 *   add: (ctx, { count }) => ({ count: count + 1 }),
 *   final: (ctx, { count }, { end }) => store(end, count),
 * });
 * const app = new SecureApp({ principalResolver, surfaces: [clicks] });
 */
export function tumblingWindow(): WindowTrigger {
  return new WindowTrigger();
}
