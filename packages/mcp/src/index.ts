// The server

// Mounting
export { type MountMcpOptions, type MountTarget, mountMcp } from './http/mount.js';
export { type AuthInfo, type MountHandlerOptions, mountHandler, type WebHandler } from './http/mount-handler.js';
export { MCP_PATH } from './http/path.js';
export type { Change } from './methods/internal/change-feed.js';
// Protocol shapes
export type * from './protocol/types.js';
export type { InputRequired, McpContext } from './run/context.js';
export type {
  CacheHint,
  Completer,
  CompletionAnswer,
  ListedItem,
  PromptAnswer,
  PromptArgument,
  PromptHandler,
  PromptOptions,
  ResourceAnswer,
  ResourceHandler,
  ResourceOptions,
  ResourceTemplateHandler,
  ResourceTemplateOptions,
  SchemaInput,
  SchemaOutput,
  ToolAnswer,
  ToolHandler,
  ToolOptions,
} from './server/definitions.js';
// Errors
export { type McpErrorCode, McpToolError } from './server/errors.js';
export type { McpServerOptions, SessionMode } from './server/options.js';
export type { McpSecret } from './server/secret.js';
export { createMcpServer, type McpServer } from './server/server.js';
export type { StandardSchema } from './server/standard-schema.js';
// Stores
export { type DynamoMcpStoreOptions, dynamoMcpStore } from './store/dynamo-store.js';
export { type MemoryMcpStoreOptions, memoryMcpStore } from './store/memory-store.js';
export type { McpSpill, McpStore, PutCondition, Row, RowKey } from './store/store.js';
