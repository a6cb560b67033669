import { boolean, defineOptions, invalidOption } from '@sallyport/core/options';
import { buildQueueEvent, type QueueRecordOptions } from '../builders/queue.js';
import { count, filled, positive } from '../internal/kinds.js';
import { seededRandom } from '../internal/random.js';
import { type Engine, type EngineOptions, engineKinds, type Outcome } from './engine.js';
import { readAnswer } from './internal/answer.js';
import { Book, type Entry } from './internal/book.js';
import { FifoPool, type Pool, type Pooled, StandardPool } from './internal/pools.js';

/** What a queue and its event source mapping are set to. */
export interface QueueSettings {
  /** Most messages of one invocation; at most 10 of a FIFO queue. Default: 10. */
  readonly batchSize?: number;
  /** Milliseconds from a reception until a message that was not deleted can be received again. Default: 30,000. */
  readonly visibilityTimeoutMs?: number;
  /** Receptions after which a message goes to the dead-letter queue. Default: 3. */
  readonly maxReceiveCount?: number;
  /** Whether there is a dead-letter queue; without one a failing message comes again for ever. Default: `true`. */
  readonly deadLetter?: boolean;
  /** Invocations at once. Default: 1. */
  readonly invocations?: number;
  /** Decides the order of a standard queue, and which messages come twice. Default: 1. */
  readonly seed?: number;
  /** Messages that a standard queue delivers once more after they were deleted. Default: 0. */
  readonly duplicates?: number;
  /** Whether the event source mapping has `ReportBatchItemFailures`; without it the answer is not read. Default: `true`. */
  readonly reportBatchItemFailures?: boolean;
}

/** Options of {@link createQueueEngine}. */
export interface QueueEngineOptions extends QueueSettings, EngineOptions<QueueRecordOptions> {
  /** The queue's ARN; one that ends in `.fifo` makes it a FIFO queue. */
  readonly arn: string;
}

/** The kinds of {@link QueueSettings}. */
export const QUEUE_SETTINGS = {
  batchSize: positive.default(10),
  visibilityTimeoutMs: count.default(30_000),
  maxReceiveCount: positive.default(3),
  deadLetter: boolean.default(true),
  invocations: positive.default(1),
  seed: count.default(1),
  duplicates: count.default(0),
  reportBatchItemFailures: boolean.default(true),
};

/** What {@link QueueEngineOptions} may be. */
export const QUEUE_ENGINE_OPTIONS = defineOptions<QueueEngineOptions>()({
  ...engineKinds<QueueRecordOptions>(),
  ...QUEUE_SETTINGS,
  arn: filled.required(),
});

type Settings = ReturnType<typeof QUEUE_ENGINE_OPTIONS.parse>;

interface Message extends Entry<QueueRecordOptions>, Pooled {
  /** Receptions since it was put into the queue. */
  received: number;
}

/**
 * Makes a queue with its event source mapping: it delivers batches, reads the answers as AWS does, hides and redelivers what
 * failed, and moves to the dead-letter queue what was received too often.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option, a wrong type, or a batch of more than 10 of a FIFO queue
 * @example
 * const engine = createQueueEngine({ clock, arn, invoke: async ({ event }) => ({ answer: await app.handleLambda(event) }) });
 * engine.send([{ body: { id: 1 } }]);
 * await engine.settle();
 */
export function createQueueEngine(options: QueueEngineOptions): Engine<QueueRecordOptions> {
  const settings = QUEUE_ENGINE_OPTIONS.parse(options);
  const isFifo = settings.arn.endsWith('.fifo');
  if (isFifo && settings.batchSize > 10) throw invalidOption('batchSize', 'at most 10 for a FIFO queue');
  return new QueueEngine(settings, isFifo).engine;
}

class QueueEngine {
  readonly engine: Engine<QueueRecordOptions>;
  readonly #settings: Settings;
  readonly #isFifo: boolean;
  readonly #pool: Pool<Message>;
  readonly #book: Book<QueueRecordOptions, Message>;
  readonly #random: () => number;
  #duplicates: number;
  #sent = 0;

  constructor(settings: Settings, isFifo: boolean) {
    this.#settings = settings;
    this.#isFifo = isFifo;
    this.#pool = isFifo ? new FifoPool() : new StandardPool(settings.seed);
    this.#random = seededRandom(settings.seed);
    this.#duplicates = isFifo ? 0 : settings.duplicates;
    this.#book = new Book(settings, (messages) => this.#reappear(messages));
    this.engine = { ...this.#book.controls, send: (messages) => this.#send(messages) };
  }

  #send(records: readonly QueueRecordOptions[]): readonly string[] {
    if (records.length > 0) buildQueueEvent(this.#settings.arn, records);
    const messages = records.map((record) => this.#toMessage(record));
    for (const message of messages) this.#admit(message);
    this.#fill();
    return messages.map(({ id }) => id);
  }

  #toMessage(given: QueueRecordOptions): Message {
    this.#sent += 1;
    const order = this.#sent;
    const id = given.messageId ?? `msg-${order}`;
    const record = { time: this.#settings.clock.now(), ...given, messageId: id, ...this.#fifoAttributes(given, order) };
    const lane = this.#isFifo ? `group:${given.groupId ?? ''}` : '';
    return { id, lane, record, order, received: 0, deliveries: 0, state: 'waiting', until: undefined };
  }

  #fifoAttributes({ attributes }: QueueRecordOptions, order: number): Pick<QueueRecordOptions, 'attributes'> {
    if (!this.#isFifo) return {};
    const own = { MessageDeduplicationId: `dedup-${order}`, SequenceNumber: String(order).padStart(20, '0') };
    return { attributes: { ...own, ...attributes } };
  }

  #admit(message: Message): void {
    this.#book.enqueue(message);
    this.#pool.add(message);
  }

  /** Starts as many invocations as there may be. */
  #fill(): void {
    while (this.#book.isOpen && this.#book.running < this.#settings.invocations) {
      const batch = this.#pool.take(this.#settings.batchSize);
      if (batch.length === 0) return;
      void this.#deliver(batch);
    }
  }

  async #deliver(batch: readonly Message[]): Promise<void> {
    const visibleAt = this.#book.now + this.#settings.visibilityTimeoutMs;
    for (const message of batch) message.received += 1;
    const records = batch.map(({ record, received }) => ({ ...record, receiveCount: received }));
    const outcome = await this.#book.invoke(buildQueueEvent(this.#settings.arn, records), batch);
    const failed = this.#failedOf(batch, outcome);
    const visible: Message[] = [];
    for (const message of batch) {
      if (!failed.has(message.id)) this.#delete(message);
      else if (visibleAt > this.#book.now) this.#book.delay(message, visibleAt);
      else visible.push(message);
    }
    this.#reappear(visible);
    this.#book.checkSettled();
  }

  #failedOf(batch: readonly Message[], outcome: Outcome): ReadonlySet<string> {
    const ids = new Set(batch.map(({ id }) => id));
    const { reportBatchItemFailures } = this.#settings;
    const verdict = readAnswer(outcome, ids, { reportBatchItemFailures, ignoresUnknown: false });
    if (verdict.failed !== 'all') return new Set(verdict.failed);
    if (verdict.why !== 'error') this.#book.noteUnclear(batch, verdict.why, verdict.unknown);
    return ids;
  }

  #delete(message: Message): void {
    this.#pool.drop(message);
    this.#book.end(message, 'done');
    if (this.#duplicates === 0 || this.#random() >= 0.5) return;
    this.#duplicates -= 1;
    this.#admit(message);
  }

  /** Messages that could be received again are; those that were received too often go to the dead-letter queue instead. */
  #reappear(messages: readonly Message[]): void {
    const { deadLetter, maxReceiveCount } = this.#settings;
    for (const message of messages) {
      if (deadLetter && message.received >= maxReceiveCount) {
        this.#pool.drop(message);
        this.#book.end(message, 'dead-letter');
      } else {
        this.#book.enqueue(message);
        this.#pool.giveBack(message);
      }
    }
    this.#fill();
  }
}
