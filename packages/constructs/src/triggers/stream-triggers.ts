import { EVENT_SOURCE_ACTIONS } from '@sallyport/streams/schema';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IStream } from 'aws-cdk-lib/aws-kinesis';
import type { EventSourceMapping, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { grantKey } from '../internal/keys.js';
import { misuse } from '../internal/misuse.js';
import { defineProps, thing } from '../internal/props.js';
import { mapStream, STREAM_MAPPING_KINDS, type StreamMappingProps } from './stream-mapping.js';

/** Props of {@link TableStreamTrigger}. */
export interface TableStreamTriggerProps extends StreamMappingProps {
  /** The function. */
  readonly fn: IFunction;
  /** The table. Its stream must be enabled. */
  readonly table: ITable;
}

/** Validators and defaults for {@link TableStreamTriggerProps}. */
export const TABLE_STREAM_TRIGGER_PROPS = defineProps<TableStreamTriggerProps>('TableStreamTrigger')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  table: thing<ITable>('a table', 'tableArn').required(),
  ...STREAM_MAPPING_KINDS,
});

/**
 * Invokes a function with the changes of a table. Failed records are reported by their sequence number
 * (`FRAMEWORK_STREAM_FAILURE_IDENTIFIER`), and the positions of discarded records are sent to a queue.
 *
 * @example new TableStreamTrigger(this, 'Changes', { fn, table, batchSize: 50 });
 */
export class TableStreamTrigger extends Construct {
  /** The event source mapping. */
  readonly mapping: EventSourceMapping;
  /** The queue for the positions of discarded records. */
  readonly failureQueue: IQueue;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop or a table without a stream; `constructs.conflict` for a second
   *   trigger of one table; `constructs.fixed_environment` for an imported function
   */
  constructor(scope: Construct, id: string, props: TableStreamTriggerProps) {
    super(scope, id);
    const { fn, table, ...mapping } = TABLE_STREAM_TRIGGER_PROPS.parse(this, props);
    const arn = table.tableStreamArn;
    if (arn === undefined) {
      const expected = 'a table with the prop stream, or an imported one with tableStreamArn';
      throw misuse(this, { what: `the table ${table.node.path} has no stream`, expected });
    }
    const source = { fn, arn, noun: 'table stream', actions: EVENT_SOURCE_ACTIONS.tableStream };
    const made = mapStream(this, source, mapping);
    this.mapping = made.mapping;
    this.failureQueue = made.failureQueue;
    table.encryptionKey?.grantDecrypt(fn);
  }
}

/** Props of {@link StreamTrigger}. */
export interface StreamTriggerProps extends StreamMappingProps {
  /** The function. */
  readonly fn: IFunction;
  /** The data stream. */
  readonly stream: IStream;
}

/** Validators and defaults for {@link StreamTriggerProps}. */
export const STREAM_TRIGGER_PROPS = defineProps<StreamTriggerProps>('StreamTrigger')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  stream: thing<IStream>('a data stream', 'streamArn').required(),
  ...STREAM_MAPPING_KINDS,
});

/**
 * Invokes a function with the records of a data stream. Failed records are reported by their sequence number
 * (`FRAMEWORK_STREAM_FAILURE_IDENTIFIER`), and the positions of discarded records are sent to a queue.
 *
 * @example new StreamTrigger(this, 'ClicksTrigger', { fn, stream: clicks.stream, parallelizationFactor: 4 });
 */
export class StreamTrigger extends Construct {
  /** The event source mapping. */
  readonly mapping: EventSourceMapping;
  /** The queue for the positions of discarded records. */
  readonly failureQueue: IQueue;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop; `constructs.conflict` for a second trigger of one stream;
   *   `constructs.fixed_environment` for an imported function
   */
  constructor(scope: Construct, id: string, props: StreamTriggerProps) {
    super(scope, id);
    const { fn, stream, ...mapping } = STREAM_TRIGGER_PROPS.parse(this, props);
    const source = { fn, arn: stream.streamArn, noun: 'data stream', actions: EVENT_SOURCE_ACTIONS.kinesis };
    const made = mapStream(this, source, mapping);
    this.mapping = made.mapping;
    this.failureQueue = made.failureQueue;
    grantKey(stream.encryptionKey, fn, 'stream', 'read');
  }
}
