import { createWebSocketClient, type ManagementClient, type WebSocketClientOptions } from './client.js';

/** Endpoints whose clients are kept; a function answers for one or two. */
const MAX_CLIENTS = 16;

/**
 * Clients for a container's `webSocketClientFactory`, one for each endpoint, so that its sockets stay open from one
 * invocation to the next.
 *
 * @example createApp({ webSocketClientFactory: createWebSocketClientFactory({ timeoutMs: 2_000 }) });
 */
export function createWebSocketClientFactory(
  options: WebSocketClientOptions = {},
): (endpoint: string) => ManagementClient {
  const clients = new Map<string, ManagementClient>();
  return (endpoint) => {
    const present = clients.get(endpoint);
    if (present) return present;
    const client = createWebSocketClient(endpoint, options);
    const [oldest] = clients;
    if (clients.size >= MAX_CLIENTS && oldest) {
      clients.delete(oldest[0]);
      oldest[1].close();
    }
    clients.set(endpoint, client);
    return client;
  };
}
