import { getQuery, H3 } from 'h3';
import { toLambdaHandler } from 'srvx/aws-lambda';
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
import { type Handlers, type HttpOptions, httpHandlers, type Invoke } from '../invoke.js';

function createHttp({ steps, stores }: HttpOptions): Invoke {
  const app = new H3({ silent: true });
  for (const [index, step] of steps.entries()) {
    app.use((event, next) => {
      if (stores) event.context[step] = index;
      event.res.headers.set(step, '1');
      return next();
    });
  }
  registerAll(
    100,
    ({ method, pattern, resource }) => app.on(method, colonPattern(pattern), () => showResource(resource)),
    () => {
      app.get('/users/:id', (event) => findUser(event.context.params?.id ?? ''));
      app.get('/pages/:id', (event) =>
        showPage(
          event.context.params?.id ?? '',
          getQuery(event).page as string,
          event.req.headers.get('x-client-version') ?? '',
        ),
      );
      app.get('/trails/:id', (event) =>
        showTrail(
          event.context.params?.id ?? '',
          steps.map((step) => event.context[step]),
        ),
      );
      app.get('/boom', () => boom());
      app.post('/orders', async (event) => {
        event.res.status = 201;
        return placeOrder((await event.req.json()) as Order);
      });
      app.post('/uploads', async (event) => describeUpload(new Uint8Array(await event.req.arrayBuffer())));
      app.get('/files/:id', (event) => {
        event.res.headers.set('content-type', 'application/octet-stream');
        return readFile();
      });
    },
  );
  return toLambdaHandler({ fetch: app.fetch }) as unknown as Invoke;
}

export const handlers: Handlers = httpHandlers(createHttp);
