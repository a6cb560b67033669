import { brandError } from '@sallyport/core/internal';
import {
  AuthorizationType,
  AwsIntegration,
  type CfnMethod,
  type IResource,
  type Method,
  ResponseTransferMode,
  type RestApi as RestApiResource,
} from 'aws-cdk-lib/aws-apigateway';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration, Lazy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from '../internal/acknowledge.js';
import { noteResource } from '../internal/invokers.js';
import { misuse } from '../internal/misuse.js';
import { defineProps, thing } from '../internal/props.js';
import { invokedByDoor } from '../internal/targets.js';
import type { CatchAllOptions, ContainerKind, DoorManifestSettings, DoorRoute, IHttpDoor } from './door.js';
import { acknowledgeOpenRoute } from './internal/open-route.js';
import { belowPath, checkRestPattern, withPositions } from './internal/pattern.js';
import { fnProp } from './internal/props.js';
import { ResponseMode } from './internal/response-mode.js';
import { checkShared } from './internal/shared-door.js';
import {
  createRestApi,
  REST_API_STAGE,
  type RestApiParts,
  SHARED_REST_API_PROPS,
  type SharedRestApi,
  type SharedRestApiProps,
} from './shared-rest-api.js';

/** Props of {@link RestApi}. */
export interface RestApiProps extends Omit<SharedRestApiProps, 'deployIn' | 'paths'> {
  /** The function that answers. */
  readonly fn: IFunction;
  /**
   * The API to which the routes are added, so that several functions have one address: a {@link SharedRestApi}, or the API of another function. All other props
   * belong to that API.
   *
   * @default - a new API
   */
  readonly shared?: SharedRestApi | RestApi;
}

const { deployIn: _deployIn, paths: _paths, ...ownKinds } = SHARED_REST_API_PROPS.kinds;

/** Validators and defaults for {@link RestApiProps}. */
export const REST_API_PROPS = defineProps<RestApiProps>('RestApi')({
  fn: fnProp.required(),
  ...ownKinds,
  shared: thing<SharedRestApi | RestApi>('a SharedRestApi or a RestApi', 'parts'),
});

/** The longest response of a route that streams. https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html */
const STREAM_LIMIT = Duration.minutes(15);

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
  /** The parts to which doors add their routes. @internal */
  readonly parts: RestApiParts;
  readonly #integration: AwsIntegration;
  readonly #mode: ResponseMode;
  readonly #methods = new Map<string, Method>();
  readonly #open = new Set<string>();
  #isSecure = false;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop, or a JWT authorizer, which REST APIs do not have */
  constructor(scope: Construct, id: string, props: RestApiProps) {
    super(scope, id);
    const { fn: given, shared, ...own } = REST_API_PROPS.parse(this, props);
    if (shared) checkShared(this, shared, props, 'SharedRestApi');
    const fn = invokedByDoor(this, given);
    this.fn = fn;
    this.parts = shared?.parts ?? createRestApi(this, { ...own, deployIn: undefined, paths: [] });
    const { api, accessLog, authorizer, canStream } = this.parts;
    this.api = api;
    this.accessLog = accessLog;
    this.authorizer = authorizer;
    this.authenticatesCallers = authorizer !== undefined;
    this.canStream = canStream;
    this.#expectDeployment();
    const path = `2015-03-31/functions/${fn.functionArn}/invocations`;
    this.#integration = new AwsIntegration({ proxy: true, service: 'lambda', path });
    // One permission for the whole API: one for each route would soon pass the limit of a function's policy, 20 KB.
    fn.addPermission('Permission', {
      scope: this,
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: api.arnForExecuteApi(),
    });
    this.#mode = new ResponseMode(this, fn, 'gateway-v1', canStream);
    this.parts.deployed.push(() =>
      [...this.#methods.keys()].map((key) => [key, fn.node.path, this.#mode.streams, this.#open.has(key)] as const),
    );
    this.hasStagePrefix = this.parts.hasStagePrefix;
    this.basePath = this.parts.basePath;
    this.url = this.parts.url;
    this.parts.claims.join(this);
  }

  /**
   * Adds these routes. A REST API sends `/notes/` to the resource `/notes`, and the function reads the slash in the path of its event:
   * both have one method.
   *
   * @throws ConstructError `constructs.invalid_prop` for a pattern that a REST API cannot route, or a streaming route where it buffers
   * @see https://github.com/aws-powertools/powertools-lambda-python/pull/1609, with tests against AWS
   */
  addRoutes(routes: readonly DoorRoute[]): void {
    for (const route of routes) {
      const { method, path, isPreflight = false } = route;
      const resource = this.#resourceOf(path);
      if (isPreflight && this.parts.claims.isOfAnother(this, `${method} ${resource.path}`)) continue;
      this.routes.push(`${method} ${path}`);
      this.parts.claims.addRoute(this, route);
      this.#addMethod(resource, route);
    }
  }

  addCatchAll(options: CatchAllOptions = {}): void {
    const { streaming = false, under = ['/'] } = options;
    this.parts.claims.addCatchAll(this, options);
    for (const path of under.flatMap(belowPath)) {
      this.#addMethod(this.#resourceOf(path), { method: 'ANY', path, streaming });
    }
  }

  /** Of an API with several doors, the first has the metric: it counts the requests of all of them. @internal */
  serverErrors(): IMetric | undefined {
    return this.parts.claims.isFirst(this) ? this.api.metricServerError() : undefined;
  }

  /** The method of a route of this door. @internal */
  methodOf(method: string, path: string): Method | undefined {
    return this.#methods.get(`${method} ${this.#resourceOf(path).path}`);
  }

  /** @internal */
  manifestSettings(): DoorManifestSettings {
    return { stage: REST_API_STAGE, binaryMediaTypes: this.parts.binaryMediaTypes };
  }

  attachContainer(kind: ContainerKind): void {
    if (kind === 'open') return;
    this.#isSecure = true;
    for (const method of this.#methods.values()) acknowledgeOpenRoute(method.node.defaultChild as Construct);
  }

  /** A deployment contains the routes that exist when it is created. */
  #expectDeployment(): void {
    const { deployIn, scope } = this.parts;
    const own = Stack.of(this);
    if (own === Stack.of(scope) || (deployIn !== undefined && deployIn !== own)) return;
    throw misuse(this, {
      what: `shared is in the stack ${Stack.of(scope).node.path}, and its deployment is not in a later stack than ${own.node.path}`,
      expected: `deployIn of ${scope.node.path}: a stack without functions of the API`,
    });
  }

  #resourceOf(path: string): IResource {
    const segments = checkRestPattern(this, path.replace(/(?<=[^/])\/$/, ''), path);
    const pattern = `/${segments.join('/')}`;
    const named = this.parts.namesReachAuthorizer ? pattern : withPositions(pattern);
    return this.parts.paths.resourceOf(this, segments.length === 0 ? [] : named.slice(1).split('/'), path);
  }

  #addMethod(resource: IResource, { method, streaming = false, withoutAuthorizer = false }: DoorRoute): void {
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
    this.parts.claims.claim(this, key);
    const added = resource.addMethod(
      method,
      this.#integration,
      withoutAuthorizer ? { authorizationType: AuthorizationType.NONE } : this.parts.authorization,
    );
    // The method is a child of its resource, and the resource belongs to the API.
    noteResource(this, added);
    const resourceOfMethod = added.node.defaultChild as CfnMethod;
    const buffered = resourceOfMethod.integration as CfnMethod.IntegrationProperty;
    resourceOfMethod.integration = Lazy.any({
      produce: () => (this.#mode.streams ? { ...buffered, ...this.#streamed() } : buffered),
    });
    if (!withoutAuthorizer && this.parts.authorization.authorizer) {
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
