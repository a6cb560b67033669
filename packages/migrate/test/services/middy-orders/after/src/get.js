import { FrameworkError } from '@sallyport/core';
import { json } from '@sallyport/http';
import { middyCompat } from '@sallyport/http/compat';
import { SecureApp } from '@sallyport/secure';
import { choosePosture } from '@sallyport/secure/migrate';
import { orders } from './store.js';

export const handler = new SecureApp({ ...middyCompat })
  .get('/orders/{id}', async (ctx) => {
    const id = ctx.param('id');
    const order = orders.get(id);
    if (!order) throw new FrameworkError('app.not_found', `no order ${id}`);
    const accept = ctx.header('accept');
    if (accept === 'text/plain') {
      return { status: 200, headers: { 'Content-Type': 'text/plain' }, body: `${order.sku} x ${order.count}` };
    }
    return json(200, order);
  }, choosePosture('GET /orders/{id}'), { trailingSlash: true })
  .handleLambda;
