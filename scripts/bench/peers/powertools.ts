import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { AppSyncGraphQLResolver } from '@aws-lambda-powertools/event-handler/appsync-graphql';
import type { KinesisStreamRecord, SQSRecord } from 'aws-lambda';
import { FIELDS, type Job, resolveField, runJob } from '../application.js';
import type { Handlers, Invoke } from '../invoke.js';
import { handlers as http, logger } from './powertools-http.js';

function createBatch<T>(type: keyof typeof EventType, run: (record: T) => Promise<void>): Invoke {
  const processor = new BatchProcessor(EventType[type], logger as never);
  return (event: never, context) =>
    processPartialResponse(event, run as never, processor, { context: context as never, processInParallel: false });
}

function createGraphQL(admit: (identity: unknown) => void): Invoke {
  const app = new AppSyncGraphQLResolver({ logger });
  for (const fieldName of FIELDS) {
    app.resolver(
      async ({ id }: { id: string }, { event }) => {
        admit(event.identity);
        return resolveField(fieldName, id);
      },
      { fieldName, typeName: 'Query' },
    );
  }
  return (event: unknown, context: unknown) => app.resolve(event, context as never);
}

export const handlers: Handlers = {
  ...http,
  sqs: () => createBatch('SQS', ({ body }: SQSRecord) => runJob(JSON.parse(body) as Job)),
  kinesis: () =>
    createBatch('KinesisDataStreams', ({ kinesis }: KinesisStreamRecord) =>
      runJob(JSON.parse(Buffer.from(kinesis.data, 'base64').toString()) as Job),
    ),
  graphql: () => createGraphQL(() => {}),
  // It has no gate: the resolver checks the caller itself.
  'graphql-gate': () =>
    createGraphQL((identity) => {
      if (!(identity as { sub?: string } | null)?.sub) throw new Error('unauthorized');
    }),
};
