import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnIntegration,
  CfnRoute,
  CorsHttpMethod,
  HttpApi as HttpApiResource,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { misuse } from '../internal/misuse.js';
import { nameOf, routeId } from '../internal/names.js';
import { defineProps, many, thing } from '../internal/props.js';
import { invokedByDoor } from '../internal/targets.js';
import type { ApiDomain } from './api-domain.js';
import type { ApiAuthorization } from './authorization.js';
import type { CatchAllOptions, ContainerKind, DoorRoute, IHttpDoor } from './door.js';
import { accessLogFormat, createAccessLog } from './internal/access-log.js';
import { warnBuffered } from './internal/buffered.js';
import { httpAuthorization, type RouteAuthorization } from './internal/http-authorizer.js';
import { acknowledgeOpenRoute } from './internal/open-route.js';
import { checkPattern, withPositions } from './internal/pattern.js';
import { apiProps, authorizationProp, originsProp } from './internal/props.js';

/** Props of {@link HttpApi}. */
export interface HttpApiProps {
  /** The function that answers. */
  readonly fn: IFunction;
  /**
   * The check of the callers before the function runs.
   *
   * @default ApiAuthorization.APPLICATION
   */
  readonly authorization?: ApiAuthorization;
  /**
   * Origins of browsers that may call, `https://notes.example`. `*` is rejected. Set this, or the option `cors` of the application, not both.
   *
   * @default - none: the API sends no CORS headers
   */
  readonly corsOrigins?: readonly string[];
  /**
   * Request headers that pages of these origins may send.
   *
   * @default - authorization and content-type
   */
  readonly corsHeaders?: readonly string[];
  /**
   * The address of the API. Its default address is then disabled.
   *
   * @default - the address that API Gateway makes
   */
  readonly domain?: ApiDomain;
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
   * The retention of the access log.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
}

const HEADER = /^[A-Za-z0-9-]+$/;

/** Validators and defaults for {@link HttpApiProps}. */
export const HTTP_API_PROPS = defineProps<HttpApiProps>('HttpApi')({
  ...apiProps,
  authorization: authorizationProp,
  corsOrigins: originsProp,
  corsHeaders: many<string>(
    'a list of header names',
    (value) => typeof value === 'string' && HEADER.test(value),
  ).default(['authorization', 'content-type']),
  domain: thing<ApiDomain>('an ApiDomain', 'domainName'),
});

const FORMAT = accessLogFormat({
  routeKey: '$context.routeKey',
  protocol: '$context.protocol',
  responseLength: '$context.responseLength',
  integrationError: '$context.integrationErrorMessage',
});

const METHODS = [
  CorsHttpMethod.GET,
  CorsHttpMethod.HEAD,
  CorsHttpMethod.POST,
  CorsHttpMethod.PUT,
  CorsHttpMethod.PATCH,
  CorsHttpMethod.DELETE,
];

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
  readonly #integration: CfnIntegration;
  readonly #namesReachAuthorizer: boolean;
  readonly #names = new Map<string, string>();
  readonly #authorization: RouteAuthorization;
  readonly #routes = new Map<string, CfnRoute>();
  readonly #answersCors: boolean;
  #isSecure = false;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop, such as the origin `*` */
  constructor(scope: Construct, id: string, props: HttpApiProps) {
    super(scope, id);
    const { authorization, corsOrigins, corsHeaders, domain, throttleRate, throttleBurst, ...given } =
      HTTP_API_PROPS.parse(this, props);
    const fn = invokedByDoor(this, given.fn);
    this.fn = fn;
    this.authorizer = authorization.authorizer;
    this.authenticatesCallers = this.authorizer !== undefined;
    this.api = new HttpApiResource(this, 'Resource', {
      apiName: nameOf(this),
      createDefaultStage: false,
      ...(domain ? { disableExecuteApiEndpoint: true } : {}),
      ...(corsOrigins?.length
        ? { corsPreflight: { allowOrigins: [...corsOrigins], allowHeaders: [...corsHeaders], allowMethods: METHODS } }
        : {}),
    });
    this.#answersCors = (corsOrigins?.length ?? 0) > 0;
    this.#namesReachAuthorizer = authorization.kind === 'request';
    this.#authorization = httpAuthorization(this, this.api, authorization);
    this.accessLog = createAccessLog(this, given);
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: throttleRate, burstLimit: throttleBurst },
      ...(this.accessLog && {
        accessLogSettings: {
          destination: new LogGroupLogDestination(this.accessLog),
          format: AccessLogFormat.custom(FORMAT),
        },
      }),
    });
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
    domain?.mapTo(this, { apiId: this.api.apiId, stage: this.stage.stageName, dependsOn: this.stage });
    this.basePath = domain?.basePath;
    this.url = domain?.url ?? this.api.apiEndpoint;
  }

  /** An HTTP API buffers: a streaming route gets a warning, `Sallyport::StreamingBuffered`. */
  addRoutes(routes: readonly DoorRoute[]): void {
    for (const { method, path, streaming, withoutAuthorizer } of routes) {
      if (streaming) warnBuffered(this, `${method} ${path}`);
      const segments = checkPattern(this, path);
      if (this.#namesReachAuthorizer) this.#expectOneName(segments, path);
      if (method === 'OPTIONS' && this.#answersCors) this.#refuseCors();
      this.routes.push(`${method} ${path}`);
      this.#addRoute(
        `${method} ${this.#namesReachAuthorizer ? path : withPositions(path)}`,
        withoutAuthorizer === true,
      );
    }
  }

  addCatchAll({ streaming = false }: CatchAllOptions = {}): void {
    if (streaming) warnBuffered(this, 'the catch-all route');
    this.#addRoute('$default', false);
  }

  /** @internal */
  serverErrors(): IMetric {
    return this.api.metricServerError();
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
      const name = this.#names.get(position) ?? segment;
      this.#names.set(position, name);
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
    const route = new CfnRoute(this, routeKey === '$default' ? 'Default' : routeId(routeKey), {
      apiId: this.api.apiId,
      routeKey,
      target: `integrations/${this.#integration.ref}`,
      ...(withoutAuthorizer ? { authorizationType: 'NONE' } : this.#authorization),
    });
    this.#routes.set(routeKey, route);
    if (this.#isSecure) acknowledgeOpenRoute(route);
  }
}
