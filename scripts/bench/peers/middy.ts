import middy from '@middy/core';
import partialBatchFailure from '@middy/sqs-partial-batch-failure';
import { type Job, runJob } from '../application.js';
import type { Handlers } from '../invoke.js';
import { handlers as http } from './middy-http.js';
import { createSecure } from './middy-secure.js';

interface Records {
  readonly Records: readonly { readonly body: string; readonly kinesis: { sequenceNumber: string; data: string } }[];
}

/** Middy does not support streams: the handler writes the report. */
async function runStream({ Records }: Records): Promise<object> {
  const batchItemFailures: object[] = [];
  for (const { kinesis } of Records) {
    try {
      await runJob(JSON.parse(Buffer.from(kinesis.data, 'base64').toString()) as Job);
    } catch {
      batchItemFailures.push({ itemIdentifier: kinesis.sequenceNumber });
    }
  }
  return { batchItemFailures };
}

export const handlers: Handlers = {
  ...http,
  secure: createSecure,
  'secure-new': createSecure,
  sqs: () =>
    middy()
      .use(partialBatchFailure({ logger: undefined as never }))
      .handler(((event: Records) =>
        Promise.allSettled(event.Records.map(({ body }) => runJob(JSON.parse(body) as Job)))) as never) as never,
  kinesis: () => middy().handler(runStream as never) as never,
};
