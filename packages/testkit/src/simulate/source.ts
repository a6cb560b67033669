import { defineOptions } from '@sallyport/core/options';
import type { KinesisRecordOptions } from '../builders/kinesis.js';
import type { QueueRecordOptions } from '../builders/queue.js';
import { ACCOUNT, REGION } from '../builders/shape.js';
import type { TableStreamRecordOptions } from '../builders/table-stream.js';
import { filled, object, someOf } from '../internal/kinds.js';

/** A queue and its messages. */
export interface QueueSource {
  /** Tells it from a stream. */
  readonly kind: 'queue';
  /** The queue's ARN. */
  readonly arn: string;
  /** Whether it is a FIFO queue. */
  readonly fifo: boolean;
  /** Its messages, in the order in which they were sent. */
  readonly messages: readonly QueueRecordOptions[];
}

/** A data stream and its records. */
export interface DataStreamSource {
  /** Tells it from a queue and a table's stream. */
  readonly kind: 'stream';
  /** The stream's ARN. */
  readonly arn: string;
  /** Its records. */
  readonly records: readonly KinesisRecordOptions[];
}

/** A table's stream and its records. */
export interface TableStreamSource {
  /** Tells it from a queue and a data stream. */
  readonly kind: 'table-stream';
  /** The stream's ARN. */
  readonly arn: string;
  /** Its records. */
  readonly records: readonly TableStreamRecordOptions[];
}

/** A stream of either kind. */
export type StreamSource = DataStreamSource | TableStreamSource;

const SOURCE = defineOptions<{ name: string; records: readonly object[] }>()({
  name: filled.required(),
  records: someOf(object<object>()),
});

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;
}

function checked<T extends object>(name: string, items: readonly T[]): readonly T[] {
  SOURCE.parse({ name, records: items });
  return items;
}

/** Queues to simulate; messages as `buildQueueEvent` takes them. */
export const queue = {
  /**
   * A standard queue: messages come in any order, and more than once if a simulation asks for it.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank name or no messages
   */
  standard(name: string, messages: readonly QueueRecordOptions[]): QueueSource {
    return { kind: 'queue', arn: arn('sqs', name), fifo: false, messages: checked(name, messages) };
  },
  /**
   * A FIFO queue. The name gets its `.fifo` if it has none. Messages without `groupId` are one group.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank name or no messages
   */
  fifo(name: string, messages: readonly QueueRecordOptions[]): QueueSource {
    const full = name.endsWith('.fifo') ? name : `${name}.fifo`;
    return { kind: 'queue', arn: arn('sqs', full), fifo: true, messages: checked(name, messages) };
  },
} as const;

/** Streams to simulate; records as their builders take them, in the order of their sequence numbers. */
export const stream = {
  /**
   * A data stream.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank name or no records
   */
  data(name: string, records: readonly KinesisRecordOptions[]): DataStreamSource {
    return { kind: 'stream', arn: arn('kinesis', `stream/${name}`), records: checked(name, records) };
  },
  /**
   * The stream of a table.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank name or no records
   */
  table(name: string, records: readonly TableStreamRecordOptions[]): TableStreamSource {
    const label = '2026-01-01T00:00:00.000';
    return {
      kind: 'table-stream',
      arn: arn('dynamodb', `table/${name}/stream/${label}`),
      records: checked(name, records),
    };
  },
} as const;
