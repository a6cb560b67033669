import { broadcastToGroup } from '@sallyport/connections';
import { type Context, FrameworkError } from '@sallyport/core';
import { noContent } from '@sallyport/http';
import type { Connections } from '../connections.js';

/** The room of all connections. */
const ROOM = 'lobby';
const MAX_CHARACTERS = 1000;

/** Runs after the posture has accepted the caller; src/principal.ts has stored the principal. */
export const connect = () => noContent();

/** The connection is already removed from the table. */
export const disconnect = () => noContent();

/** Sends a message to all callers that have sent a message. */
export const say = (connections: Connections) => async (ctx: Context) => {
  const text = ctx.bodyText();
  const socket = ctx.asWebSocket();
  if (!socket || text === '' || text.length > MAX_CHARACTERS) {
    throw new FrameworkError('app.bad_request', `a message has 1 to ${MAX_CHARACTERS} characters`);
  }
  await connections.join(socket, ROOM);
  const client = await socket.client();
  const data = new TextEncoder().encode(text);
  const { sent } = await broadcastToGroup({ registry: connections, client, api: socket, group: ROOM, data });
  ctx.log.info('message passed on', { sent: sent.length });
  return noContent();
};
