import { createDispatcher } from '@sallyport/dispatch';
import { binary, createHttpRouter, json, type Tier } from '@sallyport/http';
import { createEventRouter } from '@sallyport/streams';
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

function createHttp(tier: Tier, { routes, steps }: { routes: number; steps: boolean }): Invoke {
  const app = createHttpRouter({ tier });
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
  return createDispatcher(app).handleLambda;
}

/** Sallyport at one tier. Nothing is switched off. */
export function createOurs(tier: Tier): Handlers {
  return {
    ...httpHandlers((options) => createHttp(tier, options)),
    'routes-1000': () => createHttp(tier, { routes: 1000, steps: false }),
    sqs: () => {
      const events = createEventRouter();
      events.queue('jobs', (_ctx, { body }) => runJob(JSON.parse(body ?? '') as Job));
      return createDispatcher(events).handleLambda;
    },
    kinesis: () => {
      const events = createEventRouter({ streamFailureIdentifier: 'sequenceNumber' });
      events.kinesis('jobs', (_ctx, { kinesis }) =>
        runJob(JSON.parse(Buffer.from(kinesis?.data ?? '', 'base64').toString()) as Job),
      );
      return createDispatcher(events).handleLambda;
    },
  };
}
