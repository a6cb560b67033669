import { complete } from './completion.js';
import { type DefinedMethod, tableOf } from './method.js';
import { getPrompt, listPrompts } from './prompts.js';
import {
  listResources,
  listResourceTemplates,
  readResource,
  subscribeResource,
  unsubscribeResource,
} from './resources.js';
import { discover, ping, setLogLevel } from './server.js';
import { listen } from './subscriptions.js';
import { cancelTask, getTask, updateTask } from './tasks.js';
import { callTool, listTools } from './tools.js';

/** All methods of the server, in both eras. A new method is one file and one line here. */
export const METHODS: readonly DefinedMethod[] = [
  ping,
  discover,
  listTools,
  callTool,
  listPrompts,
  getPrompt,
  listResources,
  listResourceTemplates,
  readResource,
  subscribeResource,
  unsubscribeResource,
  setLogLevel,
  complete,
  listen,
  getTask,
  updateTask,
  cancelTask,
];

export const METHOD_TABLE = tableOf(METHODS);
