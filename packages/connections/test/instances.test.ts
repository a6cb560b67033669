import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { broadcastToGroup, createDynamoConnectionRegistry } from '@sallyport/connections';
import { WEBSOCKET_CONNECTIONS_TABLE_SCHEMA } from '@sallyport/connections/schema';
import { createLocalClient, createTable } from '@sallyport/dynamodb-local';
import { json, noContent } from '@sallyport/http';
import { Authenticated, Optional, SecureApp } from '@sallyport/secure';
import { type ConnectionPrincipal, connectionPrincipal } from '@sallyport/secure/authorizers';
import { buildWebSocketEvent, fakeWebSocketClient, type WebSocketOptions } from '@sallyport/testkit';

let client: DynamoDBClient;
let tableName: string;

beforeAll(async () => {
  client = await createLocalClient();
  tableName = await createTable(client, WEBSOCKET_CONNECTIONS_TABLE_SCHEMA);
});
afterAll(() => client.destroy());

const sent = fakeWebSocketClient();

/** One instance of a function. Instances share only the table. */
function instance() {
  const registry = createDynamoConnectionRegistry<ConnectionPrincipal>({ client, tableName });
  const app = new SecureApp({
    webSocketClientFactory: async () => sent,
    principalResolver: connectionPrincipal({
      store: registry,
      ttlSeconds: 7200,
      connect: (ctx) => (ctx.header('x-test-token') === 'of ada' ? { identity: 'ada' } : null),
    }),
  });
  app.webSocket('$connect', () => noContent(), Authenticated());
  app.webSocket('$disconnect', () => noContent(), Optional());
  app.webSocket('join', async (ctx) => json(200, { joined: await registry.join(keyOf(ctx), 'room') }), Authenticated());
  app.webSocket(
    'say',
    async (ctx) => {
      const socket = ctx.asWebSocket();
      if (!socket) throw new Error('not a socket');
      const result = await broadcastToGroup({
        registry,
        client: await socket.client(),
        api: keyOf(ctx),
        group: 'room',
        data: new TextEncoder().encode(ctx.bodyText()),
      });
      return json(200, { sent: result.sent, gone: result.gone });
    },
    Authenticated(),
  );
  return { app, registry };
}

function keyOf(ctx: Parameters<Parameters<SecureApp['webSocket']>[1]>[0]) {
  const socket = ctx.asWebSocket();
  if (!socket) throw new Error('not a socket');
  return { apiId: socket.apiId, stage: socket.stage, connectionId: socket.connectionId };
}

async function emit({ app }: ReturnType<typeof instance>, options: WebSocketOptions) {
  const answer = (await app.handleLambda(buildWebSocketEvent(options))) as { statusCode: number; body?: string };
  return { status: answer.statusCode, body: answer.body ? (JSON.parse(answer.body) as unknown) : undefined };
}

const TOKEN = { 'x-test-token': 'of ada' };

it('reads connections of other instances, sends to a group, and removes gone connections', async () => {
  const [a, b] = [instance(), instance()];
  for (const connectionId of ['c-1', 'c-2', 'c-3']) {
    expect(await emit(a, { routeKey: '$connect', connectionId, headers: TOKEN })).toMatchObject({ status: 204 });
    expect(await emit(b, { routeKey: 'join', connectionId })).toEqual({ status: 200, body: { joined: true } });
    sent.connect(connectionId);
  }
  expect(await emit(a, { routeKey: 'join', connectionId: 'c-4' })).toMatchObject({ status: 401 });
  await sent.deleteConnection('c-2');
  const { body } = await emit(b, { routeKey: 'say', connectionId: 'c-1', body: 'hello' });
  const { sent: to, gone } = body as { sent: string[]; gone: string[] };
  expect([[...to].sort(), gone]).toEqual([['c-1', 'c-3'], ['c-2']]);
  expect(await emit(a, { routeKey: 'say', connectionId: 'c-2' })).toMatchObject({ status: 401 });
  await emit(b, { routeKey: '$disconnect', connectionId: 'c-3' });
  expect(await emit(a, { routeKey: 'say', connectionId: 'c-1', body: 'alone' })).toMatchObject({
    body: { sent: ['c-1'], gone: [] },
  });
});

it('sends to more connections than one page has', async () => {
  const { registry } = instance();
  const api = { apiId: 'many', stage: 'live' };
  const ids = Array.from({ length: 25 }, (_, position) => `c-${position}`);
  for (const connectionId of ids) {
    await registry.put(
      { ...api, connectionId },
      { connectedAt: 1, data: { principal: { identity: 'x' }, expiresAt: 1 } },
      60,
    );
    await registry.join({ ...api, connectionId }, 'room');
    sent.connect(connectionId);
  }
  const paged = {
    delete: registry.delete,
    listByGroup: (...[of, group, options]: Parameters<typeof registry.listByGroup>) =>
      registry.listByGroup(of, group, { ...options, limit: 10 }),
  };
  const data = new TextEncoder().encode('hello');
  const result = await broadcastToGroup({ registry: paged, client: sent, api, group: 'room', data });
  expect([...result.sent].sort()).toEqual([...ids].sort());
});
