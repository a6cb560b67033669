import { once } from '@acme/lambda-kit';
import { FrameworkError as AppError } from '@sallyport/core';
import { json } from '@sallyport/http';
import type { Context as Ctx } from '@sallyport/core';
import { app, log } from '#api/app.js';
import { find, save, table } from './store.js';
import { choosePosture } from '@sallyport/secure/migrate';

const ORDERS = '/orders';

app
  .get('/health', () => json(200, { ok: true, table }), choosePosture('GET /health'))
  .get(ORDERS, async (ctx: Ctx) => json(200, await find(ctx.query('customer'))), choosePosture('GET ORDERS') /* authRequired: true */);

app.handle('PUT', '/orders/{id}', async (ctx) => {
  ctx.set('framework.order', ctx.param('id'));
  if (ctx.param('id') === '0') throw new AppError('app.conflict', 'orders are counted from 1');
  log.info('order saved', { order: ctx.param('id') });
  return json(200, await once(ctx.param('id'), () => save(ctx.param('id'), ctx.bodyJson())));
}, choosePosture('PUT /orders/{id}') /* authRequired: true */, { trailingSlash: true });

app.group('/reports', { tags: ['reports'] } /* authRequired: true */, (reports) => {
  reports.get('/', () => json(200, []), choosePosture('GET /reports'));
  reports.group('/daily', {}, (daily) => daily.get('/{day}', (ctx) => json(200, { day: ctx.param('day') }), choosePosture('GET /reports/daily/{day}')));
});

app.queue('orders', (ctx, message) => {
  log.info('order', { id: message.messageId, from: ctx.get('framework.source') as string });
});

export const handler = app.handleLambda;
