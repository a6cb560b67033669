// The server
export type { Change } from './change-feed.js';
export type { InputRequired, McpContext } from './context.js';
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
} from './definitions.js';
// Stores
export { type DynamoMcpStoreOptions, dynamoMcpStore } from './dynamo-store.js';
// Errors
export { type McpErrorCode, McpToolError } from './errors.js';
export { type MemoryMcpStoreOptions, memoryMcpStore } from './memory-store.js';
// Mounting
export { type MountMcpOptions, type MountTarget, mountMcp } from './mount.js';
export { type AuthInfo, type MountHandlerOptions, mountHandler, type WebHandler } from './mount-handler.js';
export type { McpServerOptions, SessionMode } from './options.js';
export { MCP_PATH } from './path.js';
export type { McpSecret } from './secret.js';
export { createMcpServer, type McpServer } from './server.js';
export type { StandardSchema } from './standard-schema.js';
export type { McpSpill, McpStore, PutCondition, Row, RowKey } from './store.js';
// Protocol shapes
export type * from './types.js';
