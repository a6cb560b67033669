import { type LogRecord, type MetricRecord, silentLogger } from '@sallyport/core';
import { defineMetrics } from '@sallyport/core/observability';
import {
  authorize,
  cors,
  createHttpRouter,
  type Feature,
  type HttpRouterOptions,
  json,
  limits,
  observe,
  policy,
  serveRequest,
  text,
} from '../src/index.js';
import { gatewayV2, type Sent, send } from './support/doors.js';

function serve(features: readonly Feature[], sent: Sent = {}) {
  const router = createHttpRouter({ features, ids: { newId: () => 'id-1' } });
  router.get('/', () => text(200, 'open'));
  router.get('/closed', (ctx) => text(200, ctx.authIdentity), { authRequired: true });
  router.post('/', (ctx) => text(200, ctx.bodyText()));
  return send(router, gatewayV2, sent);
}

describe('createHttpRouter', () => {
  it.each<[string, object, string]>([
    ['an unknown option', { cors: {} }, 'framework: unknown option "cors"'],
    ['a clock that is none', { clock: 1 }, 'framework: option "clock" must be an object'],
    ['no logger', { log: null }, 'framework: option "log" must be false or a Logger'],
    ['autoHead that is no boolean', { autoHead: 'yes' }, 'framework: option "autoHead" must be a boolean'],
    [
      'an error format',
      { httpErrorFormat: 'xml' },
      'framework: option "httpErrorFormat" must be nested or flat_legacy',
    ],
    ['features that are no list', { features: {} }, 'framework: option "features" must be a list'],
  ])('refuses %s', (_, options, message) => {
    expect(() => createHttpRouter(options as HttpRouterOptions)).toThrow(message);
  });

  it('answers without any feature: no CORS header, no preflight', async () => {
    expect((await serve([], { headers: { origin: 'https://a.example' } })).headers).toEqual({
      'content-type': 'text/plain; charset=utf-8',
      'x-request-id': 'req-1',
    });
    const preflight = { method: 'OPTIONS', headers: { origin: 'x', 'access-control-request-method': 'GET' } };
    expect((await serve([], preflight)).status).toBe(405);
  });

  it('lets nobody through to a closed route while nothing names a caller', async () => {
    expect((await serve([], { path: '/closed' })).status).toBe(401);
  });

  it('lets through whom authorize names', async () => {
    expect((await serve([authorize(() => 'ada')], { path: '/closed' })).body.toString()).toBe('ada');
    expect((await serve([authorize(() => ' ')], { path: '/closed' })).status).toBe(401);
  });

  it('answers preflights with cors, before limits see the body', async () => {
    const features = [cors({ allowedOrigins: ['https://a.example'] }), limits({ maxRequestBytes: 1 })];
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
    const answer = await serve(features, { method: 'OPTIONS', headers, body: 'too long' });
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': 'https://a.example',
      vary: 'access-control-request-headers, origin',
    });
  });

  it('bounds bodies with limits, in both directions', async () => {
    expect((await serve([limits({ maxRequestBytes: 3 })], { method: 'POST', body: 'four' })).status).toBe(413);
    expect((await serve([limits({ maxResponseBytes: 3 })])).status).toBe(413);
    expect(
      (await serve([limits({ maxRequestBytes: 4, maxResponseBytes: 4 })], { method: 'POST', body: 'four' })).status,
    ).toBe(200);
  });

  it('asks the policy before the gate', async () => {
    const answer = await serve([policy(() => ({ code: 'app.overloaded' }))], { path: '/closed' });
    expect(answer.status).toBe(503);
  });

  it('tells the hooks of observe, and gives them the declared metrics', async () => {
    const logs: LogRecord[] = [];
    const metrics: MetricRecord[] = [];
    const feature = observe({
      log: (record) => logs.push(record),
      metric: (record) => metrics.push(record),
      metrics: defineMetrics({ Seen: {} }),
    });
    const router = createHttpRouter({ features: [feature] });
    router.get('/', (ctx) => {
      ctx.metric('Seen', 1);
      return json(200, null);
    });
    await send(router, gatewayV2, {});
    expect(logs).toMatchObject([{ event: 'request.completed', route: '/', status: 200 }]);
    expect(metrics.map(({ name }) => name)).toEqual(['Seen', 'framework.request']);
  });

  it.each<[string, () => unknown, string]>([
    ['cors', () => cors({ allowedOrigins: ['*'], allowCredentials: true }), 'cors.allowedOrigins'],
    ['limits', () => limits({ maxRequestBytes: -1 }), 'limits.maxRequestBytes'],
    ['observe', () => observe({ log: 1 } as never), 'observability.log'],
    ['policy', () => policy(undefined as never), 'policy'],
    ['authorize', () => authorize(undefined as never), 'authorize'],
  ])('%s refuses what does not hold', (_, make, option) => {
    expect(make).toThrow(`framework: option "${option}" must be `);
  });

  it('runs a request without a front door', async () => {
    const router = createHttpRouter({ log: silentLogger });
    router.get('/', () => text(200, 'hi'));
    expect(Buffer.from((await serveRequest(router, { method: 'GET', path: '/' })).body).toString()).toBe('hi');
  });
});
