import { REGION } from '../aws/wire.js';
import { ACCOUNT } from '../host/host.js';
import type { SourceKind } from './sources.js';

const RESOURCES: Readonly<Record<SourceKind, (name: string) => string>> = {
  queue: (name) => `sqs:${REGION}:${ACCOUNT}:${name}`,
  stream: (name) => `kinesis:${REGION}:${ACCOUNT}:stream/${name}`,
  // The engine's stream ARN has a label; this ARN is for a table without a stream.
  'table-stream': (name) => `dynamodb:${REGION}:${ACCOUNT}:table/${name}/stream/2026-01-01T00:00:00.000`,
  topic: (name) => `sns:${REGION}:${ACCOUNT}:${name}`,
  'event-bus': (name) => `events:${REGION}:${ACCOUNT}:event-bus/${name}`,
  schedule: (name) => `events:${REGION}:${ACCOUNT}:rule/${name}`,
  s3: (name) => `s3:::${name}`,
  invoke: (name) => `lambda:${REGION}:${ACCOUNT}:function:${name}`,
};

/** The ARN of a source. */
export function arnOf(kind: SourceKind, name: string): string {
  return `arn:aws:${RESOURCES[kind](name)}`;
}

/** The name in an ARN or a URL: the part after the last `/` or `:`. */
export function nameIn(text: string): string {
  return text.split(/[/:]/).pop() ?? '';
}

/** The name of the dead-letter queue or failure destination: `orders-dlq`, `orders-dlq.fifo`, `clicks-failed`. */
export function deadLetterName(kind: SourceKind, name: string): string {
  if (kind !== 'queue') return `${name}-failed`;
  return name.endsWith('.fifo') ? `${name.slice(0, -'.fifo'.length)}-dlq.fifo` : `${name}-dlq`;
}
