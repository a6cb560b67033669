/** WebSocket connections that all instances of a function share, with groups, in one DynamoDB table. */
export { type BroadcastToGroupInput, broadcastToGroup } from './broadcast-to-group.js';
export {
  BroadcastStopped,
  CONNECTION_ERROR_CODES,
  ConnectionError,
  type ConnectionErrorCode,
} from './errors.js';
export {
  createDynamoConnectionRegistry,
  type DynamoConnectionRegistryOptions,
} from './registry/dynamo-registry.js';
export {
  createMemoryGroupedRegistry,
  type MemoryGroupedRegistryOptions,
} from './registry/memory-registry.js';
export type {
  ConnectionPage,
  ConnectionsOfApi,
  GroupedConnectionRegistry,
  ListOptions,
  PrincipalName,
} from './registry/registry.js';
