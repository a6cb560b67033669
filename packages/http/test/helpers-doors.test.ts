import { FrameworkError, type Handler, type LogRecord, type Middleware } from '@sallyport/core';
import { stateOf } from '@sallyport/core/internal';
import { ManualClock } from '@sallyport/core/testing';
import { z } from 'zod';
import {
  binary,
  bind,
  conditional,
  created,
  html,
  htmlStream,
  json,
  min,
  noContent,
  redirect,
  required,
  type SseEvent,
  sse,
  sseEventStream,
  text,
  timeoutMiddleware,
  vary,
} from '../src/index.js';
import { doors, gatewayV2, routerWith, type Sent, send } from './support/doors.js';

const answer = (handler: Handler, sent: Sent = {}, door = gatewayV2) =>
  send(
    routerWith((router) => router.get('/', handler)),
    door,
    sent,
  );

const INTERNAL = '{"error":{"code":"app.internal","message":"internal error","request_id":"req-1"}}';

describe.each(doors)('at $name', (door) => {
  it.each<[string, Handler, number, string, string]>([
    ['json of undefined', () => json(200, undefined), 200, 'application/json; charset=utf-8', 'null'],
    ['json', () => json(201, { ü: '€' }), 201, 'application/json; charset=utf-8', '{"ü":"€"}'],
    ['text', () => text(200, ''), 200, 'text/plain; charset=utf-8', ''],
    ['html', () => html(200, '<p>'), 200, 'text/html; charset=utf-8', '<p>'],
    ['htmlStream', () => htmlStream(200, ['<p', '>ü']), 200, 'text/html; charset=utf-8', '<p>ü'],
    ['sse', () => sse(200, [{ data: 'a' }]), 200, 'text/event-stream', 'data: a\n\n'],
    [
      'sseEventStream',
      () => sseEventStream([{ data: 'a' }, { data: 'b' }]),
      200,
      'text/event-stream',
      'data: a\n\ndata: b\n\n',
    ],
    ['created', () => created({ id: 1 }, '/n/1'), 201, 'application/json; charset=utf-8', '{"id":1}'],
  ])('%s arrives', async (_, handler, status, contentType, body) => {
    const got = await answer(handler, {}, door);
    expect([got.status, got.headers['content-type'], got.body.toString()]).toEqual([status, contentType, body]);
  });

  it('binary keeps every byte value', async () => {
    const bytes = Buffer.from(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    const got = await answer(() => binary(200, bytes, 'image/png'), {}, door);
    expect(got.body.equals(bytes)).toBe(true);
    expect(got.raw.isBase64Encoded).toBe(true);
  });

  it('noContent and redirect have no body', async () => {
    const empty = await answer(() => noContent(), {}, door);
    expect([empty.status, empty.raw.body, empty.headers['content-type']]).toEqual([204, '', undefined]);
    const moved = await answer(() => redirect('/ü'), {}, door);
    expect([moved.status, moved.headers.location, moved.raw.body]).toEqual([302, '/%C3%BC', '']);
  });

  it.each<[string, Handler]>([
    ['CR or LF in a redirect target', () => redirect('/a\r\nset-cookie: a=1')],
    ['CR or LF in a location', () => created(1, '/a\nb')],
    ['CR or LF in a header value', () => ({ ...json(200, 1), headers: { 'x-a': 'a\r\nb' } })],
    ['CR or LF in a cookie', () => ({ ...json(200, 1), cookies: ['a=1\r\nx: y'] })],
    ['CR or LF in a content type', () => binary(200, Buffer.from('a'), 'text/plain\r\nx: y')],
    ['CR or LF in an SSE id', () => sse(200, [{ id: 'a\nb' }])],
    ['CR or LF in an SSE event name in a stream', () => sseEventStream([{ data: 'a' }, { event: 'a\rb' }])],
    ['CR or LF in a vary name', () => vary(json(200, 1), 'a\r\nb')],
    ['a header value above U+00FF', () => ({ ...json(200, 1), headers: { 'x-a': 'Ā' } })],
    ['a header value that repeats, above U+00FF', () => ({ ...json(200, 1), headers: { 'x-a': ['a', '€'] } })],
    ['a header value outside of the basic plane', () => ({ ...json(200, 1), headers: { 'x-a': '😀' } })],
    ['a cookie above U+00FF', () => ({ ...json(200, 1), cookies: ['a=€'] })],
    ['a set-cookie header above U+00FF', () => ({ ...json(200, 1), headers: { 'set-cookie': 'a=€' } })],
    ['a content type above U+00FF', () => binary(200, Buffer.from('a'), 'text/€')],
    [
      'a header value of an error above U+00FF',
      () => {
        throw new FrameworkError('app.internal', undefined, { headers: { 'x-a': '€' } });
      },
    ],
    ['a value that is no JSON', () => json(200, 1n)],
    ['a status that is none', () => json(999, 1)],
  ])('%s is rejected', async (_, handler) => {
    const got = await answer(handler, {}, door);
    expect([got.status, got.body.toString(), got.cookies]).toEqual([500, INTERNAL, []]);
  });

  it('a header value whose characters are one byte each is sent unchanged', async () => {
    const value = 'a \t~\x80ÿ';
    const got = await answer(() => ({ ...json(200, 1), headers: { 'x-a': value }, cookies: [`a=${value}`] }), {}, door);
    expect([got.status, got.headers['x-a'], got.cookies]).toEqual([200, value, [`a=${value}`]]);
  });

  it('conditional answers 304 without a body', async () => {
    const handler: Handler = (ctx) => conditional(ctx, json(200, { a: 1 }));
    const first = await answer(handler, {}, door);
    const again = await answer(handler, { headers: { 'If-None-Match': `"x", W/${first.headers.etag}` } }, door);
    expect([again.status, again.raw.body, again.headers.etag]).toEqual([304, '', first.headers.etag]);
    expect(again.headers['content-type']).toBeUndefined();
  });

  it('bind answers with the literal errors', async () => {
    const handler = bind(
      { query: { page: { type: 'int', name: 'p', rules: [min(1)] }, q: { type: 'string', rules: [required()] } } },
      (_ctx, { query }) => query,
    );
    const invalid = await answer(handler, { query: 'p=x' }, door);
    expect([invalid.status, invalid.body.toString()]).toEqual([
      400,
      '{"error":{"code":"app.bad_request","message":"invalid query binding for page",' +
        '"details":{"source":"query","name":"p","field":"page","expected":"a whole number"},"request_id":"req-1"}}',
    ]);
    const broken = await answer(handler, { query: 'p=0' }, door);
    expect([broken.status, broken.body.toString()]).toEqual([
      422,
      '{"error":{"code":"app.validation_failed","message":"validation failed","details":{"errors":[' +
        '{"source":"query","field":"p","rule":"min","message":"p must be >= 1"},' +
        '{"source":"query","field":"q","rule":"required","message":"q is required"}]},"request_id":"req-1"}}',
    ]);
    const fine = await answer(handler, { query: 'p=2&q=a%20b' }, door);
    expect([fine.status, fine.body.toString()]).toEqual([200, '{"page":2,"q":"a b"}']);
  });
});

describe('bind in the pipeline', () => {
  it('never sends what an answer or a validator got wrong, and logs it', async () => {
    const logs: unknown[] = [];
    const log = {
      debug() {},
      info() {},
      warn() {},
      isEnabled: () => true,
      with: () => log,
      error: (...entry: unknown[]) => logs.push(entry),
    };
    const router = routerWith(
      (app) => {
        app.get(
          '/answer',
          bind({ response: z.object({ id: z.number() }) }, () => ({ id: 'secret' }) as never),
        );
        app.get(
          '/validator',
          bind(
            {
              query: z.object({}).transform((): object => {
                throw new Error('secret');
              }),
            },
            () => null,
          ),
        );
        app.get(
          '/nothing',
          bind(
            {
              query: z.object({}).transform((): object => {
                throw undefined;
              }),
            },
            () => null,
          ),
        );
      },
      { log },
    );
    for (const path of ['/answer', '/validator', '/nothing']) {
      const got = await send(router, gatewayV2, { path });
      expect([got.status, got.body.toString()]).toEqual([500, INTERNAL]);
    }
    expect(logs).toMatchObject([
      [
        'framework: request failed',
        {
          error: { cause: { message: expect.stringMatching(/the answer does not fit its schema: id: Invalid input/) } },
        },
      ],
      ['framework: request failed', { error: { message: 'secret' } }],
      ['framework: request failed', { error: 'undefined' }],
    ]);
  });

  it('reads fields with the names of Object.prototype', async () => {
    const router = routerWith((app) =>
      app.handle(
        'POST',
        '/{constructor}',
        bind(
          {
            params: { constructor: { type: 'string' } },
            query: z.record(z.string(), z.string()),
            body: { __proto__x: { type: 'string' }, constructor: { type: 'string' } },
          },
          (_ctx, { params, query, body }) => ({ params, names: Object.keys(query), body }),
        ),
      ),
    );
    const got = await send(router, gatewayV2, {
      method: 'POST',
      path: '/a',
      query: 'toString=1&constructor=2',
      headers: { 'content-type': 'application/json' },
      body: '{"__proto__":{"constructor":"no"},"constructor":"yes"}',
    });
    expect(JSON.parse(got.body.toString())).toEqual({
      params: { constructor: 'a' },
      names: ['toString', 'constructor'],
      body: { constructor: 'yes' },
    });
  });
});

describe('timeouts in the pipeline', () => {
  it('answer 408, and values that were set outside are visible inside', async () => {
    const clock = new ManualClock();
    const seen: unknown[] = [];
    const outer: Middleware = (ctx, next) => {
      ctx.set('trail', 'outer');
      stateOf(ctx).principal = { identity: 'ada' };
      return next(ctx);
    };
    const router = routerWith(
      (app) => {
        app.use(outer).use(timeoutMiddleware({ defaultTimeoutMs: 50 }));
        app.get('/slow', async (ctx) => {
          seen.push(ctx.get('trail'), ctx.securePrincipal()?.identity, ctx.requestId);
          await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
          seen.push('aborted');
          throw undefined;
        });
      },
      { clock },
    );
    const running = send(router, gatewayV2, { path: '/slow' });
    await clock.advance(50);
    const got = await running;
    expect([got.status, got.body.toString()]).toEqual([
      408,
      '{"error":{"code":"app.timeout","message":"request timeout","request_id":"req-1"}}',
    ]);
    expect(seen).toEqual(['outer', 'ada', 'req-1', 'aborted']);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('event streams in the pipeline', () => {
  it('are stopped, source and timers, when a buffered door stops collecting', async () => {
    const clock = new ManualClock();
    let closed = false;
    async function* endless(): AsyncGenerator<SseEvent> {
      try {
        for (;;) yield { data: 'x'.repeat(1000) };
      } finally {
        closed = true;
      }
    }
    const logs: LogRecord[] = [];
    const router = routerWith((app) => app.get('/', () => sseEventStream(endless(), { heartbeatMs: 10, clock })), {
      clock,
      limits: { maxResponseBytes: 10_000 },
      observability: { log: (record) => logs.push(record) },
    });
    const got = await send(router, gatewayV2, {});
    expect([got.status, got.body.toString()]).toEqual([500, INTERNAL]);
    expect(closed).toBe(true);
    expect(clock.pendingTimers).toBe(0);
    expect(logs.map((record) => record.status)).toEqual([500]);
  });

  it('that fail are answered as an error at a buffered door', async () => {
    async function* failing(): AsyncGenerator<SseEvent> {
      yield { data: 'a' };
      throw new FrameworkError('app.conflict', 'changed');
    }
    const got = await answer(() => sseEventStream(failing()));
    expect(got.status).toBe(500);
    expect(got.body.toString()).toBe(INTERNAL);
  });
});
