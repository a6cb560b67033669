import { AppError, json, once } from '@acme/lambda-kit';
import type { Ctx } from '@acme/lambda-kit';
import { app, log } from '#api/app.js';
import { find, save, table } from './store.js';

const ORDERS = '/orders';

app
  .getStrict('/health', () => json(200, { ok: true, table }))
  .getStrict(ORDERS, async (ctx: Ctx) => json(200, await find(ctx.query('customer'))), { authRequired: true });

app.handleStrict('PUT', '/orders/{id}', async (ctx) => {
  ctx.set('acme.order', ctx.param('id'));
  if (ctx.param('id') === '0') throw new AppError('app.conflict', 'orders are counted from 1');
  log.info('order saved', { order: ctx.param('id') });
  return json(200, await once(ctx.param('id'), () => save(ctx.param('id'), ctx.bodyJson())));
}, { authRequired: true, trailingSlash: true });

app.group('/reports', { authRequired: true, tags: ['reports'] }, (reports) => {
  reports.get('/', () => json(200, []));
  reports.group('/daily', {}, (daily) => daily.get('/{day}', (ctx) => json(200, { day: ctx.param('day') })));
});

app.queue('orders', (ctx, message) => {
  log.info('order', { id: message.messageId, from: ctx.get('acme.source') as string });
});

export const handler = app.handleLambda;
