import type { Role } from 'aws-cdk-lib/aws-iam';
import { type Function as LambdaFunction, Tracing } from 'aws-cdk-lib/aws-lambda';
import { acknowledge } from '../../internal/acknowledge.js';

/** Acknowledges the findings of rule packs about a function and its role, each with its reason. */
export function acknowledgeFunction(fn: LambdaFunction, role: Role, tracing: Tracing): void {
  acknowledge(
    fn,
    'Serverless::Serverless-LambdaDLQ',
    'Each trigger that invokes asynchronously has a separate failure queue.',
  );
  const policy = role.node.tryFindChild('DefaultPolicy');
  if (policy && tracing !== Tracing.DISABLED) {
    acknowledge(
      policy,
      'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
      'X-Ray has no resources: its actions are granted on * only',
    );
  }
}
