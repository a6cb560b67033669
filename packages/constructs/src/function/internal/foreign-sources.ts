import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { CfnResource } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { misuseText } from '../../internal/misuse.js';
import { type Properties, referrersOf } from '../../internal/references.js';

const always = () => true;

/** Resources that may refer to the doors alias, with their condition: services that write the event themselves, and resources that invoke nothing. */
const ALLOWED: Readonly<Record<string, (properties: Properties) => boolean>> = {
  // Without a proxy integration, a mapping template or the body of the request is the event:
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-custom-integrations.html
  'AWS::ApiGateway::Method': ({ Integration }) => (Integration as Properties | undefined)?.Type === 'AWS_PROXY',
  'AWS::ApiGatewayV2::Integration': ({ IntegrationType }) => IntegrationType === 'AWS_PROXY',
  'AWS::ApiGateway::Deployment': always,
  'AWS::AppSync::DataSource': always,
  'AWS::ElasticLoadBalancingV2::TargetGroup': always,
  'AWS::VpcLattice::TargetGroup': always,
  'AWS::Lambda::Url': always,
  'AWS::Lambda::Permission': ({ Principal }) => typeof Principal !== 'string' || DOOR_PRINCIPALS.test(Principal),
  'AWS::Lambda::EventInvokeConfig': always,
  // Nested stacks pass references; the resource that uses a reference is found itself.
  'AWS::CloudFormation::Stack': always,
};

/** Services that write the event themselves; an account, a role or any caller may call a function URL. */
const DOOR_PRINCIPALS =
  /^(?:\*|\d{12}|arn:.*|(?:apigateway|elasticloadbalancing|vpc-lattice|appsync)\.amazonaws\.com(?:\.cn)?)$/;

/** Resources of these services cannot invoke a function: grants, deployments, metrics, parameters. */
export const HARMLESS =
  /^AWS::(?:IAM|CodeDeploy|ApplicationAutoScaling|CloudWatch|SSM::Parameter|Logs::LogGroup|WAFv2)(?:::|$)/;

/**
 * Finds resources in the tree that are attached to the doors alias and are not known to write their events themselves. The list contains the
 * allowed resources, not the rejected ones: a service that is unknown to this package may pass a payload unchanged.
 *
 * @returns one message for each
 */
export function checkSources(at: Construct, doors: IFunction): string[] {
  return referrersOf(doors.node.defaultChild as CfnResource)
    .filter(
      ({ resource: { cfnResourceType: type }, properties }) => !HARMLESS.test(type) && !ALLOWED[type]?.(properties),
    )
    .map(({ resource }) =>
      misuseText(at, {
        what: `${resource.node.path} (${resource.cfnResourceType}) is attached to the alias "doors"`,
        expected:
          'the alias "events", service.events: a service that passes its payload to "doors" can forge a request (docs/security.md)',
      }),
    );
}
