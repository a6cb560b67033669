import type { CfnRole, Role } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { type CfnResource, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.js';
import { grantOn } from './grants.js';

/** The id of the CDK function that sets the notifications of a stack's buckets. */
const NOTIFIER = 'BucketNotificationsHandler050a0587b7544547bf325f094a3db834';

/** Findings of cdk-nag on that function, which is not part of this package. */
const FINDINGS: Readonly<Record<string, string>> = {
  'AwsSolutions::AwsSolutions-L1': 'the CDK sets and updates its runtime',
  'Serverless::Serverless-LambdaTracing': 'it runs only at deployments',
  'Serverless::Serverless-LambdaDLQ': 'CloudFormation invokes it and waits for its answer',
};

/** The CDK function that sets the notifications of a stack's buckets; `undefined` without notifications. */
export function notifierOf(stack: Stack): Construct | undefined {
  return stack.node.tryFindChild(NOTIFIER) as Construct | undefined;
}

/** Creates a separate log group for the CDK function that sets notifications, and removes its managed policy. */
export function hardenNotifier(bucket: IBucket): void {
  const notifier = notifierOf(Stack.of(bucket));
  const role = notifier?.node.tryFindChild('Role') as Role | undefined;
  const resource = notifier?.node.tryFindChild('Resource') as CfnResource | undefined;
  if (!notifier || !role || !resource || notifier.node.tryFindChild('LogGroup')) return;
  const logGroup = new LogGroup(notifier, 'LogGroup', {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  (role.node.defaultChild as CfnRole).managedPolicyArns = undefined;
  grantOn(role, ['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]);
  resource.addPropertyOverride('LoggingConfig', { LogFormat: 'JSON', LogGroup: logGroup.logGroupName });
  for (const [id, reason] of Object.entries(FINDINGS)) acknowledge(notifier, id, reason);
}
