import { BadRequestError, ForbiddenError, Router } from '@aws-lambda-powertools/event-handler/http';
import type { Context } from 'aws-lambda';
import { shelves } from './shelves';
import { items } from './store';

const app = new Router();

app.use(async ({ reqCtx, next }) => {
  if (reqCtx.req.headers.get('x-shop') === 'closed') throw new ForbiddenError('the shop is closed');
  await next();
  reqCtx.res.headers.set('x-stock', String(items.size));
});

app.get('/items', () => [...items.values()]);

app.get('/items/:sku', async (reqCtx) => {
  const { sku } = reqCtx.params;
  const item = items.get(sku);
  if (item === undefined) return new Response('no such item', { status: 404 });
  return item;
});

app.post('/items', async ({ req, params }) => {
  const { sku, count } = await req.json();
  if (!Number.isInteger(count)) throw new BadRequestError('count must be a whole number');
  items.set(sku, { sku, count });
  return { statusCode: 201, body: JSON.stringify({ sku, count }) };
});

app.patch('/items/:sku', [checkSku], async ({ req, params: { sku } }) => {
  const { count } = (await req.json()) as { count: number };
  const item = { sku, count };
  items.set(sku, item);
  return item;
});

async function checkSku({ reqCtx, next }: any) {
  if (!items.has(reqCtx.params.sku)) return new Response('unknown sku', { status: 404 });
  await next();
}

app.delete('/items/:sku', async ({ params }) => {
  const wasThere = items.delete(params.sku);
  return { removed: wasThere };
});

app.get('/event', async ({ event, context }) => {
  return { version: (event as { version?: string }).version, id: context.awsRequestId };
});

app.includeRouter(shelves, { prefix: '/shelves' });

app.notFound(async () => {
  return { statusCode: 404, body: JSON.stringify({ message: 'nothing on this shelf' }) };
});

export async function handler(event: unknown, context: Context) {
  return app.resolve(event, context);
}
