import { invalidOption } from '@sallyport/core/options';
import { METHOD_TABLE } from '../methods/internal/table.js';
import { serverDataOf } from '../server/internal/server-data.js';
import type { McpServer } from '../server/server.js';
import { addSessionTasks } from './internal/session-methods.js';

/**
 * Serves tasks to clients of revision 2025-11-25, which request them with `params.task`: `tasks/get`, `tasks/result`, `tasks/list` and
 * `tasks/cancel`. Tools with the option `task` can become tasks. In the revision without sessions, tasks work without it. A task of this era
 * sends no questions. Call it in each function that serves clients.
 *
 * @throws FrameworkError `app.invalid_configuration` for a server without the option `tasks`
 *
 * @example
 * sessionTasks(server);
 * mountMcp(app, server, { posture: Authenticated() });
 */
export function sessionTasks(...servers: readonly McpServer[]): void {
  const known = servers.map((server) => serverDataOf(server));
  for (const data of known) {
    if (data?.settings.tasks === undefined) throw invalidOption('tasks', 'set on each of the servers');
    addSessionTasks(METHOD_TABLE, data);
  }
}
