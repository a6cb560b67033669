import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import { createError } from '@middy/util';
import { orders } from './store.js';

export const handler = middy()
  .use(httpErrorHandler({ logger: false }))
  .handler(async (event) => {
    const { id } = event.pathParameters;
    const order = orders.get(id);
    if (!order) throw createError(404, `no order ${id}`);
    const accept = event.headers.accept;
    if (accept === 'text/plain') {
      return { statusCode: 200, headers: { 'Content-Type': 'text/plain' }, body: `${order.sku} x ${order.count}` };
    }
    return { statusCode: 200, body: JSON.stringify(order) };
  });
