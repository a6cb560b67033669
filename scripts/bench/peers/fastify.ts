import awsLambdaFastify from '@fastify/aws-lambda';
import fastify from 'fastify';
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

async function createHttp({ steps }: { steps: boolean }): Promise<Invoke> {
  const app = fastify({ bodyLimit: 8 * 1024 * 1024 });
  app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  for (const step of steps ? STEPS : []) {
    app.addHook('onRequest', (_request, reply, done) => {
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
      app.get('/boom', async () => boom());
      app.post('/orders', async (request, reply) => reply.status(201).send(placeOrder(request.body as Order)));
      app.post('/uploads', async (request) => describeUpload(request.body as Buffer));
      app.get('/files/:id', async (_request, reply) => reply.type('application/octet-stream').send(FILE));
    },
  );
  const invoke = awsLambdaFastify(app, { binaryMimeTypes: ['application/octet-stream'] });
  await app.ready();
  return invoke as unknown as Invoke;
}

export const handlers: Handlers = httpHandlers(createHttp);
