/** Failures between a client and its service: a real server that drops, delays, redirects and answers nonsense. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ClientOptions, callTool, createClient, events, noticeContract } from '../src/index.js';

interface Fix {
  http: {
    'GET /a': { answer: { 200: unknown } };
    'POST /a': { body: unknown; answer: { 200: unknown }; idempotency: true };
    'PUT /a': { body: unknown; answer: { 200: unknown }; repeatable: true };
    'PATCH /a': { body: unknown };
    'GET /p/{id}': { params: { id: string } };
    'GET /f/{rest+}': { params: { rest: string } };
    'GET /s': { events: { tick: { at: number }; message: string } };
  };
}

type Reply = (request: IncomingMessage, response: ServerResponse) => unknown;
let server: Server;
let replies: Reply[];
let seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    await reply?.(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  seen = [];
  // The jitter has no part in these tests.
  import.meta.jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => import.meta.jest.restoreAllMocks());
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const client = (options: Partial<ClientOptions> = {}) => createClient<Fix>({ url: url(), ...options });
const answer =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Reply =>
  (_request, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
const drop: Reply = (request) => request.socket.destroy();
const hang: Reply = () => undefined;
const notFound = { error: { code: 'app.not_found', message: 'no' } };

describe('a request is repeated', () => {
  it.each([
    ['a GET after a lost connection', 'GET /a', {}, [drop, drop, answer(200)], 3],
    ['a GET after 429, 503', 'GET /a', {}, [answer(429), answer(503), answer(200)], 3],
    ['a GET after 502, 504', 'GET /a', {}, [answer(502), answer(504), answer(200)], 3],
    ['a POST with a key', 'POST /a', { body: 1, idempotencyKey: true }, [drop, answer(503), answer(200)], 3],
    ['a PUT that says so', 'PUT /a', { body: 1, repeat: true }, [drop, answer(200)], 2],
  ] as const)('%s', async (_name, operation, input, all, count) => {
    replies = [...all];
    await expect(client()(operation as 'GET /a', input as never)).resolves.toMatchObject({ ok: true, status: 200 });
    expect(seen).toHaveLength(count);
  });

  it('after random pauses, which may be twice as long each time', async () => {
    import.meta.jest.spyOn(Math, 'random').mockReturnValue(0.05);
    const timers = import.meta.jest.spyOn(globalThis, 'setTimeout');
    replies = [answer(503), answer(503), answer(200)];
    await client()('GET /a');
    const pauses = timers.mock.calls.map(([, ms]) => ms).filter((ms = 0) => ms > 0 && ms < 100);
    expect(pauses).toEqual([10, 20]);
  });

  it('with the same idempotency key, and another call with another key', async () => {
    replies = [drop, drop, answer(200)];
    await client()('POST /a', { body: { b: 1 }, idempotencyKey: true });
    const keys = new Set(seen.map(({ headers }) => headers['idempotency-key']));
    expect(keys.size).toBe(1);
    await client()('POST /a', { body: { b: 1 }, idempotencyKey: true });
    expect(keys).not.toContain(seen.at(-1)?.headers['idempotency-key']);
    await client()('POST /a', { body: { b: 1 }, idempotencyKey: 'mine' });
    expect(seen.at(-1)).toMatchObject({ headers: { 'idempotency-key': 'mine' }, body: '{"b":1}' });
  });

  it('not before the time that retry-after names, and not if the call ends before it', async () => {
    replies = [answer(503, notFound, { 'retry-after': '3600' })];
    await expect(client()('GET /a')).resolves.toMatchObject({ ok: false, status: 503 });
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    replies = [answer(503, notFound, { 'retry-after': date })];
    await expect(client()('GET /a')).resolves.toMatchObject({ ok: false, status: 503 });
    expect(seen).toHaveLength(2);
  });
});

describe('a request is sent once', () => {
  it.each([
    ['a PATCH', 'PATCH /a', { body: 1 }, drop],
    ['a PUT without repeat', 'PUT /a', { body: 1 }, drop],
    ['a PATCH after 503', 'PATCH /a', { body: 1 }, answer(503, notFound)],
    ['a GET after 404', 'GET /a', {}, answer(404, notFound)],
    ['a GET after 500', 'GET /a', {}, answer(500, notFound)],
  ] as const)('%s', async (_name, operation, input, reply) => {
    replies = [reply];
    await client()(operation as 'GET /a', input as never).catch(() => undefined);
    expect(seen).toHaveLength(1);
  });
});

describe('a call is rejected', () => {
  it.each([
    ['for a connection that fails three times', [drop], {}, 'client.network'],
    ['for a service that does not answer', [hang], { timeoutMs: 30 }, 'client.timeout'],
    [
      'for a body that stops',
      [((_q, r) => r.writeHead(200, { 'content-type': 'application/json' }).write('{')) as Reply],
      { timeoutMs: 200 },
      'client.timeout',
    ],
    [
      'for a body that breaks off',
      [
        ((q, r) =>
          r
            .writeHead(200, { 'content-type': 'application/json', 'content-length': '9' })
            .write('{', () => q.socket.destroy())) as Reply,
      ],
      {},
      'client.network',
    ],
    ['for JSON that is none', [answer(200, '<html>')], {}, 'client.foreign'],
    ['for the error of a gateway', [answer(403, { message: 'Forbidden' })], {}, 'client.foreign'],
    ['for the page of a proxy', [answer(500, '<html>', { 'content-type': 'text/html' })], {}, 'client.foreign'],
  ] as const)('%s', async (_name, all, options, code) => {
    replies = [...all];
    await expect(client(options)('GET /a')).rejects.toMatchObject({ name: 'ClientError', code });
  });

  it('for a signal, before and during the request, and names no secret', async () => {
    replies = [hang];
    const ended = AbortSignal.abort(new Error('gone'));
    await expect(client()('GET /a', { signal: ended })).rejects.toMatchObject({ code: 'client.aborted' });
    const controller = new AbortController();
    replies = [() => controller.abort()];
    const headers = () => ({ authorization: 'Bearer secret' });
    const error = await client({ headers })('GET /a', { signal: controller.signal }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'client.aborted', message: 'GET /a has no answer' });
  });

  it.each([
    ['a caller that has left', { signal: AbortSignal.abort(), timeoutMs: 60_000 }, 'client.aborted', 0],
    ['a time limit', { timeoutMs: 50 }, 'client.timeout', 1],
  ])('a tool with the code of %s', async (_title, options, code, requests) => {
    replies = [hang];
    const tools = createClient<{ tool: { add: { input: object; output: unknown } } }>({ url: url() });
    await expect(callTool(tools, 'add', {}, options)).rejects.toMatchObject({ code, message: 'add has no answer' });
    // On a busy machine, 50 ms can pass before the request arrives.
    expect(seen.length).toBeLessThanOrEqual(requests);
  });

  it('with the error of `headers`, and nothing is sent', async () => {
    const headers = () => Promise.reject(new Error('signed out'));
    await expect(client({ headers })('GET /a')).rejects.toThrow('signed out');
    expect(seen).toEqual([]);
  });

  it.each(['', '.', '..'])('for the parameter "%s", and nothing is sent', async (id) => {
    await expect(client()('GET /p/{id}', { params: { id } })).rejects.toMatchObject({ code: 'client.invalid_request' });
    await expect(client()('GET /f/{rest+}', { params: { rest: `a/${id}/b` } })).rejects.toMatchObject({
      code: 'client.invalid_request',
      message: 'params.rest has an empty segment, "." or ".."',
    });
    expect(seen).toEqual([]);
  });
});

describe('tokens', () => {
  it('are renewed once after a 401, also for a POST, and the second 401 is the answer', async () => {
    const asked: boolean[] = [];
    const headers = ({ refresh }: { refresh: boolean }) => {
      asked.push(refresh);
      return { authorization: refresh ? 'new' : 'old' };
    };
    const unauthorized = { error: { code: 'app.unauthorized', message: 'no' } };
    replies = [answer(401, unauthorized), answer(200)];
    await expect(client({ headers })('PATCH /a', { body: 1 })).resolves.toMatchObject({ ok: true });
    expect(seen.map((one) => one.headers.authorization)).toEqual(['old', 'new']);
    replies = [answer(401, unauthorized)];
    await expect(client({ headers })('PATCH /a', { body: 1 })).resolves.toMatchObject({ ok: false, status: 401 });
    expect(asked).toEqual([false, true, false, true]);
  });

  it('do not follow a redirect to another origin', async () => {
    const other = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ authorization: request.headers.authorization ?? null }));
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const elsewhere = `http://localhost:${(other.address() as AddressInfo).port}/`;
    replies = [answer(302, {}, { location: elsewhere })];
    const found = await client({ headers: () => ({ authorization: 'Bearer secret' }) })('GET /a');
    other.close();
    other.closeAllConnections();
    expect(found).toMatchObject({ ok: true, data: { authorization: null } });
  });
});

describe('the error of a service in each of its forms', () => {
  it.each([
    ['nested', { error: { code: 'app.x', message: 'no', details: { a: 1 } } }],
    ['flat_legacy', { code: 'app.x', message: 'no', details: { a: 1 } }],
    ['problem', { type: 'about:blank', title: 'Bad', status: 400, detail: 'no', code: 'app.x', details: { a: 1 } }],
  ])('%s', async (_name, body) => {
    replies = [answer(400, body, { 'x-request-id': 'r-1' })];
    await expect(client()('GET /a')).resolves.toMatchObject({
      ok: false,
      status: 400,
      error: { code: 'app.x', message: 'no', details: { a: 1 } },
      requestId: 'r-1',
    });
  });
});

describe('server-sent events', () => {
  const stream =
    (...chunks: (string | null)[]): Reply =>
    async (request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const chunk of chunks) {
        if (chunk === null) return request.socket.destroy();
        await new Promise((resolve) => response.write(chunk, resolve));
      }
      return response.end();
    };
  const collect = async () => {
    const all: unknown[] = [];
    for await (const { event, data, id } of events(client(), 'GET /s')) all.push([event, data, id]);
    return all;
  };

  it.each([
    ['LF', ['id: 1\nevent: tick\ndata: {"at":1}\n\n'], [['tick', { at: 1 }, '1']]],
    [
      'CR',
      ['event: tick\rdata: {"at":1}\r\rdata: x\r\r\n'],
      [
        ['tick', { at: 1 }, ''],
        ['message', 'x', ''],
      ],
    ],
    ['CR LF, cut in the middle', ['data: a\r', '\ndata: b\r\n', '\r\n'], [['message', 'a\nb', '']]],
    [
      'a comment, an unknown field, no space',
      [': hello\n\nx: y\ndata:  z\n\ndata\n\n'],
      [
        ['message', ' z', ''],
        ['message', '', ''],
      ],
    ],
    [
      'a character cut in the middle',
      [Buffer.from('data: ü\n\n').subarray(0, 7) as never, Buffer.from('data: ü\n\n').subarray(7) as never],
      [['message', 'ü', '']],
    ],
  ])('%s', async (_name, chunks, expected) => {
    replies = [stream(...chunks)];
    await expect(collect()).resolves.toEqual(expected);
  });

  it('continue after a broken connection with the id of the last event', async () => {
    replies = [
      stream('retry: 1\nid: 7\nevent: tick\ndata: {"at":1}\n\nid: 8\ndata: lost', null),
      answer(503, notFound),
      stream('event: tick\ndata: {"at":2}\n\n'),
    ];
    await expect(collect()).resolves.toEqual([
      ['tick', { at: 1 }, '7'],
      ['tick', { at: 2 }, '7'],
    ]);
    expect(seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '7', '7']);
  });

  it('leave no listener on the signal after they reconnect', async () => {
    const { signal } = new AbortController();
    const add = import.meta.jest.spyOn(signal, 'addEventListener');
    const remove = import.meta.jest.spyOn(signal, 'removeEventListener');
    replies = [stream('retry: 1\ndata: 1\n\ndata', null), stream('data: 2\n\ndata', null), stream('data: 3\n\n')];
    for await (const _ of events(client(), 'GET /s', { signal }));
    expect(add.mock.calls).toHaveLength(2);
    expect(remove.mock.calls).toHaveLength(2);
  });

  it('end with 204, with an error of the service, and with the signal', async () => {
    replies = [(_request, response) => response.writeHead(204).end()];
    await expect(collect()).resolves.toEqual([]);
    replies = [answer(404, notFound)];
    await expect(collect()).rejects.toMatchObject({
      code: 'client.rejected',
      status: 404,
      answer: { error: { code: 'app.not_found' } },
    });
    const controller = new AbortController();
    replies = [stream('data: 1\n\n', 'data: 2\n\n')];
    const open = events(client(), 'GET /s', { signal: controller.signal });
    await open.next();
    controller.abort();
    await expect(
      (async () => {
        for await (const _ of open);
      })(),
    ).rejects.toMatchObject({ code: 'client.aborted' });
  });
});

it.each([
  ['bytes', new Uint8Array([104, 105]), 'hi', undefined],
  ['numbers as bytes', new Int16Array([26_984]), 'hi', undefined],
  ['text', 'hi', 'hi', 'text/plain;charset=UTF-8'],
  ['a form', new URLSearchParams({ a: 'b c' }), 'a=b+c', 'application/x-www-form-urlencoded;charset=UTF-8'],
  ['a list', [1], '[1]', 'application/json'],
  ['a number', 1, '1', 'application/json'],
])('%s as a body arrives unchanged or as JSON', async (_case, body, text, type) => {
  replies = [answer(200)];
  await client()('PATCH /a', { body });
  expect([seen[0]?.body, seen[0]?.headers['content-type']]).toEqual([text, type]);
});

it('a client without retries sends a GET once', async () => {
  replies = [answer(503, notFound)];
  await expect(client({ retry: false })('GET /a')).resolves.toMatchObject({ status: 503 });
  expect(seen.length).toBe(1);
});

describe('the header x-contract', () => {
  const old = answer(200, {}, { 'x-contract': 'aa' });
  const next = answer(200, {}, { 'x-contract': 'bb' });

  it.each([
    ['a service that is deployed while the page is open', undefined, [old, next, next], ['bb']],
    ['a page that was built before', 'aa', [next, next], ['bb']],
    ['the same contract', 'aa', [old, old], []],
    ['answers without the header', 'aa', [answer(200), answer(404, notFound)], []],
  ])('notifies a stale client once: %s', async (_, contract, given, told) => {
    replies = [...given];
    const digests: string[] = [];
    const options = contract === undefined ? {} : { contract };
    const api = client({ fetch: noticeContract((digest) => digests.push(digest), options) });
    for (const _reply of given) await api('GET /a');
    expect(digests).toEqual(told);
  });
});
