/** Names and shapes that infrastructure code shares with the server. Imports nothing. */

/** Name of the DynamoDB table. */
export const MCP_TABLE_NAME_ENV = 'FRAMEWORK_MCP_TABLE_NAME';
/** Name of the bucket for values that are too large for the table. */
export const MCP_SPILL_BUCKET_ENV = 'FRAMEWORK_MCP_SPILL_BUCKET';
/** ARN of the secret whose value is the server's `secret`. */
export const MCP_SECRET_ARN_ENV = 'FRAMEWORK_MCP_SECRET_ARN';

/** Paths of the endpoints of `@sallyport/mcp/authorization`, at the origin of the server. */
export const MCP_SIGN_IN_PATHS = {
  authorize: '/oauth/authorize',
  callback: '/oauth/callback',
  token: '/oauth/token',
  register: '/oauth/register',
} as const;

/** The table: no index, on demand, TTL on `ttl` (seconds). It also stores codes and refresh tokens of OAuth, which clients cannot create again. */
export const MCP_TABLE_SCHEMA = {
  partitionKey: { name: 'pk', type: 'S' },
  sortKey: { name: 'sk', type: 'S' },
  ttlAttribute: 'ttl',
  billingMode: 'PAY_PER_REQUEST',
  pointInTimeRecovery: true,
  removalPolicy: 'RETAIN',
  versionAttribute: 'v',
  dataAttribute: 'd',
} as const;

/** Session lifetimes in seconds. */
export const MCP_SESSION_TTL_SECONDS = { sealed: 7 * 86_400, durable: 86_400, maximum: 30 * 86_400 } as const;
/** The least number of bytes of each key of the secret. */
export const MCP_SECRET_MIN_BYTES = 32;

/** IAM actions of the store on its table. */
export const MCP_TABLE_ACTIONS = {
  read: ['dynamodb:GetItem', 'dynamodb:Query'],
  write: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
} as const;
/** IAM actions on the objects of the bucket for large values. */
export const MCP_SPILL_ACTIONS = ['s3:PutObject', 's3:GetObject', 's3:DeleteObject'] as const;
/** IAM actions on the secret. */
export const MCP_SECRET_ACTIONS = ['secretsmanager:GetSecretValue'] as const;
