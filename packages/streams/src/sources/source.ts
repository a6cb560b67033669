import type { LooseRecord } from './internal/loose-record.js';

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

export interface RecordSource {
  /** As error texts name it. */
  readonly noun: string;
  /** Key of `FRAMEWORK_EVENT_SOURCES`: the method that registers it. */
  readonly method: string;
  /** Groups: the ARN without its tail, region, account, name. */
  readonly arn: RegExp;
  /** The ARN that a record says it comes from; `undefined` when its tag is another kind's. */
  readonly arnOf: (record: LooseRecord | null) => unknown;
}

function taggedArn(tag: string): RecordSource['arnOf'] {
  return (record) => (record?.eventSource === tag ? record.eventSourceARN : undefined);
}

export const QUEUE: RecordSource = {
  noun: 'queue',
  method: 'queue',
  arn: /^(arn:[^:]+:sqs:([^:]*):([^:]*):(.+))$/,
  arnOf: /* @__PURE__ */ taggedArn('aws:sqs'),
};

export const TABLE_STREAM: RecordSource = {
  noun: 'table',
  method: 'tableStream',
  arn: /^(arn:[^:]+:dynamodb:([^:]*):([^:]*):table\/([^/]+))\/stream\/.+$/,
  arnOf: /* @__PURE__ */ taggedArn('aws:dynamodb'),
};

export const RECORD_SOURCES: Readonly<Record<RecordKind, RecordSource>> = {
  queue: QUEUE,
  'table-stream': TABLE_STREAM,
  stream: {
    noun: 'stream',
    method: 'kinesis',
    arn: /^(arn:[^:]+:kinesis:([^:]*):([^:]*):stream\/([^/]+))(?:\/consumer\/[^/:]+:[^/:]+)?$/,
    arnOf: /* @__PURE__ */ taggedArn('aws:kinesis'),
  },
  topic: {
    noun: 'topic',
    method: 'topic',
    arn: /^(arn:[^:]+:sns:([^:]*):([^:]*):(.+))$/,
    arnOf: (record) =>
      (record?.EventSource ?? record?.eventSource ?? 'aws:sns') === 'aws:sns' ? record?.Sns?.TopicArn : undefined,
  },
};

/** The parts of a record's ARN, its tail cut off; `undefined` when service or resource do not fit. */
export function parseSourceArn(source: RecordSource, arn: string): EventSource | undefined {
  const match = source.arn.exec(arn);
  if (!match) return undefined;
  const [, whole = '', region = '', account = '', name = ''] = match;
  return { name, arn: whole, account, region };
}

/** The ARN that a handler is registered for, its tail cut off; a table's may lack the stream's label. */
export function parseRegisteredArn(source: RecordSource, arn: string): EventSource | undefined {
  return parseSourceArn(source, arn) ?? parseSourceArn(source, `${arn}/stream/*`);
}

/** Told by the name alone: messages of standard queues carry group ids too. */
export function isFifo(queueName: string): boolean {
  return queueName.endsWith('.fifo');
}
