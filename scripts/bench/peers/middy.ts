import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import httpRouter from '@middy/http-router';
import partialBatchFailure from '@middy/sqs-partial-batch-failure';
import {
  boom,
  describeUpload,
  FILE,
  findUser,
  type Job,
  type Order,
  placeOrder,
  registerAll,
  runJob,
  STEPS,
  showResource,
} from '../application.js';
import { type Handlers, httpHandlers, type Invoke } from '../invoke.js';

interface MiddyEvent {
  readonly pathParameters: Record<string, string>;
  readonly body: unknown;
}

type Route = Parameters<typeof httpRouter>[0] extends infer R ? (R extends readonly (infer X)[] ? X : never) : never;

const json = (statusCode: number, value: unknown) => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

function createHttp({ steps }: { steps: boolean }): Invoke {
  const routes: Route[] = [];
  const add = (method: string, path: string, handler: unknown) => routes.push({ method, path, handler } as Route);
  registerAll(
    100,
    ({ method, pattern, resource }) => add(method, pattern, async () => json(200, showResource(resource))),
    () => {
      add('GET', '/users/{id}', async (event: MiddyEvent) => json(200, findUser(event.pathParameters.id ?? '')));
      add('GET', '/boom', async () => boom());
      const order = async (event: MiddyEvent) => json(201, placeOrder(event.body as Order));
      add(
        'POST',
        '/orders',
        middy()
          .use(httpJsonBodyParser())
          .handler(order as never),
      );
      add('POST', '/uploads', async (event: MiddyEvent) =>
        json(200, describeUpload(Buffer.from(event.body as string, 'base64'))),
      );
      add('GET', '/files/{id}', async () => ({
        statusCode: 200,
        headers: { 'content-type': 'application/octet-stream' },
        body: FILE.toString('base64'),
        isBase64Encoded: true,
      }));
    },
  );
  const stack = middy()
    .use(httpHeaderNormalizer())
    .use(httpErrorHandler({ logger: false }));
  for (const step of steps ? STEPS : []) {
    stack.use({
      after(request) {
        (request.response as { headers: Record<string, string> }).headers[step] = '1';
      },
    });
  }
  return stack.handler(httpRouter(routes) as never) as unknown as Invoke;
}

interface Records {
  readonly Records: readonly { readonly body: string; readonly kinesis: { sequenceNumber: string; data: string } }[];
}

/** Middy has nothing for streams: the report is the handler's own work. */
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
  ...httpHandlers(createHttp),
  sqs: () =>
    middy()
      .use(partialBatchFailure({ logger: undefined as never }))
      .handler(((event: Records) =>
        Promise.allSettled(event.Records.map(({ body }) => runJob(JSON.parse(body) as Job)))) as never) as never,
  kinesis: () => middy().handler(runStream as never) as never,
};
