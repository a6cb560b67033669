import { resolver } from '@sallyport/appsync';
import { createApp } from '@sallyport/dispatch/app';
import { binary, json, type Tier } from '@sallyport/http';
import {
  boom,
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

/** The others write no line of a failure either; with stack and sanitizing one costs about 0.1 ms. */
const log = false;

function createHttp(tier: Tier, { routes, steps }: { routes: number; steps: boolean }): Invoke {
  const app = createApp({ tier, log });
  for (const step of steps ? STEPS : []) {
    app.use(async (ctx, next) => {
      const response = await next(ctx);
      response.headers[step] = ['1'];
      return response;
    });
  }
  registerAll(
    routes,
    ({ method, pattern, resource }) => app.handle(method, pattern, () => json(200, showResource(resource))),
    () => {
      app.get('/users/{id}', (ctx) => json(200, findUser(ctx.param('id'))));
      app.get('/boom', () => boom());
      app.post('/orders', (ctx) => json(201, placeOrder(ctx.bodyJson<Order>())));
      app.post('/uploads', (ctx) => json(200, describeUpload(ctx.request.body)));
      app.get('/files/{id}', () => binary(200, FILE, 'application/octet-stream'));
    },
  );
  return app.handleLambda;
}

/** Sallyport at one tier. Nothing is switched off but the lines of failures. */
export function createOurs(tier: Tier): Handlers {
  return {
    ...httpHandlers((options) => createHttp(tier, options)),
    'routes-1000': () => createHttp(tier, { routes: 1000, steps: false }),
    sqs() {
      const app = createApp({ tier, log });
      app.queue('jobs', (_ctx, { body }) => runJob(JSON.parse(body ?? '') as Job));
      return app.handleLambda;
    },
    kinesis() {
      const app = createApp({ tier, log, streamFailureIdentifier: 'sequenceNumber' });
      app.kinesis('jobs', (_ctx, { kinesis }) =>
        runJob(JSON.parse(Buffer.from(kinesis?.data ?? '', 'base64').toString()) as Job),
      );
      return app.handleLambda;
    },
    graphql() {
      const app = createApp({ tier, log });
      for (const field of FIELDS) {
        app.appSyncField(
          'Query',
          field,
          resolver<{ id: string }>((_ctx, { id }) => resolveField(field, id)),
        );
      }
      return app.handleLambda;
    },
  };
}
