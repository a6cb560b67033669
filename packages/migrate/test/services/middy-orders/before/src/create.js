import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { createError } from '@middy/util';
import { orders } from './store.js';

const create = async (event, context) => {
  const { sku, count = 1 } = event.body;
  if (!sku) throw createError(400, 'sku is required');
  const order = { id: String(orders.size + 1), sku, count };
  orders.set(order.id, order);
  return { statusCode: 201, body: JSON.stringify(order) };
};

export const handler = middy(create).use([httpJsonBodyParser(), httpErrorHandler({ logger: false })]);
