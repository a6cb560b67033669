import { WEBSOCKET_CONNECTIONS_TABLE_NAME_ENV } from '@sallyport/connections/schema';
import { EVENTBUS_TABLE_NAME_ENV, JOBS_TABLE_NAME_ENV } from '@sallyport/jobs/schema';
import { MCP_TABLE_NAME_ENV } from '@sallyport/mcp/schema';
import { RATE_LIMIT_TABLE_NAME_ENV } from '@sallyport/ratelimit/schema';
import type { Construct } from 'constructs';
import type { StateTable } from '../../state/state-table.js';
import { ConnectionsTable, EventBusTable, JobsTable, McpTable, RateLimitTable } from '../../state/tables.js';

/** The tables that a service creates: each by the variable with which a store of the application finds it. */
export interface ServiceTables {
  /** Of `createJobLedger`. */
  readonly jobs?: JobsTable;
  /** Of the event store of `@sallyport/jobs`. */
  readonly eventBus?: EventBusTable;
  /** Of `createDynamoConnectionRegistry`. */
  readonly connections?: ConnectionsTable;
  /** Of `dynamoMcpStore`. */
  readonly mcp?: McpTable;
  /** Of `createDynamoRateLimiter`. */
  readonly rateLimit?: RateLimitTable;
}

type Create = new (scope: Construct, id: string) => StateTable;

const TABLES: readonly (readonly [member: keyof ServiceTables, id: string, variable: string, create: Create])[] = [
  ['jobs', 'Jobs', JOBS_TABLE_NAME_ENV, JobsTable],
  ['eventBus', 'Events', EVENTBUS_TABLE_NAME_ENV, EventBusTable],
  ['connections', 'Connections', WEBSOCKET_CONNECTIONS_TABLE_NAME_ENV, ConnectionsTable],
  ['mcp', 'McpSessions', MCP_TABLE_NAME_ENV, McpTable],
  ['rateLimit', 'Limits', RATE_LIMIT_TABLE_NAME_ENV, RateLimitTable],
];

/** The created tables. */
interface CreatedTables {
  readonly all: ServiceTables;
  readonly byVariable: readonly (readonly [variable: string, table: StateTable])[];
}

/** Creates a table for each variable that the application reads and that the service does not set. */
export function createTables(
  scope: Construct,
  read: readonly string[],
  isSet: (name: string) => boolean,
): CreatedTables {
  const created = TABLES.filter(([, , variable]) => read.includes(variable) && !isSet(variable)).map(
    ([member, id, variable, Table]) => ({ member, variable, table: new Table(scope, id) }),
  );
  return {
    all: Object.fromEntries(created.map(({ member, table }) => [member, table])),
    byVariable: created.map(({ variable, table }) => [variable, table]),
  };
}
