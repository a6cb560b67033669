import awsLambdaFastify from '@fastify/aws-lambda';
import fastify from 'fastify';
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

/** The store of a request: fastify requires a decorated member, which is created for each request. */
function trailOf(request: object): Map<string, number> {
  const own = request as { trail?: Map<string, number> };
  own.trail ??= new Map();
  return own.trail;
}

interface PageRequest {
  readonly params: { readonly id: string };
  readonly query: { readonly page?: string };
  readonly headers: Readonly<Record<string, string | undefined>>;
}

async function createHttp({ steps, stores }: HttpOptions): Promise<Invoke> {
  const app = fastify({ bodyLimit: 8 * 1024 * 1024 });
  app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  if (stores) app.decorateRequest('trail');
  for (const [index, step] of steps.entries()) {
    app.addHook('onRequest', (request, reply, done) => {
      if (stores) trailOf(request).set(step, index);
      reply.header(step, '1');
      done();
    });
  }
  registerAll(
    100,
    ({ method, pattern, resource }) =>
      app.route({ method, url: colonPattern(pattern), handler: async () => showResource(resource) }),
    () => {
      app.get('/users/:id', async (request) => findUser((request.params as { id: string }).id));
      app.get('/pages/:id', async (request) => {
        const { params, query, headers } = request as unknown as PageRequest;
        return showPage(params.id, query.page, headers['x-client-version']);
      });
      app.get('/trails/:id', async (request) => {
        const trail = trailOf(request);
        return showTrail(
          (request.params as { id: string }).id,
          steps.map((step) => trail.get(step)),
        );
      });
      app.get('/boom', async () => boom());
      app.post('/orders', async (request, reply) => reply.status(201).send(placeOrder(request.body as Order)));
      app.post('/uploads', async (request) => describeUpload(request.body as Buffer));
      app.get('/files/:id', async (_request, reply) => reply.type('application/octet-stream').send(readFile()));
    },
  );
  const invoke = awsLambdaFastify(app, { binaryMimeTypes: ['application/octet-stream'] });
  await app.ready();
  return invoke as unknown as Invoke;
}

export const handlers = httpHandlers(createHttp);
