import { H3 } from 'h3';
import { toLambdaHandler } from 'srvx/aws-lambda';
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
  const app = new H3({ silent: true });
  for (const step of steps ? STEPS : []) {
    app.use((event, next) => {
      event.res.headers.set(step, '1');
      return next();
    });
  }
  registerAll(
    100,
    ({ method, pattern, resource }) => app.on(method, colonPattern(pattern), () => showResource(resource)),
    () => {
      app.get('/users/:id', (event) => findUser(event.context.params?.id ?? ''));
      app.get('/boom', () => boom());
      app.post('/orders', async (event) => {
        event.res.status = 201;
        return placeOrder((await event.req.json()) as Order);
      });
      app.post('/uploads', async (event) => describeUpload(new Uint8Array(await event.req.arrayBuffer())));
      app.get('/files/:id', (event) => {
        event.res.headers.set('content-type', 'application/octet-stream');
        return FILE;
      });
    },
  );
  return toLambdaHandler({ fetch: app.fetch }) as unknown as Invoke;
}

export const handlers: Handlers = httpHandlers(createHttp);
