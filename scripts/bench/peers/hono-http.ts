import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import {
  boom,
  colonPattern,
  describeUpload,
  findUser,
  type Order,
  placeOrder,
  readFile,
  registerAll,
  showPage,
  showResource,
  showTrail,
} from '../application.js';
import { type HttpOptions, httpHandlers, type Invoke } from '../invoke.js';

function createHttp({ steps, stores }: HttpOptions): Invoke {
  const app = new Hono<{ Variables: Record<string, number> }>();
  for (const [index, step] of steps.entries()) {
    app.use(async (c, next) => {
      if (stores) c.set(step, index);
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
      app.get('/pages/:id', (c) =>
        c.json(showPage(c.req.param('id'), c.req.query('page'), c.req.header('x-client-version'))),
      );
      app.get('/trails/:id', (c) =>
        c.json(
          showTrail(
            c.req.param('id'),
            steps.map((step) => c.get(step)),
          ),
        ),
      );
      app.get('/boom', () => boom());
      app.post('/orders', async (c) => c.json(placeOrder(await c.req.json<Order>()), 201));
      app.post('/uploads', async (c) => c.json(describeUpload(new Uint8Array(await c.req.arrayBuffer()))));
      app.get('/files/:id', (c) =>
        c.body(new Uint8Array(readFile()), 200, { 'content-type': 'application/octet-stream' }),
      );
    },
  );
  return handle(app) as unknown as Invoke;
}

export const handlers = httpHandlers(createHttp);
