import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { WebSocket } from 'ws';
import type { Flags } from '../src/internal/config/load.js';
import { FrameLengths } from '../src/internal/doors/frame-limit.js';
import { findRoute, parseRoute } from '../src/internal/doors/route.js';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { createProject, type Project, start } from './support/run.js';

const ECHO = `
export const handler = async (event) => {
  const path = event.rawPath ?? event.path ?? '';
  if (path.endsWith('/bytes')) return { statusCode: 200, body: 'AAEC', isBase64Encoded: true };
  if (path.endsWith('/large')) return { statusCode: 200, body: 'x'.repeat(2_000_000) };
  if (path.endsWith('/challenge')) return { statusCode: 401, headers: { 'WWW-Authenticate': 'Bearer x', server: 'mine' } };
  if (event.requestContext.eventType === 'CONNECT') {
    return { statusCode: 200, headers: event.queryStringParameters ? { 'Sec-WebSocket-Protocol': 'mcp' } : {} };
  }
  return { statusCode: 200, body: JSON.stringify(event) };
};`;

type Door = 'gateway-v2' | 'gateway-v1' | 'load-balancer' | 'function-url';
const DOORS: readonly Door[] = ['gateway-v2', 'gateway-v1', 'load-balancer', 'function-url'];

let project: Project;
let host: RunningHost;

const startWith = async (flags: Flags = {}) => {
  project = createProject({ 'src/lambda.mjs': ECHO });
  host = await start(project, { routeResponse: true, ...flags });
};
const stop = async () => {
  await host.stop();
  project.remove();
};

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}
interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Sends a request with exactly these headers. */
function send(door: Door, { method = 'POST', path = '/', headers = {}, body = '' }: Sent = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ port: host.ports[door], host: '127.0.0.1', method, path, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) }),
      );
    });
    outgoing.on('error', reject).end(body);
  });
}
const eventOf = async (door: Door, sent?: Sent) => JSON.parse((await send(door, sent)).body.toString('utf8'));

describe('events and answers have the form of each door', () => {
  beforeAll(() => startWith());
  afterAll(stop);

  const TEXT = ['a=1', false] as const;
  const BASE64 = ['YT0x', true] as const;
  test.each([
    ['application/json', TEXT, TEXT, TEXT, TEXT],
    ['application/json; charset=utf-8', TEXT, TEXT, TEXT, TEXT],
    ['text/csv', TEXT, TEXT, TEXT, TEXT],
    ['application/xml', TEXT, TEXT, TEXT, TEXT],
    ['application/javascript', TEXT, TEXT, TEXT, TEXT],
    ['application/x-www-form-urlencoded', BASE64, TEXT, BASE64, BASE64],
    ['application/problem+json', BASE64, TEXT, BASE64, BASE64],
    ['application/graphql', BASE64, TEXT, BASE64, BASE64],
    ['application/octet-stream', BASE64, TEXT, BASE64, BASE64],
    [undefined, BASE64, TEXT, BASE64, BASE64],
  ])('a body of type %s', async (type, ...expected) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const got = [];
    for (const door of DOORS) {
      const { body, isBase64Encoded } = await eventOf(door, { headers, body: 'a=1' });
      got.push([body, isBase64Encoded]);
    }
    expect(got).toEqual(expected);
  });

  test('a REST API without binaryMediaTypes breaks bytes in both directions', async () => {
    const sent = { headers: { 'content-type': 'application/octet-stream' }, body: Buffer.from([0, 255, 1, 2]) };
    expect(await eventOf('gateway-v1', sent)).toMatchObject({
      body: '\u0000\ufffd\u0001\u0002',
      isBase64Encoded: false,
    });
    expect((await send('gateway-v1', { path: '/bytes' })).body.toString('utf8')).toBe('AAEC');
    expect([...(await send('gateway-v2', { path: '/bytes' })).body]).toEqual([0, 1, 2]);
  });

  test('a REST API keeps the names of headers, and adds its own with capital letters', async () => {
    const headers = { Cookie: 'a=1', 'X-Forwarded-For': '9.9.9.9', 'X-Own': '1' };
    const { headers: one, multiValueHeaders: all } = await eventOf('gateway-v1', { method: 'GET', headers });
    expect(one).toMatchObject({
      Cookie: 'a=1',
      'X-Own': '1',
      'X-Forwarded-For': '9.9.9.9, 127.0.0.1',
      'X-Forwarded-Proto': 'http',
      'X-Forwarded-Port': String(host.ports['gateway-v1']),
      'X-Amzn-Trace-Id': expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/),
    });
    const lower = Object.keys(all).map((name) => name.toLowerCase());
    expect(lower).toHaveLength(new Set(lower).size);
  });

  test.each(['gateway-v2', 'load-balancer', 'function-url'] as const)(
    '%s appends the address of the client, and states protocol and port itself',
    async (door) => {
      const headers = { 'x-forwarded-for': '9.9.9.9', 'x-forwarded-proto': 'https', 'x-forwarded-port': '1' };
      expect((await eventOf(door, { headers })).headers).toMatchObject({
        'x-forwarded-for': '9.9.9.9, 127.0.0.1',
        'x-forwarded-proto': 'http',
        'x-forwarded-port': String(host.ports[door]),
        'x-amzn-trace-id': expect.stringMatching(/^Root=1-/),
      });
    },
  );

  test('a client’s trace is kept, and is the trace of the invocation', async () => {
    const trace = 'Root=1-5759e988-bd862e3fe1be46a994272793';
    const { headers } = await eventOf('gateway-v2', { headers: { 'x-amzn-trace-id': trace } });
    expect(headers['x-amzn-trace-id']).toBe(trace);
    expect(host.journal.list().at(-1)?.traceId).toBe('1-5759e988-bd862e3fe1be46a994272793');
  });

  test.each([
    ['gateway-v2', 'Bearer x', undefined],
    ['load-balancer', 'Bearer x', undefined],
    ['gateway-v1', undefined, 'Bearer x'],
    ['function-url', undefined, 'Bearer x'],
  ] as const)('%s: the challenge of a 401', async (door, plain, remapped) => {
    const { headers } = await send(door, { path: '/challenge' });
    expect([headers['www-authenticate'], headers['x-amzn-remapped-www-authenticate']]).toEqual([plain, remapped]);
    expect(headers['x-amzn-remapped-server']).toBe(remapped && 'mine');
  });

  test.each([
    ['gateway-v2', 431],
    ['gateway-v1', 431],
    ['load-balancer', 200],
    ['function-url', 200],
  ] as const)('%s: headers of 11,000 bytes are answered with %i', async (door, status) => {
    expect((await send(door, { headers: { 'x-long': 'x'.repeat(11_000) } })).status).toBe(status);
  });

  test('a load balancer rejects an answer of 2 MB, the others pass it on', async () => {
    const statuses = [];
    for (const door of DOORS) statuses.push((await send(door, { path: '/large' })).status);
    expect(statuses).toEqual([200, 200, 502, 200]);
  });

  test('a client that uploads too much reads its 413', async () => {
    const body = Buffer.alloc(12 * 1024 * 1024);
    for (let time = 0; time < 5; time += 1) expect((await send('load-balancer', { body })).status).toBe(413);
  });

  describe('the WebSocket door', () => {
    const open = async (path: string, protocols: string[] = []) => {
      const socket = new WebSocket(`ws://127.0.0.1:${host.ports.websocket}${path}`, protocols);
      await once(socket, 'open');
      return socket;
    };
    const lastEvent = () =>
      host.journal.rawEvent(host.journal.list().at(-1)?.id ?? 0) as never as {
        readonly headers: Readonly<Record<string, string>>;
      };

    test('$connect has the headers of the gateway; each message has its own id', async () => {
      const socket = await open('/');
      const { headers } = lastEvent();
      expect(Object.keys(headers)).toEqual(
        expect.arrayContaining(['X-Forwarded-For', 'X-Forwarded-Port', 'X-Forwarded-Proto', 'X-Amzn-Trace-Id']),
      );
      expect(headers).not.toHaveProperty('Upgrade');
      const ids = [];
      for (const body of ['one', 'two']) {
        socket.send(body);
        const [data] = await once(socket, 'message');
        ids.push(JSON.parse(String(data)).requestContext.messageId);
      }
      expect(new Set(ids).size).toBe(2);
      socket.close();
    });

    test('a subprotocol is accepted only if the answer to $connect names it', async () => {
      const accepted = await open('/?accept=1', ['mcp']);
      expect(accepted.protocol).toBe('mcp');
      accepted.close();
      const refused = new WebSocket(`ws://127.0.0.1:${host.ports.websocket}/`, ['mcp']);
      const [error] = await once(refused, 'error');
      expect((error as Error).message).toBe('Server sent no subprotocol');
    });

    test('a frame of 40 KB closes the connection, the same bytes in two frames do not', async () => {
      const socket = await open('/');
      socket.send('x'.repeat(20_000), { fin: false });
      socket.send('x'.repeat(20_000), { fin: true });
      const [data] = await once(socket, 'message');
      expect(JSON.parse(String(data)).body).toHaveLength(40_000);
      socket.send('x'.repeat(40_000));
      const [code] = await once(socket, 'close');
      expect(code).toBe(1009);
    });
  });
});

describe('with routes, a stage and binary types', () => {
  beforeAll(() =>
    startWith({
      routes: ['GET /notes/{id}', 'ANY /files/{path+}'],
      stage: 'v1',
      stageVariables: { color: 'blue' },
      binaryMediaTypes: ['image/png'],
    }),
  );
  afterAll(stop);

  test('an HTTP API names the route, the parameters and the stage', async () => {
    expect(await eventOf('gateway-v2', { method: 'GET', path: '/notes/a%20b' })).toMatchObject({
      routeKey: 'GET /notes/{id}',
      rawPath: '/v1/notes/a b',
      pathParameters: { id: 'a b' },
      stageVariables: { color: 'blue' },
      requestContext: { routeKey: 'GET /notes/{id}', stage: 'v1' },
    });
  });

  test('a REST API too', async () => {
    expect(await eventOf('gateway-v1', { path: '/files/a/b.txt' })).toMatchObject({
      resource: '/files/{path+}',
      path: '/files/a/b.txt',
      pathParameters: { path: 'a/b.txt' },
      stageVariables: { color: 'blue' },
      requestContext: { resourcePath: '/files/{path+}', stage: 'v1' },
    });
  });

  test.each([
    ['gateway-v2', 404, 'Not Found'],
    ['gateway-v1', 403, 'Missing Authentication Token'],
  ] as const)('%s answers a request without a route itself', async (door, status, message) => {
    const got = await send(door, { path: '/notes/1' });
    expect([got.status, JSON.parse(got.body.toString())]).toEqual([status, { message }]);
  });

  test('types of binaryMediaTypes are base64 in the event, and bytes for a client that accepts them', async () => {
    const headers = { 'content-type': 'image/png', accept: 'image/png' };
    const path = '/files/bytes';
    expect((await send('gateway-v1', { path, headers })).body).toEqual(Buffer.from([0, 1, 2]));
    expect((await send('gateway-v1', { path, headers: { accept: 'text/html, image/png' } })).body.toString()).toBe(
      'AAEC',
    );
    expect(await eventOf('gateway-v1', { path: '/files/x', headers, body: 'a=1' })).toMatchObject({
      body: 'YT0x',
      isBase64Encoded: true,
    });
  });
});

test.each([
  ['GET', '/notes/1', 'GET /notes/{id}'],
  ['GET', '/notes/latest', 'GET /notes/latest'],
  ['POST', '/notes/1', 'ANY /notes/{id}'],
  ['GET', '/notes/1/2', 'ANY /{all+}'],
  ['GET', '/', '$default'],
])('%s %s is %s', (method, path, key) => {
  const keys = ['$default', 'ANY /{all+}', 'ANY /notes/{id}', 'GET /notes/{id}', 'GET /notes/latest'];
  const routes = keys.flatMap((one) => parseRoute(one) ?? []);
  expect(findRoute(routes, method, path)?.route.key).toBe(key);
});

test.each(['', 'GET', 'get /', 'GET notes', 'GET /a b'])('%j is not a route', (key) => {
  expect(parseRoute(key)).toBeUndefined();
});

test('the lengths of frames are read byte by byte too', () => {
  const frame = (length: number) =>
    Buffer.concat([
      length < 126 ? Buffer.from([0x81, 0x80 | length]) : Buffer.from([0x81, 0x80 | 126, length >> 8, length & 0xff]),
      Buffer.alloc(4 + length),
    ]);
  const bytes = Buffer.concat([frame(5), frame(0), frame(300), frame(7)]);
  expect(new FrameLengths().longest(bytes)).toBe(300);
  const lengths = new FrameLengths();
  expect([...bytes].map((byte) => lengths.longest(Buffer.from([byte]))).filter((length) => length > 0)).toEqual([
    5, 300, 7,
  ]);
});
