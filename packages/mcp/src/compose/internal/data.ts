import { invalidOption } from '@sallyport/core/options';
import { type ServerData, serverDataOf } from '../../server/internal/server-data.js';
import type { McpServer } from '../../server/server.js';

/**
 * The data of a server.
 *
 * @throws FrameworkError `app.invalid_configuration` for a server that `createMcpServer` did not create
 */
export function serverDataIn(server: McpServer, name = 'server'): ServerData {
  const data = serverDataOf(server);
  if (!data) throw invalidOption(name, 'made by createMcpServer');
  return data;
}
