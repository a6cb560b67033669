import type { ShardRecordOptions } from '@sallyport/testkit/engines';
import type { TableStreamRecordOptions } from '@sallyport/testkit/events';
import { toArn } from '../../aws/names.js';
import { tableFilter } from '../../sources/record-filter.js';
import { ShardSource, type StreamConfig } from '../../sources/shard-source.js';
import type { SourceRun } from '../../sources/source.js';
import { remember } from '../../sources/sources-context.js';
import { TableReader } from './table-reader.js';
import { tables } from './table-state.js';

/** The stream of a table. Its records are read from DynamoDB, or made up by the developer. */
export class TableStream extends ShardSource {
  readonly #run: SourceRun;
  #reader: TableReader | undefined;
  /** The shard of each record that was read from DynamoDB, by its sequence number. */
  readonly #shards = new Map<string, string>();

  constructor(name: string, settings: StreamConfig, run: SourceRun) {
    super({ kind: 'table-stream', arn: tableStreamArn }, name, run, settings, tableFilter);
    this.#run = run;
  }

  override serve(): void {
    super.serve();
    if (this.#reader) return;
    this.#reader = new TableReader({
      clock: this.#run.realClock,
      endpoint: () => this.#run.state.get(tables).endpoint(),
      table: this.name,
      runStart: () => this.#run.state.get(tables).past.runStart,
      onStream: (arn) => this.start(arn),
      onRecords: (records, shardId) => {
        for (const { dynamodb } of records as readonly TableStreamRecordOptions[]) {
          remember(this.#shards, dynamodb?.SequenceNumber ?? '', shardId);
        }
        this.deliver(records);
      },
    });
    this.#reader.start();
  }

  /** Sends changes of the developer: the function receives them as if they were in the table's stream. @returns their ids */
  sendMadeUp(records: readonly ShardRecordOptions[]): readonly string[] {
    this.start();
    return this.deliver(records);
  }

  protected readonly batchMember = 'DDBStreamBatchInfo';

  protected shardOf(_id: string, sequenceNumber: string): string | undefined {
    return this.#shards.get(sequenceNumber);
  }

  protected idOf({ eventID = '' }: ShardRecordOptions): string {
    return eventID;
  }

  override async stop(): Promise<void> {
    super.stop();
    await this.#reader?.stop();
  }
}

/** The ARN of a table without a stream; the ARN of its stream has the label of the engine. */
export const tableStreamArn = (name: string): string =>
  toArn('dynamodb', `table/${name}/stream/2026-01-01T00:00:00.000`);
