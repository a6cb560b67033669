import express, { type Express } from 'express';
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
import type { HttpOptions } from '../invoke.js';

/** The express application that every adapter for it serves. */
export function createExpress({ steps, stores }: HttpOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  for (const [index, step] of steps.entries()) {
    app.use((_request, response, next) => {
      if (stores) response.locals[step] = index;
      response.set(step, '1');
      next();
    });
  }
  registerAll(
    100,
    ({ method, pattern, resource }) => {
      const register = method.toLowerCase() as 'get' | 'post' | 'delete';
      app[register](colonPattern(pattern), (_request, response) => void response.json(showResource(resource)));
    },
    () => {
      app.get('/users/:id', (request, response) => void response.json(findUser(request.params.id ?? '')));
      app.get('/pages/:id', ({ params, query, headers }, response) => {
        response.json(showPage(params.id ?? '', query.page as string, headers['x-client-version'] as string));
      });
      app.get('/trails/:id', (request, response) => {
        response.json(
          showTrail(
            request.params.id ?? '',
            steps.map((step) => response.locals[step]),
          ),
        );
      });
      app.get('/boom', () => boom());
      const order = express.json({ limit: '1mb' });
      app.post('/orders', order, (request, response) => {
        response.status(201).json(placeOrder(request.body as Order));
      });
      const upload = express.raw({ limit: '8mb', type: 'application/octet-stream' });
      app.post('/uploads', upload, (request, response) => void response.json(describeUpload(request.body as Buffer)));
      app.get('/files/:id', (_request, response) => {
        response.type('application/octet-stream').send(readFile());
      });
    },
  );
  app.use((_error: unknown, _request: unknown, response: express.Response, _next: unknown) => {
    response.status(500).json({ error: 'internal error' });
  });
  return app;
}
