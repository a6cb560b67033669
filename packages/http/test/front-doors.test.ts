import type { Context } from '@sallyport/core';
import { binary, bind, json, text } from '../src/index.js';
import { albMulti, albSingle, doors, functionUrl, gatewayV1, gatewayV2, routerWith, send } from './support/doors.js';

const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, value) => value));

describe.each(doors)('through $name', (door) => {
  it('carries method, path, query, headers and cookies', async () => {
    const router = routerWith((http) =>
      http.post('/users/{id}', (ctx) =>
        json(200, {
          id: ctx.param('id'),
          q: ctx.query('q'),
          header: ctx.header('X-Custom'),
          cookie: ctx.cookie('session'),
          list: ctx.request.cookieList,
          text: ctx.bodyText(),
        }),
      ),
    );
    const got = await send(router, door, {
      method: 'POST',
      path: '/users/42',
      query: 'q=caf%C3%A9%20au%20lait',
      headers: { 'x-custom': 'a, b' },
      cookies: ['session=abc', 'theme=dark'],
      body: 'grüße',
    });
    expect(JSON.parse(got.body.toString())).toEqual({
      id: '42',
      q: 'café au lait',
      header: 'a, b',
      cookie: 'abc',
      list: ['session=abc', 'theme=dark'],
      text: 'grüße',
    });
    expect(got.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(got.headers['x-request-id']).toBe('req-1');
  });

  it('shows all cookies in the cookie header, to a handler and to a bound field alike', async () => {
    const router = routerWith((http) => {
      http.get('/c', (ctx) => json(200, [ctx.header('cookie'), ctx.request.headers.cookie, ctx.header('Cookie')]));
      http.get(
        '/bound',
        bind({ headers: { cookie: { type: 'string' } } }, (_ctx, { headers }) => headers),
      );
    });
    const cookies = ['session=abc', 'theme=dark'];
    const inHeader = 'session=abc; theme=dark';
    const got = await send(router, door, { path: '/c', cookies });
    expect(JSON.parse(got.body.toString())).toEqual([inHeader, [inHeader], inHeader]);
    const bound = await send(router, door, { path: '/bound', cookies });
    expect(JSON.parse(bound.body.toString())).toEqual({ cookie: inHeader });
  });

  it('reads and writes all 256 byte values', async () => {
    const router = routerWith((http) => http.post('/bytes', (ctx) => binary(200, ctx.request.body)));
    const got = await send(router, door, {
      method: 'POST',
      path: '/bytes',
      body: ALL_BYTES.toString('base64'),
      isBase64Encoded: true,
    });
    expect(got.raw.isBase64Encoded).toBe(true);
    expect(got.body.equals(ALL_BYTES)).toBe(true);
  });

  it('encodes bytes that are not UTF-8 as base64, and text not', async () => {
    const router = routerWith((http) => {
      http.get('/gzip', () => ({ headers: { 'content-encoding': 'gzip' }, body: Buffer.from([0x1f, 0x8b, 8, 0]) }));
      http.get('/text', () => ({ body: Buffer.from('grüße') }));
    });
    expect((await send(router, door, { path: '/gzip' })).raw).toMatchObject({
      body: 'H4sIAA==',
      isBase64Encoded: true,
    });
    expect((await send(router, door, { path: '/text' })).raw).toMatchObject({ body: 'grüße', isBase64Encoded: false });
  });

  it('keeps two cookies with commas apart', async () => {
    const cookies = ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2; Expires=Thu, 22 Oct 2026 07:28:00 GMT'];
    const router = routerWith((http) =>
      http.get('/c', () => ({ headers: { 'Set-Cookie': [cookies[1] as string] }, cookies: [cookies[0] as string] })),
    );
    expect((await send(router, door, { path: '/c' })).cookies).toEqual(cookies);
  });

  it('treats prototype names as data', async () => {
    const router = routerWith((http) =>
      http.get('/{__proto__}', (ctx) =>
        json(200, {
          param: ctx.param('__proto__'),
          own: Object.keys(ctx.params),
          query: ctx.query('constructor'),
          header: ctx.header('__proto__'),
          cookie: ctx.cookie('toString'),
          missing: [
            ctx.query('toString'),
            ctx.header('constructor'),
            ctx.cookie('valueOf'),
            (ctx as Context).param('hasOwnProperty'),
          ],
        }),
      ),
    );
    const got = await send(router, door, {
      path: '/polluted',
      query: 'constructor=q',
      headers: JSON.parse('{"__proto__":"h"}') as Record<string, string>,
      cookies: ['toString=c'],
    });
    const seen = JSON.parse(got.body.toString()) as Record<string, unknown>;
    expect(seen).toMatchObject({
      param: 'polluted',
      own: ['__proto__'],
      query: 'q',
      cookie: 'c',
      missing: [null, null, null, ''],
    });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('answers 404, 405 with allow, and 400 for base64 that is not', async () => {
    const router = routerWith((http) => http.post('/x', () => text(200, 'ok')).put('/x', () => text(200, 'ok')));
    expect((await send(router, door, { path: '/y' })).status).toBe(404);
    const refused = await send(router, door, { path: '/x' });
    expect([refused.status, refused.headers.allow]).toEqual([405, 'POST, PUT']);
    const malformed = await send(router, door, { method: 'POST', path: '/x', body: 'a-b_', isBase64Encoded: true });
    expect(malformed.status).toBe(400);
    expect(JSON.parse(malformed.body.toString())).toEqual({
      error: { code: 'app.bad_request', message: 'invalid base64', request_id: 'req-1' },
    });
  });

  it('masks what a handler throws, also undefined', async () => {
    const router = routerWith((http) => {
      http.get('/error', () => {
        throw new Error('password=1');
      });
      http.get('/nothing', () => {
        throw undefined;
      });
      http.get('/rejected', () => Promise.reject(new Error('password=2')));
      http.get('/none', () => null as never);
    });
    for (const path of ['/error', '/nothing', '/rejected', '/none']) {
      const got = await send(router, door, { path });
      expect([path, got.status, got.body.toString()]).toEqual([
        path,
        500,
        '{"error":{"code":"app.internal","message":"internal error","request_id":"req-1"}}',
      ]);
    }
  });

  it('collects a stream, and answers 500 for a broken stream', async () => {
    async function* chunks(fail: boolean) {
      yield Buffer.from('a');
      if (fail) throw new Error('secret');
      yield Buffer.from('b');
    }
    const router = routerWith((http) => {
      http.get('/good', () => ({ bodyStream: chunks(false) }));
      http.get('/bad', () => ({ bodyStream: chunks(true) }));
    });
    expect((await send(router, door, { path: '/good' })).body.toString()).toBe('ab');
    const bad = await send(router, door, { path: '/bad' });
    expect([bad.status, bad.body.toString()]).toEqual([
      500,
      '{"error":{"code":"app.internal","message":"internal error","request_id":"req-1"}}',
    ]);
  });

  it('rejects header values and cookies that would split the answer', async () => {
    const router = routerWith((http) => {
      http.get('/header', () => ({ headers: { 'x-a': 'a\r\nset-cookie: b=c' } }));
      http.get('/cookie', () => ({ cookies: ['a=b\r\nx: y'] }));
      http.get('/name', () => ({ headers: { 'x a': 'b' } }));
    });
    for (const path of ['/header', '/cookie', '/name']) expect((await send(router, door, { path })).status).toBe(500);
  });

  it('sends no body with 204, 304 and for HEAD', async () => {
    const router = routerWith((http) => {
      http.get('/204', () => ({ status: 204, body: 'x' }));
      http.get('/304', () => ({ status: 304, body: 'x' }));
      http.head('/head', () => text(200, 'x'));
    });
    expect((await send(router, door, { path: '/204' })).body.toString()).toBe('');
    expect((await send(router, door, { path: '/304' })).body.toString()).toBe('');
    expect((await send(router, door, { method: 'HEAD', path: '/head' })).body.toString()).toBe('');
  });
});

describe('paths', () => {
  const echo = routerWith((http) =>
    http.get('/p/{rest+}', (ctx) => json(200, [ctx.param('rest'), ctx.request.rawPath])),
  );
  const paramOf = async (door: typeof gatewayV2, path: string) =>
    JSON.parse((await send(echo, door, { path })).body.toString()) as string[];

  it('decodes once at doors whose path arrives encoded', async () => {
    expect((await paramOf(functionUrl, '/p/a%2Fb%252e'))[0]).toBe('a/b%2e');
    expect((await paramOf(gatewayV1, '/p/a%20b'))[0]).toBe('a b');
    expect((await paramOf(albSingle, '/p/%E2%82%AC%'))[0]).toBe('€%');
  });

  it('does not decode again what gateway v2 has decoded', async () => {
    expect(await paramOf(gatewayV2, '/p/%252e')).toEqual(['%2e', '/p/%2e']);
    expect((await paramOf(gatewayV2, '/p/a%3Fb%23c%20d%25é'))[0]).toBe('a?b#c d%é');
  });

  it('removes the stage once at gateway v2, in whole segments', async () => {
    const router = routerWith((http) => http.get('/{a+}', (ctx) => text(200, ctx.param('a'))));
    const event = (rawPath: string) => ({
      ...gatewayV2.event({}),
      rawPath,
      requestContext: { stage: 'live', domainName: 'x', http: { method: 'GET' } },
    });
    const bodyOf = async (path: string) =>
      ((await router.serve('gateway-v2', event(path), { lambdaContext: undefined })) as { body: string }).body;
    expect(await bodyOf('/live/live/x')).toBe('live/x');
    expect(await bodyOf('/lively/x')).toBe('lively/x');
  });

  it('removes the longest base path once, in whole segments', async () => {
    const router = routerWith((http) => http.get('/{a+}', (ctx) => text(200, ctx.param('a'))), {
      basePath: ['/api', '/api/v1'],
    });
    const bodyOf = async (path: string) => (await send(router, functionUrl, { path })).body.toString();
    expect(await bodyOf('/api/v1/x')).toBe('x');
    expect(await bodyOf('/api/api/x')).toBe('api/x');
    expect(await bodyOf('/apix/y')).toBe('apix/y');
  });

  it('treats //host as a path, never as a host name', async () => {
    const router = routerWith((http) => http.get('/x', () => text(200, 'x')).get('/{a}', () => text(200, 'a')));
    for (const door of doors) expect((await send(router, door, { path: '//host/x' })).status).toBe(404);
  });
});

describe('answers', () => {
  const shapes = routerWith((http) => {
    http.get('/plain', () => text(200, 'x'));
    http.get('/rich', () => ({ status: 299, headers: { 'x-r': ['1', '2'] }, cookies: ['a=1', 'b=2'], body: 'x' }));
  });

  it.each([
    [gatewayV2, ['body', 'cookies', 'headers', 'isBase64Encoded', 'statusCode']],
    [functionUrl, ['body', 'cookies', 'headers', 'isBase64Encoded', 'statusCode']],
    [gatewayV1, ['body', 'headers', 'isBase64Encoded', 'multiValueHeaders', 'statusCode']],
    [albSingle, ['body', 'headers', 'isBase64Encoded', 'statusCode', 'statusDescription']],
    [albMulti, ['body', 'isBase64Encoded', 'multiValueHeaders', 'statusCode', 'statusDescription']],
  ])('of $name have these keys and no other', async (door, keys) => {
    expect(Object.keys((await send(shapes, door, { path: '/rich' })).raw).sort()).toEqual(keys);
  });

  it('of gateway v1 put what repeats into the multi-value map only', async () => {
    const { raw } = await send(shapes, gatewayV1, { path: '/rich' });
    expect(raw.headers).toEqual({ 'x-request-id': 'req-1' });
    expect(raw.multiValueHeaders).toEqual({ 'x-r': ['1', '2'], 'set-cookie': ['a=1', 'b=2'] });
  });

  it('of a load balancer have a status description, and further cookies under other spellings of the name', async () => {
    const single = await send(shapes, albSingle, { path: '/rich' });
    expect(single.raw).toMatchObject({
      statusDescription: '299',
      headers: { 'set-cookie': 'a=1', 'Set-cookie': 'b=2', 'x-r': '1,2' },
    });
    expect((await send(shapes, albMulti, { path: '/plain' })).raw.statusDescription).toBe('200 OK');
  });

  it('warn once about several cookies in single-value mode', async () => {
    const lines: string[] = [];
    const log = {
      debug() {},
      info() {},
      warn: (message: string) => lines.push(message),
      error() {},
      isEnabled: () => true,
      with: () => log,
    };
    const router = routerWith((http) => http.get('/c', () => ({ cookies: ['a=1', 'b=2'] })), { log });
    await send(router, albSingle, { path: '/c' });
    await send(router, albSingle, { path: '/c' });
    expect(lines).toHaveLength(1);
  });
});

describe('header maps', () => {
  it('use the multi-value list and never a duplicate from the single map', async () => {
    const router = routerWith((http) =>
      http.get('/', (ctx) => json(200, [ctx.headerAll('x-a'), ctx.headerAll('x-b')])),
    );
    const event = {
      ...gatewayV1.event({}),
      headers: { 'x-a': '2', 'X-B': 'only' },
      multiValueHeaders: { 'X-A': ['1', '2'] },
    };
    const answer = (await router.serve('gateway-v1', event, { lambdaContext: undefined })) as { body: string };
    expect(answer.body).toBe('[["1","2"],["only"]]');
  });

  it('list spellings of a name in sorted order, read separately or as a whole', async () => {
    const read: unknown[] = [];
    const router = routerWith((http) =>
      http.get('/', (ctx) => {
        read.push(ctx.headerAll('x-a'), ctx.request.headers['x-a'], ctx.headerAll('x-a'));
        return text(200, '');
      }),
    );
    await send(router, gatewayV2, { headers: { 'x-a': 'c', 'X-A': 'a', 'X-a': 'b', ' x-A ': '0' } });
    expect(read).toEqual([
      ['0', 'a', 'b', 'c'],
      ['0', 'a', 'b', 'c'],
      ['0', 'a', 'b', 'c'],
    ]);
  });
});

describe('malformed events', () => {
  it.each<[string, string, Record<string, unknown>, number]>([
    ['a body that is an object', 'gateway-v2', { body: { a: 1 } }, 400],
    ['a body that is a number', 'gateway-v1', { body: 5 }, 400],
    ['headers that are a list', 'function-url', { headers: ['a'] }, 200],
    [
      'headers with values of other types',
      'gateway-v1',
      { headers: { a: 5, b: null }, multiValueHeaders: { c: 'x', d: [1] } },
      200,
    ],
    ['cookies that are no strings', 'gateway-v2', { cookies: [1, null, 'a=b'] }, 200],
    ['a query that is a list', 'load-balancer', { queryStringParameters: [1] }, 200],
    ['a body of null', 'gateway-v1', { body: null }, 200],
  ])('%s', async (_name, kind, change, status) => {
    const router = routerWith((http) =>
      http.get('/', (ctx) => json(200, [ctx.request.headers, ctx.request.query, ctx.request.cookies, ctx.bodyText()])),
    );
    const door = doors.find((candidate) => candidate.kind === kind) ?? gatewayV2;
    const answer = await router.serve(kind, { ...door.event({}), ...change }, { lambdaContext: undefined });
    expect(answer).toMatchObject({ statusCode: status });
  });

  it.each([
    ['gateway-v2', {}],
    ['function-url', {}],
    ['load-balancer', {}],
    ['gateway-v1', { path: '/' }],
  ])('of %s with next to nothing end in an answer', async (kind, event) => {
    const router = routerWith((http) => http.get('/', () => text(200, '')));
    expect(await router.serve(kind, event, { lambdaContext: undefined })).toMatchObject({ statusCode: 405 });
  });
});
