import { buildKinesisEvent, buildQueueEvent, buildScheduledEvent } from '@sallyport/testkit';

const queue = (name: string) => `arn:aws:sqs:us-east-1:123456789012:${name}`;

/** Events, and the bundle's expected responses without configuration. */
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

/** The response to a scheduled event is ignored. */
export const SCHEDULE = buildScheduledEvent({ rule: 'nightly' });
