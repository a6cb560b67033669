import { broadcastToGroup } from '@sallyport/connections';
import type { Context, WebSocketContext } from '@sallyport/core';
import { json, noContent } from '@sallyport/http';
import { Authenticated, Optional, type SecureApp } from '@sallyport/secure';
import type { Connections } from './auth.js';

const canRead = Authenticated('notes:read');
const WATCHERS = 'watchers';

/** Watching notes over a WebSocket: each watcher receives the messages of the others. */
export function registerSockets(app: SecureApp, connections: Connections): void {
  app.webSocket('$connect', () => noContent(), canRead);
  app.webSocket('$disconnect', () => noContent(), Optional());
  app.webSocket(
    'watch',
    async (ctx) => {
      await connections.join(socketOf(ctx), WATCHERS);
      return json(200, { watching: ctx.bodyText(), by: ctx.securePrincipal()?.identity });
    },
    canRead,
  );
  app.webSocket(
    'say',
    async (ctx) => {
      const socket = socketOf(ctx);
      const client = await socket.client();
      const data = new TextEncoder().encode(JSON.stringify({ from: ctx.authIdentity, text: ctx.bodyText() }));
      const told = await broadcastToGroup({ registry: connections, client, api: socket, group: WATCHERS, data });
      return json(200, { told: told.sent.length });
    },
    Authenticated('notes:write'),
  );
  app.webSocket(
    '$default',
    () => json(400, { error: { code: 'notes.unknown_action', message: 'unknown action' } }),
    canRead,
  );
}

function socketOf(ctx: Context): WebSocketContext {
  const socket = ctx.asWebSocket();
  if (!socket) throw new Error('a WebSocket route was given another event');
  return socket;
}
