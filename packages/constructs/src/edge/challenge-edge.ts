import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  FunctionEventType,
  type IFunctionRef,
  LambdaEdgeEventType,
  OriginRequestPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { CompositePrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code, type IVersion, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Duration, Fn, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { RestApi } from '../http/rest-api.js';
import { acknowledge } from '../internal/acknowledge.js';
import { misuse } from '../internal/misuse.js';
import { defineProps, literalWords, thing } from '../internal/props.js';
import type { McpServer } from '../mcp/mcp-server.js';

/** Props of {@link ChallengeEdge}. */
export interface ChallengeEdgeProps {
  /** The server, with `challenge: Challenge.EDGE`. */
  readonly server: McpServer;
  /** The public name, `mcp.notes.example`. */
  readonly domainName: string;
  /** The certificate for the name, in us-east-1. */
  readonly certificate: ICertificate;
  /**
   * A bucket for the access log of CloudFront. It must accept ACLs.
   *
   * @default - no access log: the API has one
   */
  readonly accessLogBucket?: IBucket;
}

/** Validators and defaults for {@link ChallengeEdgeProps}. */
export const CHALLENGE_EDGE_PROPS = defineProps<ChallengeEdgeProps>('ChallengeEdge')({
  server: thing<McpServer>('an McpServer', 'attachEdge').required(),
  domainName: literalWords('a domain name', /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/).required(),
  certificate: thing<ICertificate>('a certificate', 'certificateArn').required(),
  accessLogBucket: thing<IBucket>('a bucket', 'bucketName'),
});

/** Restores the header's name. It runs for every origin response; a CloudFront Function does not run for status 400 and above. */
const PROGRAM = `exports.handler = async (event) => {
  const { response } = event.Records[0].cf;
  const renamed = response.headers['x-amzn-remapped-www-authenticate'];
  if (renamed) {
    response.headers['www-authenticate'] = renamed.map(({ value }) => ({ key: 'WWW-Authenticate', value }));
    delete response.headers['x-amzn-remapped-www-authenticate'];
  }
  return response;
};`;

const RULE = 'AwsSolutions::AwsSolutions-CFR';

/**
 * CloudFront in front of an MCP server, without a cache, and a Lambda@Edge function that restores the name of the `WWW-Authenticate` header.
 * The stack must be in us-east-1: Lambda@Edge functions are created there. You create the DNS record.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/lambda-requirements-limits.html
 * @example
 * const server = new McpServer(this, 'Mcp', { fn, challenge: Challenge.EDGE });
 * new ChallengeEdge(this, 'Edge', { server, domainName: 'mcp.notes.example', certificate });
 */
export class ChallengeEdge extends Construct {
  /** The distribution. */
  readonly distribution: Distribution;
  /** The public address, without a slash at its end. */
  readonly url: string;
  readonly #origin: HttpOrigin;

  /** @throws ConstructError `constructs.invalid_prop` in another region, and for a server behind a load balancer, which renames nothing */
  constructor(scope: Construct, id: string, props: ChallengeEdgeProps) {
    super(scope, id);
    const { server, domainName, certificate, accessLogBucket } = CHALLENGE_EDGE_PROPS.parse(this, props);
    const { region } = Stack.of(this);
    if (region !== 'us-east-1') {
      throw misuse(this, {
        what: 'region of the stack',
        got: region,
        expected: 'us-east-1: Lambda@Edge functions are created there',
      });
    }
    const { door } = server;
    if (door.url === undefined) {
      throw misuse(this, {
        what: `${door.node.path} renames no header`,
        expected: 'a RestApi, an HttpApi or a FunctionUrl',
      });
    }
    const originPath = door instanceof RestApi && door.hasStagePrefix ? '/live' : undefined;
    this.url = `https://${domainName}`;
    // The host is the part after `https://`.
    this.#origin = new HttpOrigin(Fn.select(2, Fn.split('/', door.url)), { ...(originPath ? { originPath } : {}) });
    this.distribution = new Distribution(this, 'Resource', {
      domainNames: [domainName],
      certificate,
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      ...(accessLogBucket ? { enableLogging: true, logBucket: accessLogBucket } : {}),
      defaultBehavior: {
        origin: this.#origin,
        allowedMethods: AllowedMethods.ALLOW_ALL,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        edgeLambdas: [{ eventType: LambdaEdgeEventType.ORIGIN_RESPONSE, functionVersion: this.#makeFunction() }],
      },
    });
    server.attachEdge();
    this.#acknowledge(accessLogBucket !== undefined);
  }

  /**
   * Runs a CloudFront function for the requests to a path pattern. `McpAuthorization` calls it.
   *
   * @internal
   */
  answer(pathPattern: string, functionRef: IFunctionRef): void {
    this.distribution.addBehavior(pathPattern, this.#origin, {
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      functionAssociations: [{ eventType: FunctionEventType.VIEWER_REQUEST, function: functionRef }],
    });
  }

  #makeFunction(): IVersion {
    const services = ['lambda.amazonaws.com', 'edgelambda.amazonaws.com'].map((name) => new ServicePrincipal(name));
    const fn = new LambdaFunction(this, 'Restore', {
      code: Code.fromInline(PROGRAM),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_22_X,
      memorySize: 128,
      timeout: Duration.seconds(5),
      // It writes no log: its groups would be in every region.
      role: new Role(this, 'Role', { assumedBy: new CompositePrincipal(...services) }),
    });
    acknowledge(
      fn,
      'Serverless::Serverless-LambdaDLQ',
      'CloudFront calls it and waits: no invocation is asynchronous.',
    );
    acknowledge(fn, 'Serverless::Serverless-LambdaTracing', 'Lambda@Edge does not support X-Ray.');
    acknowledge(fn, 'Serverless::Serverless-LambdaLatestVersion', 'It uses a supported version of Node.');
    acknowledge(
      fn,
      'AwsSolutions::AwsSolutions-L1',
      'Lambda@Edge does not support the newest version of Node immediately.',
    );
    return fn.currentVersion as IVersion;
  }

  #acknowledge(hasLog: boolean): void {
    const { distribution } = this;
    acknowledge(distribution, `${RULE}1`, 'Clients may be in any country.');
    acknowledge(distribution, `${RULE}2`, 'A web ACL costs money and needs your own rules.');
    if (!hasLog)
      acknowledge(
        distribution,
        `${RULE}3`,
        'The origin API has an access log; the prop accessLogBucket adds one here.',
      );
  }
}
