import { MCP_SECRET_ARN_ENV, MCP_TABLE_NAME_ENV } from '@sallyport/mcp/schema';
import { type AuthorizationConfig, AuthorizationType } from 'aws-cdk-lib/aws-appsync';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { GraphqlApi, type GraphqlApiProps } from '../../graphql/graphql-api.js';
import type { ApiDomain } from '../../http/api-domain.js';
import type { ApiAuthorization } from '../../http/authorization.js';
import type { IHttpDoor } from '../../http/door.js';
import { FunctionUrl, FunctionUrlAuth } from '../../http/function-url.js';
import { HttpApi } from '../../http/http-api.js';
import { RestApi } from '../../http/rest-api.js';
import { WebSocketApi, type WebSocketApiProps } from '../../http/websocket-api.js';
import { misuse } from '../../internal/misuse.js';
import { McpServer } from '../../mcp/mcp-server.js';
import { McpSessions } from '../../mcp/sessions.js';
import type { McpTable } from '../../state/tables.js';
import type { Inventory } from '../../wiring/inventory.js';
import type { StageSettings } from '../stage.js';
import type { ServicePart } from './parts.js';

/** The kinds of front doors that a service creates for HTTP routes. */
export const HTTP_DOORS = ['http-api', 'rest-api', 'function-url'] as const;

/** A kind of front door that a service creates for HTTP routes. */
export type HttpDoorKind = (typeof HTTP_DOORS)[number];

/** The GraphQL API of a service. */
export interface ServiceGraphql extends Omit<GraphqlApiProps, 'fn'> {
  /**
   * The OpenID Connect issuer whose tokens AppSync accepts, and their audience. With an empty issuer only callers with IAM permissions are accepted. Not
   * with `authorization`.
   *
   * @default - no tokens
   */
  readonly tokens?: { readonly issuer: string; readonly audience: string };
}

/** The settings of the doors of a service. */
export interface DoorSettings {
  readonly doors: readonly HttpDoorKind[] | undefined;
  readonly domain: ApiDomain | undefined;
  readonly authorization: ApiAuthorization | undefined;
  readonly graphql: ServiceGraphql | undefined;
  readonly webSocket: ServiceWebSocket | undefined;
}

/** Props of the WebSocket API of a service. */
export type ServiceWebSocket = Omit<WebSocketApiProps, 'fn' | 'shared'>;

/** The created doors of a service. */
export interface ServiceDoors {
  /** The HTTP API. */
  readonly httpApi?: HttpApi;
  /** The REST API. */
  readonly restApi?: RestApi;
  /** The function URL. */
  readonly functionUrl?: FunctionUrl;
  /** The WebSocket API. */
  readonly webSocket?: WebSocketApi;
  /** The GraphQL API. */
  readonly graphql?: GraphqlApi;
  /** The state of the MCP server; the routes are at the first door. */
  readonly mcp?: McpServer;
}

/** The facts from which the doors follow, except the functions. */
export interface DoorFacts {
  readonly mcpTable: McpTable | undefined;
  readonly stage: StageSettings;
}

type HttpDoors = Pick<ServiceDoors, 'httpApi' | 'restApi' | 'functionUrl'>;

const serves = ({ inventory }: ServicePart, wanted: string) =>
  inventory.routes.some(({ surface }) => surface === wanted);

/** Creates the doors that the registrations of the application need. All functions share the APIs, in the order of the parts. */
export function createDoors(
  at: Construct,
  parts: readonly ServicePart[],
  facts: DoorFacts,
  settings: DoorSettings,
): ServiceDoors {
  const kinds = httpDoorKinds(at, parts, settings.doors);
  let http: HttpDoors = {};
  let mcp: McpServer | undefined;
  for (const part of parts.filter((one) => serves(one, 'http'))) {
    const own = createHttp(at, part, kinds, http, facts.stage, settings);
    const all = Object.values(own) as IHttpDoor[];
    const [first] = all;
    const server = first && createMcp(at, mcp ? `Mcp-${part.name}` : 'Mcp', part, first, facts.mcpTable);
    for (const door of all) {
      const only = all.some(({ canStream }) => canStream) ? bufferedPaths(door, part.inventory) : undefined;
      part.wiring.http(door, { ...(only && { only }) });
    }
    http = { ...own, ...http };
    mcp ??= server;
  }
  let webSocket: WebSocketApi | undefined;
  for (const part of parts.filter((one) => serves(one, 'websocket'))) {
    const api = createWebSocket(at, part, webSocket, facts.stage, settings);
    webSocket ??= api;
  }
  const [main] = parts;
  return {
    ...http,
    ...(mcp && { mcp }),
    ...(webSocket && { webSocket }),
    ...(main && serves(main, 'appsync') && { graphql: createGraphql(at, main, facts.stage, settings) }),
  };
}

/**
 * The kinds of the HTTP doors.
 *
 * @throws ConstructError `constructs.invalid_prop` for a function URL of several functions
 */
function httpDoorKinds(
  at: Construct,
  parts: readonly ServicePart[],
  given: readonly HttpDoorKind[] | undefined,
): readonly HttpDoorKind[] {
  const withRoutes = parts.filter((part) => serves(part, 'http'));
  const formats = withRoutes.map(({ format }) => format);
  const format = ['function-url', 'gateway-v1'].find((one) => formats.includes(one)) ?? 'json';
  const kinds = given ?? [DOOR_OF[format] ?? 'http-api'];
  const second = withRoutes[1];
  if (second === undefined || !kinds.includes('function-url')) return kinds;
  throw misuse(at, {
    what: `split.${second.name} has HTTP routes, and a function URL has one function`,
    expected:
      'doors: ["http-api"] or doors: ["rest-api"], with createGatewayRestStreamingHandler for routes that stream',
  });
}

/** The paths without a streaming route, for a door that buffers next to a streaming door; `undefined` for all paths. */
function bufferedPaths(door: IHttpDoor, { routes }: Inventory): readonly string[] | undefined {
  if (door.canStream) return undefined;
  const paths = (wanted: boolean) =>
    routes.flatMap(({ surface, path = '', streaming }) =>
      surface === 'http' && (streaming === true) === wanted ? [path] : [],
    );
  const streamed = paths(true);
  const buffered = paths(false).filter((path) => !streamed.includes(path));
  return streamed.length === 0 || buffered.length === 0 || buffered.includes('/') ? undefined : buffered;
}

/** The door that fits the format of the handler. */
const DOOR_OF: Readonly<Record<string, HttpDoorKind>> = {
  'gateway-v1': 'rest-api',
  'function-url': 'function-url',
};

function createHttp(
  at: Construct,
  part: ServicePart,
  kinds: readonly HttpDoorKind[],
  first: HttpDoors,
  { throttleRate, throttleBurst, logRetention }: StageSettings,
  { domain, authorization }: DoorSettings,
): HttpDoors {
  const { format, inventory } = part;
  const fn = part.service.fn as IFunction;
  const api = {
    fn,
    throttleRate,
    throttleBurst,
    logRetention,
    ...(domain && { domain }),
    ...(authorization && { authorization }),
  };
  const auth = inventory.container === 'secure' ? FunctionUrlAuth.APPLICATION : FunctionUrlAuth.IAM;
  const streaming = format === 'function-url' ? { streaming: true } : {};
  const { httpApi, restApi } = first;
  return {
    ...(kinds.includes('http-api') && {
      httpApi: httpApi
        ? new HttpApi(at, `HttpApi-${part.name}`, { fn, shared: httpApi })
        : new HttpApi(at, 'HttpApi', api),
    }),
    ...(kinds.includes('rest-api') && {
      restApi: restApi
        ? new RestApi(at, `RestApi-${part.name}`, { fn, shared: restApi })
        : new RestApi(at, 'RestApi', api),
    }),
    ...(kinds.includes('function-url') && {
      functionUrl: new FunctionUrl(at, 'FunctionUrl', { fn, auth, ...streaming }),
    }),
  };
}

/** The state of an MCP server, if the application reads its variables. The routes are in the inventory. */
function createMcp(
  at: Construct,
  id: string,
  { service, inventory, read }: ServicePart,
  api: IHttpDoor,
  mcpTable: McpTable | undefined,
): McpServer | undefined {
  const generateSecret = read.includes(MCP_SECRET_ARN_ENV);
  if (!generateSecret && !read.includes(MCP_TABLE_NAME_ENV)) return undefined;
  const methods = (path: string | undefined) =>
    inventory.routes.filter((route) => route.path === path).map(({ method }) => method);
  const server = inventory.routes.find(({ path }) =>
    ['POST', 'GET', 'DELETE'].every((one) => methods(path).includes(one)),
  );
  if (server?.path === undefined) return undefined;
  return new McpServer(at, id, {
    fn: service.fn as IFunction,
    api,
    path: server.path,
    streaming: api.canStream && server.streaming === true,
    generateSecret,
    ...(mcpTable ? { table: mcpTable } : { sessions: McpSessions.NONE }),
  });
}

function createWebSocket(
  at: Construct,
  { name, service, wiring, described }: ServicePart,
  shared: WebSocketApi | undefined,
  { throttleRate, throttleBurst, logRetention }: StageSettings,
  { webSocket }: DoorSettings,
): WebSocketApi {
  const fn = service.fn as IFunction;
  const { route } = described?.envelope ?? {};
  const stated = route === undefined ? undefined : `$request.body.${route}`;
  const own = webSocket?.routeSelectionExpression;
  if (stated !== undefined && own !== undefined && own !== stated)
    throw misuse(at, {
      what: 'webSocket.routeSelectionExpression',
      got: own,
      expected: `${stated}, as the application states`,
    });
  const api = shared
    ? new WebSocketApi(at, `WebSocket-${name}`, { fn, shared })
    : new WebSocketApi(at, 'WebSocket', {
        fn,
        throttleRate,
        throttleBurst,
        logRetention,
        ...(stated !== undefined && { routeSelectionExpression: stated }),
        ...webSocket,
      });
  wiring.webSocket(api);
  return api;
}

function createGraphql(
  at: Construct,
  { service, wiring }: ServicePart,
  { logRetention }: StageSettings,
  { graphql }: DoorSettings,
): GraphqlApi {
  if (!graphql) {
    throw misuse(at, {
      what: 'the application has GraphQL fields, and the service has no schema',
      expected: "graphql: { schemaFile: 'schema.graphql' }",
    });
  }
  const { tokens, ...props } = graphql;
  if (tokens && props.authorization) {
    throw misuse(at, { what: 'graphql.tokens with graphql.authorization', expected: 'one of them' });
  }
  const authorization = tokens && tokens.issuer !== '' ? { authorization: ofIssuer(tokens) } : {};
  const api = new GraphqlApi(at, 'Graphql', { fn: service.fn as IFunction, logRetention, ...props, ...authorization });
  wiring.graphQl(api);
  return api;
}

function ofIssuer({ issuer, audience }: NonNullable<ServiceGraphql['tokens']>): AuthorizationConfig {
  // AppSync interprets the client id as a regular expression.
  const clientId = `^${audience.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
  const openIdConnectConfig = { oidcProvider: issuer, clientId };
  return { defaultAuthorization: { authorizationType: AuthorizationType.OIDC, openIdConnectConfig } };
}
