import {
  AccessLogFormat,
  Deployment,
  EndpointType,
  type IRestApi,
  LogGroupLogDestination,
  type MethodOptions,
  RestApi as RestApiResource,
  Stage,
} from 'aws-cdk-lib/aws-apigateway';
import type { ILogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Lazy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from '../internal/acknowledge.js';
import { misuse } from '../internal/misuse.js';
import { nameOf } from '../internal/names.js';
import { count, defineProps, literal, many, thing, words } from '../internal/props.js';
import type { ApiDomain } from './api-domain.js';
import type { ApiAuthorization } from './authorization.js';
import { accessLogFormat, createAccessLog, ensureLogRole } from './internal/access-log.js';
import { privatePolicy } from './internal/private-policy.js';
import { accountProp, apiProps, authorizationProp } from './internal/props.js';
import { restAuthorization } from './internal/rest-authorizer.js';
import { RestPaths } from './internal/rest-paths.js';
import { RouteClaims } from './internal/route-claims.js';
import { RestEndpoint } from './rest-endpoint.js';
import { type ApiUsagePlan, addUsagePlans } from './usage-plan.js';

/** Props of {@link SharedRestApi}. */
export interface SharedRestApiProps {
  /**
   * The check of the callers before the function runs: the application or IAM.
   *
   * @default ApiAuthorization.APPLICATION
   */
  readonly authorization?: ApiAuthorization;
  /**
   * The type of the endpoint.
   *
   * @default RestEndpoint.REGIONAL
   */
  readonly endpoint?: RestEndpoint;
  /**
   * The address of the API. Its default address is then disabled.
   *
   * @default - the address that API Gateway makes, with the stage as the first part of its path
   */
  readonly domain?: ApiDomain;
  /**
   * Media types of binary responses, on routes that do not stream.
   *
   * @default - all of them
   */
  readonly binaryMediaTypes?: readonly string[];
  /**
   * The ARN of a regional web ACL of AWS WAF, such as {@link WebAcl.arn}.
   *
   * @default - none
   */
  readonly webAclArn?: string;
  /**
   * Plans with API keys: every route with the authorizer then requires the header `x-api-key`. A key identifies a customer for limits; it is not an
   * authentication.
   *
   * @default - none
   */
  readonly usagePlans?: readonly ApiUsagePlan[];
  /**
   * The quota "Resources per API" of your account: the parts of all paths. More resources fail synth.
   *
   * @default 300
   * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
   */
  readonly resourceQuota?: number;
  /**
   * Requests a second, on average.
   *
   * @default 100
   */
  readonly throttleRate?: number;
  /**
   * Maximum burst of concurrent requests.
   *
   * @default 200
   */
  readonly throttleBurst?: number;
  /**
   * True if each request is logged.
   *
   * @default true
   */
  readonly accessLog?: boolean;
  /**
   * The log group of the access log.
   *
   * @default - a new group with a name under `/aws/vendedlogs/`, kept when the stack is removed
   */
  readonly accessLogGroup?: ILogGroup;
  /**
   * `ensure` sets the role of API Gateway's logs if it is missing, see {@link ApiGatewayAccount}. `existing` sets nothing: without a role, API
   * Gateway rejects the access log.
   *
   * @default 'ensure'
   */
  readonly account?: 'ensure' | 'existing';
  /**
   * The retention of the access log.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
  /**
   * A stack that is deployed after the stacks of all functions, and has the deployment of the API. Required if a function is in another stack than the API.
   *
   * @default - the stack of the API
   */
  readonly deployIn?: Stack;
  /**
   * Paths under which functions of several stacks have routes, such as `/v1`. The stack of the API has their resources.
   *
   * @default - none
   */
  readonly paths?: readonly string[];
}

const { fn: _fn, ...sharedProps } = apiProps;
const PATH = /^(?:\/[A-Za-z0-9._:$-]+)+$/;

/** Validators and defaults for {@link SharedRestApiProps}. */
export const SHARED_REST_API_PROPS = defineProps<SharedRestApiProps>('SharedRestApi')({
  ...sharedProps,
  account: accountProp,
  authorization: authorizationProp,
  endpoint: literal<RestEndpoint>('a value of RestEndpoint', (value) => value instanceof RestEndpoint).default(
    RestEndpoint.REGIONAL,
  ),
  domain: thing<ApiDomain>('an ApiDomain', 'domainName'),
  binaryMediaTypes: many<string>('a list of media types', (value) => typeof value === 'string').default(['*/*']),
  webAclArn: words('the ARN of a web ACL', /^arn:/),
  usagePlans: many<ApiUsagePlan>('a list of usage plans', (one) => typeof one === 'object' && one !== null),
  resourceQuota: count(1, 1_000_000).default(300),
  deployIn: thing<Stack>('a stack', 'stackName'),
  paths: many<string>('a list of paths without parameters, such as ["/v1"]', (one) => PATH.test(String(one))).default(
    [],
  ),
});

export const REST_API_STAGE = 'live';
const RULE = 'AwsSolutions::AwsSolutions-APIG';

const FORMAT = accessLogFormat({
  httpMethod: '$context.httpMethod',
  resourcePath: '$context.resourcePath',
  protocol: '$context.protocol',
  responseLength: '$context.responseLength',
  integrationError: '$context.integration.error',
});

/** The properties of a route that a deployment of the API must contain. */
export type DeployedRoute = readonly [key: string, fn: string, streams: boolean, isOpen: boolean];

/** A REST API without routes, and the doors that added them. */
export interface RestApiParts {
  /** The construct of the API. */
  readonly scope: Construct;
  readonly api: RestApiResource;
  readonly accessLog: ILogGroup | undefined;
  readonly url: string;
  readonly basePath: string | undefined;
  readonly hasStagePrefix: boolean;
  readonly canStream: boolean;
  readonly authorizer: ApiAuthorization['authorizer'];
  /** The authorization of each method. */
  readonly authorization: MethodOptions;
  /** True if an authorizer reads the path parameters, by the names of the application. */
  readonly namesReachAuthorizer: boolean;
  readonly binaryMediaTypes: readonly string[];
  /** The routes of all doors. */
  readonly claims: RouteClaims;
  /** The resources of all paths. */
  readonly paths: RestPaths;
  /** Of each door, its routes in the state of the synth. */
  readonly deployed: (() => readonly DeployedRoute[])[];
  /** Adds facts that need a new deployment of the API when they change. */
  readonly deployAgainFor: (facts: object) => void;
  /** The stack that is deployed after the stacks of all functions; `undefined` for the stack of the API. */
  readonly deployIn: Stack | undefined;
}

type Parsed = ReturnType<typeof SHARED_REST_API_PROPS.parse>;

/** Creates the API, its stage and its log as children of a construct. */
export function createRestApi(at: Construct, props: Parsed): RestApiParts {
  const { authorization, endpoint, domain, binaryMediaTypes, webAclArn, deployIn, paths, ...given } = props;
  const isPrivate = endpoint.type === EndpointType.PRIVATE;
  if (isPrivate && domain) {
    throw misuse(at, { what: 'domain with a private endpoint', expected: 'no domain: ApiDomain is for public APIs' });
  }
  const isSeparate = deployIn !== undefined && deployIn !== Stack.of(at);
  if (isSeparate && domain && Stack.of(domain) !== deployIn) {
    throw misuse(at, {
      what: `domain in ${Stack.of(domain).node.path}, and deployIn is ${deployIn.node.path}`,
      expected: `an ApiDomain in ${deployIn.node.path}: its mapping needs the stage`,
    });
  }
  const routeAuthorization: MethodOptions = {
    ...restAuthorization(at, authorization),
    ...(given.usagePlans && { apiKeyRequired: true }),
  };
  const live = isSeparate ? new Construct(deployIn, `Stage-${nameOf(at, 60)}`) : at;
  const accessLog = createAccessLog(live, given);
  const stageOptions = {
    stageName: REST_API_STAGE,
    tracingEnabled: true,
    throttlingRateLimit: given.throttleRate,
    throttlingBurstLimit: given.throttleBurst,
    ...(accessLog && {
      accessLogDestination: new LogGroupLogDestination(accessLog),
      accessLogFormat: AccessLogFormat.custom(FORMAT),
    }),
  };
  const api = new RestApiResource(at, 'Resource', {
    restApiName: nameOf(at),
    cloudWatchRole: false,
    ...(domain ? { disableExecuteApiEndpoint: true } : {}),
    ...(isPrivate
      ? {
          endpointConfiguration: { types: [endpoint.type], vpcEndpoints: [...endpoint.vpcEndpoints] },
          policy: privatePolicy(at, endpoint.vpcEndpoints),
        }
      : { endpointTypes: [endpoint.type] }),
    binaryMediaTypes: [...binaryMediaTypes],
    ...(isSeparate ? { deploy: false } : { deployOptions: stageOptions }),
  });
  const deployment = api.latestDeployment ?? new Deployment(live, 'Deployment', { api: api as IRestApi });
  if (isSeparate) api.deploymentStage = new Stage(live, 'Stage', { deployment, ...stageOptions });
  const deployed: RestApiParts['deployed'] = [];
  deployment.addToLogicalId({ routes: Lazy.any({ produce: () => deployed.flatMap((one) => one()).sort() }) });
  const stage = api.deploymentStage;
  ensureLogRole(live, stage, given);
  domain?.mapTo(at, { apiId: api.restApiId, stage: REST_API_STAGE, dependsOn: stage });
  if (given.usagePlans) addUsagePlans(live, api, given.usagePlans);
  if (webAclArn !== undefined) {
    new CfnWebACLAssociation(live, 'WebAcl', { webAclArn, resourceArn: stage.stageArn });
  }
  acknowledgeSettings(api, stage.node.defaultChild as Construct, webAclArn !== undefined);
  return {
    scope: at,
    api,
    accessLog,
    url: domain?.url ?? (isSeparate ? defaultUrl(api) : api.url.replace(/\/$/, '')),
    basePath: domain?.basePath,
    hasStagePrefix: domain === undefined,
    canStream: endpoint.type !== EndpointType.EDGE,
    authorizer: authorization.authorizer,
    authorization: routeAuthorization,
    namesReachAuthorizer: authorization.kind === 'request',
    binaryMediaTypes,
    claims: new RouteClaims(at, 'rest-api'),
    paths: new RestPaths(at, api, paths, given.resourceQuota),
    deployed,
    deployAgainFor: (facts) => deployment.addToLogicalId(facts),
    deployIn: isSeparate ? deployIn : undefined,
  };
}

/** The address without a reference to the stage, which is in a stack that is deployed last. */
function defaultUrl(api: RestApiResource): string {
  const { region, urlSuffix } = Stack.of(api);
  return `https://${api.restApiId}.execute-api.${region}.${urlSuffix}/${REST_API_STAGE}`;
}

function acknowledgeSettings(api: RestApiResource, stage: Construct, hasWebAcl: boolean): void {
  const resource = api.node.defaultChild as Construct;
  acknowledge(resource, `${RULE}2`, 'The application validates its requests, by the schemas of its routes.');
  acknowledge(
    stage,
    `${RULE}6`,
    'The access log and the log of the function record each request; execution logs may contain headers and bodies.',
  );
  if (hasWebAcl) return;
  acknowledge(stage, `${RULE}3`, 'A web ACL costs money and needs your own rules: the prop webAclArn associates one.');
}

/**
 * A REST API without a function: doors of several functions add their routes to it. Domain, authorizer, usage plans, throttling and access log are settings of
 * this API. All routes of a function stream as soon as one of them streams; the routes of the other functions are not affected.
 *
 * A deployment of a REST API contains the routes that exist when it is created. For functions in several stacks, `deployIn` is the stack that is deployed last.
 *
 * @example
 * const shared = new SharedRestApi(edgeStack, 'Shop', { deployIn: liveStack });
 * orders.wiring.http(new RestApi(ordersStack, 'Rest', { fn: orders.fn, shared }));
 */
export class SharedRestApi extends Construct {
  /** The API. */
  readonly api: RestApiResource;
  /** The access log; `undefined` with `accessLog: false`. */
  readonly accessLog: ILogGroup | undefined;
  /** The address, without a trailing slash. Without a domain it ends with the stage, `/live`. */
  readonly url: string;
  /** The parts to which doors add their routes. @internal */
  readonly parts: RestApiParts;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop, or a JWT authorizer, which REST APIs do not have */
  constructor(scope: Construct, id: string, props: SharedRestApiProps = {}) {
    super(scope, id);
    this.parts = createRestApi(this, SHARED_REST_API_PROPS.parse(this, props));
    this.api = this.parts.api;
    this.accessLog = this.parts.accessLog;
    this.url = this.parts.url;
  }
}
