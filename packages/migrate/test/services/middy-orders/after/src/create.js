import { FrameworkError } from '@sallyport/core';
import { json } from '@sallyport/http';
import { middyCompat } from '@sallyport/http/compat';
import { SecureApp } from '@sallyport/secure';
import { choosePosture } from '@sallyport/secure/migrate';
import { orders } from './store.js';

const create = async (ctx) => {
  const { sku, count = 1 } = ctx.bodyJson();
  if (!sku) throw new FrameworkError('app.bad_request', 'sku is required');
  const order = { id: String(orders.size + 1), sku, count };
  orders.set(order.id, order);
  return json(201, order);
};

export const handler = new SecureApp({ ...middyCompat })
  .post('/orders', create, choosePosture('POST /orders'), { trailingSlash: true })
  .handleLambda;
