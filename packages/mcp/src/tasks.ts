/** Calls that continue after their connection and their invocation have ended. */
export { type InvokeSelfOptions, invokeSelf, type LambdaInvoker } from './tasks/invoke-self.js';
export type { McpTaskEvent, McpTasks, ToolTask } from './tasks/options.js';
export { sessionTasks } from './tasks/session-tasks.js';
export { type McpTaskSurface, mcpTasks } from './tasks/surface.js';
