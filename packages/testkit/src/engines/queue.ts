import { boolean, defineOptions, integer, invalidOption } from '@sallyport/core/options';
import { buildQueueEvent, type QueueEvent, type QueueRecord, type QueueRecordOptions } from '../builders/queue.js';
import { count, filled, positive } from '../internal/kinds.js';
import { seededRandom } from '../internal/random.js';
import { type Engine, type EngineOptions, engineKinds, type Outcome } from './engine.js';
import { readAnswer } from './internal/answer.js';
import { Book, type Entry } from './internal/book.js';
import { FifoPool, type Pool, type Pooled, StandardPool } from './internal/pools.js';

/** Settings of a queue and its event source mapping. */
export interface QueueSettings {
  /** Most messages of one invocation; at most 10 for a FIFO queue. Default: 10. */
  readonly batchSize?: number;
  /**
   * Milliseconds for which a standard queue collects messages before it delivers fewer than `batchSize`; at most 300,000. Default: 0.
   *
   * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html
   */
  readonly maximumBatchingWindowMs?: number;
  /** Milliseconds from a reception until a message that was not deleted can be received again. Default: 30,000. */
  readonly visibilityTimeoutMs?: number;
  /** Receptions after which a message goes to the dead-letter queue. Default: 3. */
  readonly maxReceiveCount?: number;
  /** True if there is a dead-letter queue; otherwise a failing message is delivered again and again. Default: `true`. */
  readonly deadLetter?: boolean;
  /** Concurrent invocations. Default: 1. */
  readonly invocations?: number;
  /** Selects the order of a standard queue, and the messages that are delivered twice. Default: 1. */
  readonly seed?: number;
  /** Number of messages that a standard queue delivers again after they were deleted. Default: 0. */
  readonly duplicates?: number;
  /** True if the event source mapping has `ReportBatchItemFailures`; without it the answer is not read. Default: `true`. */
  readonly reportBatchItemFailures?: boolean;
}

/** Options of {@link createQueueEngine}. */
export interface QueueEngineOptions extends QueueSettings, EngineOptions<QueueRecordOptions> {
  /** The queue's ARN; an ARN that ends in `.fifo` makes it a FIFO queue. */
  readonly arn: string;
}

/** Validators and defaults for {@link QueueSettings}. */
export const QUEUE_SETTINGS = {
  batchSize: positive.default(10),
  maximumBatchingWindowMs: integer(0, 300_000).default(0),
  visibilityTimeoutMs: count.default(30_000),
  maxReceiveCount: positive.default(3),
  deadLetter: boolean.default(true),
  invocations: positive.default(1),
  seed: count.default(1),
  duplicates: count.default(0),
  reportBatchItemFailures: boolean.default(true),
};

/** Validators and defaults for {@link QueueEngineOptions}. */
export const QUEUE_ENGINE_OPTIONS = defineOptions<QueueEngineOptions>()({
  ...engineKinds<QueueRecordOptions>(),
  ...QUEUE_SETTINGS,
  arn: filled.required(),
});

type Settings = ReturnType<typeof QUEUE_ENGINE_OPTIONS.parse>;

/** A queue and its event source mapping. */
export interface QueueEngine extends Engine<QueueRecordOptions> {
  /**
   * Hides a received message for another time, as `ChangeMessageVisibility` does.
   *
   * @param receiptHandle of the newest reception, as the event contains it
   * @param ms milliseconds from now
   * @returns true if a message that is in flight or hidden has this handle
   */
  changeVisibility(receiptHandle: string, ms: number): boolean;
  /** Deletes a received message, as `DeleteMessage` does. @returns true if a message has this handle */
  remove(receiptHandle: string): boolean;
}

interface Message extends Entry<QueueRecordOptions>, Pooled {
  /** Its record at the time it was sent. */
  readonly built: QueueRecord;
  /** Receptions since it was put into the queue. */
  received: number;
  /** Handle of the newest reception; `''` while it can be received. */
  receipt: string;
  /** The time at which it is visible again, if the function changed it during the invocation. */
  hiddenUntil: number | undefined;
  /** True if the function deleted it during the invocation. */
  isDeleted: boolean;
}

/**
 * Makes a queue with its event source mapping: it delivers batches, reads the answers as AWS does, hides and redelivers failed
 * messages, and moves a message to the dead-letter queue after too many receptions.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option, a wrong type, or a batch of more than 10 for a FIFO queue
 * @example
 * const engine = createQueueEngine({ clock, arn, invoke: async ({ event }) => ({ answer: await app.handleLambda(event) }) });
 * engine.send([{ body: { id: 1 } }]);
 * await engine.settle();
 */
export function createQueueEngine(options: QueueEngineOptions): QueueEngine {
  const settings = QUEUE_ENGINE_OPTIONS.parse(options);
  const isFifo = settings.arn.endsWith('.fifo');
  if (isFifo && settings.batchSize > 10) throw invalidOption('batchSize', 'at most 10 for a FIFO queue');
  if (isFifo && settings.maximumBatchingWindowMs > 0)
    throw invalidOption('maximumBatchingWindowMs', '0 for a FIFO queue');
  return new Queue(settings, isFifo).engine;
}

class Queue {
  readonly engine: QueueEngine;
  readonly #settings: Settings;
  readonly #isFifo: boolean;
  readonly #pool: Pool<Message>;
  /** The pool of a standard queue, which can have a batching window. */
  readonly #standard: StandardPool<Message> | undefined;
  readonly #book: Book<QueueRecordOptions, Message>;
  readonly #random: () => number;
  #duplicates: number;
  /** The end of the batching window; `undefined` while no message waits in one. */
  #windowEnd: number | undefined;
  #stopWindow = () => {};
  #sent = 0;

  constructor(settings: Settings, isFifo: boolean) {
    this.#settings = settings;
    this.#isFifo = isFifo;
    this.#standard = isFifo ? undefined : new StandardPool(settings.seed);
    this.#pool = this.#standard ?? new FifoPool();
    this.#random = seededRandom(settings.seed);
    this.#duplicates = isFifo ? 0 : settings.duplicates;
    this.#book = new Book(settings, (messages) => this.#reappear(messages));
    this.engine = {
      ...this.#book.controls,
      hurry: (id) => {
        this.#endWindow();
        this.#book.controls.hurry(id);
      },
      stop: () => {
        this.#stopWindow();
        this.#book.controls.stop();
      },
      send: (messages) => this.#send(messages),
      changeVisibility: (receiptHandle, ms) => this.#changeVisibility(receiptHandle, ms),
      remove: (receiptHandle) => this.#remove(receiptHandle),
    };
  }

  #send(given: readonly QueueRecordOptions[]): readonly string[] {
    if (given.length === 0) return [];
    const records = given.map((record, index) => this.#withDefaults(record, this.#sent + index + 1));
    const messages = buildQueueEvent(this.#settings.arn, records).Records.map((built, index) =>
      this.#toMessage(built, records[index] as QueueRecordOptions, this.#sent + index + 1),
    );
    this.#sent += messages.length;
    for (const message of messages) this.#admit(message);
    this.#fill();
    return messages.map(({ id }) => id);
  }

  #withDefaults(given: QueueRecordOptions, order: number): QueueRecordOptions {
    const own = { MessageDeduplicationId: `dedup-${order}`, SequenceNumber: String(order).padStart(20, '0') };
    return {
      time: this.#settings.clock.now(),
      messageId: `msg-${order}`,
      ...given,
      ...(this.#isFifo && { attributes: { ...own, ...given.attributes } }),
    };
  }

  #toMessage(built: QueueRecord, record: QueueRecordOptions, order: number): Message {
    const lane = this.#isFifo ? `group:${record.groupId ?? ''}` : '';
    const { messageId: id } = built;
    const fresh = { received: 0, deliveries: 0, receipt: '', hiddenUntil: undefined, isDeleted: false };
    return { id, lane, record, built, order, ...fresh, state: 'waiting', until: undefined };
  }

  #admit(message: Message): void {
    this.#book.enqueue(message);
    this.#pool.add(message);
  }

  /** Starts as many invocations as `invocations` allows. */
  #fill(): void {
    while (this.#book.isOpen && this.#book.running < this.#settings.invocations) {
      if (this.#collects()) return;
      const batch = this.#pool.take(this.#settings.batchSize);
      if (batch.length === 0) return;
      this.#closeWindow();
      void this.#deliver(batch);
    }
  }

  /** True while fewer messages than a batch wait for the end of their window, which begins with the first of them. */
  #collects(): boolean {
    const { clock, batchSize, maximumBatchingWindowMs } = this.#settings;
    const size = this.#standard?.size ?? 0;
    if (maximumBatchingWindowMs === 0 || size === 0 || size >= batchSize) return false;
    if (this.#windowEnd === undefined) {
      this.#windowEnd = this.#book.now + maximumBatchingWindowMs;
      this.#stopWindow = clock.after(maximumBatchingWindowMs, () => this.#fill());
    }
    return this.#book.now < this.#windowEnd;
  }

  #closeWindow(): void {
    this.#stopWindow();
    this.#windowEnd = undefined;
  }

  /** Delivers the collected messages now. */
  #endWindow(): void {
    if (this.#windowEnd === undefined) return;
    this.#windowEnd = this.#book.now;
    this.#fill();
  }

  async #deliver(batch: readonly Message[]): Promise<void> {
    const visibleAt = this.#book.now + this.#settings.visibilityTimeoutMs;
    const event: QueueEvent = { Records: batch.map(receive) };
    const outcome = await this.#book.invoke(event, batch);
    const failed = this.#failedOf(batch, outcome);
    const visible: Message[] = [];
    for (const message of batch) {
      const until = message.hiddenUntil ?? visibleAt;
      if (!failed.has(message.id) || message.isDeleted) this.#delete(message);
      else if (until > this.#book.now) this.#book.delay(message, until);
      else visible.push(message);
    }
    this.#reappear(visible);
    this.#book.checkSettled();
  }

  #changeVisibility(receiptHandle: string, ms: number): boolean {
    const message = this.#received(receiptHandle);
    if (!message) return false;
    const until = this.#book.now + ms;
    if (message.state === 'in-flight') {
      message.hiddenUntil = until;
      return true;
    }
    this.#book.wake(message);
    if (ms > 0) this.#book.delay(message, until);
    else this.#reappear([message]);
    return true;
  }

  #remove(receiptHandle: string): boolean {
    const message = this.#received(receiptHandle);
    if (!message) return false;
    if (message.state === 'in-flight') {
      message.isDeleted = true;
      return true;
    }
    this.#book.wake(message);
    this.#delete(message);
    this.#fill();
    this.#book.checkSettled();
    return true;
  }

  #received(receiptHandle: string): Message | undefined {
    if (receiptHandle === '') return undefined;
    return this.#book.find(({ receipt }) => receipt === receiptHandle);
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

  /** Makes messages available again; messages with too many receptions go to the dead-letter queue instead. */
  #reappear(messages: readonly Message[]): void {
    const { deadLetter, maxReceiveCount } = this.#settings;
    for (const message of messages) {
      if (deadLetter && message.received >= maxReceiveCount) {
        this.#pool.drop(message);
        this.#book.end(message, 'dead-letter');
      } else {
        message.receipt = '';
        this.#book.enqueue(message);
        this.#pool.giveBack(message);
      }
    }
    this.#fill();
  }
}

/** Builds the record of a reception, with a higher count and a new handle. */
function receive(message: Message): QueueRecord {
  message.received += 1;
  message.receipt = `receipt-${message.order}-${message.received}`;
  message.hiddenUntil = undefined;
  const { built, received } = message;
  const attributes = { ...built.attributes, ApproximateReceiveCount: String(received) };
  return { ...built, receiptHandle: message.receipt, attributes };
}
