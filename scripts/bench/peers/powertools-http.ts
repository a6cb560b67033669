import { Router } from '@aws-lambda-powertools/event-handler/http';
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

/** Its warnings and errors would otherwise be written for every failing request. */
export const logger = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

const json = (statusCode: number, value: unknown) => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

function createHttp({ steps, stores }: HttpOptions): Invoke {
  const app = new Router<{ store: { request: Record<string, number> } }>({ logger });
  for (const [index, step] of steps.entries()) {
    app.use(async ({ reqCtx, next }) => {
      if (stores) reqCtx.set(step, index);
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
      app.get('/pages/:id', async ({ params, req }) => {
        const page = new URL(req.url).searchParams.get('page') ?? undefined;
        return json(200, showPage(params.id ?? '', page, req.headers.get('x-client-version') ?? undefined));
      });
      app.get('/trails/:id', async (reqCtx) =>
        json(
          200,
          showTrail(
            reqCtx.params.id ?? '',
            steps.map((step) => reqCtx.get(step)),
          ),
        ),
      );
      app.get('/boom', async () => boom());
      app.post('/orders', async ({ req }) => json(201, placeOrder((await req.json()) as Order)));
      // Its body is text, which destroys binary bytes: read from the event.
      app.post('/uploads', async ({ event }) =>
        json(200, describeUpload(Buffer.from((event as { body?: string }).body ?? '', 'base64'))),
      );
      app.get('/files/:id', async (reqCtx) => {
        reqCtx.isBase64Encoded = true;
        return new Response(new Uint8Array(readFile()), {
          status: 200,
          headers: { 'content-type': 'application/octet-stream' },
        });
      });
    },
  );
  return (event: unknown, context: unknown) => app.resolve(event, context as never);
}

export const handlers = httpHandlers(createHttp);
