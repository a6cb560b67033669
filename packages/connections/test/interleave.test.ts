import { createMemoryGroupedRegistry } from '@sallyport/connections';
import { json, noContent } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { type ConnectionPrincipal, connectionPrincipal } from '@sallyport/secure/authorizers';
import { buildWebSocketEvent, interleave, type MarkedEvent, type TestEnv } from '@sallyport/testkit';

function buildApp(env: TestEnv) {
  const connections = createMemoryGroupedRegistry<ConnectionPrincipal>({ clock: env.clock });
  const connect = async (ctx: { header(name: string): string | undefined }) => {
    await env.pause();
    return { kind: 'external' as const, identity: ctx.header('x-user') ?? '', scopes: [], claims: {} };
  };
  const principalResolver = connectionPrincipal({ store: connections, connect, ttlSeconds: 60 });
  const app = new SecureApp({ ...env.options(), principalResolver });
  app.webSocket(
    '$connect',
    async (ctx) => {
      const socket = ctx.asWebSocket();
      await env.pause();
      if (socket) await connections.join(socket, ctx.authIdentity);
      return noContent();
    },
    Authenticated(),
  );
  app.webSocket('$default', (ctx) => json(200, { who: ctx.authIdentity }), Authenticated());
  return app;
}

const connect: MarkedEvent = (marker) =>
  buildWebSocketEvent({
    eventType: 'CONNECT',
    routeKey: '$connect',
    connectionId: marker,
    headers: { 'x-user': marker },
  });
const stranger: MarkedEvent = (marker) => buildWebSocketEvent({ connectionId: marker, body: '{}' });

it('connections that open at the same time are kept apart', async () => {
  await expect(interleave(buildApp, [connect, connect, connect, stranger])).resolves.toBeUndefined();
});
