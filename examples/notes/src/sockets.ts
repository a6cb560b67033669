import { broadcastToGroup } from '@sallyport/connections';
import type { Context, WebSocketContext } from '@sallyport/core';
import { json, message, noContent } from '@sallyport/http';
import { Authenticated, Optional, type SecureApp } from '@sallyport/secure';
import * as z from 'zod';
import type { Connections } from './auth.js';

const canRead = Authenticated('notes:read');
const WATCHERS = 'watchers';

const Said = z.object({ from: z.string(), text: z.string() });
/** The messages that watchers receive, by type. */
export const SENDS = { said: Said };

/** Watching notes over a WebSocket: each watcher receives the messages of the others. */
export function registerSockets(app: SecureApp, connections: Connections): void {
  app.webSocket('$connect', () => noContent(), canRead);
  app.webSocket('$disconnect', () => noContent(), Optional());
  app.webSocket(
    'watch',
    message(z.object({ id: z.string() }), async (ctx, { id }) => {
      await connections.join(socketOf(ctx), WATCHERS);
      return json(200, { watching: id, by: ctx.securePrincipal()?.identity });
    }),
    canRead,
  );
  app.webSocket(
    'say',
    message(z.object({ text: z.string() }), async (ctx, { text }) => {
      const socket = socketOf(ctx);
      const client = await socket.client();
      const said: z.infer<typeof Said> = { from: ctx.authIdentity, text };
      const data = new TextEncoder().encode(JSON.stringify({ type: 'said', data: said }));
      const told = await broadcastToGroup({ registry: connections, client, api: socket, group: WATCHERS, data });
      return json(200, { told: told.sent.length });
    }),
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
