import { createApp } from '@sallyport/dispatch/app';
import { binary, json, type Tier } from '@sallyport/http';
import {
  boom,
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
import type { HttpOptions, Invoke } from '../invoke.js';

/** The other peers write no line for a failure either; a line with stack and sanitizing costs about 0.1 ms. */
export const log = false;

export function createHttp(tier: Tier, { routes, steps, stores }: HttpOptions): Invoke {
  const app = createApp({ tier, log });
  for (const [index, step] of steps.entries()) {
    app.use(async (ctx, next) => {
      if (stores) ctx.set(step, index);
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
      app.get('/pages/{id}', (ctx) =>
        json(200, showPage(ctx.param('id'), ctx.query('page'), ctx.header('x-client-version'))),
      );
      app.get('/trails/{id}', (ctx) =>
        json(
          200,
          showTrail(
            ctx.param('id'),
            steps.map((step) => ctx.get(step)),
          ),
        ),
      );
      app.get('/boom', () => boom());
      app.post('/orders', (ctx) => json(201, placeOrder(ctx.bodyJson<Order>())));
      app.post('/uploads', (ctx) => json(200, describeUpload(ctx.request.body)));
      app.get('/files/{id}', () => binary(200, readFile(), 'application/octet-stream'));
    },
  );
  return app.handleLambda;
}
