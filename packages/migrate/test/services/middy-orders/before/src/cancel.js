import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import { orders } from './store.js';

export const handler = middy(async (event) => {
  orders.delete(event.pathParameters.id);
  return { statusCode: 204, body: '' };
}).use(httpErrorHandler({ logger: false }));
