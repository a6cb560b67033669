import { json } from '@sallyport/http';
import { fixedWindow, rateLimitMiddleware } from '@sallyport/ratelimit';
import { createFakeRateLimiter } from '@sallyport/ratelimit/testing';
import { buildAPIGatewayV2Request, interleave, type MarkedEvent, type TestEnv } from '@sallyport/testkit';

function buildApp(env: TestEnv) {
  const limiter = createFakeRateLimiter({ strategy: fixedWindow({ limit: 3, windowMs: 60_000 }), clock: env.clock });
  const app = env.app();
  app.use(rateLimitMiddleware({ limiter }));
  return app.get('/cheap', async (ctx) => {
    await env.pause();
    return json(200, { key: ctx.header('x-api-key') });
  });
}

const call: MarkedEvent = (marker) => buildAPIGatewayV2Request('GET', '/cheap', { headers: { 'x-api-key': marker } });

it('concurrent callers are counted separately', async () => {
  await expect(interleave(buildApp, [call, call, call, call])).resolves.toBeUndefined();
});
