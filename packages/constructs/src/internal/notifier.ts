import type { CfnRole, Role } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { type CfnResource, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.js';
import { grantOn } from './grants.js';

/** The id under which the CDK makes the function that sets the notifications of a stack's buckets. */
const NOTIFIER = 'BucketNotificationsHandler050a0587b7544547bf325f094a3db834';

/** Findings of cdk-nag on that function, which is not of this package. */
const FINDINGS: Readonly<Record<string, string>> = {
  'AwsSolutions::AwsSolutions-L1': 'its runtime is that of the CDK, which moves it',
  'Serverless::Serverless-LambdaTracing': 'it runs at deployments alone',
  'Serverless::Serverless-LambdaDLQ': 'CloudFormation invokes it and waits for its answer',
};

/** Gives the function of the CDK that sets notifications a log group of its own, and no managed policy. */
export function hardenNotifier(bucket: IBucket): void {
  const notifier = Stack.of(bucket).node.tryFindChild(NOTIFIER) as Construct | undefined;
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
