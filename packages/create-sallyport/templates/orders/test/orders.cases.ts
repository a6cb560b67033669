import { buildKinesisEvent, buildQueueEvent, buildScheduledEvent } from '@sallyport/testkit';

const queue = (name: string) => `arn:aws:sqs:us-east-1:123456789012:${name}`;

/** Events, and what the bundle has to answer without any configuration. */
export const ORDERS = [
  {
    name: 'a queue, naming the message that failed',
    event: buildQueueEvent(queue('orders'), [{ body: { id: '1', items: 2 } }, { body: 'no order' }]),
    answer: { batchItemFailures: [{ itemIdentifier: 'msg-2' }] },
  },
  {
    name: 'a FIFO queue',
    event: buildQueueEvent(queue('bills.fifo'), [{ body: { id: '1', items: 1 }, groupId: 'ada' }]),
    answer: { batchItemFailures: [] },
  },
  {
    name: 'a data stream',
    event: buildKinesisEvent('arn:aws:kinesis:us-east-1:123456789012:stream/clicks', [{ json: { page: '/' } }]),
    answer: { batchItemFailures: [] },
  },
];

/** A schedule has no answer that anybody reads. */
export const SCHEDULE = buildScheduledEvent({ rule: 'nightly' });
