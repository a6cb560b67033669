import { PIPE_TRIGGER, pipe } from '../kinds/pipe.js';
import { describeTrigger } from './entry.js';
import { assertRecords } from './internal/build.js';

/**
 * Builds the batch of a pipe whose source is a queue. Send it with the ARN of the pipe's alias as `invokedFunctionArn`.
 *
 * @param bodies the body of each message
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-sqs.html
 * @throws FrameworkError `app.invalid_configuration` for no messages
 * @example buildPipeEvent(['{"id":"order-1"}']);
 */
export function buildPipeEvent(bodies: readonly string[]): Record<string, unknown>[] {
  assertRecords('buildPipeEvent', bodies);
  return bodies.map((body, index) => ({
    messageId: `message-${index + 1}`,
    receiptHandle: `receipt-${index + 1}`,
    body,
    attributes: { ApproximateReceiveCount: '1', SentTimestamp: '0' },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:orders',
    awsRegion: 'us-east-1',
  }));
}

/** Enrichments of EventBridge Pipes in the catalogue. @internal */
export const PIPE = /* @__PURE__ */ describeTrigger(PIPE_TRIGGER, {
  sample: {
    build: buildPipeEvent,
    events: [[buildPipeEvent(['{"id":"order-1"}']), 'orders|arn:aws:sqs:us-east-1:123456789012:orders|message-1']],
    names: ['orders'],
    alias: 'orders',
    members: 'caller',
    result: 'enriched',
    register: (handlers) => handlers.reduce((trigger, one) => trigger.enrich(...one), pipe()),
  },
  docs: {
    section: 'EventBridge Pipes',
    rows: [
      [
        '`pipe()` with `enrich(alias, handler)`; `PipeTrigger`, `PipeHandler`, `PipeRecord`',
        'enrichments of EventBridge Pipes',
      ],
      ['`drop()`, `Drop`', 'drops a record of a pipe'],
    ],
  },
  construct: 'payload',
  simulate: 'pipe',
  aws: {
    author: 'a producer',
    failure:
      'the pipe retries [the whole batch](https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-batching-concurrency.html) as its source does',
    limit: '6 MB',
    attached: 'the enrichment of the pipe',
  },
  sizes: { factory: 'pipe', gzipBytes: 11_700 },
});
