import { QUEUE_SETTINGS } from '@sallyport/testkit/engines';
import { buildQueueEvent, type QueueRecordOptions } from '@sallyport/testkit/events';
import { anySetting, namedSettings } from '../../config/kinds.js';
import type { SourceType } from '../../sources/source.js';
import type { LocalService } from '../service.js';
import { createSqs } from './operations.js';
import { LocalQueue, queueArn } from './queue.js';

/** Queues. */
const queues: SourceType<LocalQueue, 'queue', 'queues'> = {
  kind: 'queue',
  config: { member: 'queues', values: namedSettings({ ...QUEUE_SETTINGS, filters: anySetting }) },
  data: 'body',
  form: {
    label: 'Queue message',
    target: 'queue',
    fields: {
      body: ['json', 'the message'],
      groupId: ['text', 'message group, for FIFO queues'],
      messageAttributes: ['map', 'name: value, one per line'],
    },
  },
  arn: queueArn,
  create: (run, name, settings) => new LocalQueue(name, settings, run, (other) => run.get(queues, other)),
  send: (run, name, records, traceId) =>
    records.map((record) => run.get(queues, name).send(withTrace(record as QueueRecordOptions, traceId)).id),
  event: (name, options) => buildQueueEvent(queueArn(name), [options as unknown as QueueRecordOptions]),
};

function withTrace(record: QueueRecordOptions, traceId: string | undefined): QueueRecordOptions {
  if (traceId === undefined) return record;
  return { ...record, attributes: { AWSTraceHeader: traceId, ...record.attributes } };
}

/** SQS. */
export const sqs = {
  name: 'sqs',
  sources: [queues],
  operations: ({ sources, address }) =>
    createSqs({ queue: (name) => sources.get(queues, name), names: () => sources.namesOf(queues), address }),
} as const satisfies LocalService;
