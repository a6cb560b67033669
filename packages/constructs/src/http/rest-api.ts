import { brandError } from '@sallyport/core/internal';
import {
  AccessLogFormat,
  AuthorizationType,
  type CfnMethod,
  EndpointType,
  type IResource,
  LambdaIntegration,
  LogGroupLogDestination,
  type Method,
  type MethodOptions,
  ResponseTransferMode,
  RestApi as RestApiResource,
} from 'aws-cdk-lib/aws-apigateway';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { CfnResource, Duration, Lazy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from '../internal/acknowledge.js';
import { misuse, misuseText } from '../internal/misuse.js';
import { nameOf } from '../internal/names.js';
import { count, defineProps, literal, many, thing, words } from '../internal/props.js';
import { invokedByDoor } from '../internal/targets.js';
import type { ApiDomain } from './api-domain.js';
import type { ApiAuthorization } from './authorization.js';
import type { CatchAllOptions, ContainerKind, DoorRoute, IHttpDoor } from './door.js';
import { accessLogFormat, createAccessLog, ensureLogRole } from './internal/access-log.js';
import { acknowledgeOpenRoute } from './internal/open-route.js';
import { checkRestPattern, withPositions } from './internal/pattern.js';
import { privatePolicy } from './internal/private-policy.js';
import { accountProp, apiProps, authorizationProp } from './internal/props.js';
import { ResponseMode } from './internal/response-mode.js';
import { restAuthorization } from './internal/rest-authorizer.js';
import { RestEndpoint } from './rest-endpoint.js';
import { type ApiUsagePlan, addUsagePlans } from './usage-plan.js';

/** Props of {@link RestApi}. */
export interface RestApiProps {
  /** The function that answers. */
  readonly fn: IFunction;
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
}

/** Validators and defaults for {@link RestApiProps}. */
export const REST_API_PROPS = defineProps<RestApiProps>('RestApi')({
  ...apiProps,
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
});

const STAGE = 'live';
const RULE = 'AwsSolutions::AwsSolutions-APIG';
/** The longest response of a route that streams. https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html */
const STREAM_LIMIT = Duration.minutes(15);

const FORMAT = accessLogFormat({
  httpMethod: '$context.httpMethod',
  resourcePath: '$context.resourcePath',
  protocol: '$context.protocol',
  responseLength: '$context.responseLength',
  integrationError: '$context.integration.error',
});

/**
 * A REST API in front of a function. It buffers responses, for up to 29 seconds. As soon as one route of a REST API of the function streams, all their
 * routes stream, for up to 15 minutes, and the function must export `createGatewayRestStreamingHandler(app)`: a handler writes one format.
 *
 * @example
 * const api = new RestApi(this, 'Api', { fn: service.fn });
 * wiring.http(api); // a streaming route of the application sets responseTransferMode STREAM for all routes
 */
export class RestApi extends Construct implements IHttpDoor {
  static {
    brandError(RestApi, 'sallyport.RestApi');
  }

  /** The API. */
  readonly api: RestApiResource;
  /** The access log; `undefined` with `accessLog: false`. */
  readonly accessLog: ILogGroup | undefined;
  readonly fn: IFunction;
  readonly doorKind = 'rest-api';
  readonly canStream: boolean;
  readonly bufferedTimeout = Duration.seconds(29);
  readonly authenticatesCallers: boolean;
  readonly authorizer: IHttpDoor['authorizer'];
  readonly hasRoutes = true;
  readonly routes: string[] = [];
  readonly basePath: string | undefined;
  /** Without a domain it ends with the stage, `/live`. */
  readonly url: string;
  /** True if the path of the public address begins with the stage. */
  readonly hasStagePrefix: boolean;
  readonly #authorization: MethodOptions;
  readonly #namesReachAuthorizer: boolean;
  readonly #integration: LambdaIntegration;
  readonly #mode: ResponseMode;
  readonly #methods = new Map<string, Method>();
  readonly #open = new Set<string>();
  #isSecure = false;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop, or a JWT authorizer, which REST APIs do not have */
  constructor(scope: Construct, id: string, props: RestApiProps) {
    super(scope, id);
    const { authorization, endpoint, domain, binaryMediaTypes, webAclArn, throttleRate, throttleBurst, ...given } =
      REST_API_PROPS.parse(this, props);
    const isPrivate = endpoint.type === EndpointType.PRIVATE;
    if (isPrivate && domain) {
      throw misuse(this, {
        what: 'domain with a private endpoint',
        expected: 'no domain: ApiDomain is for public APIs',
      });
    }
    const fn = invokedByDoor(this, given.fn);
    this.fn = fn;
    this.#authorization = {
      ...restAuthorization(this, authorization),
      ...(given.usagePlans && { apiKeyRequired: true }),
    };
    this.#namesReachAuthorizer = authorization.kind === 'request';
    this.authorizer = authorization.authorizer;
    this.authenticatesCallers = this.authorizer !== undefined;
    this.canStream = endpoint.type !== EndpointType.EDGE;
    this.accessLog = createAccessLog(this, given);
    this.api = new RestApiResource(this, 'Resource', {
      restApiName: nameOf(this),
      cloudWatchRole: false,
      ...(domain ? { disableExecuteApiEndpoint: true } : {}),
      ...(isPrivate
        ? {
            endpointConfiguration: { types: [endpoint.type], vpcEndpoints: [...endpoint.vpcEndpoints] },
            policy: privatePolicy(this, endpoint.vpcEndpoints),
          }
        : { endpointTypes: [endpoint.type] }),
      binaryMediaTypes: [...binaryMediaTypes],
      deployOptions: {
        stageName: STAGE,
        tracingEnabled: true,
        throttlingRateLimit: throttleRate,
        throttlingBurstLimit: throttleBurst,
        ...(this.accessLog && {
          accessLogDestination: new LogGroupLogDestination(this.accessLog),
          accessLogFormat: AccessLogFormat.custom(FORMAT),
        }),
      },
    });
    // One permission for the whole API: one for each route would soon pass the limit of a function's policy, 20 KB.
    this.#integration = new LambdaIntegration(fn, { scopePermissionToMethod: false });
    this.#mode = new ResponseMode(this, fn, 'gateway-v1', this.canStream);
    this.api.latestDeployment?.addToLogicalId({
      streams: Lazy.any({ produce: () => this.#mode.streams }),
      open: Lazy.any({ produce: () => [...this.#open].sort() }),
    });
    const stage = this.api.deploymentStage;
    ensureLogRole(this, stage, given);
    domain?.mapTo(this, { apiId: this.api.restApiId, stage: STAGE, dependsOn: stage });
    this.hasStagePrefix = domain === undefined;
    this.basePath = domain?.basePath;
    this.url = domain?.url ?? this.api.url.replace(/\/$/, '');
    if (given.usagePlans) addUsagePlans(this, this.api, given.usagePlans);
    this.node.addValidation({ validate: () => this.#tooManyResources(given.resourceQuota) });
    if (webAclArn !== undefined) {
      new CfnWebACLAssociation(this, 'WebAcl', { webAclArn, resourceArn: stage.stageArn });
    }
    this.#acknowledge(stage.node.defaultChild as Construct, webAclArn !== undefined);
  }

  /**
   * Adds these routes. A REST API sends `/notes/` to the resource `/notes`, and the function reads the slash in the path of its event:
   * both have one method.
   *
   * @throws ConstructError `constructs.invalid_prop` for a pattern that a REST API cannot route, or a streaming route where it buffers
   * @see https://github.com/aws-powertools/powertools-lambda-python/pull/1609, with tests against AWS
   */
  addRoutes(routes: readonly DoorRoute[]): void {
    for (const { method, path, streaming = false, withoutAuthorizer = false } of routes) {
      const segments = checkRestPattern(this, path.replace(/(?<=[^/])\/$/, ''), path);
      this.routes.push(`${method} ${path}`);
      const named = this.#namesReachAuthorizer
        ? segments
        : withPositions(`/${segments.join('/')}`)
            .split('/')
            .slice(1);
      this.#addMethod(this.#resourceOf(segments.length === 0 ? [] : named, path), method, streaming, withoutAuthorizer);
    }
  }

  addCatchAll({ streaming = false }: CatchAllOptions = {}): void {
    this.#addMethod(this.api.root, 'ANY', streaming, false);
    this.#addMethod(this.#resourceOf(['{path+}'], '/{path+}'), 'ANY', streaming, false);
  }

  /** @internal */
  serverErrors(): IMetric {
    return this.api.metricServerError();
  }

  attachContainer(kind: ContainerKind): void {
    if (kind === 'open') return;
    this.#isSecure = true;
    for (const method of this.#methods.values()) acknowledgeOpenRoute(method.node.defaultChild as Construct);
  }

  #tooManyResources(quota: number): string[] {
    const resources = this.api.root.node.findAll().filter((one) => CfnResource.isCfnResource(one));
    const got = 1 + resources.filter(({ cfnResourceType: type }) => type === 'AWS::ApiGateway::Resource').length;
    if (got <= quota) return [];
    const expected = `at most ${quota}, the quota of the account: catchAll: true, an HttpApi, or resourceQuota after AWS raised it`;
    return [misuseText(this, { what: 'resources of the API', got, expected })];
  }

  #acknowledge(stage: Construct, hasWebAcl: boolean): void {
    const api = this.api.node.defaultChild as Construct;
    acknowledge(api, `${RULE}2`, 'The application validates its requests, by the schemas of its routes.');
    acknowledge(
      stage,
      `${RULE}6`,
      'The access log and the log of the function record each request; execution logs may contain headers and bodies.',
    );
    if (hasWebAcl) return;
    acknowledge(
      stage,
      `${RULE}3`,
      'A web ACL costs money and needs your own rules: the prop webAclArn associates one.',
    );
  }

  /**
   * The resource of a path. A resource has one parameter child, regardless of the parameter's name: the function parses the path itself, so a
   * second name uses the resource of the first.
   */
  #resourceOf(segments: readonly string[], path: string): IResource {
    return segments.reduce<IResource>((parent, segment) => {
      const same = parent.getResource(segment);
      if (same) return same;
      const variable = parent.node.children.find((child) => child.node.id.startsWith('{')) as IResource | undefined;
      if (!segment.startsWith('{') || !variable) return parent.addResource(segment);
      if (segment.endsWith('+}') === variable.node.id.endsWith('+}')) return variable;
      const what = `path ${path} needs ${segment} next to ${variable.node.id}, and a REST API allows one parameter at each position`;
      throw misuse(this, { what, expected: 'addCatchAll() instead of single routes, or an HttpApi' });
    }, this.api.root);
  }

  #addMethod(resource: IResource, method: string, streaming: boolean, withoutAuthorizer: boolean): void {
    const key = `${method} ${resource.path}`;
    if (streaming && !this.canStream) {
      const what = `${key} streams, and the API is edge-optimised`;
      throw misuse(this, { what, expected: 'RestEndpoint.REGIONAL' });
    }
    if (streaming) this.#mode.addStreaming(key);
    if (withoutAuthorizer) this.#open.add(key);
    const existing = this.#methods.get(key)?.node.defaultChild as CfnMethod | undefined;
    if (existing) {
      if (withoutAuthorizer)
        Object.assign(existing, { authorizationType: AuthorizationType.NONE, authorizerId: undefined });
      return;
    }
    const added = resource.addMethod(
      method,
      this.#integration,
      withoutAuthorizer ? { authorizationType: AuthorizationType.NONE } : this.#authorization,
    );
    const resourceOfMethod = added.node.defaultChild as CfnMethod;
    const buffered = resourceOfMethod.integration as CfnMethod.IntegrationProperty;
    resourceOfMethod.integration = Lazy.any({
      produce: () => (this.#mode.streams ? { ...buffered, ...this.#streamed() } : buffered),
    });
    if (!withoutAuthorizer && this.#authorization.authorizer) {
      const reason = 'A function authorizes the callers: the authorizer of the API.';
      acknowledge(added.node.defaultChild as Construct, 'AwsSolutions::AwsSolutions-COG4', reason);
    }
    this.#methods.set(key, added);
    if (this.#isSecure) acknowledgeOpenRoute(resourceOfMethod);
  }

  #streamed(): Partial<CfnMethod.IntegrationProperty> {
    return {
      uri: Stack.of(this).formatArn({
        service: 'apigateway',
        account: 'lambda',
        resource: 'path',
        resourceName: `2021-11-15/functions/${this.fn.functionArn}/response-streaming-invocations`,
      }),
      responseTransferMode: ResponseTransferMode.STREAM,
      timeoutInMillis: STREAM_LIMIT.toMilliseconds(),
    };
  }
}
