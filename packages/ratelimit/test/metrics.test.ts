import type { MetricRecord } from '@sallyport/core';
import { json } from '@sallyport/http';
import { fixedWindow, rateLimitMiddleware } from '@sallyport/ratelimit';
import { createFakeRateLimiter } from '@sallyport/ratelimit/testing';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { buildAPIGatewayV2Request } from '@sallyport/testkit';
import { WallClock } from './support/dynamo.js';

it('every decision is counted: allowed, denied, and unknown if the store failed', async () => {
  const clock = new WallClock();
  const limiter = createFakeRateLimiter({ strategy: fixedWindow({ limit: 1, windowMs: 60_000 }), clock });
  const metrics: MetricRecord[] = [];
  const app = new SecureApp({
    principalResolver: () => ({ identity: 'ada' }),
    clock,
    log: false,
    observability: { metric: (record) => metrics.push(record) },
  });
  app.use(rateLimitMiddleware({ limiter }));
  app.get('/notes/{id}', () => json(200, {}), Authenticated());
  const get = () => app.handleLambda(buildAPIGatewayV2Request('GET', '/notes/1'));
  await get();
  await get();
  limiter.goDown();
  await get();
  const limits = metrics.filter(({ name }) => name === 'framework.limit');
  expect(limits).toMatchObject([
    { value: 1, tags: { policy: 'default:f60000', decision: 'allowed' } },
    { value: 1, tags: { decision: 'denied' } },
    { value: 1, tags: { decision: 'unknown' } },
  ]);
  expect(limits.flatMap(({ tags }) => Object.keys(tags))).not.toContain('identifier');
});
