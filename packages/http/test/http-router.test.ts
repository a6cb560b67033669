import { type LogRecord, type MetricRecord, silentLogger } from '@sallyport/core';
import { defineMetrics } from '@sallyport/core/observability';
import { cors, createHttpRouter, type HttpRouterOptions, json, observe, serveRequest, text } from '../src/index.js';
import { gatewayV2, type Sent, send } from './support/doors.js';

function serve(options: HttpRouterOptions, sent: Sent = {}) {
  const router = createHttpRouter({ ...options, ids: { newId: () => 'id-1' } });
  router.get('/', () => text(200, 'open'));
  router.get('/closed', (ctx) => text(200, ctx.authIdentity), { authRequired: true });
  router.post('/', (ctx) => text(200, ctx.bodyText()));
  return send(router, gatewayV2, sent);
}

it.each<[string, 'delete' | 'get' | 'head' | 'options' | 'patch' | 'post' | 'put']>([
  ['GET', 'get'],
  ['HEAD', 'head'],
  ['POST', 'post'],
  ['PUT', 'put'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
  ['OPTIONS', 'options'],
])('a request with the method %s reaches what %s() registered, and no other request does', async (method, verb) => {
  const router = createHttpRouter({ log: false });
  router[verb]('/a', () => text(200, ''));
  expect(await send(router, gatewayV2, { method, path: '/a' })).toMatchObject({ status: 200 });
  expect(await send(router, gatewayV2, { method: 'TRACE', path: '/a' })).toMatchObject({ status: 405 });
});

describe('createHttpRouter', () => {
  it.each<[string, object, string]>([
    ['an unknown option', { features: [] }, 'unknown option "features"'],
    ['a clock that is none', { clock: 1 }, 'option "clock"'],
    ['no logger', { log: null }, 'option "log"'],
    ['autoHead that is no boolean', { autoHead: 'yes' }, 'option "autoHead"'],
    ['an error format', { httpErrorFormat: 'xml' }, 'option "httpErrorFormat"'],
    ['limits', { limits: { maxRequestBytes: -1 } }, 'option "limits.maxRequestBytes"'],
    ['a policy hook', { policyHook: 1 }, 'option "policyHook"'],
    ['an auth hook', { authHook: 'ada' }, 'option "authHook"'],
    ['plain CORS options', { cors: {} }, 'option "cors"'],
    ['plain hooks', { observability: {} }, 'option "observability"'],
  ])('rejects %s', (_, options, message) => {
    expect(() => createHttpRouter(options as HttpRouterOptions)).toThrow(
      expect.failure('app.invalid_configuration', message),
    );
  });

  it('answers without any option: no CORS header, no preflight', async () => {
    expect((await serve({}, { headers: { origin: 'https://a.example' } })).headers).toEqual({
      'content-type': 'text/plain; charset=utf-8',
      'x-request-id': 'req-1',
    });
    const preflight = { method: 'OPTIONS', headers: { origin: 'x', 'access-control-request-method': 'GET' } };
    expect((await serve({}, preflight)).status).toBe(405);
  });

  it('rejects every caller of a protected route without a resolver', async () => {
    expect((await serve({}, { path: '/closed' })).status).toBe(401);
  });

  it('accepts callers that authHook identifies', async () => {
    expect((await serve({ authHook: () => 'ada' }, { path: '/closed' })).body.toString()).toBe('ada');
    expect((await serve({ authHook: () => ' ' }, { path: '/closed' })).status).toBe(401);
  });

  it('answers preflights with cors, before limits see the body', async () => {
    const options = { cors: cors({ allowedOrigins: ['https://a.example'] }), limits: { maxRequestBytes: 1 } };
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
    const answer = await serve(options, { method: 'OPTIONS', headers, body: 'too long' });
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': 'https://a.example',
      vary: 'access-control-request-headers, origin',
    });
  });

  it('limits the size of request and response bodies', async () => {
    expect((await serve({ limits: { maxRequestBytes: 3 } }, { method: 'POST', body: 'four' })).status).toBe(413);
    expect((await serve({ limits: { maxResponseBytes: 3 } })).status).toBe(413);
    expect(
      (await serve({ limits: { maxRequestBytes: 4, maxResponseBytes: 4 } }, { method: 'POST', body: 'four' })).status,
    ).toBe(200);
  });

  it('calls the policy before the gate', async () => {
    const answer = await serve({ policyHook: () => ({ code: 'app.overloaded' }) }, { path: '/closed' });
    expect(answer.status).toBe(503);
  });

  it('calls the hooks of observe, with the declared metrics', async () => {
    const logs: LogRecord[] = [];
    const metrics: MetricRecord[] = [];
    const observability = observe({
      log: (record) => logs.push(record),
      metric: (record) => metrics.push(record),
      metrics: defineMetrics({ Seen: {} }),
    });
    const router = createHttpRouter({ observability });
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
    ['observe', () => observe({ log: 1 } as never), 'observability.log'],
  ])('%s rejects invalid values', (_, make, option) => {
    expect(make).toThrow(expect.failure('app.invalid_configuration', `option "${option}"`));
  });

  it('runs a request without a front door', async () => {
    const router = createHttpRouter({ log: silentLogger });
    router.get('/', () => text(200, 'hi'));
    expect(Buffer.from((await serveRequest(router, { method: 'GET', path: '/' })).body).toString()).toBe('hi');
  });
});
