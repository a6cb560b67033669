import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpRouter from '@middy/http-router';

const routes = [
  {
    method: 'GET' as const,
    path: '/health',
    handler: async () => ({
      statusCode: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ok: true }),
    }),
  },
];

export const handler = middy()
  .use(httpHeaderNormalizer())
  .use(httpErrorHandler())
  .handler(httpRouter(routes) as never);
