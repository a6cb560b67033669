import { createServer, type Server, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FrameworkError } from '@sallyport/core';
import type { ConsoleEvent } from '../src/internal/console/api.js';
import { createConsole } from '../src/internal/console/create.js';
import { createJournal } from '../src/internal/journal/ring.js';
import { createTestHost, type TestHost } from './support/host.js';

const TOKEN = 'a-token-of-this-test-0123456789ab';
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };

const journal = createJournal({ reveal: false, now: () => 1_000 });
let door: Server;
let seenByDoor: Record<string, unknown> = {};
let host: TestHost;
let part: ReturnType<typeof createConsole>;
let origin: string;

beforeAll(async () => {
  door = createServer((request, response) => {
    seenByDoor = { method: request.method, url: request.url, ...request.headers };
    response.writeHead(201, { 'set-cookie': 'a=b', 'x-door': 'yes' }).end('through the door');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => door.once('listening', resolve));
  host = createTestHost(() => null, {
    journal,
    token: TOKEN,
    ports: { console: 0, 'gateway-v2': (door.address() as AddressInfo).port } as never,
    invoker: { code: () => ({ state: 'starting' }), environments: () => [] } as never,
    state: { get: () => ({ status: () => 'on' }) } as never,
    sources: {
      list: () => [],
      speed: () => 1,
      setSpeed: () => {
        throw new Error('text of an exception');
      },
      act: () => {
        throw new FrameworkError('local.unknown_source', 'framework: there is no queue "nothing"');
      },
    } as never,
  });
  part = createConsole(host);
  await part.start();
  origin = `http://127.0.0.1:${host.ports.console}`;
});

afterAll(async () => {
  await part.stop();
  door.close();
  door.closeAllConnections();
  host.remove();
});

/** A request with any header, which `fetch` would not send. */
function ask(path: string, headers: Record<string, string>, method = 'GET') {
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      sendRequest({ port: host.ports.console, host: '127.0.0.1', path, method, headers }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk) => (body += chunk));
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
      })
        .on('error', reject)
        .end();
    },
  );
}

/** Reads the events of a stream, one after the other. */
function eventsOf(answer: Response): () => Promise<ConsoleEvent> {
  const lines = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return async () => {
    while (!text.includes('\n')) text += (await lines.read()).value ?? '';
    const [line = '', ...rest] = text.split('\n');
    text = rest.join('\n');
    return JSON.parse(line) as ConsoleEvent;
  };
}

const post = (path: string, body: string) => fetch(origin + path, { method: 'POST', headers: AUTHORIZED, body });

describe('permissions of callers', () => {
  const own = () => `127.0.0.1:${host.ports.console}`;

  it.each([
    ['the page with its own name', '/', () => ({}), 200],
    ['the page as localhost', '/', () => ({ host: `localhost:${host.ports.console}` }), 200],
    ['the page over IPv6', '/', () => ({ host: `[::1]:${host.ports.console}` }), 200],
    ['another name that resolves to this machine', '/', () => ({ host: `evil.example:${host.ports.console}` }), 421],
    ['another port', '/', () => ({ host: '127.0.0.1:1' }), 421],
    ['a name that only begins alike', '/', () => ({ host: `127.0.0.1.evil.example:${host.ports.console}` }), 421],
    ['another page', '/api/state', () => ({ ...AUTHORIZED, origin: 'https://evil.example' }), 403],
    ['a page without an origin', '/api/state', () => ({ ...AUTHORIZED, origin: 'null' }), 403],
    ['another server of this machine', '/api/state', () => ({ ...AUTHORIZED, origin: 'http://127.0.0.1:1' }), 403],
    ['the page itself', '/api/state', () => ({ ...AUTHORIZED, origin: `http://${own()}` }), 200],
    ['nobody', '/api/state', () => ({}), 401],
    ['a wrong token', '/api/state', () => ({ authorization: 'Bearer a-token-of-this-test-0123456789ac' }), 401],
    ['a shorter token', '/api/state', () => ({ authorization: 'Bearer a' }), 401],
    ['a token in a cookie', '/api/state', () => ({ cookie: `token=${TOKEN}` }), 401],
    ['a token in the address', `/api/state?token=${TOKEN}`, () => ({}), 401],
    ['the stream without a token', '/api/events', () => ({}), 401],
    ['a door without a token', '/door/gateway-v2/notes', () => ({}), 401],
  ])('%s', async (_, path, headers, status) => {
    expect(await ask(path, headers())).toMatchObject({ status });
  });

  it('listens on the loopback interface only', async () => {
    expect((await ask('/api/state', AUTHORIZED)).status).toBe(200);
    expect(JSON.parse((await ask('/api/state', AUTHORIZED)).body)).toMatchObject({ name: 'notes', speed: 1 });
  });
});

describe('the page', () => {
  it('allows only own scripts and styles with its nonce, sets no cookie and names no token', async () => {
    const { headers, body } = await ask('/', {});
    const nonce = /<meta name="style-nonce" content="([^"]+)">/.exec(body)?.[1];
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; script-src 'self'; style-src 'nonce-${nonce}'; connect-src 'self'; img-src 'self'; base-uri 'none'; ` +
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(headers).not.toHaveProperty('set-cookie');
    expect(body).not.toContain(TOKEN);
    expect((await ask('/', {})).body).not.toContain(nonce);
  });

  it('has its files without a token, and no other file', async () => {
    expect(await ask('/assets/main.js', {})).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/javascript; charset=utf-8' },
    });
    for (const path of ['/assets/..%2fmain.js', '/assets/../package.json', '/assets/none.js', '/assets/index.html'])
      expect((await ask(path, {})).status).toBe(401);
  });
});

describe('the stream of events', () => {
  it('sends its headers before anything happens, and then each change without the large members', async () => {
    const controller = new AbortController();
    // Resolves with the headers: the journal is empty, and the stream sends no records.
    const answer = await fetch(`${origin}/api/events?last=0`, { headers: AUTHORIZED, signal: controller.signal });
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const next = eventsOf(answer);
    expect(await next()).toMatchObject({ type: 'ready', oldest: 1, last: 0 });
    journal.open({
      requestId: 'r-1',
      traceId: '1-a',
      origin: { kind: 'queue', target: 'orders' },
      event: { Records: ['large'] },
    } as never);
    expect(await next()).toMatchObject({
      type: 'record',
      record: { id: 1, origin: { kind: 'queue', target: 'orders' } },
    });
    expect(await next()).toMatchObject({ type: 'at', oldest: 1, last: 1 });
    journal.update(1, { answer: 'large', status: 'ok', summary: 'ok' });
    const second = await next();
    expect(second).toMatchObject({ type: 'record', record: { id: 1, summary: 'ok' } });
    expect(JSON.stringify(second)).not.toContain('large');
    controller.abort();
  });

  it('begins with what there is', async () => {
    const controller = new AbortController();
    const answer = await fetch(`${origin}/api/events`, { headers: AUTHORIZED, signal: controller.signal });
    const next = eventsOf(answer);
    expect(await next()).toMatchObject({ type: 'record', record: { id: 1, summary: 'ok' } });
    expect(await next()).toMatchObject({ type: 'ready', oldest: 1, last: 1 });
    controller.abort();
  });

  it('continues after a cursor: a page that was away gets only the changes, and each record once', async () => {
    const open = async (query: string) => {
      const controller = new AbortController();
      const answer = await fetch(`${origin}/api/events?${query}`, { headers: AUTHORIZED, signal: controller.signal });
      return { next: eventsOf(answer), leave: () => controller.abort() };
    };
    const first = await open('');
    const second = await open('');
    const until = async ({ next }: typeof first, type: ConsoleEvent['type']) => {
      const events: ConsoleEvent[] = [];
      do events.push(await next());
      while (events.at(-1)?.type !== type);
      return events;
    };
    const { cursor } = (await until(first, 'ready')).at(-1) as { cursor: string };
    await until(second, 'ready');
    first.leave();
    for (let at = 0; at < 3; at += 1)
      journal.open({
        requestId: `s-${at}`,
        traceId: '1-b',
        segment: `${at}`,
        origin: { kind: 'queue', target: 'orders' },
        event: {},
      });
    journal.update(4, { summary: 'changed' });
    // Another page is open the whole time.
    expect((await until(second, 'at')).map((event) => event.type)).toEqual(['record', 'record', 'record', 'at']);
    const again = await open(`since=${cursor}`);
    const missed = await until(again, 'ready');
    expect(missed).toMatchObject([
      { type: 'record', record: { id: 2, summary: '' } },
      { type: 'record', record: { id: 3, summary: '' } },
      { type: 'record', record: { id: 4, summary: 'changed' } },
      { type: 'ready', oldest: 1, last: 4 },
    ]);
    again.leave();
    // A cursor of an earlier run is not known: the page gets the newest records.
    const other = await open('since=1-1&last=2');
    expect((await until(other, 'ready')).map((event) => event.type)).toEqual(['record', 'record', 'ready']);
    other.leave();
    second.leave();
  });

  it('has rows by number, and finds words of the whole record', async () => {
    journal.append(3, 'logs', { at: 1, level: 'info', text: 'The Quick Fox said "hi"' });
    const read = async (path: string) => JSON.parse((await ask(path, AUTHORIZED)).body) as unknown;
    expect(await read('/api/invocations?from=2&to=3')).toMatchObject([{ id: 2 }, { id: 3 }]);
    expect(await read('/api/invocations?ids=4,1,99')).toMatchObject([{ id: 4 }, { id: 1 }]);
    expect(await read('/api/search?filter=quick+fox')).toEqual([3]);
    expect(await read('/api/search?filter=%22hi%22')).toEqual([3]);
    expect(await read('/api/search?filter=quick+badger')).toEqual([]);
  });
});

describe('calls', () => {
  it.each([
    ['that do not exist', '/api/nothing', '{}', 404, 'local.not_found'],
    ['that are no JSON', '/api/speed', '{', 400, 'local.invalid_request'],
    ['without a body', '/api/speed', '', 400, 'local.invalid_request'],
    ['with a list', '/api/speed', '[]', 400, 'local.invalid_request'],
    ['with another type', '/api/speed', '{"speed":"fast"}', 400, 'local.invalid_request'],
    ['with an unknown member', '/api/speed', '{"spee":1}', 400, 'local.invalid_request'],
    [
      'for an unknown source',
      '/api/sources',
      '{"kind":"queue","name":"nothing","action":"now"}',
      400,
      'local.unknown_source',
    ],
    ['for an unknown kind', '/api/preview', '{"kind":"pigeon"}', 400, 'local.unknown_kind'],
    ['for an unknown invocation', '/api/replay', '{"id":99}', 404, 'local.not_found'],
    ['for a file outside of the folder', '/api/replay', '{"file":"../../../etc/passwd"}', 404, 'local.not_found'],
  ])('%s are rejected', async (_, path, body, status, code) => {
    const answer = await post(path, body);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { code } });
  });

  it('that are too large are rejected', async () => {
    const answer = await post('/api/explain', `{"event":"${'x'.repeat(17 * 1024 * 1024)}"}`);
    expect(answer.status).toBe(413);
  });

  it('that fail hide the exception; the terminal shows it', async () => {
    const answer = await post('/api/speed', '{"speed":2}');
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('exception');
    expect(host.notices).toEqual(['the console failed: text of an exception']);
  });
});

describe('the way to a door', () => {
  it('keeps the token of the console here, and passes on the one for the service', async () => {
    const answer = await fetch(`${origin}/door/gateway-v2/notes?x=1`, {
      method: 'POST',
      headers: { ...AUTHORIZED, 'door-authorization': 'Bearer of-the-service', 'mcp-session-id': 's' },
      body: '{}',
    });
    expect(answer.headers.get('door-status')).toBe('201');
    expect(await answer.text()).toBe('through the door');
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('x-door')).toBe('yes');
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
    expect(seenByDoor).toMatchObject({
      method: 'POST',
      url: '/notes?x=1',
      authorization: 'Bearer of-the-service',
      'mcp-session-id': 's',
    });
    expect(JSON.stringify(seenByDoor)).not.toContain(TOKEN);
  });

  it('is absent for a closed door', async () => {
    expect((await ask('/door/gateway-v1/notes', AUTHORIZED)).status).toBe(404);
  });
});
