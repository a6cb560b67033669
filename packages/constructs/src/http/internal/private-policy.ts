import type { IInterfaceVpcEndpoint } from 'aws-cdk-lib/aws-ec2';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { misuse } from '../../internal/misuse.js';

/**
 * The resource policy of a private API: only requests through these endpoints. API Gateway rejects every request to a private API without a policy.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-resource-policies-examples.html
 * @throws ConstructError `constructs.invalid_prop` without an endpoint
 */
export function privatePolicy(at: Construct, endpoints: readonly IInterfaceVpcEndpoint[]): PolicyDocument {
  if (endpoints.length === 0) {
    throw misuse(at, { what: 'RestEndpoint.private([])', expected: 'at least one interface endpoint for execute-api' });
  }
  const ids = endpoints.map(({ vpcEndpointId }) => vpcEndpointId);
  const common = {
    principals: [new AnyPrincipal()],
    actions: ['execute-api:Invoke'],
    resources: ['execute-api:/*'],
  };
  return new PolicyDocument({
    statements: [
      new PolicyStatement(common),
      new PolicyStatement({
        ...common,
        effect: Effect.DENY,
        conditions: { StringNotEquals: { 'aws:SourceVpce': ids } },
      }),
    ],
  });
}
