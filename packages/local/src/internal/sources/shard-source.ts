import { createShardEngine, type ShardRecordOptions, type ShardSettings } from '@sallyport/testkit/engines';
import { EngineSource, type SourceNames } from './engine-source.js';
import type { FilterSettings, RecordFilter } from './record-filter.js';
import type { SourceContext } from './sources-context.js';

/** Settings of the mapping of a stream. */
export interface StreamConfig extends ShardSettings, FilterSettings {}

/** A data stream, or the stream of a table. The function is its consumer if it has a handler. */
export abstract class ShardSource extends EngineSource<ShardRecordOptions> {
  readonly isAsynchronous = false;
  protected readonly settings: StreamConfig;
  /** True if the mapping delivers a record to the function. */
  readonly #takes: RecordFilter<ShardRecordOptions>;

  constructor(
    type: SourceNames,
    name: string,
    context: SourceContext,
    settings: StreamConfig,
    takes: RecordFilter<ShardRecordOptions>,
  ) {
    super(type, name, context);
    this.settings = settings;
    this.#takes = takes;
  }

  /** The id of a record that is not delivered by an engine. */
  protected abstract idOf(record: ShardRecordOptions): string;

  serve(): void {
    this.start();
  }

  /** Starts to deliver records to the function. @param arn the ARN of a table's stream, as its engine names it */
  protected start(arn = this.arn): void {
    if (this.engine && arn === this.arn) return;
    // A new stream of the same table: the old stream receives no more records.
    this.engine?.stop();
    this.arn = arn;
    const { filters: _, ...settings } = this.settings;
    this.engine = createShardEngine({
      ...settings,
      arn,
      clock: this.context.clock,
      invoke: (delivery) =>
        this.context.deliver(this, delivery, {
          reportsFailures: this.settings.reportBatchItemFailures,
          settings: this.settings,
        }),
      onChange: (change) => this.onChange(change),
    });
  }

  /** Sends records to the engine, if it runs; the iterator of the mapping skips records that its filters do not match. @returns ids */
  protected deliver(records: readonly ShardRecordOptions[]): readonly string[] {
    const { engine } = this;
    if (!engine) return records.map((record) => this.idOf(record));
    const isTaken = records.map((record) => this.#takes(record));
    const taken = engine.send(records.filter((_, index) => isTaken[index]));
    let next = 0;
    return records.map((record, index) => {
      if (isTaken[index]) {
        next += 1;
        return taken[next - 1] ?? '';
      }
      const id = record.eventID ?? this.idOf(record);
      this.discard(id, this.contentOf(record));
      return id;
    });
  }

  protected contentOf(record: ShardRecordOptions): unknown {
    const { json, data, kinesis, dynamodb, newImage, keys } = record as AnyRecord;
    if (data instanceof Uint8Array) return Buffer.from(data).toString();
    const packed = (kinesis as { readonly data?: string } | undefined)?.data;
    if (packed !== undefined) return Buffer.from(packed, 'base64').toString();
    const change = dynamodb as { readonly NewImage?: unknown; readonly Keys?: unknown } | undefined;
    return json ?? data ?? change?.NewImage ?? change?.Keys ?? newImage ?? keys ?? {};
  }

  protected shownSettings() {
    return { batchSize: 100, maximumRetryAttempts: 3, bisect: false, ...this.settings };
  }
}

type AnyRecord = {
  readonly [K in 'json' | 'data' | 'kinesis' | 'dynamodb' | 'newImage' | 'keys']?: unknown;
};
