import {
  createShardEngine,
  type EngineChange,
  type ShardRecordOptions,
  type ShardSettings,
} from '@sallyport/testkit/engines';
import type { KinesisRecordOptions, TableStreamRecordOptions } from '@sallyport/testkit/events';
import { EngineSource, type FailureMessage, type SourceNames } from './engine-source.js';
import { batchFailure } from './failures.js';
import type { Delivering, Receiver } from './receiver.js';
import type { FilterSettings, RecordFilter } from './record-filter.js';
import { newId, type SourceContext } from './sources-context.js';

/** Settings of the mapping of a stream. */
export interface StreamConfig extends ShardSettings, FilterSettings {}

/** A data stream, or the stream of a table. The function is its consumer if it has a handler. */
export abstract class ShardSource extends EngineSource<ShardRecordOptions> {
  readonly isAsynchronous = false;
  protected readonly settings: StreamConfig;

  constructor(
    type: SourceNames,
    name: string,
    context: SourceContext,
    settings: StreamConfig,
    filterOf: (name: string, filters: unknown) => RecordFilter<ShardRecordOptions>,
  ) {
    super(type, name, context, ({ settings: own }) => filterOf(name, (own as StreamConfig).filters));
    this.settings = settings;
  }

  /** The id of a record that is not delivered by an engine. */
  protected abstract idOf(record: ShardRecordOptions): string;

  /** The member of a failure record that describes the batch. */
  protected abstract readonly batchMember: 'KinesisBatchInfo' | 'DDBStreamBatchInfo';

  /** The shard of a record; `undefined` if no shard has it: then a failure record could not be used. */
  protected abstract shardOf(id: string, sequenceNumber: string): string | undefined;

  /** One message for the records of a batch: neighbours of one shard that were given up for one reason. */
  protected failuresOf(
    changes: readonly EngineChange<ShardRecordOptions>[],
    receiver: Receiver,
  ): readonly FailureMessage[] {
    const batches: EngineChange<ShardRecordOptions>[][] = [];
    for (const change of changes) {
      const last = batches.at(-1)?.[0];
      if (last && last.lane === change.lane && last.state === change.state) batches.at(-1)?.push(change);
      else batches.push([change]);
    }
    return batches.flatMap((batch) => this.#failureOf(batch, receiver) ?? []);
  }

  #failureOf(
    batch: readonly EngineChange<ShardRecordOptions>[],
    { function: fn }: Receiver,
  ): FailureMessage | undefined {
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
    const known = { functionArn: functionArn(fn), at: clock.now(), last: lastInvocationOf(first.id, fn) };
    return { ids: batch.map(({ id }) => id), body: batchFailure(this.batchMember, first, info, known) };
  }

  serve(): void {
    this.start();
  }

  /** Starts to deliver records to the function. @param arn the ARN of a table's stream, as its engine names it */
  protected start(arn = this.arn): void {
    if (this.isServed && arn === this.arn) return;
    this.arn = arn;
    for (const receiver of this.receivers) this.#startFor(receiver);
  }

  #startFor(receiver: Delivering<ShardRecordOptions>): void {
    // A new stream of the same table: the old stream receives no more records.
    receiver.engine?.stop();
    const { filters: _, ...settings } = receiver.settings as StreamConfig;
    receiver.engine = createShardEngine({
      ...settings,
      arn: this.arn,
      clock: this.context.clock,
      invoke: (delivery) =>
        this.context.deliver(this, delivery, {
          reportsFailures: settings.reportBatchItemFailures,
          settings,
          function: receiver.function,
        }),
      onChange: (change) => this.onChange(receiver, change),
    });
  }

  /** Sends records to the engines that run; the iterator of a mapping skips records that its filters do not match. @returns ids */
  protected deliver(given: readonly ShardRecordOptions[]): readonly string[] {
    const running = this.receivers.filter(({ engine }) => engine !== undefined);
    if (running.length === 0) return given.map((record) => this.idOf(record));
    // A record has the same id for each of its functions.
    const records = running.length === 1 ? given : given.map((record) => this.#withId(record));
    const ids: (string | undefined)[] = records.map(() => undefined);
    for (const { engine, takes } of running) {
      const taken = records.flatMap((record, index) => (takes(record) ? [index] : []));
      const own = engine?.send(taken.map((index) => records[index] as ShardRecordOptions)) ?? [];
      for (const [at, index] of taken.entries()) ids[index] ??= own[at];
    }
    return records.map((record, index) => {
      const taken = ids[index];
      if (taken !== undefined) return taken;
      const id = record.eventID ?? this.idOf(record);
      this.discard(id, this.contentOf(record));
      return id;
    });
  }

  #withId(record: ShardRecordOptions): ShardRecordOptions {
    return { ...record, eventID: record.eventID ?? (this.idOf(record) || newId()) };
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
