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
import type { ServiceWiring } from '../../wiring/service-wiring.js';
import type { StageSettings } from '../stage.js';

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
  readonly webSocket: Omit<WebSocketApiProps, 'fn'> | undefined;
}

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

/** The facts from which the doors follow. */
export interface DoorFacts {
  readonly fn: IFunction;
  readonly inventory: Inventory;
  /** The format of the exported handler. */
  readonly format: string | undefined;
  /** The variables that the application reads. */
  readonly read: readonly string[];
  readonly mcpTable: McpTable | undefined;
  readonly stage: StageSettings;
}

/** Creates the doors that the registrations of the application need. */
export function createDoors(
  at: Construct,
  wiring: ServiceWiring,
  facts: DoorFacts,
  settings: DoorSettings,
): ServiceDoors {
  const { routes } = facts.inventory;
  const has = (wanted: string) => routes.some(({ surface }) => surface === wanted);
  const http = has('http') ? createHttp(at, facts, settings) : {};
  const [first] = Object.values(http) as IHttpDoor[];
  const mcp = first && createMcp(at, facts, first);
  const all = Object.values(http) as IHttpDoor[];
  for (const door of all) {
    const only = all.some(({ canStream }) => canStream) ? bufferedPaths(door, facts.inventory) : undefined;
    wiring.http(door, { ...(only && { only }) });
  }
  return {
    ...http,
    ...(mcp && { mcp }),
    ...(has('websocket') && { webSocket: createWebSocket(at, wiring, facts, settings) }),
    ...(has('appsync') && { graphql: createGraphql(at, wiring, facts, settings) }),
  };
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
  { fn, format = 'json', inventory, stage }: DoorFacts,
  { doors = [DOOR_OF[format] ?? 'http-api'], domain, authorization }: DoorSettings,
): Pick<ServiceDoors, 'httpApi' | 'restApi' | 'functionUrl'> {
  const { throttleRate, throttleBurst, logRetention } = stage;
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
  return {
    ...(doors.includes('http-api') && { httpApi: new HttpApi(at, 'HttpApi', api) }),
    ...(doors.includes('rest-api') && { restApi: new RestApi(at, 'RestApi', api) }),
    ...(doors.includes('function-url') && {
      functionUrl: new FunctionUrl(at, 'FunctionUrl', { fn, auth, ...streaming }),
    }),
  };
}

/** The state of an MCP server, if the application reads its variables. The routes are in the inventory. */
function createMcp(at: Construct, { fn, inventory, read, mcpTable }: DoorFacts, api: IHttpDoor): McpServer | undefined {
  const generateSecret = read.includes(MCP_SECRET_ARN_ENV);
  if (!generateSecret && !read.includes(MCP_TABLE_NAME_ENV)) return undefined;
  const methods = (path: string | undefined) =>
    inventory.routes.filter((route) => route.path === path).map(({ method }) => method);
  const server = inventory.routes.find(({ path }) =>
    ['POST', 'GET', 'DELETE'].every((one) => methods(path).includes(one)),
  );
  if (server?.path === undefined) return undefined;
  return new McpServer(at, 'Mcp', {
    fn,
    api,
    path: server.path,
    streaming: api.canStream && server.streaming === true,
    generateSecret,
    ...(mcpTable ? { table: mcpTable } : { sessions: McpSessions.NONE }),
  });
}

function createWebSocket(
  at: Construct,
  wiring: ServiceWiring,
  { fn, stage: { throttleRate, throttleBurst, logRetention } }: DoorFacts,
  { webSocket }: DoorSettings,
): WebSocketApi {
  const api = new WebSocketApi(at, 'WebSocket', { fn, throttleRate, throttleBurst, logRetention, ...webSocket });
  wiring.webSocket(api);
  return api;
}

function createGraphql(
  at: Construct,
  wiring: ServiceWiring,
  { fn, stage: { logRetention } }: DoorFacts,
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
  const api = new GraphqlApi(at, 'Graphql', { fn, logRetention, ...props, ...authorization });
  wiring.graphQl(api);
  return api;
}

function ofIssuer({ issuer, audience }: NonNullable<ServiceGraphql['tokens']>): AuthorizationConfig {
  // AppSync interprets the client id as a regular expression.
  const clientId = `^${audience.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
  const openIdConnectConfig = { oidcProvider: issuer, clientId };
  return { defaultAuthorization: { authorizationType: AuthorizationType.OIDC, openIdConnectConfig } };
}
