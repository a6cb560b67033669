import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { type Barrier, createBarrier } from './support/barrier.js';
import { createProject, type Project, projectOf, start } from './support/run.js';

const SERVICE = `
export const handler = async (event) => {
  const path = event.rawPath ?? event.path;
  if (path === '/throws') throw new Error('secret text');
  if (path === '/odd') return { hello: 1 };
  if (path === '/bytes') return { statusCode: 200, headers: { 'content-type': 'image/png' }, body: 'AAEC', isBase64Encoded: true };
  return {
    statusCode: 200,
    headers: { 'content-type': 'application/json', 'x-kind': event.version ?? (event.requestContext.elb ? 'elb' : '1.0') },
    cookies: ['a=1', 'b=2'],
    body: JSON.stringify(event),
  };
};`;

const DOORS = ['gateway-v2', 'gateway-v1', 'load-balancer', 'function-url'] as const;
type Door = (typeof DOORS)[number];

const addressOf = (host: RunningHost, door: Door) => `http://127.0.0.1:${host.ports[door]}`;

/** Sends a request with headers that `fetch` does not allow. */
function raw(
  host: RunningHost,
  door: Door,
  headers: Record<string, string>,
  path = '/',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ port: host.ports[door], host: '127.0.0.1', path, headers }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }));
    });
    outgoing.on('error', reject).end();
  });
}

describe('the HTTP doors', () => {
  let project: Project;
  let host: RunningHost;

  beforeAll(async () => {
    project = createProject({ 'src/lambda.mjs': SERVICE });
    host = await start(project);
  });
  afterAll(async () => {
    await host.stop();
    project.remove();
  });

  test.each([
    ['gateway-v2', '2.0', '/a b/c', '/a%20b/c'],
    ['gateway-v1', '1.0', '/a%20b/c', '/a%20b/c'],
    ['load-balancer', 'elb', '/a%20b/c', '/a%20b/c'],
    ['function-url', '2.0', '/a%20b/c', '/a%20b/c'],
  ] as const)('%s: the event is the one of its service', async (door, kind, path, sent) => {
    const answer = await fetch(`${addressOf(host, door)}${sent}?x=1&x=2`, {
      method: 'POST',
      body: '{"a":"ä"}',
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-kind')).toBe(kind);
    const event = (await answer.json()) as Record<string, unknown>;
    expect(event.rawPath ?? event.path).toBe(path);
    expect(event).toMatchObject({ body: '{"a":"ä"}', isBase64Encoded: false });
    const [record] = host.journal.list().slice(-1);
    expect(record).toMatchObject({
      kind: door,
      origin: { kind: door, target: `POST ${sent}?x=1&x=2` },
      summary: '200',
      client: { status: 200 },
    });
  });

  test('an escaped slash is decoded by the HTTP API, and unchanged by the REST API', async () => {
    const pathOf = async (door: Door) => {
      const event = (await (await fetch(`${addressOf(host, door)}/a%2Fb`)).json()) as Record<string, string>;
      return event.rawPath ?? event.path;
    };
    expect(await pathOf('gateway-v2')).toBe('/a/b');
    expect(await pathOf('gateway-v1')).toBe('/a%2Fb');
  });

  test('bytes are base64 in both directions; cookies are separate headers', async () => {
    const sent = await fetch(`${addressOf(host, 'gateway-v2')}/`, {
      method: 'PUT',
      body: new Uint8Array([0, 255]),
      headers: { 'content-type': 'image/png' },
    });
    expect(await sent.json()).toMatchObject({ body: 'AP8=', isBase64Encoded: true });
    expect(sent.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    const answer = await fetch(`${addressOf(host, 'load-balancer')}/bytes`);
    expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([0, 1, 2]);
  });

  test.each([
    ['gateway-v2', '/throws', 500],
    ['gateway-v1', '/throws', 502],
    ['load-balancer', '/throws', 502],
    ['function-url', '/throws', 502],
    ['gateway-v2', '/odd', 200],
    ['gateway-v1', '/odd', 502],
    ['load-balancer', '/odd', 502],
    ['function-url', '/odd', 200],
  ] as const)('%s: %s is answered as AWS answers it', async (door, path, status) => {
    const answer = await fetch(addressOf(host, door) + path);
    expect(answer.status).toBe(status);
    expect(await answer.text()).not.toContain('secret');
  });

  test('the reason of a rejected answer is in the journal', async () => {
    await fetch(`${addressOf(host, 'gateway-v1')}/odd`);
    const [record] = host.journal.list().slice(-1);
    expect(record?.logs.map(({ text }) => text)).toEqual([
      'framework: the door rejected the response: the answer has no statusCode: return an object such as { statusCode: 200 }',
    ]);
  });

  test('a host name other than this machine’s is rejected', async () => {
    for (const name of ['evil.example', 'evil.example:4701', 'localhost.evil.example']) {
      expect((await raw(host, 'gateway-v2', { host: name })).status).toBe(421);
    }
    expect((await raw(host, 'gateway-v2', { host: 'localhost:1' })).status).toBe(200);
  });

  test('a request line with a whole address, an upgrade, a body that is too large', async () => {
    expect((await raw(host, 'gateway-v2', { host: 'localhost' }, 'http://localhost/x?y=1')).text).toContain(
      '"rawPath":"/x"',
    );
    const upgrade = await raw(host, 'gateway-v2', { host: 'localhost', connection: 'upgrade', upgrade: 'websocket' });
    expect(upgrade.status).toBe(426);
    expect((await raw(host, 'load-balancer', { host: 'localhost', 'content-length': '104857600' })).status).toBe(413);
  });
});

describe('a handler that streams', () => {
  let project: Project;
  let barrier: Barrier;
  let host: RunningHost;

  beforeAll(async () => {
    project = projectOf('streams.mjs');
    barrier = await createBarrier();
    host = await start(project, { env: { BARRIER: barrier.address } });
  });
  afterAll(async () => {
    await host.stop();
    barrier.close();
    project.remove();
  });

  test('the function URL sends status and headers, then each chunk immediately', async () => {
    const answer = await fetch(`${addressOf(host, 'function-url')}/`);
    expect(answer.status).toBe(201);
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    const chunks: string[] = [];
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      chunks.push(Buffer.from(chunk).toString());
      barrier.open();
    }
    expect(chunks).toEqual(['one,', 'two']);
  });

  test('an answer that fails after its first byte is interrupted, and a client detects it', async () => {
    const answer = await fetch(`${addressOf(host, 'function-url')}/fails`);
    expect(answer.status).toBe(201);
    await expect(answer.text()).rejects.toThrow('terminated');
    const [record] = host.journal.list().slice(-1);
    expect(record).toMatchObject({
      status: 'failed',
      summary: '201 cut',
      error: { errorMessage: 'in the middle' },
      client: { cut: true },
    });
  });

  test('a function waits for a client that reads nothing, and the host keeps only a part of the response', async () => {
    const before = process.memoryUsage().arrayBuffers;
    const socket = connect(host.ports['function-url'] ?? 0, '127.0.0.1');
    socket.write('GET /much HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await once(socket, 'readable');
    for (let turn = 0; turn < 2000; turn += 1) await new Promise(setImmediate);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(30 * 1024 * 1024);
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > 400 * 256 * 1024) socket.end();
    });
    await once(socket, 'close');
    expect(bytes).toBeGreaterThan(400 * 256 * 1024);
  });

  test('a buffered door fails as on AWS, and the journal has the reason', async () => {
    barrier.open();
    const answer = await fetch(`${addressOf(host, 'gateway-v1')}/`);
    expect(answer.status).toBe(502);
    const [record] = host.journal.list().slice(-1);
    expect(record?.logs.at(-1)?.text).toContain('the handler streams, and this door requires a buffered response');
  });
});
