import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CorsHttpMethod,
  HttpApi as HttpApiResource,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import type { ILogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { misuseText } from '../internal/misuse.js';
import { nameOf } from '../internal/names.js';
import { count, defineProps, many, thing } from '../internal/props.js';
import type { ApiDomain } from './api-domain.js';
import type { ApiAuthorization } from './authorization.js';
import type { DoorManifestSettings } from './door.js';
import { accessLogFormat, createAccessLog } from './internal/access-log.js';
import { httpAuthorization, type RouteAuthorization } from './internal/http-authorizer.js';
import { apiProps, authorizationProp, originsProp } from './internal/props.js';
import { RouteClaims } from './internal/route-claims.js';

/** Props of {@link SharedHttpApi}. */
export interface SharedHttpApiProps {
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
  /**
   * The quota "Routes per API" of your account. More routes fail synth.
   *
   * @default 300
   * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
   */
  readonly routeQuota?: number;
}

const HEADER = /^[A-Za-z0-9-]+$/;
const { fn: _fn, ...sharedProps } = apiProps;

/** Validators and defaults for {@link SharedHttpApiProps}. */
export const SHARED_HTTP_API_PROPS = defineProps<SharedHttpApiProps>('SharedHttpApi')({
  ...sharedProps,
  authorization: authorizationProp,
  corsOrigins: originsProp,
  corsHeaders: many<string>(
    'a list of header names',
    (value) => typeof value === 'string' && HEADER.test(value),
  ).default(['authorization', 'content-type']),
  domain: thing<ApiDomain>('an ApiDomain', 'domainName'),
  routeQuota: count(1, 1_000_000).default(300),
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

/** The only stage of an HTTP API. */
export const HTTP_API_STAGE = '$default';

/** An HTTP API without routes, and the doors that added them. */
export interface HttpApiParts {
  /** The construct of the API. */
  readonly scope: Construct;
  readonly api: HttpApiResource;
  readonly stage: HttpStage;
  readonly accessLog: ILogGroup | undefined;
  readonly url: string;
  readonly basePath: string | undefined;
  readonly authorizer: ApiAuthorization['authorizer'];
  /** The JWT authorizer; `undefined` if absent. */
  readonly jwt: DoorManifestSettings['jwt'];
  /** The authorization of each route. */
  readonly authorization: RouteAuthorization;
  /** True if API Gateway answers preflights. */
  readonly answersCors: boolean;
  /** True if an authorizer reads the path parameters, by the names of the application. */
  readonly namesReachAuthorizer: boolean;
  /** The names of path parameters, by their positions. */
  readonly names: Map<string, string>;
  /** The routes of all doors. */
  readonly claims: RouteClaims;
}

/** Creates the API, its stage and its log as children of a construct. */
export function createHttpApi(at: Construct, props: ReturnType<typeof SHARED_HTTP_API_PROPS.parse>): HttpApiParts {
  const { authorization, corsOrigins, corsHeaders, domain, throttleRate, throttleBurst, routeQuota, ...given } = props;
  const answersCors = (corsOrigins?.length ?? 0) > 0;
  const api = new HttpApiResource(at, 'Resource', {
    apiName: nameOf(at),
    createDefaultStage: false,
    ...(domain ? { disableExecuteApiEndpoint: true } : {}),
    ...(answersCors
      ? {
          corsPreflight: {
            allowOrigins: [...(corsOrigins ?? [])],
            allowHeaders: [...corsHeaders],
            allowMethods: METHODS,
          },
        }
      : {}),
  });
  const routeAuthorization = httpAuthorization(at, api, authorization);
  const accessLog = createAccessLog(at, given);
  const stage = new HttpStage(at, 'Stage', {
    httpApi: api,
    stageName: HTTP_API_STAGE,
    autoDeploy: true,
    throttle: { rateLimit: throttleRate, burstLimit: throttleBurst },
    ...(accessLog && {
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: AccessLogFormat.custom(FORMAT),
      },
    }),
  });
  domain?.mapTo(at, { apiId: api.apiId, stage: stage.stageName, dependsOn: stage });
  const claims = new RouteClaims(at, 'http-api');
  at.node.addValidation({ validate: () => tooManyRoutes(at, claims.size, routeQuota) });
  return {
    scope: at,
    api,
    stage,
    accessLog,
    url: domain?.url ?? api.apiEndpoint,
    basePath: domain?.basePath,
    authorizer: authorization.authorizer,
    jwt:
      authorization.issuer === undefined
        ? undefined
        : { issuer: authorization.issuer, audience: authorization.audience },
    authorization: routeAuthorization,
    answersCors,
    namesReachAuthorizer: authorization.kind === 'request',
    names: new Map(),
    claims,
  };
}

function tooManyRoutes(at: Construct, routes: number, quota: number): string[] {
  if (routes <= quota) return [];
  const expected = `at most ${quota}, the quota of the account: catchAll: true, two APIs, or routeQuota after AWS raised it`;
  return [misuseText(at, { what: 'routes of the API', got: routes, expected })];
}

/**
 * An HTTP API without a function: doors of several functions, in any stack, add their routes to it. Domain, authorizer, CORS, throttling and access log are
 * settings of this API.
 *
 * @example
 * const shared = new SharedHttpApi(edgeStack, 'Shop', { domain });
 * orders.wiring.http(new HttpApi(ordersStack, 'Http', { fn: orders.fn, shared }));
 */
export class SharedHttpApi extends Construct {
  /** The API. */
  readonly api: HttpApiResource;
  /** Its only stage, `$default`. */
  readonly stage: HttpStage;
  /** The access log; `undefined` with `accessLog: false`. */
  readonly accessLog: ILogGroup | undefined;
  /** The address, without a trailing slash. */
  readonly url: string;
  /** The parts to which doors add their routes. @internal */
  readonly parts: HttpApiParts;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop, such as the origin `*` */
  constructor(scope: Construct, id: string, props: SharedHttpApiProps = {}) {
    super(scope, id);
    this.parts = createHttpApi(this, SHARED_HTTP_API_PROPS.parse(this, props));
    this.api = this.parts.api;
    this.stage = this.parts.stage;
    this.accessLog = this.parts.accessLog;
    this.url = this.parts.url;
  }
}
