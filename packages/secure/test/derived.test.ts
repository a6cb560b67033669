import { ManualClock } from '@sallyport/core/testing';
import { createLambdaFunctionURLStreamingHandler, htmlStream, json, timeoutMiddleware } from '@sallyport/http';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { createTestEnv } from '@sallyport/testkit';
import { createLambdaContext } from './support/lambda.js';
import { DIRECT, DOORS, send } from './support/operations.js';

const url = DOORS[1];

describe('a derived context', () => {
  it('keeps the principal through the timeout middleware', async () => {
    const app = new SecureApp({ principalResolver: () => ({ identity: 'ada', scopes: ['a'], tenantId: 't' }) });
    app.use(timeoutMiddleware({ defaultTimeoutMs: 1_000 }));
    app.get('/op', (ctx) => json(200, [ctx.securePrincipal(), ctx.authIdentity, ctx.tenantId]), Authenticated('a'));
    const lambda = createLambdaContext(new ManualClock(), {});
    expect((await send(app, DIRECT, {}, lambda)).body).toEqual([
      { identity: 'ada', scopes: ['a'], claims: {}, kind: 'external', tenantId: 't' },
      'ada',
      't',
    ]);
  });

  it('of a rejected request shows no caller to the hooks', async () => {
    const seen: unknown[] = [];
    const app = new SecureApp({
      principalResolver: () => ({ identity: 'zoe' }),
      observability: { log: (record) => void seen.push(JSON.stringify(record)) },
    });
    app.get('/op', () => json(200, 1), Authenticated('admin'));
    expect((await send(app, DIRECT, {})).status).toBe(403);
    expect(seen).toHaveLength(1);
    expect(seen[0]).not.toContain('zoe');
  });
});

describe('a streaming handler', () => {
  it('keeps the gate and the error format of the app', async () => {
    const env = createTestEnv();
    const app = new SecureApp({
      ...env.options(),
      httpErrorFormat: 'flat_legacy',
      principalResolver: (ctx) => (!ctx.header('x-user') ? null : { identity: ctx.header('x-user') ?? '' }),
    });
    app.get('/op', (ctx) => htmlStream(200, ['<p>', ctx.authIdentity, '</p>']), Authenticated(), { streaming: true });
    app.get('/open', () => htmlStream(200, ['open']), Public(), { streaming: true });
    const refused = await env.invokeStreaming(app, url?.event({}));
    expect([refused.status, Buffer.from(refused.body).toString()]).toEqual([
      401,
      '{"code":"app.unauthorized","message":"unauthorized"}',
    ]);
    const passed = await env.invokeStreaming(app, url?.event({ headers: { 'x-user': 'ada' } }));
    expect([passed.status, Buffer.from(passed.body).toString()]).toEqual([200, '<p>ada</p>']);
    expect((await env.invokeStreaming(app, url?.event({ path: '/open' }))).status).toBe(200);
    expect(app.routes().map(({ streaming }) => streaming)).toEqual([true, true]);
    // Without the runtime's global the same handler is the buffered door.
    const buffered = (await createLambdaFunctionURLStreamingHandler(app)(url?.event({}))) as { statusCode: number };
    expect(buffered.statusCode).toBe(401);
  });
});
