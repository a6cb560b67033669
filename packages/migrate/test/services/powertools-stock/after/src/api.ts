import { type Context, FrameworkError, type Next } from '@sallyport/core';
import { json } from '@sallyport/http';
import { powertoolsCompat } from '@sallyport/http/compat';
import { SecureApp } from '@sallyport/secure';
import { choosePosture } from '@sallyport/secure/migrate';
import { shelves } from './shelves';
import { items } from './store';

const app = new SecureApp({ ...powertoolsCompat, notFound: async () => {
  return json(404, { message: 'nothing on this shelf' });
} });

app.use(async (ctx, next) => {
  if ((ctx.header('x-shop') ?? null) === 'closed') throw new FrameworkError('app.forbidden', 'the shop is closed');
  const answer = await next(ctx);
  answer.headers['x-stock'] = [String(items.size)];
  return answer;
});

app.get('/items', () => json(200, [...items.values()]), choosePosture('GET /items'), { trailingSlash: true });

app.get('/items/{sku}', async (ctx) => {
  const sku = ctx.param('sku');
  const item = items.get(sku);
  if (item === undefined) return new Response('no such item', { status: 404 });
  return json(200, await item);
}, choosePosture('GET /items/{sku}'), { trailingSlash: true });

app.post('/items', async (ctx) => {
  const { sku, count } = ctx.bodyJson<any>();
  if (!Number.isInteger(count)) throw new FrameworkError('app.bad_request', 'count must be a whole number');
  items.set(sku, { sku, count });
  return json(201, { sku, count });
}, choosePosture('POST /items'), { trailingSlash: true });

app.patch('/items/{sku}', async (ctx) => {
  const { count } = ctx.bodyJson<any>() as { count: number };
  const item = { sku: ctx.param('sku'), count };
  items.set(ctx.param('sku'), item);
  return json(200, await item);
}, choosePosture('PATCH /items/{sku}'), { trailingSlash: true, use: [checkSku] });

async function checkSku(ctx: Context, next: Next) {
  if (!items.has(ctx.param('sku'))) return new Response('unknown sku', { status: 404 });
  return next(ctx);
}

app.delete('/items/{sku}', async (ctx) => {
  const wasThere = items.delete(ctx.param('sku'));
  return json(200, { removed: wasThere });
}, choosePosture('DELETE /items/{sku}'), { trailingSlash: true });

app.get('/event', async (ctx) => {
  return json(200, { version: (ctx.event as any).version, id: ctx.lambdaContext?.awsRequestId });
}, choosePosture('GET /event'), { trailingSlash: true });

app.group('/shelves', {}, shelves);

export const handler = app.handleLambda;
