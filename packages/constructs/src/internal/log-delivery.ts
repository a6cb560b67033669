import { type Grant, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IStream } from 'aws-cdk-lib/aws-kinesis';
import { ArnFormat, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { grantOn } from './grants.js';
import { grantKey } from './keys.js';

/**
 * The role with which CloudWatch Logs writes to a stream, as the child `Role`. CloudWatch Logs may assume it only for log groups of these
 * accounts in this region.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html
 */
export function makeDeliveryRole(
  scope: Construct,
  stream: IStream,
  accounts: readonly string[],
): { readonly role: Role; readonly grant: Grant } {
  const sources = accounts.map((account) =>
    Stack.of(scope).formatArn({
      service: 'logs',
      account,
      resource: '*',
      arnFormat: ArnFormat.NO_RESOURCE_NAME,
    }),
  );
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('logs.amazonaws.com', {
      conditions: { StringLike: { 'aws:SourceArn': sources } },
    }),
  });
  grantKey(stream.encryptionKey, role, 'stream', 'write');
  return { role, grant: grantOn(role, ['kinesis:PutRecord'], [stream.streamArn]) };
}
