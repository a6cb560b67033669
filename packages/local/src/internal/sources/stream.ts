import { createShardEngine, type Engine, type EngineChange, type ShardRecordOptions } from '@sallyport/testkit/engines';
import type { StreamConfig } from '../config/config.js';
import { Filtered } from './filtered.js';
import { arnOf, deadLetterName } from './names.js';
import { type RecordFilter, streamFilter, tableFilter } from './record-filter.js';
import type { SourceView } from './sources.js';
import { type DeadLetter, type SourceContext, viewOfDead } from './sources-context.js';
import { StreamLog } from './stream-log.js';

/** A data stream, or the stream of a table. The function is its consumer if it has a handler. */
export class LocalStream {
  readonly kind: 'stream' | 'table-stream';
  readonly name: string;
  readonly settings: StreamConfig;
  /** The records of a data stream, for consumers that read shards with the API. */
  readonly log: StreamLog;
  readonly #context: SourceContext;
  readonly #dead: DeadLetter<ShardRecordOptions>[] = [];
  /** True if the mapping delivers a record to the function. */
  readonly #takes: RecordFilter<ShardRecordOptions>;
  readonly #filtered = new Filtered();
  #arn: string;
  #engine: Engine<ShardRecordOptions> | undefined;
  #done = 0;

  constructor(kind: LocalStream['kind'], name: string, settings: StreamConfig, context: SourceContext) {
    this.kind = kind;
    this.name = name;
    this.settings = settings;
    this.log = new StreamLog(settings.shards ?? 1, context.clock.now().getTime());
    this.#context = context;
    this.#arn = arnOf(kind, name);
    this.#takes = (kind === 'stream' ? streamFilter : tableFilter)(name, settings.filters);
  }

  get arn(): string {
    return this.#arn;
  }

  /** Starts to deliver records to the function. @param arn the ARN of a table's stream, as its engine names it */
  serve(arn = this.#arn): void {
    if (this.#engine && arn === this.#arn) return;
    // A new stream of the same table: the old stream receives no more records.
    this.#engine?.stop();
    this.#arn = arn;
    const { filters: _, ...settings } = this.settings;
    this.#engine = createShardEngine({
      ...settings,
      arn,
      clock: this.#context.clock,
      invoke: (delivery) => this.#context.deliver(this, delivery, () => undefined),
      onChange: (change) => this.#onChange(change),
    });
  }

  /** Adds records. @returns their event ids */
  send(records: readonly ShardRecordOptions[]): readonly string[] {
    if (this.kind === 'table-stream') return this.#engine ? this.#pass(this.#engine, records) : [];
    const stamped = records.map((record) => this.log.stamp(record, this.#context.clock.now()));
    const ids = this.#engine ? this.#pass(this.#engine, stamped) : stamped.map((record) => this.log.idOf(record));
    for (const [index, record] of stamped.entries()) this.log.add(ids[index] ?? '', record);
    return ids;
  }

  /** Sends records to the engine; the iterator of the mapping skips records that its filters do not match. */
  #pass(engine: Engine<ShardRecordOptions>, records: readonly ShardRecordOptions[]): readonly string[] {
    const isTaken = records.map((record) => this.#takes(record));
    const taken = engine.send(records.filter((_, index) => isTaken[index]));
    let next = 0;
    return records.map((record, index) => {
      if (!isTaken[index]) return this.#discard(record);
      next += 1;
      return taken[next - 1] ?? '';
    });
  }

  #discard(record: ShardRecordOptions): string {
    const id = record.eventID ?? this.log.idOf(record);
    this.#filtered.add(id, this.#context.preview(contentOf(record)));
    this.#context.filtered(this);
    return id;
  }

  #onChange(change: EngineChange<ShardRecordOptions>): void {
    if (change.state === 'done') this.#done += 1;
    if (change.state === 'dead-letter' || change.state === 'expired') {
      const { id, record, state, deliveries } = change;
      this.#dead.push({ id, record, state, deliveries });
    }
    this.#context.changed(this, change);
  }

  /** Sends a record of the failure destination again. @returns true if it existed */
  sendBack(id: string): boolean {
    const dead = this.#removeDead(id);
    if (dead) this.#engine?.send([dead.record]);
    return dead !== undefined;
  }

  drop(id: string): boolean {
    return this.#removeDead(id) !== undefined;
  }

  #removeDead(id: string): DeadLetter<ShardRecordOptions> | undefined {
    const index = this.#dead.findIndex((dead) => dead.id === id);
    return index < 0 ? undefined : this.#dead.splice(index, 1)[0];
  }

  /** @returns true if the record exists */
  hurry(id?: string): boolean {
    this.#engine?.hurry(id);
    return id === undefined || (this.#engine?.snapshot().records.some((record) => record.id === id) ?? false);
  }

  async settle(): Promise<void> {
    await this.#engine?.settle();
  }

  get isIdle(): boolean {
    const { records = [], running = 0 } = this.#engine?.snapshot() ?? {};
    return records.length === 0 && running === 0;
  }

  stop(): void {
    this.#engine?.stop();
  }

  view(): SourceView {
    const { clock, preview } = this.#context;
    return {
      kind: this.kind,
      name: this.name,
      arn: this.#arn,
      hasHandler: this.#context.hasHandler(this.kind, this.name),
      maxDeliveries: (this.settings.maximumRetryAttempts ?? 3) + 1,
      records: (this.#engine?.snapshot().records ?? []).map(({ id, lane, state, deliveries, until, record }) => ({
        id,
        lane: lane.replace(/^shard:/, ''),
        state,
        deliveries,
        until: until === undefined ? null : clock.toEpochMs(until),
        preview: preview(contentOf(record)),
      })),
      deadLetters: this.#dead.map((dead) => viewOfDead(dead, preview(contentOf(dead.record)))),
      deadLetterName: deadLetterName(this.kind, this.name),
      done: this.#done,
      filtered: this.#filtered.view(),
      settings: { batchSize: 100, maximumRetryAttempts: 3, bisect: false, ...this.settings },
    };
  }
}

type AnyRecord = {
  readonly [K in 'json' | 'data' | 'kinesis' | 'dynamodb' | 'newImage' | 'keys']?: unknown;
};

function contentOf(record: ShardRecordOptions): unknown {
  const { json, data, kinesis, dynamodb, newImage, keys } = record as AnyRecord;
  if (data instanceof Uint8Array) return Buffer.from(data).toString();
  const packed = (kinesis as { readonly data?: string } | undefined)?.data;
  if (packed !== undefined) return Buffer.from(packed, 'base64').toString();
  const change = dynamodb as { readonly NewImage?: unknown; readonly Keys?: unknown } | undefined;
  return json ?? data ?? change?.NewImage ?? change?.Keys ?? newImage ?? keys ?? {};
}
