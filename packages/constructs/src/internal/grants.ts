import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';

/** Adds one statement: these actions on these resources. */
export function grantOn(grantee: IGrantable, actions: readonly string[], resourceArns: readonly string[]): Grant {
  return Grant.addToPrincipal({ grantee, actions: [...actions], resourceArns: [...resourceArns] });
}
