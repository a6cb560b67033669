/** The gateway's connection management API, and where connections are kept between events. */
export { type BroadcastOptions, type BroadcastResult, broadcast } from './websocket/broadcast.js';
export { createWebSocketClient, type ManagementClient, type WebSocketClientOptions } from './websocket/client.js';
export { createWebSocketClientFactory } from './websocket/factory.js';
export { MAX_MESSAGE_BYTES } from './websocket/message-size.js';
export {
  type ConnectionKey,
  type ConnectionRecord,
  type ConnectionRegistry,
  connectionKey,
  createMemoryConnectionRegistry,
  type MemoryConnectionRegistryOptions,
} from './websocket/registry.js';
export type { ManagementSdk, SdkClient } from './websocket/sdk.js';
