import { boolean, defineOptions, oneOf } from '@sallyport/core/options';
import { buildKinesisEvent, type KinesisRecordOptions } from '../builders/kinesis.js';
import { buildTableStreamEvent, type TableStreamRecordOptions } from '../builders/table-stream.js';
import { count, positive } from '../internal/kinds.js';
import { type BuildApp, Ledger, readAnswer, type Tracked } from './internal/ledger.js';
import type { SimulationResult } from './result.js';
import type { StreamSource } from './source.js';

/** Options of {@link simulate} for a stream: those of its event source mapping and of the function. */
export interface StreamSimulation {
  /** Most records of one invocation. Default: 100. */
  readonly batchSize?: number;
  /** Shards; records are spread by their keys. Default: 1. */
  readonly shards?: number;
  /** Retries after the first delivery of a batch. Default: 3. */
  readonly maximumRetryAttempts?: number;
  /** Milliseconds after which a record is given up. Default: none, so that records do not grow too old. */
  readonly maxRecordAgeMs?: number;
  /** Whether a batch that failed as a whole is split in two. Default: `false`. */
  readonly bisect?: boolean;
  /** Whether there is a failure destination; without one a record that is given up is lost. Default: `true`. */
  readonly onFailure?: boolean;
  /**
   * How an unknown identifier is treated: the batch fails, it is ignored, or `both`, one run each. AWS does not document
   * its behaviour. Default: `both`.
   */
  readonly unknownIdentifiers?: 'batch-fails' | 'ignored' | 'both';
  /** Whether the event source mapping has `ReportBatchItemFailures`; without it the answer is not read. Default: `true`. */
  readonly reportBatchItemFailures?: boolean;
  /** The function's timeout in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** What {@link StreamSimulation} may be. */
export const STREAM_SIMULATION = defineOptions<StreamSimulation>()({
  batchSize: positive.default(100),
  shards: positive.default(1),
  maximumRetryAttempts: count.default(3),
  maxRecordAgeMs: positive.default(Number.POSITIVE_INFINITY),
  bisect: boolean.default(false),
  onFailure: boolean.default(true),
  unknownIdentifiers: oneOf('batch-fails', 'ignored', 'both').default('both'),
  reportBatchItemFailures: boolean.default(true),
  timeoutMs: positive.default(30_000),
});

type Settings = ReturnType<typeof STREAM_SIMULATION.parse>;

/** Between a failure and the next delivery of the same batch. */
const RETRY_DELAY_MS = 1000;

interface Entry extends Tracked {
  readonly options: KinesisRecordOptions | TableStreamRecordOptions;
  readonly sequenceNumber: string;
}

/** A part of a shard that is delivered as one, and how often it has failed. */
interface Batch {
  readonly entries: readonly Entry[];
  readonly retries: number;
}

export async function simulateStream(
  buildApp: BuildApp,
  source: StreamSource,
  options: StreamSimulation | undefined,
): Promise<SimulationResult> {
  const settings = STREAM_SIMULATION.parse(options);
  const run = (ignoresUnknown: boolean) => runStream(buildApp, source, settings, ignoresUnknown);
  if (settings.unknownIdentifiers !== 'both') return run(settings.unknownIdentifiers === 'ignored');
  const failing = await run(false);
  return { ...failing, ignoring: await run(true) };
}

async function runStream(
  buildApp: BuildApp,
  source: StreamSource,
  settings: Settings,
  ignoresUnknown: boolean,
): Promise<SimulationResult> {
  const entries = source.records.map((record, index) => toEntry(source, record, index + 1, settings.shards));
  const ledger = await Ledger.open(buildApp, entries, settings.timeoutMs);
  for (const lane of new Set(entries.map((entry) => entry.lane))) {
    const shard = entries.filter((entry) => entry.lane === lane).sort(bySequenceNumber);
    await new ShardRun(source, settings, ledger, ignoresUnknown).toEnd(shard);
  }
  return ledger.close();
}

function toEntry(
  source: StreamSource,
  record: KinesisRecordOptions & TableStreamRecordOptions,
  n: number,
  shards: number,
): Entry {
  const sequenceNumber = record.sequenceNumber ?? record.kinesis?.sequenceNumber ?? String(n);
  const shard = hash(keyOf(source, record, n)) % shards;
  const id =
    record.eventID ??
    (source.kind === 'stream' ? `shardId-${String(shard).padStart(12, '0')}:${sequenceNumber}` : `evt-${n}`);
  const options = { ...record, eventID: id, ...(record.kinesis ? {} : { sequenceNumber }) };
  return { id, lane: `shard:${shard}`, options, sequenceNumber, deliveries: 0, completions: 0, end: undefined };
}

function keyOf(source: StreamSource, record: KinesisRecordOptions & TableStreamRecordOptions, n: number): string {
  if (source.kind === 'stream') return record.partitionKey ?? record.kinesis?.partitionKey ?? `pk-${n}`;
  return JSON.stringify(record.keys ?? { id: String(n) });
}

function hash(text: string): number {
  let value = 0;
  for (const character of text) value = (value * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return value;
}

/** As numbers: 9 stands before 10. */
function bySequenceNumber(a: Entry, b: Entry): number {
  const difference = BigInt(a.sequenceNumber) - BigInt(b.sequenceNumber);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

class ShardRun {
  readonly #source: StreamSource;
  readonly #settings: Settings;
  readonly #ledger: Ledger;
  readonly #ignoresUnknown: boolean;

  constructor(source: StreamSource, settings: Settings, ledger: Ledger, ignoresUnknown: boolean) {
    this.#source = source;
    this.#settings = settings;
    this.#ledger = ledger;
    this.#ignoresUnknown = ignoresUnknown;
  }

  /** Works through a shard, strictly in its order. */
  async toEnd(shard: readonly Entry[]): Promise<void> {
    const { batchSize } = this.#settings;
    for (let start = 0; start < shard.length; start += batchSize) {
      let batches: Batch[] = [{ entries: shard.slice(start, start + batchSize), retries: 0 }];
      for (let [batch, ...rest] = batches; batch; [batch, ...rest] = batches) {
        if (this.#ledger.isSpent) return;
        batches = [...(await this.#deliver(batch)), ...rest];
      }
    }
  }

  /** Delivers a batch once; the result is what is left of it. */
  async #deliver(batch: Batch): Promise<Batch[]> {
    const entries = this.#dropExpired(batch.entries);
    if (entries.length === 0) return [];
    const settled = await this.#ledger.invoke(entries, this.#eventOf(entries));
    const known = new Set(entries.map(({ sequenceNumber }) => sequenceNumber));
    const { reportBatchItemFailures } = this.#settings;
    const verdict = readAnswer(settled, known, { reportBatchItemFailures, ignoresUnknown: this.#ignoresUnknown });
    this.#noteUnknown(entries, verdict.unknown);
    if (verdict.failed === 'all') {
      if (verdict.why === 'missing-identifier') this.#noteMissing(entries);
      return this.#retry(entries, batch.retries, this.#settings.bisect);
    }
    const failed = new Set(verdict.failed);
    const checkpoint = entries.findIndex(({ sequenceNumber }) => failed.has(sequenceNumber));
    const passed = checkpoint < 0 ? entries : entries.slice(0, checkpoint);
    for (const entry of passed) this.#ledger.remove(entry);
    if (checkpoint < 0) return [];
    // A checkpoint that has moved is progress: the count starts anew.
    return checkpoint > 0 ? this.#again(entries.slice(checkpoint), 0) : this.#retry(entries, batch.retries, false);
  }

  #dropExpired(entries: readonly Entry[]): readonly Entry[] {
    if (this.#ledger.clock.monotonicMs() <= this.#settings.maxRecordAgeMs) return entries;
    for (const entry of entries) this.#ledger.remove(entry, 'expired');
    return [];
  }

  async #retry(entries: readonly Entry[], retries: number, bisect: boolean): Promise<Batch[]> {
    if (bisect && entries.length > 1) {
      const middle = Math.ceil(entries.length / 2);
      // Splitting costs no retry.
      return [entries.slice(0, middle), entries.slice(middle)].map((half) => ({ entries: half, retries }));
    }
    if (retries < this.#settings.maximumRetryAttempts) return this.#again(entries, retries + 1);
    for (const entry of entries) this.#ledger.remove(entry, this.#settings.onFailure ? 'dead-letter' : undefined);
    return [];
  }

  async #again(entries: readonly Entry[], retries: number): Promise<Batch[]> {
    await this.#ledger.clock.advance(RETRY_DELAY_MS);
    return [{ entries, retries }];
  }

  #eventOf(entries: readonly Entry[]): unknown {
    const { kind, arn } = this.#source;
    if (kind === 'stream')
      return buildKinesisEvent(
        arn,
        entries.map(({ options }) => options as KinesisRecordOptions),
      );
    return buildTableStreamEvent(
      arn,
      entries.map(({ options }) => options as TableStreamRecordOptions),
    );
  }

  #noteUnknown(entries: readonly Entry[], unknown: readonly string[]): void {
    for (const identifier of unknown) {
      const record = entries.find(({ id }) => id === identifier) ?? entries[0];
      const text = `${JSON.stringify(identifier)} is no sequence number of the batch, and AWS knows no other identifier: set the option streamFailureIdentifier to 'sequenceNumber'`;
      this.#ledger.violate('unknown-identifier', record?.id ?? '', text);
    }
  }

  #noteMissing(entries: readonly Entry[]): void {
    const text = 'a failure without an identifier brings back the whole batch';
    this.#ledger.violate('missing-identifier', entries[0]?.id ?? '', text);
  }
}
