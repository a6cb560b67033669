import { boolean, defineOptions, invalidOption } from '@sallyport/core/options';
import { buildQueueEvent, type QueueRecordOptions } from '../builders/queue.js';
import { count, positive } from '../internal/kinds.js';
import { seededRandom, shuffled } from '../internal/random.js';
import type { Settled } from '../internal/tracked-clock.js';
import { type BuildApp, Ledger, readAnswer, type Tracked } from './internal/ledger.js';
import type { SimulationResult } from './result.js';
import type { QueueSource } from './source.js';

/** Options of {@link simulate} for a queue: those of the queue, of its event source mapping and of the function. */
export interface QueueSimulation {
  /** Most messages of one invocation; at most 10 of a FIFO queue. Default: 10. */
  readonly batchSize?: number;
  /** Milliseconds from a reception until a message that was not deleted can be received again. Default: 30,000. */
  readonly visibilityTimeoutMs?: number;
  /** Receptions after which a message goes to the dead-letter queue. Default: 3. */
  readonly maxReceiveCount?: number;
  /**
   * Whether there is a dead-letter queue; without one a failing message is delivered again until the simulation ends.
   * Default: `true`.
   */
  readonly deadLetter?: boolean;
  /** Invocations at once. Default: 1. */
  readonly invocations?: number;
  /** Decides the order of a standard queue, and which messages are delivered twice. Default: 1. */
  readonly seed?: number;
  /** Number of messages that a standard queue delivers again after they were deleted. Default: 0. */
  readonly duplicates?: number;
  /** Whether the event source mapping has `ReportBatchItemFailures`; without it the answer is not read. Default: `true`. */
  readonly reportBatchItemFailures?: boolean;
  /** The function's timeout in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** What {@link QueueSimulation} may be. */
export const QUEUE_SIMULATION = defineOptions<QueueSimulation>()({
  batchSize: positive.default(10),
  visibilityTimeoutMs: count.default(30_000),
  maxReceiveCount: positive.default(3),
  deadLetter: boolean.default(true),
  invocations: positive.default(1),
  seed: count.default(1),
  duplicates: count.default(0),
  reportBatchItemFailures: boolean.default(true),
  timeoutMs: positive.default(30_000),
});

type Settings = ReturnType<typeof QUEUE_SIMULATION.parse>;

interface Message extends Tracked {
  readonly options: QueueRecordOptions;
  /** When it can be received; `Infinity` while it is in flight. */
  visibleAt: number;
  /** Receptions since it was put into the queue. */
  received: number;
}

export async function simulateQueue(
  buildApp: BuildApp,
  source: QueueSource,
  options: QueueSimulation | undefined,
): Promise<SimulationResult> {
  const settings = QUEUE_SIMULATION.parse(options);
  if (source.fifo && settings.batchSize > 10) throw invalidOption('batchSize', 'at most 10 for a FIFO queue');
  const messages = source.messages.map((message, index) => toMessage(message, index + 1, source.fifo));
  const ledger = await Ledger.open(buildApp, messages, settings.timeoutMs);
  const run = new QueueRun(source, settings, messages, ledger);
  await run.toEnd();
  return ledger.close();
}

function toMessage(options: QueueRecordOptions, n: number, fifo: boolean): Message {
  const id = options.messageId ?? `msg-${n}`;
  const lane = fifo ? `group:${options.groupId ?? ''}` : '';
  return {
    id,
    lane,
    options: { ...options, messageId: id },
    visibleAt: 0,
    received: 0,
    deliveries: 0,
    completions: 0,
    end: undefined,
  };
}

class QueueRun {
  readonly #source: QueueSource;
  readonly #settings: Settings;
  readonly #messages: readonly Message[];
  readonly #ledger: Ledger;
  readonly #random: () => number;
  #duplicates: number;

  constructor(source: QueueSource, settings: Settings, messages: readonly Message[], ledger: Ledger) {
    this.#source = source;
    this.#settings = settings;
    this.#messages = messages;
    this.#ledger = ledger;
    this.#random = seededRandom(settings.seed);
    this.#duplicates = source.fifo ? 0 : settings.duplicates;
  }

  async toEnd(): Promise<void> {
    while (!this.#ledger.isSpent) {
      this.#redrive();
      const batches = this.#receive();
      if (batches.length > 0) await Promise.all(batches.map((batch) => this.#deliver(batch)));
      else if (!(await this.#waitForNext())) return;
    }
  }

  get #now(): number {
    return this.#ledger.clock.monotonicMs();
  }

  /** What was received too often goes to the dead-letter queue when it would be received again. */
  #redrive(): void {
    if (!this.#settings.deadLetter) return;
    for (const message of this.#waiting()) {
      if (message.visibleAt <= this.#now && message.received >= this.#settings.maxReceiveCount) {
        if (message.end === undefined) this.#ledger.remove(message, 'dead-letter');
        message.visibleAt = GONE;
      }
    }
  }

  /** What the queue still holds, also what was deleted once and comes again. */
  #waiting(): Message[] {
    return this.#messages.filter(({ visibleAt }) => visibleAt !== GONE);
  }

  #receive(): Message[][] {
    const batches: Message[][] = [];
    for (let n = 0; n < this.#settings.invocations; n += 1) {
      const batch = this.#source.fifo ? this.#nextOfGroups() : this.#nextOfQueue();
      if (batch.length === 0) break;
      for (const message of batch) message.visibleAt = Number.POSITIVE_INFINITY;
      batches.push(batch);
    }
    return batches;
  }

  #nextOfQueue(): Message[] {
    const visible = this.#waiting().filter(({ visibleAt }) => visibleAt <= this.#now);
    return shuffled(visible, this.#random).slice(0, this.#settings.batchSize);
  }

  /** In order; a group with a message in flight or hidden gives nothing. */
  #nextOfGroups(): Message[] {
    const waiting = this.#waiting();
    const blocked = new Set(waiting.filter(({ visibleAt }) => visibleAt > this.#now).map(({ lane }) => lane));
    return waiting.filter(({ lane }) => !blocked.has(lane)).slice(0, this.#settings.batchSize);
  }

  async #deliver(batch: readonly Message[]): Promise<void> {
    const startedAt = this.#now;
    const records = batch.map((message) => ({ ...message.options, receiveCount: message.received + 1 }));
    for (const message of batch) message.received += 1;
    const settled = await this.#ledger.invoke(batch, buildQueueEvent(this.#source.arn, records));
    const failed = this.#failedOf(batch, settled);
    for (const message of batch) {
      if (failed.has(message.id))
        message.visibleAt = Math.max(this.#now, startedAt + this.#settings.visibilityTimeoutMs);
      else this.#delete(message);
    }
  }

  #failedOf(batch: readonly Message[], settled: Settled): ReadonlySet<string> {
    const ids = new Set(batch.map(({ id }) => id));
    const { reportBatchItemFailures } = this.#settings;
    const verdict = readAnswer(settled, ids, { reportBatchItemFailures, ignoresUnknown: false });
    if (verdict.failed !== 'all') return new Set(verdict.failed);
    const [first] = batch;
    if (verdict.why !== 'error' && first)
      this.#ledger.violate(verdict.why, first.id, textOf(verdict.why, verdict.unknown));
    return ids;
  }

  #delete(message: Message): void {
    if (message.end === undefined) this.#ledger.remove(message);
    const again = this.#duplicates > 0 && this.#random() < 0.5;
    message.visibleAt = again ? this.#now : GONE;
    if (again) this.#duplicates -= 1;
  }

  /** Moves the clock to where a message can be received again; `false` when none is left. */
  async #waitForNext(): Promise<boolean> {
    const hidden = this.#waiting().filter(({ visibleAt }) => visibleAt > this.#now);
    const next = Math.min(...hidden.map(({ visibleAt }) => visibleAt));
    if (!Number.isFinite(next)) return false;
    await this.#ledger.clock.advance(next - this.#now);
    return true;
  }
}

/** Of a message that has left the queue. */
const GONE = -1;

function textOf(why: 'missing-identifier' | 'unknown-identifier', unknown: readonly string[]): string {
  return why === 'missing-identifier'
    ? 'a failure without an identifier brings back the whole batch'
    : `${unknown.map((id) => JSON.stringify(id)).join(', ')} names no message of the batch, which brings back all of it`;
}
