import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Host, Part } from '../host/host.js';
import { HTTP_DOORS } from './exchange.js';
import { createHttpDoor } from './http.js';
import type { Sockets } from './sockets.js';

/** Makes the doors of a run: HTTP, WebSocket, GraphQL. */
export function createDoors(host: Host): Part & { readonly sockets: Sockets } {
  const sockets: Sockets = { post: () => false, close: () => false, get: () => undefined, list: () => [] };
  const servers: Server[] = [];
  return {
    name: 'doors',
    sockets,
    async start() {
      for (const kind of HTTP_DOORS) servers.push(await listen(createHttpDoor(host, kind), host.ports[kind]));
    },
    async stop() {
      for (const server of servers.splice(0)) await close(server);
    },
  };
}

async function listen(server: Server, port: number): Promise<Server> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
