import type { Host, Part } from '../host/host.js';
import type { Sockets } from './sockets.js';

/** Makes the doors of a run: HTTP, WebSocket, GraphQL. */
export function createDoors(_host: Host): Part & { readonly sockets: Sockets } {
  const sockets: Sockets = { post: () => false, close: () => false, get: () => undefined, list: () => [] };
  return { name: 'doors', sockets, start: async () => {}, stop: async () => {} };
}
