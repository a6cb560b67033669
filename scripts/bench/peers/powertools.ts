import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { AppSyncGraphQLResolver } from '@aws-lambda-powertools/event-handler/appsync-graphql';
import { Router } from '@aws-lambda-powertools/event-handler/http';
import type { KinesisStreamRecord, SQSRecord } from 'aws-lambda';
import {
  boom,
  colonPattern,
  describeUpload,
  FIELDS,
  FILE,
  findUser,
  type Job,
  type Order,
  placeOrder,
  registerAll,
  resolveField,
  runJob,
  STEPS,
  showResource,
} from '../application.js';
import { type Handlers, httpHandlers, type Invoke } from '../invoke.js';

/** Its warnings and errors would otherwise be written for every failing request. */
const logger = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

const json = (statusCode: number, value: unknown) => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

function createHttp({ steps }: { steps: boolean }): Invoke {
  const app = new Router({ logger });
  for (const step of steps ? STEPS : []) {
    app.use(async ({ reqCtx, next }) => {
      await next();
      reqCtx.res.headers.set(step, '1');
    });
  }
  registerAll(
    100,
    ({ method, pattern, resource }) =>
      app.route(async () => json(200, showResource(resource)), { method, path: colonPattern(pattern) as '/' }),
    () => {
      app.get('/users/:id', async ({ params }) => json(200, findUser(params.id ?? '')));
      app.get('/boom', async () => boom());
      app.post('/orders', async ({ req }) => json(201, placeOrder((await req.json()) as Order)));
      // Its own body is text, which destroys binary bytes: read by hand.
      app.post('/uploads', async ({ event }) =>
        json(200, describeUpload(Buffer.from((event as { body?: string }).body ?? '', 'base64'))),
      );
      app.get('/files/:id', async (reqCtx) => {
        reqCtx.isBase64Encoded = true;
        return new Response(FILE, { status: 200, headers: { 'content-type': 'application/octet-stream' } });
      });
    },
  );
  return (event: unknown, context: unknown) => app.resolve(event, context as never);
}

function createBatch<T>(type: keyof typeof EventType, run: (record: T) => Promise<void>): Invoke {
  const processor = new BatchProcessor(EventType[type], logger as never);
  return (event: never, context) =>
    processPartialResponse(event, run as never, processor, { context: context as never, processInParallel: false });
}

export const handlers: Handlers = {
  ...httpHandlers(createHttp),
  sqs: () => createBatch('SQS', ({ body }: SQSRecord) => runJob(JSON.parse(body) as Job)),
  kinesis: () =>
    createBatch('KinesisDataStreams', ({ kinesis }: KinesisStreamRecord) =>
      runJob(JSON.parse(Buffer.from(kinesis.data, 'base64').toString()) as Job),
    ),
  graphql: () => {
    const app = new AppSyncGraphQLResolver({ logger });
    for (const fieldName of FIELDS) {
      app.resolver(async ({ id }: { id: string }) => resolveField(fieldName, id), { fieldName, typeName: 'Query' });
    }
    return (event: unknown, context: unknown) => app.resolve(event, context as never);
  },
};
