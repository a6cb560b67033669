import { createDispatcher } from '@sallyport/dispatch';
import { createHttpRouter, json } from '@sallyport/http';
import { bySourceIp, createDynamoRateLimiter, fixedWindow, rateLimitMiddleware } from '@sallyport/ratelimit';

const strategy = fixedWindow({ limit: 600, windowMs: 60_000 });
const limiter = createDynamoRateLimiter({ strategy, onStoreError: 'deny', tableName: 'limits' });
const http = createHttpRouter();
http.use(rateLimitMiddleware({ limiter, extractIdentifier: bySourceIp() }));
http.get('/health', () => json(200, { ok: true }));

export const handler = createDispatcher(http).handleLambda;
