import { boolean, defineOptions, kind, oneOf } from '@sallyport/core/options';
import { buildKinesisEvent, type KinesisRecordOptions } from '../builders/kinesis.js';
import { buildTableStreamEvent, type TableStreamRecordOptions } from '../builders/table-stream.js';
import { count, filled, positive } from '../internal/kinds.js';
import { type Engine, type EngineOptions, engineKinds } from './engine.js';
import { readAnswer, type Verdict } from './internal/answer.js';
import { Book } from './internal/book.js';
import { type ShardRecordOptions, type StreamEntry, toStreamEntry } from './internal/stream-entry.js';

/** Settings of a stream and its event source mapping. */
export interface ShardSettings {
  /** Most records of one invocation. Default: 100. */
  readonly batchSize?: number;
  /** Shards; records are spread by their keys. Default: 1. */
  readonly shards?: number;
  /** Retries after the first delivery of a batch. Default: 3. */
  readonly maximumRetryAttempts?: number;
  /** Milliseconds after which a record is given up. Default: none, so that records do not grow too old. */
  readonly maxRecordAgeMs?: number;
  /** True if a batch that failed as a whole is split in two. Default: `false`. */
  readonly bisect?: boolean;
  /** True if there is a failure destination; otherwise a record that is given up is lost. Default: `true`. */
  readonly onFailure?: boolean;
  /** True if the event source mapping has `ReportBatchItemFailures`; without it the answer is not read. Default: `true`. */
  readonly reportBatchItemFailures?: boolean;
}

/** Options of {@link createShardEngine}. */
export interface ShardEngineOptions extends ShardSettings, EngineOptions<ShardRecordOptions> {
  /** The stream's ARN: of a data stream (`arn:aws:kinesis:…`) or of a table's stream (`arn:aws:dynamodb:…`). */
  readonly arn: string;
  /** Treatment of an identifier that matches no record; AWS does not document its behaviour. Default: `batch-fails`. */
  readonly unknownIdentifiers?: 'batch-fails' | 'ignored';
}

const milliseconds = kind<number>(
  'a number of milliseconds, at least 1',
  (value) => typeof value === 'number' && value >= 1,
);

/** Validators and defaults for {@link ShardSettings}. */
export const SHARD_SETTINGS = {
  batchSize: positive.default(100),
  shards: positive.default(1),
  maximumRetryAttempts: count.default(3),
  maxRecordAgeMs: milliseconds.default(Number.POSITIVE_INFINITY),
  bisect: boolean.default(false),
  onFailure: boolean.default(true),
  reportBatchItemFailures: boolean.default(true),
};

/** Validators and defaults for {@link ShardEngineOptions}. */
export const SHARD_ENGINE_OPTIONS = defineOptions<ShardEngineOptions>()({
  ...engineKinds<ShardRecordOptions>(),
  ...SHARD_SETTINGS,
  arn: filled.required(),
  unknownIdentifiers: oneOf('batch-fails', 'ignored').default('batch-fails'),
});

type Settings = ReturnType<typeof SHARD_ENGINE_OPTIONS.parse>;

/** Delay between a failure and the next delivery of the same batch. */
const RETRY_DELAY_MS = 1000;

/** Records of a shard that are delivered together, and the number of their failed deliveries. */
interface Batch {
  readonly entries: readonly StreamEntry[];
  readonly retries: number;
}

/** A shard. It delivers one batch at a time, in order. */
interface Shard {
  /** Records that were not delivered yet, in order. */
  waiting: StreamEntry[];
  /** Remaining parts of the batch that is being delivered; the current part is first. */
  parts: Batch[];
  isBusy: boolean;
}

/**
 * Makes a stream with its event source mapping: each shard delivers its records in order, reads the answers as AWS does,
 * retries from the checkpoint, and gives up records that exceed the retries or the maximum age.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example
 * const engine = createShardEngine({ clock, arn, invoke: async ({ event }) => ({ answer: await app.handleLambda(event) }) });
 * engine.send([{ json: { id: 1 }, partitionKey: 'a' }]);
 * await engine.settle();
 */
export function createShardEngine(options: ShardEngineOptions): Engine<ShardRecordOptions> {
  return new ShardEngine(SHARD_ENGINE_OPTIONS.parse(options)).engine;
}

class ShardEngine {
  readonly engine: Engine<ShardRecordOptions>;
  readonly #settings: Settings;
  readonly #isData: boolean;
  readonly #shards = new Map<string, Shard>();
  readonly #book: Book<ShardRecordOptions, StreamEntry>;
  #sent = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#isData = settings.arn.split(':')[2] === 'kinesis';
    this.#book = new Book(settings, (entries) => this.#resume(entries));
    this.engine = { ...this.#book.controls, send: (records) => this.#send(records) };
  }

  #send(records: readonly ShardRecordOptions[]): readonly string[] {
    if (records.length > 0) this.#eventOf(records);
    const { clock, shards } = this.#settings;
    const entries = records.map((record) => {
      this.#sent += 1;
      return toStreamEntry(record, { n: this.#sent, shards, isData: this.#isData, clock });
    });
    const touched = new Set<Shard>();
    for (const entry of entries) {
      const shard = this.#shardOf(entry.lane);
      shard.waiting.push(entry);
      touched.add(shard);
      this.#book.enqueue(entry);
    }
    for (const shard of touched) {
      shard.waiting.sort((a, b) => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0));
      this.#next(shard);
    }
    return entries.map(({ id }) => id);
  }

  #shardOf(lane: string): Shard {
    let shard = this.#shards.get(lane);
    if (!shard) {
      shard = { waiting: [], parts: [], isBusy: false };
      this.#shards.set(lane, shard);
    }
    return shard;
  }

  /** Delivers the next batch of a shard that is free. */
  #next(shard: Shard): void {
    if (shard.isBusy || !this.#book.isOpen) return;
    if (shard.parts.length === 0 && shard.waiting.length > 0) {
      shard.parts = [{ entries: shard.waiting.splice(0, this.#settings.batchSize), retries: 0 }];
    }
    const batch = shard.parts.shift();
    if (batch) void this.#deliver(shard, batch);
  }

  async #deliver(shard: Shard, { entries: given, retries }: Batch): Promise<void> {
    const entries = this.#dropExpired(given);
    if (entries.length > 0) {
      shard.isBusy = true;
      shard.isBusy = this.#settleBatch(shard, { entries, retries }, await this.#verdictOf(entries));
    }
    this.#next(shard);
    this.#book.checkSettled();
  }

  async #verdictOf(entries: readonly StreamEntry[]): Promise<Verdict> {
    const outcome = await this.#book.invoke(this.#eventOf(entries.map(({ record }) => record)), entries);
    const known = new Set(entries.map(({ sequenceNumber }) => sequenceNumber));
    const { reportBatchItemFailures, unknownIdentifiers } = this.#settings;
    const ignoresUnknown = unknownIdentifiers === 'ignored';
    const verdict = readAnswer(outcome, known, { reportBatchItemFailures, ignoresUnknown });
    if (verdict.unknown.length > 0) this.#book.noteUnclear(entries, 'unknown-identifier', verdict.unknown);
    else if (verdict.failed === 'all' && verdict.why === 'missing-identifier') {
      this.#book.noteUnclear(entries, 'missing-identifier', []);
    }
    return verdict;
  }

  /** Applies the verdict. @returns whether the remaining records wait for a retry */
  #settleBatch(shard: Shard, { entries, retries }: Batch, verdict: Verdict): boolean {
    if (verdict.failed === 'all') return this.#retry(shard, { entries, retries }, this.#settings.bisect);
    const failed = new Set(verdict.failed);
    const checkpoint = entries.findIndex(({ sequenceNumber }) => failed.has(sequenceNumber));
    const passed = checkpoint < 0 ? entries : entries.slice(0, checkpoint);
    for (const entry of passed) this.#book.end(entry, 'done');
    if (checkpoint < 0) return false;
    // A checkpoint that has moved is progress: the count restarts.
    if (checkpoint > 0) return this.#again(shard, { entries: entries.slice(checkpoint), retries: 0 });
    return this.#retry(shard, { entries, retries }, false);
  }

  #retry(shard: Shard, { entries, retries }: Batch, bisect: boolean): boolean {
    if (bisect && entries.length > 1) {
      const middle = Math.ceil(entries.length / 2);
      // Splitting does not count as a retry.
      const halves = [entries.slice(0, middle), entries.slice(middle)].map((half) => ({ entries: half, retries }));
      for (const entry of entries) this.#book.enqueue(entry);
      shard.parts.unshift(...halves);
      return false;
    }
    if (retries < this.#settings.maximumRetryAttempts) return this.#again(shard, { entries, retries: retries + 1 });
    for (const entry of entries) this.#book.end(entry, this.#settings.onFailure ? 'dead-letter' : 'discarded');
    return false;
  }

  #again(shard: Shard, batch: Batch): true {
    shard.parts.unshift(batch);
    for (const entry of batch.entries) this.#book.delay(entry, this.#book.now + RETRY_DELAY_MS);
    return true;
  }

  /** Ends the wait of a batch, whose records all wait until the same time. */
  #resume(entries: readonly StreamEntry[]): void {
    for (const lane of new Set(entries.map((entry) => entry.lane))) {
      const shard = this.#shardOf(lane);
      shard.isBusy = false;
      this.#next(shard);
    }
  }

  #dropExpired(entries: readonly StreamEntry[]): readonly StreamEntry[] {
    const oldest = this.#book.now - this.#settings.maxRecordAgeMs;
    const kept = entries.filter(({ arrivedAt }) => arrivedAt >= oldest);
    for (const entry of entries) if (entry.arrivedAt < oldest) this.#book.end(entry, 'expired');
    return kept;
  }

  #eventOf(records: readonly ShardRecordOptions[]): unknown {
    const { arn } = this.#settings;
    return this.#isData
      ? buildKinesisEvent(arn, records as readonly KinesisRecordOptions[])
      : buildTableStreamEvent(arn, records as readonly TableStreamRecordOptions[]);
  }
}
