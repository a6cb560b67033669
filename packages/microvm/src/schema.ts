/** Names and shapes that infrastructure code shares with the controller. Imports nothing. */

/** The table name, if `createDynamoMicrovmRegistry` has no option `tableName`. */
export const MICROVM_TABLE_NAME_ENV = 'FRAMEWORK_MICROVM_TABLE_NAME';
/** Allowed images: a comma-separated list of `arn` or `arn@version`; the first is the default. */
export const MICROVM_IMAGE_REF_ENV = 'FRAMEWORK_MICROVM_IMAGE_REF';
/** A comma-separated list of ARNs of ingress network connectors. */
export const MICROVM_INGRESS_NETWORK_CONNECTOR_REFS_ENV = 'FRAMEWORK_MICROVM_INGRESS_NETWORK_CONNECTOR_REFS';
/** A comma-separated list of ARNs of egress network connectors. */
export const MICROVM_EGRESS_NETWORK_CONNECTOR_REFS_ENV = 'FRAMEWORK_MICROVM_EGRESS_NETWORK_CONNECTOR_REFS';
/** The ARN of the machines' role. */
export const MICROVM_EXECUTION_ROLE_ARN_ENV = 'FRAMEWORK_MICROVM_EXECUTION_ROLE_ARN';
/** Log destination of machines, as JSON: `{"disabled":{}}` or `{"cloudWatch":{"logGroup":"…"}}`. */
export const MICROVM_LOGGING_ENV = 'FRAMEWORK_MICROVM_LOGGING';
/** `true`: only the controllers of one table run machines of these images, so their sweep may terminate every machine without a row in the table. */
export const MICROVM_IMAGE_IS_ONLY_OURS_ENV = 'FRAMEWORK_MICROVM_IMAGE_IS_ONLY_OURS';
/** The name of the rule that the construct creates for the sweep: `app.eventBus({ ruleName: MICROVM_SWEEP_RULE_NAME }, () => controller.sweep())`. */
export const MICROVM_SWEEP_RULE_NAME = 'microvm-sweep';

/** Index of the table: only sessions whose start is unfinished, or was abandoned with an unknown outcome; the oldest first. */
export const PENDING_INDEX = 'pending-created-index';
/** Index of the table: sessions by machine id. */
export const MACHINE_INDEX = 'microvm-id-index';

/** One row per session. TTL in Unix seconds, never before the latest end of the machine. Without the table, running machines are untracked. */
export const MICROVM_TABLE_SCHEMA = {
  partitionKey: { name: 'pk', type: 'S' },
  sortKey: { name: 'sk', type: 'S' },
  ttlAttribute: 'ttl',
  billingMode: 'PAY_PER_REQUEST',
  removalPolicy: 'RETAIN',
  indexes: [
    {
      name: PENDING_INDEX,
      partitionKey: { name: 'pending', type: 'S' },
      sortKey: { name: 'created_at', type: 'S' },
      projection: 'KEYS_ONLY',
    },
    {
      name: MACHINE_INDEX,
      partitionKey: { name: 'microvm_id', type: 'S' },
      projection: 'KEYS_ONLY',
    },
  ],
} as const;

/** IAM actions of the registry on its table and its indexes. */
export const MICROVM_TABLE_ACTIONS = {
  read: ['dynamodb:GetItem', 'dynamodb:Query'],
  write: ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
} as const;

/** IAM actions of the controller. `list` is used only by the sweep, `pass` by images with network connectors. */
export const MICROVM_ACTIONS = {
  machines: [
    'lambda:RunMicrovm',
    'lambda:GetMicrovm',
    'lambda:SuspendMicrovm',
    'lambda:ResumeMicrovm',
    'lambda:TerminateMicrovm',
    'lambda:CreateMicrovmAuthToken',
    'lambda:CreateMicrovmShellAuthToken',
  ],
  list: ['lambda:ListMicrovms'],
  pass: ['lambda:PassNetworkConnector'],
} as const;
