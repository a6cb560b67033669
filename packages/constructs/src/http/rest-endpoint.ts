import { EndpointType } from 'aws-cdk-lib/aws-apigateway';
import type { IInterfaceVpcEndpoint } from 'aws-cdk-lib/aws-ec2';

/** The type of the endpoint of a `RestApi`. */
export class RestEndpoint {
  /** In the region of the stack. */
  static readonly REGIONAL = new RestEndpoint(EndpointType.REGIONAL);
  /** At the edge locations of CloudFront. Streaming routes are rejected: their idle limit there is 30 seconds. */
  static readonly EDGE = new RestEndpoint(EndpointType.EDGE);

  /**
   * Only in networks, through these endpoints for `execute-api`. The resource policy of the API denies every other caller.
   *
   * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-private-apis.html
   * @example RestEndpoint.private([vpc.addInterfaceEndpoint('ExecuteApi', { service: InterfaceVpcEndpointAwsService.APIGATEWAY })])
   */
  static private(endpoints: readonly IInterfaceVpcEndpoint[]): RestEndpoint {
    return new RestEndpoint(EndpointType.PRIVATE, endpoints);
  }

  /** The value of the CDK. */
  readonly type: EndpointType;
  /** The endpoints of a private API. */
  readonly vpcEndpoints: readonly IInterfaceVpcEndpoint[];

  private constructor(type: EndpointType, vpcEndpoints: readonly IInterfaceVpcEndpoint[] = []) {
    this.type = type;
    this.vpcEndpoints = vpcEndpoints;
  }
}
