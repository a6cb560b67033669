import { createMemoryGroupedRegistry } from '@sallyport/connections';
import { connectionPrincipal } from '@sallyport/secure/authorizers';
import { buildWebSocketEvent, createTestEnv, fakeWebSocketClient } from '@sallyport/testkit';
import { expect, it } from 'vitest';
import { createService } from '../src/app.js';
import type { Connections } from '../src/connections.js';

/** The service with a registry in memory; every connection gets `scopes`. */
function start(...scopes: string[]) {
  const env = createTestEnv();
  const client = fakeWebSocketClient();
  const connections: Connections = createMemoryGroupedRegistry({ clock: env.clock });
  const principalResolver = connectionPrincipal({
    store: connections,
    connect: () => ({ identity: 'ada', scopes }),
    ttlSeconds: 7200,
  });
  const app = createService({ ...env.options(), principalResolver, webSocketClientFactory: () => client }, connections);
  const send = async (connectionId: string, routeKey: string, body?: string) => {
    const event = buildWebSocketEvent({ connectionId, routeKey, ...(body !== undefined && { body }) });
    if (routeKey === '$connect') client.connect(connectionId);
    return (await env.invoke(app, event)).statusCode;
  };
  return { client, send };
}

it('sends a message to all members of the room', async () => {
  const { client, send } = start('chat');
  for (const id of ['ada', 'bob']) expect(await send(id, '$connect')).toBe(204);
  expect(await send('ada', '$default', 'hello')).toBe(204);
  expect(await send('bob', '$default', 'hi')).toBe(204);
  const sent = client.calls.map(({ connectionId, data }) => [connectionId, new TextDecoder().decode(data)]);
  expect(sent).toEqual([
    ['ada', 'hello'],
    ['ada', 'hi'],
    ['bob', 'hi'],
  ]);
});

it('has no caller after a connection is closed', async () => {
  const { send } = start('chat');
  await send('ada', '$connect');
  expect(await send('ada', '$disconnect')).toBe(204);
  expect(await send('ada', '$default', 'hello')).toBe(401);
});

it('rejects an empty message, and a caller without the scope', async () => {
  const { send } = start('chat');
  await send('ada', '$connect');
  expect(await send('ada', '$default', '')).toBe(400);
  expect(await start('other').send('ada', '$connect')).toBe(403);
});
