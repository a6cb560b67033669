// The server

export type { CallEnd, CallOutcome, McpCall, OnCall } from './calls/call.js';
// Mounting
export { type McpCors, type McpDiscovery, type MountMcpOptions, mcpCors, mountMcp } from './http/mount.js';
// Protocol shapes
export type * from './protocol/types.js';
export { MCP_PATH } from './routes/paths.js';
export type { InputRequired, McpAskingContext, McpContext } from './run/context.js';
export type { AppCsp, AppHtml, AppOptions, ToolApp } from './server/apps.js';
export type {
  CacheHint,
  Change,
  Completer,
  CompletionAnswer,
  ListedItem,
  PromptAnswer,
  PromptArgument,
  PromptArguments,
  PromptHandler,
  PromptOptions,
  PromptValues,
  PublishOptions,
  ResourceAnswer,
  ResourceHandler,
  ResourceOptions,
  ResourceTemplateHandler,
  ResourceTemplateOptions,
  SchemaInput,
  SchemaOutput,
  TemplateNames,
  ToolAnswer,
  ToolHandler,
  ToolOptions,
} from './server/definitions.js';
// Errors
export { type McpErrorCode, McpStepError, McpToolError } from './server/errors.js';
export type { McpSecret, McpSecretReader, McpServerOptions, SessionMode } from './server/options.js';
export { createMcpServer, type McpServer } from './server/server.js';
// Stores
export { type DynamoMcpStoreOptions, dynamoMcpStore } from './store/dynamo-store.js';
export { type MemoryMcpStoreOptions, memoryMcpStore } from './store/memory-store.js';
export type { McpSpill, McpStore, PutCondition, Row, RowKey, StoreCallOptions } from './store/store.js';
export type { McpTaskEvent, McpTasks, ToolTask } from './tasks/options.js';
