/** Names and shapes that infrastructure code shares with the limiter. Imports nothing. */

/** Names the DynamoDB table when `createDynamoRateLimiter` is given no `tableName`. */
export const RATE_LIMIT_TABLE_NAME_ENV = 'FRAMEWORK_RATE_LIMIT_TABLE_NAME';

/** The table. It has only counters, no index and no stream; TTL in Unix seconds. */
export const RATE_LIMIT_TABLE_SCHEMA = {
  partitionKey: { name: 'pk', type: 'S' },
  sortKey: { name: 'sk', type: 'S' },
  ttlAttribute: 'ttl',
  billingMode: 'PAY_PER_REQUEST',
  removalPolicy: 'DESTROY',
} as const;

/** IAM actions of the limiter on its table. */
export const RATE_LIMIT_TABLE_ACTIONS = {
  read: ['dynamodb:GetItem'],
  write: ['dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
} as const;
