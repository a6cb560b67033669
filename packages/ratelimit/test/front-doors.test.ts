import { type App, type AppOptions, createApp } from '@sallyport/dispatch/app';
import { HTTP_ERROR_FORMAT_FLAT_LEGACY, json } from '@sallyport/http';
import { bySourceIp, fixedWindow, rateLimitMiddleware, rateLimitPolicy } from '@sallyport/ratelimit';
import { createFakeRateLimiter, type FakeRateLimiter } from '@sallyport/ratelimit/testing';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildAppSyncBatch,
  buildAppSyncEvent,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  buildWebSocketEvent,
} from '@sallyport/testkit';
import { WallClock } from './support/dynamo.js';

const strategy = fixedWindow({ limit: 1, windowMs: 60_000 });

interface Service {
  readonly app: App;
  readonly limiter: FakeRateLimiter;
}

function createService(options: AppOptions = {}): Service {
  const clock = new WallClock();
  const limiter = createFakeRateLimiter({ strategy, clock });
  const app = createApp({ clock, ids: { newId: () => 'id-1' }, ...options });
  app.use(rateLimitMiddleware({ limiter }));
  app.get('/users/{id}', () => json(200, { ok: true }));
  app.appSyncField('Query', 'note', () => json(200, { text: 'hi' }));
  for (const routeKey of ['$connect', '$disconnect', '$default']) app.webSocket(routeKey, () => json(200, {}));
  return { app, limiter };
}

/** Status, code and headers of a response of any front door. */
function read(answer: unknown): { status: number; body: unknown; headers: Record<string, string> } {
  const { statusCode, body, headers, multiValueHeaders } = answer as {
    statusCode: number;
    body: string;
    headers?: Record<string, string>;
    multiValueHeaders?: Record<string, string[]>;
  };
  const lists = Object.entries(multiValueHeaders ?? {}).map(([name, values]) => [name, values.join(',')] as const);
  return { status: statusCode, body: JSON.parse(body), headers: { ...Object.fromEntries(lists), ...headers } };
}

const LIMIT_HEADERS = {
  'ratelimit-policy': '"default";q=1;w=60',
  ratelimit: '"default";r=0;t=60',
  'x-ratelimit-limit': '1',
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': '1699999260',
};

const DOORS = [
  ['gateway v2', buildAPIGatewayV2Request],
  ['function URL', buildLambdaFunctionURLRequest],
  ['gateway v1', buildAPIGatewayProxyRequest],
  ['load balancer', buildLoadBalancerRequest],
] as const;

describe.each(DOORS)('on %s', (_, build) => {
  it('the first request has headers, the second is 429 with a time to are returned', async () => {
    const { app, limiter } = createService();
    const first = read(await app.handleLambda(build('GET', '/users/1')));
    expect(first).toMatchObject({ status: 200, body: { ok: true }, headers: LIMIT_HEADERS });
    const second = read(await app.handleLambda(build('GET', '/users/2')));
    expect(second).toMatchObject({ status: 429, headers: { ...LIMIT_HEADERS, 'retry-after': '60' } });
    expect(second.body).toEqual({ error: { code: 'app.rate_limited', message: 'rate limited', request_id: 'id-1' } });
    expect(limiter.calls.map(({ key }) => [key.resource, key.operation])).toEqual([
      ['/users/{id}', 'GET'],
      ['/users/{id}', 'GET'],
    ]);
  });

  it('the flat error format names code and message', async () => {
    const { app } = createService({ httpErrorFormat: HTTP_ERROR_FORMAT_FLAT_LEGACY });
    await app.handleLambda(build('GET', '/users/1'));
    const denied = read(await app.handleLambda(build('GET', '/users/1')));
    expect(denied).toMatchObject({
      status: 429,
      headers: { 'retry-after': '60' },
      body: { code: 'app.rate_limited', message: 'rate limited' },
    });
  });

  it('a store that fails is 503', async () => {
    const { app, limiter } = createService();
    limiter.goDown();
    expect(read(await app.handleLambda(build('GET', '/users/1')))).toMatchObject({
      status: 503,
      body: { error: { code: 'app.overloaded', message: 'overloaded' } },
      headers: { 'retry-after': '1', 'x-rate-limit-fail-closed': 'true' },
    });
  });

  it('the policy hook denies before the credentials are read', async () => {
    const clock = new WallClock();
    const limiter = createFakeRateLimiter({ strategy, clock });
    const checked: string[] = [];
    const app = createApp({
      clock,
      policyHook: rateLimitPolicy({ limiter, extractIdentifier: bySourceIp() }),
      authHook: (ctx) => {
        checked.push(ctx.header('x-api-key') ?? '');
        return '';
      },
    });
    app.handle('GET', '/secret', () => json(200, {}), { authRequired: true });
    const statuses = [];
    for (const key of ['guess-1', 'guess-2']) {
      statuses.push(read(await app.handleLambda(build('GET', '/secret', { headers: { 'x-api-key': key } }))).status);
    }
    expect([statuses, checked]).toEqual([[401, 429], ['guess-1']]);
  });
});

describe('with GraphQL', () => {
  const event = () => buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'note' });

  it('a denied field is an error with code and message', async () => {
    const { app, limiter } = createService();
    expect(await app.handleLambda(event())).toEqual({ text: 'hi' });
    expect(await app.handleLambda(event())).toMatchObject({
      error_message: 'rate limited',
      error_info: { code: 'app.rate_limited' },
    });
    expect(limiter.calls[0]?.key).toMatchObject({ resource: 'Query.note', operation: 'GET' });
  });

  it('each entry of a batch counts', async () => {
    const { app, limiter } = createService();
    const answers = (await app.handleLambda(buildAppSyncBatch([event(), event(), event()]))) as unknown[];
    expect(limiter.calls.length).toBe(3);
    expect(answers.filter((answer) => JSON.stringify(answer).includes('app.rate_limited')).length).toBe(2);
  });
});

describe('with WebSocket', () => {
  it('connections and messages are limited apart, and a disconnect never is', async () => {
    const { app, limiter } = createService();
    const statuses = [];
    for (const routeKey of ['$connect', '$connect', '$default', '$default', '$disconnect', '$disconnect']) {
      const answer = (await app.handleLambda(buildWebSocketEvent({ routeKey }))) as { statusCode: number };
      statuses.push(answer.statusCode);
    }
    expect(statuses).toEqual([200, 429, 200, 429, 200, 200]);
    expect(limiter.calls.map(({ key }) => `${key.resource} ${key.operation}`)).toEqual([
      '$connect CONNECT',
      '$connect CONNECT',
      '$default MESSAGE',
      '$default MESSAGE',
    ]);
  });
});

describe('several limiters on one request', () => {
  it('may count a request in the first that the second denies', async () => {
    const clock = new WallClock();
    const wide = createFakeRateLimiter({ strategy: fixedWindow({ limit: 9, windowMs: 60_000 }), clock });
    const narrow = createFakeRateLimiter({ strategy, clock });
    const app = createApp({ clock });
    app.use(rateLimitMiddleware({ limiter: wide })).use(rateLimitMiddleware({ limiter: narrow }));
    app.get('/users/{id}', () => json(200, {}));
    for (const _ of [1, 2]) await app.handleLambda(buildAPIGatewayV2Request('GET', '/users/1'));
    const key = wide.calls[0]?.key;
    expect(key && (await wide.peek(key)).currentCount).toBe(2);
  });
});
