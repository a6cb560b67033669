import type { Context } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { html, htmlStream, json } from '@sallyport/http';
import { type HttpIdempotencyOptions, type IdempotencyRecord, JobLedgerError, withIdempotency } from '@sallyport/jobs';
import { createFakeJobLedger, type FakeJobLedger } from '@sallyport/jobs/testing';
import { Authenticated, SecureApp } from '@sallyport/secure';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildAppSyncEvent,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  buildWebSocketEvent,
} from '@sallyport/testkit';
import { createLogRecorder, type LogRecorder } from './support/log.js';

const START_MS = 1_700_000_000_000;
const clock = { ms: START_MS, now: () => new Date(clock.ms) };
let ledger: FakeJobLedger;
let log: LogRecorder;
let ran: number;

beforeEach(() => {
  clock.ms = START_MS;
  log = createLogRecorder();
  ledger = createFakeJobLedger({ clock, log });
  ran = 0;
});

type Build = (method: string, path: string, options: never) => unknown;
const DOORS: readonly (readonly [string, Build])[] = [
  ['gateway v2', buildAPIGatewayV2Request],
  ['function URL', buildLambdaFunctionURLRequest],
  ['gateway v1', buildAPIGatewayProxyRequest],
  ['load balancer', buildLoadBalancerRequest],
];

/** A service that accepts the identity in a request without proof. */
function createOpen(options?: HttpIdempotencyOptions) {
  const app = createApp({
    clock,
    log,
    tier: 'p2',
    authHook: (ctx) => ctx.header('x-user') ?? '',
  });
  app.use(withIdempotency(ledger, options));
  const answer = () => {
    ran += 1;
    return {
      ...json(201, { id: ran, password: 'as it is' }),
      headers: { location: [`/notes/${ran}`], 'content-type': ['application/json'], 'x-run': [String(ran)] },
      cookies: ['sid=secret'],
    };
  };
  app.handle('POST', '/notes', answer, { authRequired: true });
  app.handle('PUT', '/notes', answer, { authRequired: true });
  app.handle('POST', '/public', answer);
  app.handle('POST', '/bytes', () => ({ status: 200, body: Uint8Array.of(0, 255, 128, ++ran) }), {
    authRequired: true,
  });
  app.handle('POST', '/status/{code}', (ctx) => ({ ...html(Number(ctx.param('code')), `run ${++ran}`) }), {
    authRequired: true,
  });
  app.handle(
    'POST',
    '/throws',
    () => {
      throw new Error(`run ${++ran}`);
    },
    { authRequired: true },
  );
  app.handle('POST', '/stream', () => htmlStream(200, [`run ${++ran}`]), { authRequired: true });
  app.handle('POST', '/large', () => html(200, String(++ran).repeat(360_000)), { authRequired: true });
  app.appSyncField('Mutation', 'note', () => json(200, { run: ++ran }));
  app.webSocket('$default', () => json(200, { run: ++ran }));
  return app;
}

/** A response of any front door. */
function read(answer: unknown) {
  const { statusCode, body, headers, multiValueHeaders, cookies, isBase64Encoded } = answer as {
    statusCode: number;
    body: string;
    headers?: Record<string, string>;
    multiValueHeaders?: Record<string, string[]>;
    cookies?: string[];
    isBase64Encoded?: boolean;
  };
  const lists = Object.entries(multiValueHeaders ?? {}).map(([name, values]) => [name, values.join(',')] as const);
  const all: Record<string, string> = { ...Object.fromEntries(lists), ...headers };
  const setCookie = [...(cookies ?? []), ...(all['set-cookie'] ? [all['set-cookie']] : [])];
  return { status: statusCode, body: isBase64Encoded ? Buffer.from(body, 'base64') : body, headers: all, setCookie };
}

describe.each(DOORS)('on %s', (_, build) => {
  const send = async (
    app: { handleLambda(event: unknown): Promise<unknown> },
    path: string,
    key: string | undefined,
    rest: { user?: string; body?: string; method?: string; query?: Record<string, string[]> } = {},
  ) => {
    const headers = {
      'content-type': 'application/json',
      'x-user': rest.user ?? 'ada',
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    const event = build(rest.method ?? 'POST', path, {
      headers,
      body: rest.body ?? '{"a":1}',
      ...(rest.query && { query: rest.query }),
    } as never);
    return read(await app.handleLambda(event));
  };

  it('replays the stored answer, marked, and without its cookies', async () => {
    const app = createOpen();
    const first = await send(app, '/notes', 'k1');
    expect(first).toMatchObject({ status: 201, headers: { location: '/notes/1', 'x-run': '1' } });
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect(first.setCookie).toEqual(['sid=secret']);
    const second = await send(app, '/notes', '"k1"');
    expect(second.status).toBe(201);
    expect(second.body.toString()).toBe('{"id":1,"password":"as it is"}');
    expect(second.headers).toMatchObject({ location: '/notes/1', 'idempotency-replayed': 'true' });
    expect(second.headers['content-type']).toBe(first.headers['content-type']);
    expect([second.headers['x-run'], second.setCookie]).toEqual([undefined, []]);
    expect(ran).toBe(1);
  });

  it('replays bytes unchanged', async () => {
    const app = createOpen();
    const first = await send(app, '/bytes', 'k');
    const second = await send(app, '/bytes', 'k');
    expect([...Buffer.from(first.body)]).toEqual([0, 255, 128, 1]);
    expect([...Buffer.from(second.body)]).toEqual([0, 255, 128, 1]);
  });

  it('never answers one caller, route or method with the answer of another', async () => {
    const app = createOpen({ methods: ['post', 'put'] });
    await send(app, '/notes', 'k');
    expect((await send(app, '/notes', 'k', { user: 'bob' })).headers['idempotency-replayed']).toBeUndefined();
    expect((await send(app, '/notes', 'k', { method: 'PUT' })).headers['idempotency-replayed']).toBeUndefined();
    expect((await send(app, '/status/200', 'k')).headers['idempotency-replayed']).toBeUndefined();
    expect(ran).toBe(4);
  });

  it.each([[{ body: '{"a":2}' }], [{ query: { page: ['2'] } }]])('another payload is 422: %j', async (change) => {
    const app = createOpen();
    await send(app, '/notes', 'k');
    const second = await send(app, '/notes', 'k', change);
    expect(second.status).toBe(422);
    expect(JSON.parse(second.body.toString()).error.code).toBe('app.validation_failed');
  });

  it('a request in progress is 409 with a time to are returned, rounded up', async () => {
    const app = createOpen();
    let inner: unknown;
    app.handle(
      'POST',
      '/slow',
      async () => {
        clock.ms += 1;
        inner = await send(app, '/slow', 'k');
        return json(200, {});
      },
      { authRequired: true },
    );
    expect((await send(app, '/slow', 'k')).status).toBe(200);
    expect(inner).toMatchObject({ status: 409, headers: { 'retry-after': '50' } });
    expect(JSON.parse(String((inner as { body: unknown }).body)).error.code).toBe('app.conflict');
  });

  it.each(['', '   ', 'a b', 'a,b', '"a","b"', '"unclosed', `${'x'.repeat(256)}`, '""', 'é'])(
    'a bad or repeated key is 400: %j',
    async (key) => {
      expect((await send(createOpen(), '/notes', key)).status).toBe(400);
      expect(ran).toBe(0);
    },
  );

  it('a missing key passes, or is 400 where one is required', async () => {
    expect((await send(createOpen(), '/notes', undefined)).status).toBe(201);
    expect((await send(createOpen({ required: true }), '/notes', undefined)).status).toBe(400);
  });

  it('a caller without identity is 400 unless that is allowed', async () => {
    expect((await send(createOpen(), '/public', 'k')).status).toBe(400);
    const app = createOpen({ allowAnonymous: true });
    expect((await send(app, '/public', 'k')).status).toBe(201);
    expect((await send(app, '/public', 'k')).headers['idempotency-replayed']).toBe('true');
  });

  it.each([200, 302, 400, 404, 422])('a %i is kept', async (status) => {
    const app = createOpen();
    await send(app, `/status/${status}`, 'k');
    expect(await send(app, `/status/${status}`, 'k')).toMatchObject({
      status,
      headers: { 'idempotency-replayed': 'true' },
    });
    expect(ran).toBe(1);
  });

  it.each([
    '/status/408',
    '/status/409',
    '/status/425',
    '/status/429',
    '/status/500',
    '/status/503',
    '/throws',
    '/stream',
  ])('%s is forgotten, so that the next try runs', async (path) => {
    const app = createOpen();
    await send(app, path, 'k');
    expect((await send(app, path, 'k')).headers['idempotency-replayed']).toBeUndefined();
    expect(ran).toBe(2);
    expect(log.lines.filter(([level]) => level === 'warn').length).toBe(path === '/stream' ? 2 : 0);
  });

  it('an answer that is too large is not run again', async () => {
    const app = createOpen();
    expect((await send(app, '/large', 'k')).status).toBe(200);
    const second = await send(app, '/large', 'k');
    expect(second.status).toBe(409);
    expect(JSON.parse(second.body.toString()).error.message).toBe('result is not stored');
  });

  it('a failing store prevents the run: 503 with the time to retry, 500 when a retry does not help', async () => {
    const app = createOpen();
    ledger.fail('beginIdempotency');
    const busy = await send(app, '/notes', 'k');
    expect([busy.status, busy.headers['retry-after'], ran]).toEqual([503, '1', 0]);
    const error = new JobLedgerError('internal_error', 'store_unavailable', 'no table', { retryable: false });
    ledger.fail('beginIdempotency', { error });
    const broken = await send(app, '/notes', 'k');
    expect([broken.status, broken.headers['retry-after'], ran]).toEqual([500, undefined, 0]);
    for (const { body } of [busy, broken]) expect(body.toString()).not.toMatch(/ledger|table/);
  });

  it('a hook is called for each replay, and its errors are ignored', async () => {
    const seen: string[] = [];
    const onReplay = (ctx: Context, { status }: IdempotencyRecord) => {
      seen.push(`${ctx.request.path} ${status}`);
      throw new Error('hook');
    };
    const app = createOpen({ onReplay });
    await send(app, '/notes', 'k');
    expect(seen).toEqual([]);
    expect((await send(app, '/notes', 'k')).status).toBe(201);
    expect(seen).toEqual(['/notes COMPLETED']);
  });

  it('the secure container’s principals never share a key, nor do their tenants and kinds', async () => {
    const app = new SecureApp({
      clock,
      log,
      principalResolver: (ctx) => {
        const [, kind, identity = '', tenantId = ''] = /^(!?)(\w+)@(\w+)$/.exec(ctx.header('x-user') ?? '') ?? [];
        return { identity, tenantId, kind: kind === '!' ? 'internal' : 'external' };
      },
    });
    app.use(withIdempotency(ledger));
    app.handle('POST', '/notes', () => json(201, { run: ++ran }), Authenticated());
    const runs = [];
    for (const user of ['ada@acme', 'ada@acme', 'bob@acme', 'ada@other', '!ada@acme', '!ada@acme']) {
      runs.push(JSON.parse((await send(app, '/notes', 'k', { user })).body.toString()).run);
    }
    expect(runs).toEqual([1, 1, 2, 3, 4, 4]);
  });
});

it('GraphQL and WebSocket pass', async () => {
  const app = createOpen({ required: true, allowAnonymous: true, methods: ['POST', 'GET'] });
  const event = buildAppSyncEvent({ parentTypeName: 'Mutation', fieldName: 'note' });
  await app.handleLambda(event);
  await app.handleLambda(event);
  await app.handleLambda(buildWebSocketEvent({ routeKey: '$default' }));
  expect([ran, ledger.calls]).toEqual([3, []]);
});

it.each([
  { verbs: [] },
  { methods: 'POST' },
  { required: 'yes' },
  { allowAnonymous: 1 },
  { keepHeaders: ['Set-Cookie'] },
  { keepHeaders: [''] },
  { inProgressMs: 999 },
  { resultTtlSeconds: 0 },
])('rejects the options %j', (options) => {
  expect(() => withIdempotency(ledger, options as never)).toThrow(expect.failure('app.invalid_configuration'));
});
