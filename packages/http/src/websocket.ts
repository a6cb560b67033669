/** The gateway's connection management API, and registries that keep connections between events. */
export type { WebSocketErrorCode } from './errors.js';
export { type BroadcastOptions, type BroadcastResult, broadcast, MAX_MESSAGE_BYTES } from './websocket/broadcast.js';
export {
  createWebSocketClient,
  createWebSocketClientFactory,
  type ManagementClient,
  type ManagementSdk,
  type SdkClient,
  type WebSocketClientOptions,
} from './websocket/client.js';
export {
  type ConnectionKey,
  type ConnectionRecord,
  type ConnectionRegistry,
  connectionKey,
  createMemoryConnectionRegistry,
  type MemoryConnectionRegistryOptions,
} from './websocket/registry.js';
