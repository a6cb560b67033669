/** Names and shapes that infrastructure code shares with the ledger and the event store. Imports nothing. */

/** The name of the ledger's table, if `createJobLedger` has no option `tableName`. */
export const JOBS_TABLE_NAME_ENV = 'FRAMEWORK_JOBS_TABLE_NAME';
/** The name of the event store's table, if `createEventBusStore` has no option `tableName`. */
export const EVENTBUS_TABLE_NAME_ENV = 'FRAMEWORK_EVENTBUS_TABLE_NAME';

/** Index of the ledger's table: jobs of a tenant by creation. */
export const TENANT_CREATED_INDEX = 'tenant-created-index';
/** Index of the ledger's table: jobs of a tenant and status by creation. */
export const STATUS_CREATED_INDEX = 'status-created-index';
/** Index of the event store's table: events of a tenant by publication. */
export const TENANT_TIMESTAMP_INDEX = 'tenant-timestamp-index';
/** Index of the event store's table: events of a tenant and type by publication. */
export const TENANT_TYPE_INDEX = 'tenant-type-index';

const TABLE = {
  partitionKey: { name: 'pk', type: 'S' },
  sortKey: { name: 'sk', type: 'S' },
  ttlAttribute: 'ttl',
  billingMode: 'PAY_PER_REQUEST',
  pointInTimeRecovery: true,
  removalPolicy: 'RETAIN',
} as const;

/** Jobs, records, leases, semaphores, idempotency. TTL in Unix seconds; only jobs are in the indexes. */
export const JOBS_TABLE_SCHEMA = {
  ...TABLE,
  indexes: [
    {
      name: TENANT_CREATED_INDEX,
      partitionKey: { name: 'tenant_id', type: 'S' },
      sortKey: { name: 'created_at', type: 'S' },
      projection: 'KEYS_ONLY',
    },
    {
      name: STATUS_CREATED_INDEX,
      partitionKey: { name: 'tenant_status', type: 'S' },
      sortKey: { name: 'created_at', type: 'S' },
      projection: 'KEYS_ONLY',
    },
  ],
} as const;

/** Events. TTL in Unix seconds. */
export const EVENTBUS_TABLE_SCHEMA = {
  ...TABLE,
  indexes: [
    {
      name: TENANT_TIMESTAMP_INDEX,
      partitionKey: { name: 'tenant_id', type: 'S' },
      sortKey: { name: 'published_key', type: 'S' },
      projection: 'KEYS_ONLY',
    },
    {
      name: TENANT_TYPE_INDEX,
      partitionKey: { name: 'tenant_type', type: 'S' },
      sortKey: { name: 'published_key', type: 'S' },
      projection: 'KEYS_ONLY',
    },
  ],
} as const;

/** IAM actions of the ledger on its table and its indexes. Transactions need no separate action. */
export const JOBS_TABLE_ACTIONS = {
  read: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'],
  write: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
} as const;

/** IAM actions of the event store on its table and its indexes. */
export const EVENTBUS_TABLE_ACTIONS = {
  read: JOBS_TABLE_ACTIONS.read,
  // The store creates events with conditional updates.
  write: ['dynamodb:UpdateItem'],
} as const;
