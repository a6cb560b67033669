import { invalidOption } from '@sallyport/core';
import type { KinesisRecordOptions } from '../builders/kinesis.js';
import type { QueueRecordOptions } from '../builders/queue.js';
import { ACCOUNT, REGION } from '../builders/shape.js';
import type { TableStreamRecordOptions } from '../builders/table-stream.js';
import { checkArgument, nonBlank } from '../internal/check.js';

export interface QueueSource {
  readonly kind: 'queue';
  readonly arn: string;
  readonly fifo: boolean;
  readonly messages: readonly QueueRecordOptions[];
}

export interface DataStreamSource {
  readonly kind: 'stream';
  readonly arn: string;
  readonly records: readonly KinesisRecordOptions[];
}

export interface TableStreamSource {
  readonly kind: 'table-stream';
  readonly arn: string;
  readonly records: readonly TableStreamRecordOptions[];
}

export type StreamSource = DataStreamSource | TableStreamSource;

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;
}

function checked<T>(name: string, items: readonly T[]): readonly T[] {
  checkArgument('name', name, nonBlank);
  if (!Array.isArray(items) || items.length === 0) throw invalidOption('records', 'a non-empty list');
  return items;
}

/** Queues to simulate; messages as `buildQueueEvent` takes them. */
export const queue = {
  standard(name: string, messages: readonly QueueRecordOptions[]): QueueSource {
    return { kind: 'queue', arn: arn('sqs', name), fifo: false, messages: checked(name, messages) };
  },
  /** The name gets its `.fifo` if it has none. A message without `groupId` is in one group with its like. */
  fifo(name: string, messages: readonly QueueRecordOptions[]): QueueSource {
    const full = name.endsWith('.fifo') ? name : `${name}.fifo`;
    return { kind: 'queue', arn: arn('sqs', full), fifo: true, messages: checked(name, messages) };
  },
} as const;

/** Streams to simulate; records as their builders take them, in the order of their sequence numbers. */
export const stream = {
  data(name: string, records: readonly KinesisRecordOptions[]): DataStreamSource {
    return { kind: 'stream', arn: arn('kinesis', `stream/${name}`), records: checked(name, records) };
  },
  table(name: string, records: readonly TableStreamRecordOptions[]): TableStreamSource {
    const label = '2026-01-01T00:00:00.000';
    return {
      kind: 'table-stream',
      arn: arn('dynamodb', `table/${name}/stream/${label}`),
      records: checked(name, records),
    };
  },
} as const;
