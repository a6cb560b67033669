import {
  WEBSOCKET_CONNECTIONS_TABLE_ACTIONS,
  WEBSOCKET_CONNECTIONS_TABLE_NAME_ENV,
  WEBSOCKET_CONNECTIONS_TABLE_SCHEMA,
} from '@sallyport/connections/schema';
import {
  EVENTBUS_TABLE_ACTIONS,
  EVENTBUS_TABLE_NAME_ENV,
  EVENTBUS_TABLE_SCHEMA,
  JOBS_TABLE_ACTIONS,
  JOBS_TABLE_NAME_ENV,
  JOBS_TABLE_SCHEMA,
} from '@sallyport/jobs/schema';
import { MCP_TABLE_ACTIONS, MCP_TABLE_NAME_ENV, MCP_TABLE_SCHEMA } from '@sallyport/mcp/schema';
import { MICROVM_TABLE_ACTIONS, MICROVM_TABLE_NAME_ENV, MICROVM_TABLE_SCHEMA } from '@sallyport/microvm/schema';
import {
  RATE_LIMIT_TABLE_ACTIONS,
  RATE_LIMIT_TABLE_NAME_ENV,
  RATE_LIMIT_TABLE_SCHEMA,
} from '@sallyport/ratelimit/schema';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { StateTable, type StateTableProps } from './state-table.js';

/**
 * The table of the job ledger of `@sallyport/jobs`: jobs, records, leases, idempotency.
 *
 * @example new JobsTable(this, 'Jobs').bindTo(fn);
 */
export class JobsTable extends StateTable {
  constructor(scope: Construct, id: string, props?: StateTableProps) {
    super(scope, id, props, { variable: JOBS_TABLE_NAME_ENV, schema: JOBS_TABLE_SCHEMA, actions: JOBS_TABLE_ACTIONS });
  }
}

/**
 * The table of the event store of `@sallyport/jobs`.
 *
 * @example new EventBusTable(this, 'Events').bindTo(fn);
 */
export class EventBusTable extends StateTable {
  constructor(scope: Construct, id: string, props?: StateTableProps) {
    super(scope, id, props, {
      variable: EVENTBUS_TABLE_NAME_ENV,
      schema: EVENTBUS_TABLE_SCHEMA,
      actions: EVENTBUS_TABLE_ACTIONS,
    });
  }
}

/**
 * The table of the connection registry of `@sallyport/connections`. Clients recreate its data when they connect, so it is removed
 * with the stack.
 *
 * @example new ConnectionsTable(this, 'Connections').bindTo(fn);
 */
export class ConnectionsTable extends StateTable {
  constructor(scope: Construct, id: string, props?: StateTableProps) {
    super(scope, id, props, {
      variable: WEBSOCKET_CONNECTIONS_TABLE_NAME_ENV,
      schema: WEBSOCKET_CONNECTIONS_TABLE_SCHEMA,
      actions: WEBSOCKET_CONNECTIONS_TABLE_ACTIONS,
    });
  }
}

/**
 * The table of sessions, streams and codes of `@sallyport/mcp`.
 *
 * @example new McpTable(this, 'Sessions').bindTo(fn);
 */
export class McpTable extends StateTable {
  constructor(scope: Construct, id: string, props?: StateTableProps) {
    super(scope, id, props, { variable: MCP_TABLE_NAME_ENV, schema: MCP_TABLE_SCHEMA, actions: MCP_TABLE_ACTIONS });
  }
}

/**
 * The table of `@sallyport/ratelimit`. It has only counters, so it is removed with the stack and is not backed up.
 *
 * @example new RateLimitTable(this, 'Limits', { warmWriteUnits: 40_000 }).bindTo(fn);
 */
export class RateLimitTable extends StateTable {
  constructor(scope: Construct, id: string, props?: StateTableProps) {
    super(scope, id, props, {
      variable: RATE_LIMIT_TABLE_NAME_ENV,
      schema: RATE_LIMIT_TABLE_SCHEMA,
      actions: RATE_LIMIT_TABLE_ACTIONS,
    });
  }

  /** Grants what a limiter does: reading, counting and removing. */
  grantUse(grantee: IGrantable): Grant {
    return this.grantRead(grantee).combine(this.grantWrite(grantee));
  }
}

/**
 * The table of sessions of `@sallyport/microvm`. {@link MicrovmController} creates it.
 *
 * @example new MicrovmTable(this, 'Sessions').bindTo(fn);
 */
export class MicrovmTable extends StateTable {
  constructor(scope: Construct, id: string, props?: StateTableProps) {
    super(scope, id, props, {
      variable: MICROVM_TABLE_NAME_ENV,
      schema: MICROVM_TABLE_SCHEMA,
      actions: MICROVM_TABLE_ACTIONS,
    });
  }
}
