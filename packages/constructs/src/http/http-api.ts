import {
  CfnIntegration,
  CfnRoute,
  type HttpApi as HttpApiResource,
  type HttpStage,
} from 'aws-cdk-lib/aws-apigatewayv2';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { misuse } from '../internal/misuse.js';
import { routeId } from '../internal/names.js';
import { defineProps, thing } from '../internal/props.js';
import { invokedByDoor } from '../internal/targets.js';
import type { CatchAllOptions, ContainerKind, DoorManifestSettings, DoorRoute, IHttpDoor } from './door.js';
import { warnBuffered } from './internal/buffered.js';
import { acknowledgeOpenRoute } from './internal/open-route.js';
import { belowPath, checkPattern, withPositions } from './internal/pattern.js';
import { fnProp } from './internal/props.js';
import { checkShared } from './internal/shared-door.js';
import {
  createHttpApi,
  HTTP_API_STAGE,
  type HttpApiParts,
  SHARED_HTTP_API_PROPS,
  type SharedHttpApi,
  type SharedHttpApiProps,
} from './shared-http-api.js';

/** Props of {@link HttpApi}. */
export interface HttpApiProps extends SharedHttpApiProps {
  /** The function that answers. */
  readonly fn: IFunction;
  /**
   * The API to which the routes are added, so that several functions have one address: a {@link SharedHttpApi}, or the API of another function. All other props
   * belong to that API.
   *
   * @default - a new API
   */
  readonly shared?: SharedHttpApi | HttpApi;
}

/** Validators and defaults for {@link HttpApiProps}. */
export const HTTP_API_PROPS = defineProps<HttpApiProps>('HttpApi')({
  ...SHARED_HTTP_API_PROPS.kinds,
  fn: fnProp.required(),
  shared: thing<SharedHttpApi | HttpApi>('a SharedHttpApi or an HttpApi', 'parts'),
});

/**
 * An HTTP API in front of a function: payload 2.0, access log, throttling. It buffers every response.
 *
 * @example
 * const api = new HttpApi(this, 'Api', { fn: service.fn });
 * wiring.http(api);
 */
export class HttpApi extends Construct implements IHttpDoor {
  /** The API. */
  readonly api: HttpApiResource;
  /** Its only stage, `$default`. */
  readonly stage: HttpStage;
  /** The access log; `undefined` with `accessLog: false`. */
  readonly accessLog: ILogGroup | undefined;
  readonly fn: IFunction;
  readonly doorKind = 'http-api';
  readonly canStream = false;
  readonly bufferedTimeout = Duration.seconds(30);
  readonly authenticatesCallers: boolean;
  readonly authorizer: IHttpDoor['authorizer'];
  readonly hasRoutes = true;
  readonly routes: string[] = [];
  readonly basePath: string | undefined;
  readonly url: string;
  /** The parts to which doors add their routes. @internal */
  readonly parts: HttpApiParts;
  readonly #integration: CfnIntegration;
  readonly #routes = new Map<string, CfnRoute>();
  /** Routes without the authorizer, `GET /notes`. */
  readonly #open = new Set<string>();
  #isSecure = false;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop, such as the origin `*` */
  constructor(scope: Construct, id: string, props: HttpApiProps) {
    super(scope, id);
    const { fn: given, shared, ...own } = HTTP_API_PROPS.parse(this, props);
    if (shared) checkShared(this, shared, props, 'SharedHttpApi');
    const fn = invokedByDoor(this, given);
    this.fn = fn;
    this.parts = shared?.parts ?? createHttpApi(this, own);
    const { api, stage, accessLog, authorizer } = this.parts;
    this.api = api;
    this.stage = stage;
    this.accessLog = accessLog;
    this.authorizer = authorizer;
    this.authenticatesCallers = authorizer !== undefined;
    this.#integration = new CfnIntegration(this, 'Integration', {
      apiId: this.api.apiId,
      integrationType: 'AWS_PROXY',
      integrationUri: fn.functionArn,
      payloadFormatVersion: '2.0',
    });
    fn.addPermission('Permission', {
      scope: this,
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: Stack.of(this).formatArn({ service: 'execute-api', resource: this.api.apiId, resourceName: '*' }),
    });
    this.basePath = this.parts.basePath;
    this.url = this.parts.url;
    this.parts.claims.join(this);
  }

  /** An HTTP API buffers: a streaming route gets a warning, `Sallyport::StreamingBuffered`. */
  addRoutes(routes: readonly DoorRoute[]): void {
    for (const route of routes) {
      const { method, path, streaming, withoutAuthorizer, isPreflight = false } = route;
      if (streaming) warnBuffered(this, `${method} ${path}`);
      const segments = checkPattern(this, path);
      if (this.parts.namesReachAuthorizer) this.#expectOneName(segments, path);
      if (method === 'OPTIONS' && this.parts.answersCors) this.#refuseCors();
      const key = `${method} ${this.parts.namesReachAuthorizer ? path : withPositions(path)}`;
      if (isPreflight && this.parts.claims.isOfAnother(this, key)) continue;
      this.routes.push(`${method} ${path}`);
      if (withoutAuthorizer) this.#open.add(`${method} ${path}`);
      this.parts.claims.addRoute(this, route);
      this.#addRoute(key, withoutAuthorizer === true);
    }
  }

  addCatchAll(options: CatchAllOptions = {}): void {
    const { streaming = false, under } = options;
    if (streaming) warnBuffered(this, 'the catch-all route');
    this.parts.claims.addCatchAll(this, options);
    if (under === undefined) this.#addRoute('$default', false);
    for (const path of under?.flatMap(belowPath) ?? []) {
      checkPattern(this, path);
      this.#addRoute(`ANY ${this.parts.namesReachAuthorizer ? path : withPositions(path)}`, false);
    }
  }

  /** Of an API with several doors, the first has the metric: it counts the requests of all of them. @internal */
  serverErrors(): IMetric | undefined {
    return this.parts.claims.isFirst(this) ? this.api.metricServerError() : undefined;
  }

  /** @internal */
  manifestSettings(): DoorManifestSettings {
    const { jwt } = this.parts;
    return { stage: HTTP_API_STAGE, ...(jwt && { jwt, open: [...this.#open] }) };
  }

  attachContainer(kind: ContainerKind): void {
    if (kind === 'open') return;
    this.#isSecure = true;
    for (const route of this.#routes.values()) acknowledgeOpenRoute(route);
  }

  /** @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html */
  #refuseCors(): never {
    throw misuse(this, {
      what: 'corsOrigins, and a route for preflights of the application',
      expected:
        'one of them: the option cors of the application, or corsOrigins, which makes API Gateway ignore the headers of the application',
      code: 'constructs.conflict',
    });
  }

  /** With names other than the names of the application, the authorizer would not find its parameters. */
  #expectOneName(segments: readonly string[], path: string): void {
    for (const [index, segment] of segments.entries()) {
      if (!segment.startsWith('{')) continue;
      const position = withPositions(segments.slice(0, index + 1).join('/'));
      const name = this.parts.names.get(position) ?? segment;
      this.parts.names.set(position, name);
      if (name === segment) continue;
      const what = `path ${path} needs ${segment} where another route has ${name}`;
      throw misuse(this, { what, expected: 'one name: API Gateway accepts one at each position of an API' });
    }
  }

  #addRoute(routeKey: string, withoutAuthorizer: boolean): void {
    const existing = this.#routes.get(routeKey);
    if (existing) {
      if (withoutAuthorizer) Object.assign(existing, { authorizationType: 'NONE', authorizerId: undefined });
      return;
    }
    this.parts.claims.claim(this, routeKey);
    // In the stack of the API a route has the same logical id for every function, so that CloudFormation can pass it from one function to another.
    const { scope } = this.parts;
    const route = new CfnRoute(
      Stack.of(scope) === Stack.of(this) ? scope : this,
      routeKey === '$default' ? 'Default' : routeId(routeKey),
      {
        apiId: this.api.apiId,
        routeKey,
        target: `integrations/${this.#integration.ref}`,
        ...(withoutAuthorizer ? { authorizationType: 'NONE' } : this.parts.authorization),
      },
    );
    this.#routes.set(routeKey, route);
    if (this.#isSecure) acknowledgeOpenRoute(route);
  }
}
