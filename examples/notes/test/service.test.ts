import { buildAgentCoreCall } from '@sallyport/mcp/testing';
import type { AuthorizationServer } from '@sallyport/oauth-lab';
import {
  buildAPIGatewayV2Request,
  buildAppSyncEvent,
  buildLoadBalancerRequest,
  buildQueueEvent,
  buildScheduledEvent,
  buildWebSocketEvent,
  createTestEnv,
  fakeWebSocketClient,
} from '@sallyport/testkit';
import type { NotesService } from '../src/app.js';
import { AUDIENCE, createTestService, RESOURCE, startIssuer } from './support.js';

let issuer: AuthorizationServer;
let service: NotesService;
let writer: string;
let reader: string;
let agentWriter: string;
let agentReader: string;
const env = createTestEnv({ now: new Date() });

beforeAll(async () => {
  issuer = await startIssuer();
  writer = await issuer.sign({ sub: 'ada', scope: 'notes:read notes:write' }, AUDIENCE);
  reader = await issuer.sign({ sub: 'alan', scope: 'notes:read' }, AUDIENCE);
  agentWriter = await issuer.sign({ sub: 'ada', scope: 'notes:read notes:write' }, RESOURCE);
  agentReader = await issuer.sign({ sub: 'alan', scope: 'notes:read' }, RESOURCE);
});

beforeEach(() => {
  service = createTestService(env, issuer);
});

afterAll(() => issuer.close());

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const send = (method: string, path: string, options: Parameters<typeof buildAPIGatewayV2Request>[2] = {}) =>
  env.invoke(service.app, buildAPIGatewayV2Request(method, path, options)) as Promise<{
    statusCode: number;
    headers: Record<string, string>;
    body: string;
  }>;

describe('permissions of callers', () => {
  it.each<[string, string, () => object, number]>([
    ['health, asking nobody', '/health', () => ({}), 200],
    ['notes without a token', '/notes', () => ({}), 401],
    ['notes with a broken token', '/notes', () => bearer('x.y.z'), 401],
    ['notes with a token that may read', '/notes', () => bearer(reader), 200],
  ])('%s', async (_name, path, options, status) => {
    expect((await send('GET', path, options())).statusCode).toBe(status);
  });

  it('rejects to write with a token that may only read, at HTTP and at GraphQL', async () => {
    const json = { title: 'a', text: 'b' };
    expect((await send('POST', '/notes', { ...bearer(reader), json })).statusCode).toBe(403);
    const event = buildAppSyncEvent({ fieldName: 'addNote', arguments: json, ...bearer(reader) });
    expect(await env.invoke(service.app, event)).toMatchObject({ error_info: { code: 'app.forbidden' } });
    expect(await service.notes.list(10)).toHaveLength(1);
  });

  it('states a posture for every route', () => {
    expect(service.app.routes().filter(({ posture }) => posture === 'public')).toEqual([
      { surface: 'http', method: 'GET', path: '/health', posture: 'public' },
      { surface: 'http', method: 'GET', path: '/.well-known/oauth-protected-resource', posture: 'public' },
      { surface: 'http', method: 'HEAD', path: '/.well-known/oauth-protected-resource', posture: 'public' },
      { surface: 'http', method: 'GET', path: '/.well-known/oauth-protected-resource/mcp', posture: 'public' },
      { surface: 'http', method: 'HEAD', path: '/.well-known/oauth-protected-resource/mcp', posture: 'public' },
    ]);
  });
});

describe('notes over HTTP', () => {
  it('are added, changed, read and removed', async () => {
    const auth = bearer(writer);
    const added = await send('POST', '/notes', { ...auth, json: { title: 'Bread', text: 'one loaf' } });
    expect([added.statusCode, added.headers.location]).toEqual([201, '/notes/note-2']);
    await send('PATCH', '/notes/note-2', { ...auth, json: { text: 'two loaves' } });
    expect(JSON.parse((await send('GET', '/notes/note-2', auth)).body)).toEqual({
      id: 'note-2',
      title: 'Bread',
      text: 'two loaves',
      authorId: 'ada',
    });
    expect((await send('DELETE', '/notes/note-2', auth)).statusCode).toBe(204);
    expect((await send('GET', '/notes/note-2', auth)).statusCode).toBe(404);
  });

  it('name the fields that do not fit', async () => {
    const refused = await send('POST', '/notes', { ...bearer(writer), json: { title: '' } });
    expect(refused.statusCode).toBe(422);
    const { errors } = (JSON.parse(refused.body) as { error: { details: { errors: { field: string }[] } } }).error
      .details;
    expect(errors.map(({ field }) => field)).toEqual(['title', 'text']);
  });

  it('carry attachments byte for byte', async () => {
    const body = Uint8Array.from([0, 255, 254, 1]);
    const headers = { ...bearer(writer).headers, 'content-type': 'image/png' };
    await send('PUT', '/notes/note-1/attachments/dot.png', { headers, body });
    const event = buildLoadBalancerRequest('GET', '/notes/note-1/attachments/dot.png', bearer(writer));
    expect(await env.invoke(service.app, event)).toMatchObject({ isBase64Encoded: true, body: 'AP/+AQ==' });
  });

  it('are limited for each caller', async () => {
    const statuses: number[] = [];
    for (let call = 0; call < 6; call += 1) statuses.push((await send('GET', '/notes', bearer(reader))).statusCode);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await send('GET', '/notes', bearer(writer))).statusCode).toBe(200);
  });
});

describe('a WebSocket', () => {
  const BODIES: Readonly<Record<string, string>> = {
    watch: '{"action":"watch","data":{"id":"note-1"}}',
    say: '{"action":"say","data":{"text":"hi"}}',
  };
  const event = (routeKey: string, eventType: 'CONNECT' | 'MESSAGE', connectionId: string, headers = {}) =>
    ({
      ...buildWebSocketEvent({ routeKey, eventType, connectionId, body: BODIES[routeKey] ?? '' }),
      headers,
    }) as ReturnType<typeof buildWebSocketEvent>;

  it('shows its token once; other callers cannot use its connection', async () => {
    const connect = event('$connect', 'CONNECT', 'conn-1', bearer(reader).headers);
    expect(await env.invoke(service.app, connect)).toMatchObject({ statusCode: 204 });
    expect(await env.invoke(service.app, event('watch', 'MESSAGE', 'conn-1'))).toMatchObject({
      statusCode: 200,
      body: '{"watching":"note-1","by":"alan"}',
    });
    expect(await env.invoke(service.app, event('watch', 'MESSAGE', 'conn-2'))).toMatchObject({ statusCode: 401 });
  });

  it('sends a message to all watchers', async () => {
    const sockets = fakeWebSocketClient();
    const { app } = createTestService(env, issuer, {
      limit: 50,
      container: { webSocketClientFactory: async () => sockets },
    });
    for (const [connectionId, token] of [
      ['conn-1', writer],
      ['conn-2', reader],
      ['conn-3', reader],
    ] as const) {
      await env.invoke(app, event('$connect', 'CONNECT', connectionId, bearer(token).headers));
      sockets.connect(connectionId);
    }
    for (const connectionId of ['conn-1', 'conn-2']) await env.invoke(app, event('watch', 'MESSAGE', connectionId));
    expect(await env.invoke(app, event('say', 'MESSAGE', 'conn-1'))).toMatchObject({ body: '{"told":2}' });
    expect(await env.invoke(app, event('say', 'MESSAGE', 'conn-2'))).toMatchObject({ statusCode: 403 });
    const told = sockets.calls.map(({ connectionId, data }) => [connectionId, Buffer.from(data ?? []).toString()]);
    expect(told.sort()).toEqual([
      ['conn-1', '{"type":"said","data":{"from":"ada","text":"hi"}}'],
      ['conn-2', '{"type":"said","data":{"from":"ada","text":"hi"}}'],
    ]);
  });
});

describe('events', () => {
  it('report the reminder that failed and keep the others', async () => {
    const arn = 'arn:aws:sqs:us-east-1:123456789012:reminders';
    const batch = buildQueueEvent(arn, [{ body: { noteId: 'note-1' } }, { body: '{' }, { body: { noteId: 'note-2' } }]);
    expect(await env.invoke(service.app, batch)).toEqual({ batchItemFailures: [{ itemIdentifier: 'msg-2' }] });
    expect(service.journal.reminders).toEqual(['note-1', 'note-2']);
  });
});

describe('work that must be done once', () => {
  const arn = 'arn:aws:sqs:us-east-1:123456789012:orders';

  it('runs once for an order that is delivered twice, even with another message id', async () => {
    for (const messageId of ['m-1', 'm-2']) {
      const event = buildQueueEvent(arn, [{ messageId, body: { id: 'order-7' } }]);
      expect(await env.invoke(service.app, event)).toEqual({ batchItemFailures: [] });
    }
    expect(service.journal.orders).toEqual(['order-7']);
  });

  it('is summed up by the nightly run, which holds its lease', async () => {
    const event = buildScheduledEvent({ rule: 'nightly-cleanup' });
    expect(await env.invoke(service.app, event)).toMatchObject({
      kind: 'scheduled',
      result: { status: 'ok', processed: 1 },
    });
  });
});

describe('tools for agents', () => {
  const call = (token: string, name: string, args: object) =>
    send('POST', '/mcp', {
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      json: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name,
          arguments: args,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
    });

  it('find notes, and add them only with the scope to write', async () => {
    const found = await call(agentReader, 'find_notes', { word: 'litre' });
    expect(JSON.parse(found.body)).toMatchObject({
      id: 1,
      result: { structuredContent: { notes: [{ id: 'note-1' }] } },
    });
    expect((await call(agentReader, 'add_note', { title: 'a', text: 'b' })).statusCode).toBe(403);
    expect((await call(agentWriter, 'add_note', { title: 'a', text: 'b' })).statusCode).toBe(200);
    expect((await service.notes.list(10)).map(({ title, authorId }) => [title, authorId])).toEqual([
      ['Milk', 'ada'],
      ['a', 'ada'],
    ]);
  });

  it('reject tokens of users, and tokens of agents are rejected by other routes', async () => {
    expect((await call(writer, 'find_notes', { word: 'litre' })).statusCode).toBe(403);
    expect((await send('POST', '/mcp/', { ...bearer(writer), json: {} })).statusCode).toBe(403);
    expect((await send('GET', '/notes', bearer(agentReader))).statusCode).toBe(403);
    const event = buildAppSyncEvent({
      fieldName: 'addNote',
      arguments: { title: 'a', text: 'b' },
      ...bearer(agentWriter),
    });
    expect(await env.invoke(service.app, event)).toMatchObject({ error_info: { code: 'app.forbidden' } });
  });

  it('are the same after an agent gateway', async () => {
    const viaGateway = (token: string, name: string, args: object) => {
      const headers = { Authorization: `Bearer ${token}` };
      const { event, clientContext } = buildAgentCoreCall(name, args, { target: 'notes', headers });
      return env.invoke(service.app, event, env.lambdaContext({ clientContext }));
    };
    const found = await viaGateway(agentReader, 'find_notes', { word: 'litre' });
    expect(found).toMatchObject({ structuredContent: { notes: [{ id: 'note-1' }] } });
    await expect(viaGateway(agentReader, 'add_note', { title: 'a', text: 'b' })).rejects.toThrow('forbidden');
    await expect(viaGateway(writer, 'find_notes', { word: 'litre' })).rejects.toThrow('forbidden');
    await expect(viaGateway('x.y.z', 'find_notes', { word: 'litre' })).rejects.toThrow('unauthorized');
    expect(await service.notes.list(10)).toHaveLength(1);
  });

  it('send who has no token to the place where one is issued', async () => {
    const { statusCode, headers } = await send('POST', '/mcp', { json: {} });
    expect([statusCode, headers['www-authenticate']]).toEqual([
      401,
      'Bearer resource_metadata="https://notes.example/.well-known/oauth-protected-resource/mcp"',
    ]);
    expect((await send('GET', '/notes')).headers['www-authenticate']).toBe('Bearer');
    const { body } = await send('GET', '/.well-known/oauth-protected-resource/mcp');
    expect(JSON.parse(body)).toEqual({
      resource: 'https://notes.example/mcp',
      authorization_servers: [issuer.issuer],
      scopes_supported: ['notes:read', 'notes:write'],
    });
  });
});
