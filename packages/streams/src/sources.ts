import type { LooseRecord } from './loose-record.js';

/** The sources that records come from, and how the ARN of each gives a name. */

/** Kinds that are answered with a batch report. */
export type BatchKind = 'queue' | 'table-stream' | 'stream';

/** Kinds whose events are lists of records. */
export type RecordKind = BatchKind | 'topic';

/** Where a record or event came from; each part `''` where it is unknown. */
export interface EventSource {
  /** Last part of the ARN that names the queue, table, stream or topic; of an event its `source`. */
  readonly name: string;
  readonly arn: string;
  readonly account: string;
  readonly region: string;
}

interface RecordSource {
  /** As error texts name it. */
  readonly noun: string;
  /** Key of `FRAMEWORK_EVENT_SOURCES`: the method that registers it. */
  readonly method: string;
  readonly tag: string;
  /** Groups: the ARN without its tail, region, account, name. */
  readonly arn: RegExp;
}

export const RECORD_SOURCES: Readonly<Record<RecordKind, RecordSource>> = {
  queue: { noun: 'queue', method: 'queue', tag: 'aws:sqs', arn: /^(arn:[^:]+:sqs:([^:]*):([^:]*):(.+))$/ },
  'table-stream': {
    noun: 'table',
    method: 'tableStream',
    tag: 'aws:dynamodb',
    arn: /^(arn:[^:]+:dynamodb:([^:]*):([^:]*):table\/([^/]+))\/stream\/.+$/,
  },
  stream: {
    noun: 'stream',
    method: 'kinesis',
    tag: 'aws:kinesis',
    arn: /^(arn:[^:]+:kinesis:([^:]*):([^:]*):stream\/([^/]+))(?:\/consumer\/[^/:]+:[^/:]+)?$/,
  },
  topic: { noun: 'topic', method: 'topic', tag: 'aws:sns', arn: /^(arn:[^:]+:sns:([^:]*):([^:]*):(.+))$/ },
};

/** The parts of a record's ARN, its tail cut off; `undefined` when service or resource do not fit. */
export function parseSourceArn(kind: RecordKind, arn: string): EventSource | undefined {
  const match = RECORD_SOURCES[kind].arn.exec(arn);
  if (!match) return undefined;
  const [, whole = '', region = '', account = '', name = ''] = match;
  return { name, arn: whole, account, region };
}

/** The ARN that a record says it comes from; `undefined` when its tag is another kind's. */
export function recordArn(kind: RecordKind, record: LooseRecord | null): unknown {
  const { tag } = RECORD_SOURCES[kind];
  if (kind !== 'topic') return record?.eventSource === tag ? record.eventSourceARN : undefined;
  const own = record?.EventSource ?? record?.eventSource ?? tag;
  return own === tag ? record?.Sns?.TopicArn : undefined;
}

/** The ARN that a handler is registered for, its tail cut off; a table's may lack the stream's label. */
export function parseRegisteredArn(kind: RecordKind, arn: string): EventSource | undefined {
  return parseSourceArn(kind, arn) ?? parseSourceArn(kind, `${arn}/stream/*`);
}

/** Told by the name alone: messages of standard queues carry group ids too. */
export function isFifo(queueName: string): boolean {
  return queueName.endsWith('.fifo');
}
