import { WEBSOCKET_ACTIONS, WEBSOCKET_ENDPOINT_ENV } from '@sallyport/http/schema';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnIntegration,
  CfnRoute,
  CfnRouteResponse,
  LogGroupLogDestination,
  WebSocketApi as WebSocketApiResource,
  WebSocketStage,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { type Grant, type IGrantable, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { setVariable } from '../internal/environment.js';
import { misuse, misuseText } from '../internal/misuse.js';
import { nameOf, routeId } from '../internal/names.js';
import { defineProps, flag, literalWords, thing } from '../internal/props.js';
import { functionBehind, invokedByDoor, requireSameStack } from '../internal/targets.js';
import { grantOnParts } from '../internal/wildcards.js';
import type { ApiDomain } from './api-domain.js';
import type { ApiAuthorization } from './authorization.js';
import type { ContainerKind } from './door.js';
import { accessLogFormat, createAccessLog, ensureLogRole } from './internal/access-log.js';
import { connectAuthorization, type RouteAuthorization } from './internal/http-authorizer.js';
import { acknowledgeOpenRoute } from './internal/open-route.js';
import { accountProp, apiProps, authorizationProp } from './internal/props.js';
import { RouteClaims } from './internal/route-claims.js';
import { checkShared } from './internal/shared-door.js';

/** Props of {@link WebSocketApi}. */
export interface WebSocketApiProps {
  /** The function that answers. The API allows it to send messages and sets its endpoint variable. */
  readonly fn: IFunction;
  /**
   * The API of another function in the same stack, to which the routes are added. All other props belong to that API.
   *
   * @default - a new API
   */
  readonly shared?: WebSocketApi;
  /**
   * The check of the callers of `$connect` before the function runs: the application, IAM, or a function, `requestAuthorizer()` with the form `policy`.
   *
   * @default ApiAuthorization.APPLICATION
   */
  readonly authorization?: ApiAuthorization;
  /**
   * The address for clients. The default address remains available, because messages to clients are sent through it.
   *
   * @default - the address that API Gateway makes
   */
  readonly domain?: ApiDomain;
  /**
   * The expression that selects the route of a message.
   *
   * @default '$request.body.action'
   */
  readonly routeSelectionExpression?: string;
  /**
   * True if the handler's return value is sent to the caller. `$connect` and `$disconnect` never answer.
   *
   * @default - false: handlers send messages themselves
   */
  readonly respond?: boolean;
  /**
   * Messages a second, on average.
   *
   * @default 100
   */
  readonly throttleRate?: number;
  /**
   * Maximum burst of concurrent messages.
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

/** Validators and defaults for {@link WebSocketApiProps}. */
export const WEB_SOCKET_API_PROPS = defineProps<WebSocketApiProps>('WebSocketApi')({
  ...apiProps,
  account: accountProp,
  authorization: authorizationProp,
  domain: thing<ApiDomain>('an ApiDomain', 'domainName'),
  routeSelectionExpression: literalWords('an expression such as $request.body.action', /^\$/).default(
    '$request.body.action',
  ),
  respond: flag.default(false),
  shared: thing<WebSocketApi>('a WebSocketApi', 'parts'),
});

/** The only stage of a WebSocket API. */
export const WEBSOCKET_STAGE = 'live';
const ROUTE_KEY = /^[A-Za-z0-9$_.:@/-]{1,128}$/;
const SILENT = ['$connect', '$disconnect'];

const FORMAT = accessLogFormat({
  routeKey: '$context.routeKey',
  eventType: '$context.eventType',
  connectionId: '$context.connectionId',
  integrationError: '$context.integrationErrorMessage',
});

/** A WebSocket API without routes, and the doors that added them. */
export interface WebSocketApiParts {
  /** The construct of the API. */
  readonly scope: Construct;
  readonly api: WebSocketApiResource;
  readonly stage: WebSocketStage;
  readonly accessLog: ILogGroup | undefined;
  readonly url: string;
  /** True if the return value of a handler is sent to the caller. */
  readonly responds: boolean;
  /** The authorization of the route `$connect`. */
  readonly connect: RouteAuthorization;
  /** The routes of all doors. */
  readonly claims: RouteClaims;
}

/**
 * A WebSocket API in front of a function. `ServiceWiring` adds a route for each registration of the application.
 *
 * @example
 * const sockets = new WebSocketApi(this, 'Sockets', { fn: service.fn });
 * const connections = new ConnectionsTable(this, 'Connections').bindTo(service.fn);
 * wiring.webSocket(sockets);
 */
export class WebSocketApi extends Construct {
  /** The API. */
  readonly api: WebSocketApiResource;
  /** Its only stage, `live`. */
  readonly stage: WebSocketStage;
  /** The access log; `undefined` with `accessLog: false`. */
  readonly accessLog: ILogGroup | undefined;
  /** The function that answers. */
  readonly fn: IFunction;
  /** True if AWS checks the caller of `$connect` before the function runs. */
  readonly authenticatesCallers: boolean;
  /** The address for clients, `wss://…/live`, or `wss://` and the domain. */
  readonly url: string;
  /** The address for messages to clients, `https://…/live`. */
  readonly managementEndpoint: string;
  /** The parts to which doors add their routes. @internal */
  readonly parts: WebSocketApiParts;
  readonly #integration: CfnIntegration;
  readonly #routes = new Map<string, CfnRoute>();

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop, and for a function or a shared API of another stack */
  constructor(scope: Construct, id: string, props: WebSocketApiProps) {
    super(scope, id);
    const { fn: given, shared, ...own } = WEB_SOCKET_API_PROPS.parse(this, props);
    if (shared) {
      checkShared(this, shared, props, 'WebSocketApi');
      requireSameStack(this, 'shared', shared, 'an API in the stack of the function');
    }
    const fn = invokedByDoor(this, given);
    requireSameStack(this, 'fn', functionBehind(fn), 'the API in the stack of the function');
    this.fn = fn;
    this.parts = shared?.parts ?? createWebSocketApi(this, own);
    this.api = this.parts.api;
    this.stage = this.parts.stage;
    this.accessLog = this.parts.accessLog;
    this.#integration = new CfnIntegration(this, 'Integration', {
      apiId: this.api.apiId,
      integrationType: 'AWS_PROXY',
      integrationUri: this.#invocationUri(),
    });
    fn.addPermission('Permission', {
      scope: this,
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: this.#arn('*'),
    });
    this.authenticatesCallers = this.parts.connect.authorizationType !== 'NONE';
    this.url = this.parts.url;
    this.managementEndpoint = this.stage.callbackUrl;
    this.grantManageConnections(fn);
    setVariable(this, fn, WEBSOCKET_ENDPOINT_ENV, this.managementEndpoint);
    this.parts.claims.join(this);
  }

  /**
   * Adds the route of a key: `$connect`, or a value of the selection expression.
   *
   * @throws ConstructError `constructs.invalid_prop` for a key that API Gateway does not accept; `constructs.conflict` for a key of another function
   */
  addRouteKey(routeKey: string): void {
    if (!ROUTE_KEY.test(routeKey)) {
      throw misuse(this, { what: 'route key', got: routeKey, expected: '1 to 128 letters, digits and $ _ . : @ / -' });
    }
    if (this.#routes.has(routeKey)) return;
    const { responds, connect, scope, claims } = this.parts;
    claims.claim(this, routeKey);
    const answers = responds && !SILENT.includes(routeKey);
    // A route has the same logical id for every function, so that CloudFormation can pass it from one function to another.
    const route = new CfnRoute(scope, routeId(`Route${routeKey}`), {
      apiId: this.api.apiId,
      routeKey,
      ...(routeKey === '$connect' ? connect : { authorizationType: 'NONE' }),
      target: `integrations/${this.#integration.ref}`,
      ...(answers ? { routeResponseSelectionExpression: '$default' } : {}),
    });
    this.#routes.set(routeKey, route);
    if (!answers) return;
    new CfnRouteResponse(route, 'Response', {
      apiId: this.api.apiId,
      routeId: route.ref,
      routeResponseKey: '$default',
    });
  }

  /**
   * Errors of the API when it calls the function, and answers of the function that API Gateway cannot use. Of an API with several doors, the first has the
   * metric.
   *
   * @internal
   * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-logging.html
   */
  serverErrors(): IMetric | undefined {
    if (!this.parts.claims.isFirst(this)) return undefined;
    const metric = (metricName: string) =>
      new Metric({
        namespace: 'AWS/ApiGateway',
        metricName,
        dimensionsMap: { ApiId: this.api.apiId, Stage: WEBSOCKET_STAGE },
        statistic: Stats.SUM,
      });
    // Two expressions in one graph need different ids.
    const [execution, integration] = [`e${this.node.addr}`, `i${this.node.addr}`];
    return new MathExpression({
      expression: `FILL(${execution}, 0) + FILL(${integration}, 0)`,
      label: 'errors',
      usingMetrics: { [execution]: metric('ExecutionError'), [integration]: metric('IntegrationError') },
    });
  }

  /** Sets the container of the application. `ServiceWiring` calls it. */
  attachContainer(kind: ContainerKind): void {
    if (kind === 'open') return;
    for (const [key, route] of this.#routes) {
      const isChecked = this.authenticatesCallers && key !== '$connect';
      acknowledgeOpenRoute(
        route,
        isChecked ? 'API Gateway checked the caller when the connection was opened.' : undefined,
      );
    }
  }

  /** Allows a role to send messages to connections and close them: `execute-api:ManageConnections`. */
  grantManageConnections(grantee: IGrantable): Grant {
    const reason = 'The connections of one stage: clients create them.';
    return grantOnParts(grantee, WEBSOCKET_ACTIONS, [this.#arn(`${WEBSOCKET_STAGE}/*/@connections/*`)], reason);
  }

  #arn(resourceName: string): string {
    return Stack.of(this).formatArn({ service: 'execute-api', resource: this.api.apiId, resourceName });
  }

  #invocationUri(): string {
    return Stack.of(this).formatArn({
      service: 'apigateway',
      account: 'lambda',
      resource: 'path/2015-03-31/functions',
      resourceName: `${this.fn.functionArn}/invocations`,
    });
  }
}

/** Creates the API, its stage and its log as children of a construct. */
function createWebSocketApi(
  at: Construct,
  props: Omit<ReturnType<typeof WEB_SOCKET_API_PROPS.parse>, 'fn' | 'shared'>,
): WebSocketApiParts {
  const { routeSelectionExpression, respond, authorization, domain, throttleRate, throttleBurst, ...given } = props;
  const api = new WebSocketApiResource(at, 'Resource', { apiName: nameOf(at), routeSelectionExpression });
  const accessLog = createAccessLog(at, given);
  const stage = new WebSocketStage(at, 'Stage', {
    webSocketApi: api,
    stageName: WEBSOCKET_STAGE,
    autoDeploy: true,
    throttle: { rateLimit: throttleRate, burstLimit: throttleBurst },
    ...(accessLog && {
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: AccessLogFormat.custom(FORMAT),
      },
    }),
  });
  ensureLogRole(at, stage, given);
  const connect = connectAuthorization(at, api.apiId, authorization);
  const claims = new RouteClaims(at, 'websocket');
  at.node.addValidation({ validate: () => uncheckedConnect(at, connect, claims) });
  domain?.mapTo(at, { apiId: api.apiId, stage: WEBSOCKET_STAGE, dependsOn: stage, webSocket: true });
  const url = domain?.url.replace(/^https:/, 'wss:') ?? stage.url;
  return { scope: at, api, stage, accessLog, url, responds: respond, connect, claims };
}

/** Without the route `$connect`, API Gateway accepts every connection. */
function uncheckedConnect(at: Construct, { authorizationType }: RouteAuthorization, claims: RouteClaims): string[] {
  if (authorizationType === 'NONE' || claims.has('$connect')) return [];
  const what = 'authorization of an API without the route $connect, where API Gateway checks it';
  return [misuseText(at, { what, expected: "a handler of '$connect' in the application" })];
}
