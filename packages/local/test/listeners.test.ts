import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { answerOf, createProject, type Project, start } from './support/run.js';

const SERVICE = `
import { getEnvironmentData } from 'node:worker_threads';
export const handler = async (event) => {
  if (event.secrets) return { api: process.env.AWS_LAMBDA_RUNTIME_API, key: getEnvironmentData('sallyport.local.key') };
  return { statusCode: 200, headers: { 'content-type': 'text/plain' }, body: 'served ' + (event.rawPath ?? event.path) };
};`;

const NAMES = [
  'console',
  'gateway-v2',
  'gateway-v1',
  'load-balancer',
  'function-url',
  'websocket',
  'graphql',
  'aws',
  'issuer',
  'runtime',
] as const;
type Name = (typeof NAMES)[number];

let project: Project;
let host: RunningHost;
let ports: Readonly<Record<Name, number>>;
let key = '';

beforeAll(async () => {
  project = createProject({ 'src/lambda.mjs': SERVICE, 'schema.graphql': 'type Query { note: String }' });
  // If it were frozen, it would not poll, and the Runtime API would have no client to answer.
  host = await start(project, { freeze: false, schema: 'schema.graphql' });
  const secrets = (await answerOf(host, { secrets: true })) as { readonly api: string; readonly key: string };
  key = secrets.key;
  const portOf = (address: string) => Number(/:(\d+)$/.exec(address)?.[1]);
  ports = {
    ...host.ports,
    issuer: portOf(host.identity.substitute('$issuer')),
    runtime: portOf(secrets.api),
  };
});

afterAll(async () => {
  await host.stop();
  project.remove();
});

interface Sent {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: readonly string[];
  readonly host?: string;
}

/** Sends a request exactly, and resolves with the whole response, or `''` for a connection that was only closed. */
function send(name: Name, { method = 'GET', target = '/', headers = [], host: named }: Sent = {}): Promise<string> {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${named ?? `127.0.0.1:${ports[name]}`}`,
    ...headers,
    ...(headers.some((line) => /^connection:/i.test(line)) ? [] : ['Connection: close']),
  ];
  return exchange(name, Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
}

/** The client of a malformed request may wait, end its half of the connection, or reset it. */
type Leaving = 'wait' | 'end' | 'reset';
/** A client that waits for the answer to half a request disconnects after this time. */
const PATIENCE_MS = 50;

function exchange(name: Name, bytes: Buffer, leaving?: Leaving): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket: Socket = connect(ports[name], '127.0.0.1', () => {
      socket.write(bytes, () => {
        if (leaving === 'reset') setImmediate(() => socket.resetAndDestroy());
        if (leaving === 'end') socket.end();
        if (leaving === 'wait') socket.setTimeout(PATIENCE_MS, () => socket.destroy());
      });
    });
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

const statusOf = (response: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? 0);
const UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** The status of each listener for a plain request for `/` from a program. */
const PLAIN: Readonly<Record<Name, number>> = {
  console: 200,
  'gateway-v2': 200,
  'gateway-v1': 200,
  'load-balancer': 200,
  'function-url': 200,
  websocket: 426,
  graphql: 404,
  aws: 403,
  issuer: 404,
  runtime: 404,
};

async function expectAlive(): Promise<void> {
  const statuses = await Promise.all(NAMES.map(async (name) => [name, statusOf(await send(name))] as const));
  expect(Object.fromEntries(statuses)).toEqual(PLAIN);
  expect(await answerOf(host, { rawPath: '/alive' })).toMatchObject({ body: 'served /alive' });
}

describe.each(NAMES)('%s', (name) => {
  const isDoor = !['console', 'issuer', 'runtime'].includes(name);

  test('rejects other names, other pages and two hosts before anything else', async () => {
    const status = async (sent: Sent) => statusOf(await send(name, sent));
    const upgrade = name === 'websocket' ? UPGRADE : [];
    expect(await status({ host: 'evil.example' })).toBe(421);
    expect(await status({ host: `127.0.0.1.evil.example:${ports[name]}`, headers: upgrade })).toBe(421);
    expect(await status({ target: 'http://192.0.2.9/x' })).toBe(421);
    expect(await status({ headers: ['Host: evil.example'] })).toBe(400);
    expect(await status({ headers: ['Origin: https://evil.example', ...upgrade] })).toBe(403);
    expect(await status({ headers: ['Origin: null', ...upgrade] })).toBe(403);
    expect(await status({ method: 'POST', headers: ['Sec-Fetch-Site: cross-site', 'Content-Length: 0'] })).toBe(403);
    expect(await status({ headers: ['Sec-Fetch-Site: same-site', 'Sec-Fetch-Mode: no-cors'] })).toBe(403);
    expect(await status({ headers: ['Origin: http://localhost:5173'] })).toBe(isDoor ? PLAIN[name] : 403);
    expect(await status({})).toBe(PLAIN[name]);
  });

  test.each([
    '//192.0.2.9/x',
    '/\\192.0.2.9/x',
    'http://[',
    '//',
    '/%',
    '/%ff%00',
    '*',
    'x:y',
    'HTTP://192.0.2.9:80//x',
  ])('answers the target %s itself', async (target) => {
    const isPath = target.startsWith('/');
    const expected = isPath ? pathStatus(name) : target.toLowerCase().startsWith('http:') ? 421 : 400;
    expect(statusOf(await send(name, { target }))).toBe(expected);
    expect(statusOf(await send(name))).toBe(PLAIN[name]);
  });

  test('survives 300 malformed requests, and the terminal gets at most one line', async () => {
    const lines = host.journal.notes().length;
    const random = seeded(NAMES.indexOf(name) + 1);
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(Array.from({ length: 15 }, () => exchange(name, malformed(random), LEAVINGS[random(3)])));
    }
    await expectAlive();
    const added = host.journal
      .notes()
      .slice(lines)
      .filter(({ topic }) => topic === 'notice');
    expect(added.length).toBeLessThanOrEqual(1);
  });
});

/** A path that only a door serves. */
function pathStatus(name: Name): number {
  return name === 'console' ? 401 : PLAIN[name];
}

test('the console passes a path that looks like a host to the door', async () => {
  for (const path of ['//192.0.2.9:80/x', '/\\192.0.2.9/x']) {
    const answer = await send('console', {
      target: `/door/gateway-v2${path}`,
      headers: [`Authorization: Bearer ${host.token}`, 'door-authorization: Bearer SERVICE'],
    });
    expect(answer).toContain(`served ${path}`);
  }
});

describe('the Runtime API', () => {
  const PREFIX = '/2018-06-01/runtime/invocation';

  test('hands an event to the shim alone', async () => {
    const next = (headers: readonly string[]) => send('runtime', { target: `${PREFIX}/next`, headers });
    expect(statusOf(await next([]))).toBe(403);
    expect(statusOf(await next(['x-local-key: wrong']))).toBe(403);
    expect(statusOf(await next([`x-local-key: ${key}`, 'Sec-Fetch-Mode: cors']))).toBe(403);
    expect(statusOf(await next([`x-local-key: ${key}`, 'Referer: http://127.0.0.1/']))).toBe(403);
    expect(key).toMatch(/^[\w-]{32}$/);
  });

  test.each([
    ['/%/response', 400],
    ['/%/error', 400],
    ['/unknown/response', 400],
    ['/00000000-0000-4000-8000-000000000000/error', 400],
    ['/a/b/response', 404],
    ['/unknown/else', 404],
  ])('an answer to %s is rejected with %s', async (path, status) => {
    const response = await send('runtime', { method: 'POST', target: PREFIX + path, headers: ['Content-Length: 0'] });
    expect(statusOf(response)).toBe(status);
    if (status === 400) expect(response).toContain('{"errorMessage":"Bad Request","errorType":"InvalidRequestID"}');
    await expectAlive();
  });
});

describe('the sources', () => {
  const roots = ['../src', '../../testkit/src'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const sources = roots.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') })),
  );

  test('make no URL of a path and a base: such a path can name another host', () => {
    const faults = sources.filter(({ text }) =>
      /new URL\([^()]*(?:\([^()]*\)[^()]*)*,(?!\s*import\.meta\.url)/.test(text),
    );
    expect(faults.map(({ file }) => file)).toEqual([]);
  });

  test('have no HTTP server of the run without the guard', () => {
    const servers = sources.filter(
      ({ file, text }) =>
        file.startsWith('internal/') && /from 'node:http2?'/.test(text) && /\bcreate\w*Server\b/.test(text),
    );
    expect(servers.length).toBeGreaterThanOrEqual(7);
    expect(servers.filter(({ text }) => !/\bguardRequests[<(]/.test(text)).map(({ file }) => file)).toEqual([]);
  });
});

/** Random numbers below a limit, the same for each seed. */
function seeded(seed: number): (limit: number) => number {
  let state = seed * 2_654_435_761;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * limit);
  };
}

const LEAVINGS: readonly Leaving[] = ['wait', 'end', 'reset'];
const METHODS = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'HEAD',
  'PATCH',
  'CONNECT',
  'TRACE',
  'get',
  'PRI',
  '',
  'G\0T',
];
const TARGETS = [
  '/',
  '/%',
  '/%zz?%',
  '//',
  '//192.0.2.9/x',
  '/\\x',
  'http://[',
  'http://localhost',
  '*',
  '',
  '/\u00ff',
  '/graphql',
  '/api/state',
  '/door/gateway-v2//x',
  '/assets/..%2f..',
  '/2018-06-01/runtime/invocation/%/response',
  '/2018-06-01/runtime/invocation/%e0%a4%a/error',
  '/2018-06-01/runtime/init/error',
  '/.well-known/jwks.json?%',
  `/${'x'.repeat(3000)}`,
  '/?X-Amz-Signature=%&X-Amz-Credential=%2f%2f%2f&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=9',
];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', 'HTTP/2.0', ''];
const HEADERS = [
  'Host: 127.0.0.1',
  'Host:',
  'Host: [',
  'Content-Length: 5',
  'Content-Length: -1',
  'Content-Length: 999999999999999999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, x',
  'Expect: 100-continue',
  'Expect: nothing',
  'Upgrade: websocket',
  'Upgrade: h2c',
  'Connection: Upgrade, HTTP2-Settings',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Key: x',
  'Origin: http://[',
  'Referer: %',
  'Sec-Fetch-Site: \u00ff',
  'Authorization: Bearer ..',
  'Authorization: AWS4-HMAC-SHA256 Credential=a/b/c/d/aws4_request, SignedHeaders=host, Signature=00',
  'X-Amz-Target: %',
  'X-Amzn-Trace-Id: Root=;;=;Parent',
  'Content-Type: application/json',
  'Cookie: =;=;',
  ': empty',
  'no colon',
  `X-Long: ${'y'.repeat(9000)}`,
];
const BODIES = ['', '{', '{"query":"{"}', '[]', '5\r\nhello\r\n0\r\n\r\n', 'zz\r\n', '\0\0\0', '%'.repeat(100)];

/** Bytes that look like a request, more or less, and end in the middle at times. */
function malformed(random: (limit: number) => number): Buffer {
  const pick = (list: readonly string[]) => list[random(list.length)] as string;
  if (random(20) === 0) return Buffer.from(Array.from({ length: 1 + random(200) }, () => random(256)));
  if (random(20) === 0)
    return Buffer.from(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${pick(BODIES)}${String.fromCharCode(random(256))}`, 'latin1');
  const own = random(3) > 0 ? ['Host: localhost'] : [];
  const headers = Array.from({ length: random(6) }, () => pick(HEADERS));
  const lines = [`${pick(METHODS)} ${pick(TARGETS)} ${pick(VERSIONS)}`, ...own, ...headers, 'Connection: close'];
  const whole = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${pick(BODIES)}`, 'latin1');
  return random(6) === 0 ? whole.subarray(0, random(whole.length)) : whole;
}
