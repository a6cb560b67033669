import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { Stack } from 'aws-cdk-lib/core';
import { type IConstruct, Node } from 'constructs';
import { acknowledge } from './acknowledge.js';
import { grantOn } from './grants.js';

/**
 * Adds one statement on parts of a resource: ARNs that contain a `*`. cdk-nag requires a reason for each of them.
 *
 * @param reason the part, and why it has no narrower name
 */
export function grantOnParts(
  grantee: IGrantable,
  actions: readonly string[],
  resourceArns: readonly string[],
  reason: string,
): Grant {
  const grant = grantOn(grantee, actions, resourceArns);
  const policy = policyOf(grantee);
  if (policy) acknowledgeParts(policy, resourceArns, reason);
  return grant;
}

/** Adds the reason for ARNs with a `*` to a policy, for cdk-nag. */
export function acknowledgeParts(policy: IConstruct, resourceArns: readonly string[], reason: string): void {
  for (const arn of resourceArns) {
    const shown = showArn(Stack.of(policy).resolve(arn));
    if (shown.includes('*')) acknowledge(policy, `AwsSolutions::AwsSolutions-IAM5[Resource::${shown}]`, reason);
  }
}

/** The policy to which the CDK adds the statements of a role. */
function policyOf({ grantPrincipal }: IGrantable): IConstruct | undefined {
  return 'node' in grantPrincipal && grantPrincipal.node instanceof Node
    ? grantPrincipal.node.tryFindChild('DefaultPolicy')
    : undefined;
}

/** An ARN as cdk-nag shows it: references in angle brackets. */
function showArn(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const {
    Ref,
    'Fn::GetAtt': attribute,
    'Fn::Join': joined,
  } = value as {
    readonly Ref?: string;
    readonly 'Fn::GetAtt'?: readonly string[];
    readonly 'Fn::Join'?: readonly [string, readonly unknown[]];
  };
  if (Ref !== undefined) return `<${Ref}>`;
  if (attribute) return `<${attribute.join('.')}>`;
  return joined ? joined[1].map(showArn).join(joined[0]) : '';
}
