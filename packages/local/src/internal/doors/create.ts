import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Part } from '../host/base.js';
import { GraphQLDoor } from './graphql.js';
import { createHttpDoor } from './http.js';
import type { DoorHost } from './request.js';
import { HTTP_DOORS } from './send-through-door.js';
import type { Sockets } from './sockets.js';
import { WebSocketDoor } from './websocket.js';

/** Makes the doors of a run: HTTP, WebSocket, and, if a schema exists, GraphQL. */
export function createDoors(host: DoorHost): Part & { readonly sockets: Sockets } {
  const sockets = new WebSocketDoor(host);
  const servers: Server[] = [];
  return {
    name: 'doors',
    sockets,
    async start() {
      for (const kind of HTTP_DOORS) servers.push(await listen(createHttpDoor(host, kind), host.ports[kind]));
      servers.push(await listen(sockets.server, host.ports.websocket));
      if (host.config.schema === undefined) host.ports.graphql = 0;
      else servers.push(await listen(new GraphQLDoor(host).server, host.ports.graphql));
    },
    async stop() {
      sockets.stop();
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
