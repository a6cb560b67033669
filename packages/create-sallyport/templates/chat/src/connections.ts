import { createDynamoConnectionRegistry, type GroupedConnectionRegistry } from '@sallyport/connections';
import { WEBSOCKET_CONNECTIONS_TABLE_NAME_ENV } from '@sallyport/connections/schema';
import type { ConnectionPrincipal } from '@sallyport/secure/authorizers';

/** The open connections and their rooms: shared by all instances of the function. */
export type Connections = GroupedConnectionRegistry<ConnectionPrincipal>;

/** The table of the stack; the first connection opens it. */
export function createConnections(environment: Readonly<Record<string, string | undefined>>): Connections {
  return createDynamoConnectionRegistry({
    tableName: environment[WEBSOCKET_CONNECTIONS_TABLE_NAME_ENV] ?? 'connections',
  });
}
