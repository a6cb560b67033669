import { readFileSync } from 'node:fs';
import type { Logger, LogLevel, LogRecord, MetricRecord } from '@sallyport/core';
import { ManualClock, ManualIdGenerator } from '@sallyport/core/testing';
import type { EventRouterOptions } from '@sallyport/streams';

const QUEUE_ARN = 'arn:aws:sqs:us-east-2:123456789012:orders';
const FIFO_ARN = 'arn:aws:sqs:us-east-2:123456789012:orders.fifo';
const STREAM_ARN = 'arn:aws:kinesis:us-east-2:123456789012:stream/clicks';
const TABLE_ARN = 'arn:aws:dynamodb:us-east-1:123456789012:table/notes/stream/2026-05-11T21:21:33.291';
const TOPIC_ARN = 'arn:aws:sns:us-east-2:123456789012:alerts';

type Json = Record<string, unknown>;

/** An event as AWS documents it. */
export function loadEvent(name: string): { Records: Json[] } & Json {
  return JSON.parse(readFileSync(new URL(`./events/${name}.json`, import.meta.url), 'utf8'));
}

export function message(messageId: unknown, more: Json = {}): Json {
  return {
    messageId,
    body: String(messageId),
    attributes: {},
    eventSource: 'aws:sqs',
    eventSourceARN: QUEUE_ARN,
    ...more,
  };
}

export function fifoMessage(messageId: string, group?: string): Json {
  const attributes = group === undefined ? {} : { MessageGroupId: group };
  return message(messageId, { eventSourceARN: FIFO_ARN, attributes });
}

export function click(sequence: string, more: Json = {}): Json {
  return {
    eventID: `shard:${sequence}`,
    eventSource: 'aws:kinesis',
    eventSourceARN: STREAM_ARN,
    kinesis: { sequenceNumber: sequence, data: Buffer.from(sequence).toString('base64') },
    ...more,
  };
}

export function change(sequence: string, more: Json = {}): Json {
  return {
    eventID: `change-${sequence}`,
    eventName: 'MODIFY',
    eventSource: 'aws:dynamodb',
    eventSourceARN: TABLE_ARN,
    dynamodb: { SequenceNumber: sequence },
    ...more,
  };
}

export function notification(id: string, more: Json = {}): Json {
  return { EventSource: 'aws:sns', Sns: { MessageId: id, Message: id, TopicArn: TOPIC_ARN, ...more } };
}

export interface Line {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Json;
}

/** Options for a router that is isolated from the machine and whose output is kept. */
export function environment(options: EventRouterOptions = {}) {
  const clock = new ManualClock();
  const lines: Line[] = [];
  const records: LogRecord[] = [];
  const metrics: MetricRecord[] = [];
  return {
    clock,
    lines,
    records,
    metrics,
    options: {
      clock,
      ids: new ManualIdGenerator(),
      environment: {},
      log: keepingLogger(lines, {}),
      observability: {
        log: (record: LogRecord) => void records.push(record),
        metric: (m: MetricRecord) => void metrics.push(m),
      },
      ...options,
    } satisfies EventRouterOptions,
    lambda: (remainingMs: number) => {
      const end = clock.monotonicMs() + remainingMs;
      return { awsRequestId: 'request-1', getRemainingTimeInMillis: () => end - clock.monotonicMs() };
    },
  };
}

function keepingLogger(lines: Line[], bound: Json): Logger {
  const write =
    (level: LogLevel) =>
    (message: string, fields: Json = {}) =>
      void lines.push({ level, message, fields: { ...bound, ...fields } });
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    isEnabled: () => true,
    with: (fields) => keepingLogger(lines, { ...bound, ...fields }),
  };
}

export function reportOf(...ids: string[]) {
  return { batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) };
}
