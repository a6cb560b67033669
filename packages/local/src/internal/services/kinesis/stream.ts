import type { ShardRecordOptions } from '@sallyport/testkit/engines';
import { toArn } from '../../aws/names.js';
import { streamFilter } from '../../sources/record-filter.js';
import { ShardSource, type StreamConfig } from '../../sources/shard-source.js';
import type { SourceContext } from '../../sources/sources-context.js';
import { StreamLog } from './stream-log.js';

/** A data stream. Its records are kept for consumers that read shards with the API. */
export class DataStream extends ShardSource {
  readonly log: StreamLog;

  constructor(name: string, settings: StreamConfig, context: SourceContext) {
    super({ kind: 'stream', arn: streamArn }, name, context, settings, streamFilter);
    this.log = new StreamLog(settings.shards ?? 1, context.clock.now().getTime());
  }

  /** Adds records. @returns their event ids */
  send(records: readonly ShardRecordOptions[]): readonly string[] {
    const stamped = records.map((record) => this.log.stamp(record, this.context.clock.now()));
    const ids = this.deliver(stamped);
    for (const [index, record] of stamped.entries()) this.log.add(ids[index] ?? '', record);
    return ids;
  }

  protected readonly batchMember = 'KinesisBatchInfo';

  protected shardOf(id: string): string | undefined {
    return id.split(':')[0];
  }

  protected idOf(record: ShardRecordOptions): string {
    return this.log.idOf(record);
  }
}

/** The ARN of a data stream. */
export const streamArn = (name: string): string => toArn('kinesis', `stream/${name}`);
