import { broadcastToGroup } from '@sallyport/connections';
import { type Context, FrameworkError } from '@sallyport/core';
import { noContent } from '@sallyport/http';
import type { Connections } from '../connections.js';

/** The room that everybody is in. */
const ROOM = 'lobby';
const MAX_CHARACTERS = 1000;

/** Who gets here has passed the posture; src/principal.ts has stored who it is. */
export const connect = () => noContent();

/** The connection is gone from the table already. */
export const disconnect = () => noContent();

/** Passes a message on to everybody who has said something. */
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
