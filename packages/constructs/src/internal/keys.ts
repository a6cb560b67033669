import { type IGrantable, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Stack } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { misuse } from './misuse.js';

/**
 * The actions on your key that an access to an encrypted resource needs, by the resource and the access.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
 * @see https://docs.aws.amazon.com/streams/latest/dev/permissions-user-key-KMS.html
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-data-encryption.html
 * @see https://docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html
 * @see https://docs.aws.amazon.com/appconfig/latest/userguide/appconfig-security.html
 * @see https://docs.aws.amazon.com/systems-manager/latest/userguide/sysman-paramstore-access.html
 */
const KEY_ACTIONS = {
  queue: { send: ['kms:GenerateDataKey', 'kms:Decrypt'], receive: ['kms:Decrypt'] },
  topic: { publish: ['kms:GenerateDataKey', 'kms:Decrypt'] },
  stream: { write: ['kms:GenerateDataKey'], read: ['kms:Decrypt'] },
  bucket: { write: ['kms:GenerateDataKey', 'kms:Decrypt'], read: ['kms:Decrypt'] },
  table: {
    read: ['kms:Decrypt', 'kms:DescribeKey'],
    write: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'],
  },
  vectors: { write: ['kms:GenerateDataKey', 'kms:Decrypt'], read: ['kms:Decrypt'] },
  secret: { read: ['kms:Decrypt'], rotate: ['kms:GenerateDataKey', 'kms:Decrypt'] },
  parameter: { read: ['kms:Decrypt'] },
  flags: { read: ['kms:Decrypt'] },
} as const;

/** Services that write with a service principal: the key policy must name them. */
const SERVICES = {
  sns: 'sns.amazonaws.com',
  events: 'events.amazonaws.com',
  cloudwatch: 'cloudwatch.amazonaws.com',
} as const;

type Access =
  | readonly ['queue', keyof (typeof KEY_ACTIONS)['queue']]
  | readonly ['topic', keyof (typeof KEY_ACTIONS)['topic']]
  | readonly ['stream', keyof (typeof KEY_ACTIONS)['stream']]
  | readonly ['bucket', keyof (typeof KEY_ACTIONS)['bucket']]
  | readonly ['table', keyof (typeof KEY_ACTIONS)['table']]
  | readonly ['vectors', keyof (typeof KEY_ACTIONS)['vectors']]
  | readonly ['secret', keyof (typeof KEY_ACTIONS)['secret']]
  | readonly ['parameter', 'read']
  | readonly ['flags', 'read'];

function actionsOf([resource, access]: Access): readonly string[] {
  return (KEY_ACTIONS[resource] as Readonly<Record<string, readonly string[]>>)[access] ?? [];
}

/** The policy of an AWS managed key allows every role of the account and no service, and cannot be changed. */
function isAwsManaged(key: IKey): boolean {
  return key.keyArn.includes(':alias/aws/');
}

/** Allows a role to use the key of a resource; does nothing for a resource without your key. */
export function grantKey(key: IKey | undefined, grantee: IGrantable, ...access: Access): void {
  if (key === undefined || isAwsManaged(key)) return;
  key.grant(grantee, ...actionsOf(access));
}

/**
 * Allows a service to use the key of a resource, for this account.
 *
 * @throws ConstructError `constructs.invalid_prop` with the missing statement, for a key whose policy this app cannot change
 */
export function allowService(
  at: IConstruct,
  resource: IConstruct,
  key: IKey | undefined,
  service: keyof typeof SERVICES,
  ...access: Access
): void {
  if (key === undefined) return;
  const { account } = Stack.of(at);
  const statement = new PolicyStatement({
    principals: [new ServicePrincipal(SERVICES[service])],
    actions: [...actionsOf(access)],
    resources: ['*'],
    conditions: { StringEquals: { 'aws:SourceAccount': account } },
  });
  if (!isAwsManaged(key) && key.addToResourcePolicy(statement, true).statementAdded) return;
  const shown = Stack.of(at).resolve(statement.toStatementJson()) as object;
  throw misuse(at, {
    what: `the key of ${resource.node.path} must allow ${SERVICES[service]}, and its policy cannot be changed here`,
    expected: `a ${access[0]} with a key of this app; or the statement ${JSON.stringify(shown)} in the policy of the key, and the ${access[0]} imported without keyArn`,
  });
}
