import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildAppSyncEvent,
  buildEventBusEvent,
  buildKinesisEvent,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  buildQueueEvent,
  buildScheduledEvent,
  buildTableStreamEvent,
  buildTopicEvent,
  buildWebSocketEvent,
} from '@sallyport/testkit/events';
import { CATALOGUE, type CatalogueEntry, samplesFor } from '@sallyport/triggers/catalogue';
import type { BundleInventory, BundleRoute, BundleTrigger } from '../inventory.js';

/** An event that the maker sends to the application. */
export interface Sample {
  /** A name for reports: `gateway-v2 GET /notes`. */
  readonly label: string;
  readonly event: unknown;
  /** True if the event is the template of a session of an MCP client. */
  readonly mcp?: true;
}

type Build = () => unknown;

/**
 * One event for each kind of registration. Front doors receive requests with and without a caller; requests with a body have no caller, so that the
 * gate answers them. Registered names that no builder accepts are left out.
 */
export function samplesOf({ routes, triggers }: BundleInventory): readonly Sample[] {
  const ofSurface = (surface: string) => routes.filter((route) => route.surface === surface);
  return [
    ...httpSamples(ofSurface('http')),
    ...webSocketSamples(ofSurface('websocket')),
    ...appSyncSamples(ofSurface('appsync')),
    ...triggers.flatMap(triggerSamples),
  ];
}

const CLAIMS = {
  sub: 'start-cache',
  scope: '',
  iss: 'https://issuer.example.com',
  aud: 'start-cache',
  exp: '4102444800',
};

function httpSamples(routes: readonly BundleRoute[]): readonly Sample[] {
  const mcp = mcpPathsOf(routes);
  const others = routes.filter(({ path = '' }) => !mcp.includes(path));
  const reads = others.filter(({ method }) => method === 'GET');
  const isOpen = ({ posture }: BundleRoute) => posture === undefined || posture === 'public';
  const open = reads.find(isOpen);
  const closed = reads.find((route) => !isOpen(route));
  const written = others.find((route) => route.method !== 'GET' && (!isOpen(route) || open === undefined));
  const anonymous = [open, closed, written].flatMap((route) => (route ? [route] : []));
  return [
    ...anonymous.flatMap((route, index) => doorSamples(route, index === 0)),
    ...(closed ? callerSamples(closed) : []),
    ...mcp.flatMap((path) => mcpSamples(path, scopesOf(routes, path))),
  ];
}

/** The first route through every front door, the others through one. */
function doorSamples({ method = 'GET', path = '/' }: BundleRoute, isFirst: boolean): readonly Sample[] {
  const place = pathOf(path);
  const options = method === 'GET' || method === 'DELETE' ? {} : { json: {} };
  return [
    ...sample(`gateway-v2 ${method} ${path}`, () => buildAPIGatewayV2Request(method, place, options)),
    ...(isFirst
      ? [
          ...sample(`function-url ${method} ${path}`, () => buildLambdaFunctionURLRequest(method, place, options)),
          ...sample(`gateway-v1 ${method} ${path}`, () => buildAPIGatewayProxyRequest(method, place, options)),
          ...sample(`load-balancer ${method} ${path}`, () => buildLoadBalancerRequest(method, place, options)),
        ]
      : []),
  ];
}

/** A GET with the claims that an authorizer of the door would have checked. */
function callerSamples({ path = '/', scopes = [] }: BundleRoute): readonly Sample[] {
  const claims = { ...CLAIMS, scope: scopes.join(' ') };
  const authorizer = { jwt: { claims, scopes: [...scopes] } };
  return [
    ...sample(`gateway-v2 GET ${path}, with a caller`, () =>
      buildAPIGatewayV2Request('GET', pathOf(path), { authorizer }),
    ),
    ...sample(`gateway-v1 GET ${path}, with a caller`, () =>
      buildAPIGatewayProxyRequest('GET', pathOf(path), { authorizer: { claims } }),
    ),
  ];
}

/** An MCP server has POST, GET and DELETE on one path, and all of them stream. */
function mcpPathsOf(routes: readonly BundleRoute[]): readonly string[] {
  const streams = (method: string, path: string) =>
    routes.some((route) => route.streaming === true && route.method === method && route.path === path);
  const paths = routes.flatMap(({ method, path = '' }) => (method === 'POST' ? [path] : []));
  return paths.filter((path) => ['POST', 'GET', 'DELETE'].every((method) => streams(method, path)));
}

function scopesOf(routes: readonly BundleRoute[], path: string): readonly string[] {
  return routes.find((route) => route.method === 'POST' && route.path === path)?.scopes ?? [];
}

/** The sessions of a client without and with a token. */
function mcpSamples(path: string, scopes: readonly string[]): readonly Sample[] {
  const authorizer = { jwt: { claims: { ...CLAIMS, scope: scopes.join(' ') }, scopes: [...scopes] } };
  return [{}, { authorizer }].flatMap((options) =>
    sample(`MCP ${path}`, () => buildAPIGatewayV2Request('POST', pathOf(path), options)).map((one) => ({
      ...one,
      mcp: true as const,
    })),
  );
}

function webSocketSamples(routes: readonly BundleRoute[]): readonly Sample[] {
  const keys = routes.map(({ webSocketRouteKey = '' }) => webSocketRouteKey);
  const message = keys.find((key) => key !== '$connect' && key !== '$disconnect');
  const chosen = [...keys.filter((key) => key === '$connect' || key === '$disconnect'), message ?? ''];
  return chosen
    .filter((key) => key !== '')
    .flatMap((routeKey) => sample(`websocket ${routeKey}`, () => buildWebSocketEvent({ routeKey })));
}

function appSyncSamples(routes: readonly BundleRoute[]): readonly Sample[] {
  const field = routes.find(({ appSyncParentType }) => appSyncParentType === 'Query') ?? routes[0];
  if (!field) return [];
  const { appSyncParentType: parentTypeName = '', appSyncField: fieldName = '' } = field;
  const label = `appsync ${parentTypeName}.${fieldName}`;
  const identity = { sub: CLAIMS.sub, claims: CLAIMS, issuer: CLAIMS.iss, username: CLAIMS.sub };
  return [
    ...sample(label, () => buildAppSyncEvent({ parentTypeName, fieldName })),
    ...sample(`${label}, with a caller`, () => buildAppSyncEvent({ parentTypeName, fieldName, identity })),
  ];
}

const arnOf = (service: string, resource: string, name: string) =>
  name.startsWith('arn:') ? name : `arn:aws:${service}:us-east-1:123456789012:${resource}`;

/** The builders of the fixed kinds. A handler is registered under a name or an ARN. */
const FIXED: Readonly<Record<string, (name: string) => unknown>> = {
  queue: (name) => buildQueueEvent(arnOf('sqs', name, name), [{ body: {} }]),
  'table-stream': (name) =>
    buildTableStreamEvent(arnOf('dynamodb', `table/${name}/stream/1970-01-01T00:00:00.000`, name), [
      { keys: { pk: 'a' }, newImage: { pk: 'a' } },
    ]),
  stream: (name) => buildKinesisEvent(arnOf('kinesis', `stream/${name}`, name), [{ json: {} }]),
  topic: (name) => buildTopicEvent(arnOf('sns', name, name), [{ message: {} }]),
};

function triggerSamples({ kind, name = '', selector = {} }: BundleTrigger): readonly Sample[] {
  const label = `${kind} ${name}`.trim();
  if (kind === 'event-bus') return sample(label, () => busEvent(selector));
  const build = Object.hasOwn(FIXED, kind) ? FIXED[kind] : undefined;
  if (build) return sample(label, () => build(name));
  return catalogueSamples(kind, name);
}

function busEvent({
  source,
  detailType,
  ruleName: rule,
  scheduleName: schedule,
}: NonNullable<BundleTrigger['selector']>) {
  if (rule !== undefined || schedule !== undefined) {
    return buildScheduledEvent({ ...(rule !== undefined && { rule }), ...(schedule !== undefined && { schedule }) });
  }
  return buildEventBusEvent({
    ...(source !== undefined && { source }),
    ...(detailType !== undefined && { detailType }),
  });
}

/** The published events of an opt-in kind, with the registered name instead of the published name. */
function catalogueSamples(kind: string, name: string): readonly Sample[] {
  const entry = (CATALOGUE as Readonly<Record<string, CatalogueEntry | undefined>>)[kind];
  const label = `${kind} ${name}`.trim();
  return entry ? samplesFor(entry, name).map((event) => ({ label, event })) : [];
}

function pathOf(pattern: string): string {
  return pattern.replaceAll(/\{[^}]*\}/g, '1');
}

function sample(label: string, build: Build): readonly Sample[] {
  try {
    return [{ label, event: build() }];
  } catch {
    return [];
  }
}
