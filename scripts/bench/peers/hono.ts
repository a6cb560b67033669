import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import {
  boom,
  colonPattern,
  describeUpload,
  FILE,
  findUser,
  type Order,
  placeOrder,
  registerAll,
  STEPS,
  showResource,
} from '../application.js';
import { type Handlers, httpHandlers, type Invoke } from '../invoke.js';

function createHttp({ steps }: { steps: boolean }): Invoke {
  const app = new Hono();
  for (const step of steps ? STEPS : []) {
    app.use(async (c, next) => {
      await next();
      c.res.headers.set(step, '1');
    });
  }
  app.onError((_error, c) => c.json({ error: 'internal error' }, 500));
  registerAll(
    100,
    ({ method, pattern, resource }) => app.on(method, colonPattern(pattern), (c) => c.json(showResource(resource))),
    () => {
      app.get('/users/:id', (c) => c.json(findUser(c.req.param('id'))));
      app.get('/boom', () => boom());
      app.post('/orders', async (c) => c.json(placeOrder(await c.req.json<Order>()), 201));
      app.post('/uploads', async (c) => c.json(describeUpload(new Uint8Array(await c.req.arrayBuffer()))));
      app.get('/files/:id', (c) => c.body(new Uint8Array(FILE), 200, { 'content-type': 'application/octet-stream' }));
    },
  );
  return handle(app) as unknown as Invoke;
}

export const handlers: Handlers = httpHandlers(createHttp);
