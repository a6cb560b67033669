import {
  createShardEngine,
  type EngineChange,
  type ShardRecordOptions,
  type ShardSettings,
} from '@sallyport/testkit/engines';
import type { KinesisRecordOptions, TableStreamRecordOptions } from '@sallyport/testkit/events';
import { EngineSource, type FailureMessage, type SourceNames } from './engine-source.js';
import { batchFailure } from './failures.js';
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

  /** The member of a failure record that describes the batch. */
  protected abstract readonly batchMember: 'KinesisBatchInfo' | 'DDBStreamBatchInfo';

  /** The shard of a record; `undefined` if no shard has it: then a failure record could not be used. */
  protected abstract shardOf(id: string, sequenceNumber: string): string | undefined;

  /** One message for the records of a batch: neighbours of one shard that were given up for one reason. */
  protected failuresOf(changes: readonly EngineChange<ShardRecordOptions>[]): readonly FailureMessage[] {
    const batches: EngineChange<ShardRecordOptions>[][] = [];
    for (const change of changes) {
      const last = batches.at(-1)?.[0];
      if (last && last.lane === change.lane && last.state === change.state) batches.at(-1)?.push(change);
      else batches.push([change]);
    }
    return batches.flatMap((batch) => this.#failureOf(batch) ?? []);
  }

  #failureOf(batch: readonly EngineChange<ShardRecordOptions>[]): FailureMessage | undefined {
    const [first, last] = [batch[0], batch.at(-1)];
    if (!first || !last) return undefined;
    const [startSequenceNumber, endSequenceNumber] = [numberOf(first.record), numberOf(last.record)];
    const shardId = this.shardOf(first.id, startSequenceNumber);
    if (shardId === undefined) return undefined;
    const { functionArn, clock, lastInvocationOf } = this.context;
    const arrivalOf = ({ time }: ShardRecordOptions) => new Date(time ?? clock.now()).toISOString();
    const info = {
      shardId,
      startSequenceNumber,
      endSequenceNumber,
      approximateArrivalOfFirstRecord: arrivalOf(first.record),
      approximateArrivalOfLastRecord: arrivalOf(last.record),
      batchSize: batch.length,
      streamArn: this.arn,
    };
    const known = { functionArn, at: clock.now(), last: lastInvocationOf(first.id) };
    return { ids: batch.map(({ id }) => id), body: batchFailure(this.batchMember, first, info, known) };
  }

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

function numberOf(record: ShardRecordOptions): string {
  const { sequenceNumber, kinesis, dynamodb } = record as KinesisRecordOptions & TableStreamRecordOptions;
  return sequenceNumber ?? kinesis?.sequenceNumber ?? dynamodb?.SequenceNumber ?? '';
}

type AnyRecord = {
  readonly [K in 'json' | 'data' | 'kinesis' | 'dynamodb' | 'newImage' | 'keys']?: unknown;
};
