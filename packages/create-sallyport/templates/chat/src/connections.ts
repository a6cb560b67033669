import { createDynamoConnectionRegistry, type GroupedConnectionRegistry } from '@sallyport/connections';
import { WEBSOCKET_CONNECTIONS_TABLE_NAME_ENV } from '@sallyport/connections/schema';
import type { ConnectionPrincipal } from '@sallyport/secure/authorizers';

/** Who is connected, and to which room: shared by all instances of the function. */
export type Connections = GroupedConnectionRegistry<ConnectionPrincipal>;

/** The table of the stack; it is asked when the first connection is opened. */
export function createConnections(environment: Readonly<Record<string, string | undefined>>): Connections {
  return createDynamoConnectionRegistry({
    tableName: environment[WEBSOCKET_CONNECTIONS_TABLE_NAME_ENV] ?? 'connections',
  });
}
