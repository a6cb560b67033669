import { boolean, defineOptions, integer } from '@sallyport/core/options';
import { count, positive } from '../internal/kinds.js';
import { seededRandom } from '../internal/random.js';
import { type Engine, type EngineOptions, engineKinds } from './engine.js';
import { Book, type Entry } from './internal/book.js';

/** Settings of a function's asynchronous invocations. */
export interface AsyncSettings {
  /** Retries after the first delivery, a minute and then two minutes apart: 0 to 2. Default: 2. */
  readonly maximumRetryAttempts?: number;
  /** Milliseconds after which an event is given up: one minute to six hours. Default: 21,600,000, which is six hours. */
  readonly maximumEventAgeMs?: number;
  /** True if there is a dead-letter queue or a failure destination; otherwise an event that is given up is lost. Default: `true`. */
  readonly onFailure?: boolean;
  /** Concurrent invocations. Default: 10. */
  readonly invocations?: number;
  /** Number of events that are delivered again although they succeeded; `seed` selects them. Default: 0. */
  readonly duplicates?: number;
  /** Selects the events that are delivered again. Default: 1. */
  readonly seed?: number;
}

/** One asynchronous event: a topic's notification, an event of a bus, a run of a schedule. */
export interface AsyncEvent {
  /** The event's id. */
  readonly id: string;
  /** The event, as AWS sends it. */
  readonly event: unknown;
}

/** Options of {@link createAsyncEngine}. */
export interface AsyncEngineOptions extends AsyncSettings, EngineOptions<AsyncEvent> {}

/** Validators and defaults for {@link AsyncSettings}. */
export const ASYNC_SETTINGS = {
  maximumRetryAttempts: integer(0, 2).default(2),
  maximumEventAgeMs: integer(60_000, 21_600_000).default(21_600_000),
  onFailure: boolean.default(true),
  invocations: positive.default(10),
  duplicates: count.default(0),
  seed: count.default(1),
};

/** Validators and defaults for {@link AsyncEngineOptions}. */
export const ASYNC_ENGINE_OPTIONS = defineOptions<AsyncEngineOptions>()({
  ...engineKinds<AsyncEvent>(),
  ...ASYNC_SETTINGS,
});

/** Between the deliveries of an event: a minute after the first, two minutes after each other. */
const RETRY_DELAYS_MS = [60_000, 120_000] as const;

interface Queued extends Entry<AsyncEvent> {
  readonly sentAt: number;
}

/**
 * Makes the queue of a function's asynchronous invocations, which topics, event buses and schedules use. An event whose
 * invocation failed is delivered again, then given up. The function's answer is not read.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 * @example
 * const engine = createAsyncEngine({ clock, invoke: async ({ event }) => ({ answer: await app.handleLambda(event) }) });
 * engine.send([{ id: 'evt-1', event: buildEventBusEvent({ detail: { id: 1 } }) }]);
 * await engine.settle();
 */
export function createAsyncEngine(options: AsyncEngineOptions): Engine<AsyncEvent> {
  const { maximumRetryAttempts, maximumEventAgeMs, onFailure, invocations, duplicates, seed, ...parts } =
    ASYNC_ENGINE_OPTIONS.parse(options);
  const random = seededRandom(seed);
  let left = duplicates;
  const waiting: Queued[] = [];
  const book = new Book<AsyncEvent, Queued>(parts, enqueue);

  function enqueue(events: readonly Queued[]): void {
    for (const event of events) book.enqueue(event);
    waiting.push(...events);
    fill();
  }

  function fill(): void {
    while (book.isOpen && book.running < invocations) {
      const event = waiting.shift();
      if (!event) return;
      void deliver(event);
    }
  }

  async function deliver(event: Queued): Promise<void> {
    if (book.now - event.sentAt > maximumEventAgeMs) book.end(event, 'expired');
    else if ('answer' in (await book.invoke(event.record.event, [event]))) succeed(event);
    else if (event.deliveries > maximumRetryAttempts) book.end(event, onFailure ? 'dead-letter' : 'discarded');
    else book.delay(event, book.now + (RETRY_DELAYS_MS[event.deliveries - 1] ?? RETRY_DELAYS_MS[1]));
    fill();
    book.checkSettled();
  }

  /** Asynchronous invocations are delivered at least once. */
  function succeed(event: Queued): void {
    if (left > 0 && random() < 0.5) {
      left -= 1;
      book.enqueue(event);
      waiting.push(event);
    } else book.end(event, 'done');
  }

  return {
    ...book.controls,
    send(events) {
      enqueue(events.map((record) => toQueued(record, book.now)));
      return events.map(({ id }) => id);
    },
  };
}

function toQueued(record: AsyncEvent, sentAt: number): Queued {
  return { id: record.id, lane: '', record, sentAt, deliveries: 0, state: 'waiting', until: undefined };
}
