import { cpSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { createProject, type Project, start } from './support/run.js';
import { shows } from './support/shows.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const SCHEMA = `
type Query { notes: [Note!]! fails: String secret: String selection(at: AWSDateTime): Selection @aws_api_key }
type Selection { paths: [String!]! more: Note }
type Note { id: ID! title: String! upper: String }
`;

describe('a service of the framework', () => {
  let project: Project;
  let host: RunningHost;

  beforeAll(async () => {
    project = createProject({ 'schema.graphql': SCHEMA });
    cpSync(join(HERE, 'functions/service.ts'), join(project.folder, 'src/lambda.ts'));
    symlinkSync(join(HERE, '../node_modules'), join(project.folder, 'node_modules'));
    host = await start(project, {
      entry: 'src/lambda.ts',
      conditions: ['@sallyport/source'],
      batchFields: ['Note.upper'],
      routeResponse: true,
    });
  });
  afterAll(async () => {
    await host.stop();
    project.remove();
  });

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${host.ports['gateway-v2']}${path}`, { headers });
  const lastId = () => host.journal.list().at(-1)?.id ?? 0;

  test('lists registrations', async () => {
    const { isOurs, routes, triggers } = host.inspection();
    expect(isOurs).toBe(true);
    expect(routes).toContainEqual({
      surface: 'http',
      name: 'GET /notes',
      method: 'GET',
      pattern: '/notes',
      posture: 'authenticated',
      scopes: ['notes:read'],
      streaming: false,
    });
    expect(triggers).toEqual([{ kind: 'queue', name: 'orders', options: {} }]);
    expect(await host.inspection().openapi()).toMatchObject({ openapi: '3.1.0', paths: { '/notes': {} } });
    expect(
      await host.inspection().explain({ Records: [{ eventSource: 'aws:sqs', eventSourceARN: 'a:b:c:d:e:orders' }] }),
    ).toMatchObject({ kind: 'queue' });
  });

  test('shows for each event why it is of its kind, who decided, and what ran', async () => {
    expect((await get('/notes', { 'x-who': 'ada' })).status).toBe(200);
    const record = await shows(
      host,
      lastId(),
      ({ explain, gate, spans }) => explain !== null && gate.length > 0 && spans.length > 0,
    );
    expect(record).toMatchObject({
      kind: 'gateway-v2',
      explain: { kind: 'gateway-v2', target: { route: 'GET /notes' } },
      gate: [
        {
          record: 'GET /notes',
          posture: 'authenticated',
          required: ['notes:read'],
          outcome: 'allowed',
          principalKind: 'external',
        },
      ],
      spans: [{ name: 'http GET /notes', kind: 'request', error: null }],
    });
  });

  test.each([
    ['/notes', {}, 401, 'unauthenticated'],
    ['/admin', { 'x-who': 'ada' }, 403, 'forbidden'],
  ])('%s with %j is rejected, with the reason of the gate', async (path, headers, status, outcome) => {
    expect((await get(path, headers)).status).toBe(status);
    const { gate } = await shows(host, lastId(), (record) => record.gate.length > 0);
    expect(gate).toMatchObject([{ outcome }]);
  });

  test('names what a handler left running', async () => {
    await get('/stuck');
    const { leftovers } = await shows(host, lastId(), (record) => record.leftovers.length > 0);
    expect(leftovers).toEqual(['Timeout']);
  });

  test('a queue’s address of production, which the SDK prefers to any endpoint, is not reached', async () => {
    expect(await (await get('/production-queue')).text()).toContain(
      'sqs.us-east-1.amazonaws.com is an AWS host, and calls to AWS are blocked',
    );
  });

  test('a token in a header is in no record', async () => {
    await get('/health', { authorization: 'Bearer abc.def.ghi', cookie: 'sid=very-secret' });
    const text = JSON.stringify(host.journal.get(lastId()));
    expect(text).toContain('/health');
    expect(text).not.toContain('abc.def.ghi');
    expect(text).not.toContain('very-secret');
  });

  describe('its WebSocket API', () => {
    const address = () => `ws://127.0.0.1:${host.ports.websocket}/`;
    const next = (socket: WebSocket, event: string) =>
      new Promise<unknown[]>((resolve) => socket.once(event, (...args) => resolve(args)));

    test('connects, routes by action, answers, and disconnects', async () => {
      const socket = new WebSocket(`${address()}?who=ada`);
      await next(socket, 'open');
      expect(host.sockets.list()).toMatchObject([{ sourceIp: '127.0.0.1' }]);
      const { connectionId = '' } = host.sockets.list()[0] ?? {};
      socket.send('{"action":"hello"}');
      expect(String((await next(socket, 'message'))[0])).toBe('{"route":"hello"}');
      socket.send('anything');
      expect(String((await next(socket, 'message'))[0])).toBe('{"route":"default"}');
      expect(host.sockets.post(connectionId, Buffer.from('pushed'))).toBe(true);
      expect(String((await next(socket, 'message'))[0])).toBe('pushed');
      const closed = next(socket, 'close');
      host.sockets.close(connectionId);
      await closed;
      expect(host.sockets.post('nobody', Buffer.from('x'))).toBe(false);
    });

    test.each([
      ['a status of 300 or more', '?who=nobody', {}, 403],
      ['another site', '', { origin: 'https://evil.example' }, 403],
      ['no origin at all', '', { origin: 'null' }, 403],
      ['a name that is not this machine’s', '', { host: 'evil.example' }, 421],
    ])('%s is rejected at the handshake', async (_name, query, headers, status) => {
      const socket = new WebSocket(address() + query, { headers });
      const [, response] = (await next(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
      expect(response.statusCode).toBe(status);
      socket.on('error', () => {});
      socket.terminate();
    });

    test('a message over 128 KB ends the connection', async () => {
      const socket = new WebSocket(address());
      await next(socket, 'open');
      const closed = next(socket, 'close');
      socket.send('x'.repeat(128 * 1024 + 1));
      expect((await closed)[0]).toBe(1009);
    });
  });

  describe('its GraphQL API', () => {
    async function query(text: string, variables = {}): Promise<unknown> {
      const response = await fetch(`http://127.0.0.1:${host.ports.graphql}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': 'local' },
        body: JSON.stringify({ query: text, variables }),
      });
      return response.json();
    }

    test('registered fields invoke the function, others read their parent', async () => {
      expect(await query('{ notes { id title } }')).toEqual({
        data: {
          notes: [
            { id: '1', title: 'Milk' },
            { id: '2', title: 'Bread' },
          ],
        },
      });
    });

    test('batch fields are one invocation', async () => {
      const before = host.journal.list().length;
      expect(await query('{ notes { upper } }')).toEqual({
        data: { notes: [{ upper: 'MILK' }, { upper: 'BREAD' }] },
      });
      expect(
        host.journal
          .list()
          .slice(before)
          .map(({ origin }) => origin.target),
      ).toEqual(['Query.notes', 'Note.upper']);
    });

    test('the event names the selected fields', async () => {
      const text =
        'query($no: Boolean!) { selection { all: paths ...F more @skip(if: $no) { id } } } fragment F on Selection { more { name: title } }';
      expect(await query(text, { no: true })).toMatchObject({
        data: { selection: { all: ['all', 'more', 'more/name'] } },
      });
    });

    test('an error object becomes a GraphQL error with its code, and no foreign text', async () => {
      expect(await query('{ fails secret }')).toMatchObject({
        data: { fails: null, secret: null },
        errors: [
          { message: 'internal error', path: ['fails'] },
          { errorType: 'app.unauthorized', path: ['secret'] },
        ],
      });
    });

    test('an invalid query', async () => {
      expect(await query('{ nothing }')).toMatchObject({ errors: [{ message: expect.stringContaining('nothing') }] });
      expect(await query('{')).toMatchObject({ data: null });
    });
  });
});
