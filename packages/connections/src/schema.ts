/** Names and shapes that infrastructure code shares with the registry. Imports nothing. */

/** Environment variable with the name of the table, if `createDynamoConnectionRegistry` has no `tableName`. */
export const WEBSOCKET_CONNECTIONS_TABLE_NAME_ENV = 'FRAMEWORK_WEBSOCKET_CONNECTIONS_TABLE_NAME';

/** Index of the table: connections of a group or of a principal, by expiry. */
export const LISTING_INDEX = 'listing-index';

/** Connections and their groups. TTL in Unix seconds. If the table is lost, clients create the data again when they connect. */
export const WEBSOCKET_CONNECTIONS_TABLE_SCHEMA = {
  partitionKey: { name: 'pk', type: 'S' },
  sortKey: { name: 'sk', type: 'S' },
  ttlAttribute: 'ttl',
  billingMode: 'PAY_PER_REQUEST',
  removalPolicy: 'DESTROY',
  indexes: [
    {
      name: LISTING_INDEX,
      partitionKey: { name: 'listing', type: 'S' },
      sortKey: { name: 'listed', type: 'S' },
      projection: 'KEYS_ONLY',
    },
  ],
} as const;

/** IAM actions of the registry on its table and its index. */
export const WEBSOCKET_CONNECTIONS_TABLE_ACTIONS = {
  read: ['dynamodb:GetItem', 'dynamodb:Query'],
  write: ['dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem'],
} as const;
