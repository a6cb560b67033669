import type { EndpointKind } from '../routes/endpoint.js';
import { MCP_ROUTE_CONTRACT_VERSION, OAUTH_AUTHORIZATION_SERVER_PATH } from '../routes/paths.js';
import {
  supportedEndpointTemplates,
  supportedOAuthDiscoveryTemplates,
  supportedOAuthFacadeTemplates,
} from '../routes/templates.js';

/** The methods of an MCP route. */
export const MCP_METHODS = ['POST', 'GET', 'DELETE'] as const;

/** The routes of one kind of endpoint. */
export interface FacadeRoute {
  /** Of the endpoint. */
  readonly kind: EndpointKind;
  /** Of the MCP server. */
  readonly mcpPattern: string;
  /** `POST`, `GET`, `DELETE`. */
  readonly mcpMethods: typeof MCP_METHODS;
  /** GET: the metadata of the protected resource. */
  readonly protectedResourcePattern: string;
  /** GET: the metadata of the authorization server, well-known part first. */
  readonly discoveryCanonicalPattern: string;
  /** GET: the same, well-known part last. */
  readonly discoverySuffixPattern: string;
  /** GET: the authorization endpoint. */
  readonly authorizePattern: string;
  /** POST: the token endpoint. */
  readonly tokenPattern: string;
  /** Whether the facade serves the last two; else they are the application's to serve. */
  readonly authorizationRoutesAttached: boolean;
}

/** What a facade has registered, for infrastructure code. As JSON its keys are snake_case, the same in every runtime. */
export interface RouteInventory {
  /** Version of the routes. */
  readonly contractVersion: typeof MCP_ROUTE_CONTRACT_VERSION;
  /** The routes of all kinds, in the order of the contract. */
  readonly routes: readonly FacadeRoute[];
  /** GET: the metadata of the upstream authorization server at the root of the origin. */
  readonly rootAuthorizationServerPattern: typeof OAUTH_AUTHORIZATION_SERVER_PATH;
  /** Whether the facade serves it. */
  readonly rootAuthorizationServerAttached: boolean;
}

/** A fresh inventory that nobody can change. */
export function createInventory(hasAuthorization: boolean, hasRoot: boolean): RouteInventory {
  const facade = supportedOAuthFacadeTemplates();
  const discovery = supportedOAuthDiscoveryTemplates();
  const routes = supportedEndpointTemplates().map(({ kind, mcpPattern, protectedResourcePath }, at) =>
    withJson({
      kind,
      mcpPattern,
      mcpMethods: Object.freeze([...MCP_METHODS]) as typeof MCP_METHODS,
      protectedResourcePattern: protectedResourcePath,
      discoveryCanonicalPattern: discovery[at]?.canonicalPattern ?? '',
      discoverySuffixPattern: discovery[at]?.suffixPattern ?? '',
      authorizePattern: facade[at]?.authorizePattern ?? '',
      tokenPattern: facade[at]?.tokenPattern ?? '',
      authorizationRoutesAttached: hasAuthorization,
    }),
  );
  return withJson({
    contractVersion: MCP_ROUTE_CONTRACT_VERSION,
    routes: Object.freeze(routes),
    rootAuthorizationServerPattern: OAUTH_AUTHORIZATION_SERVER_PATH,
    rootAuthorizationServerAttached: hasRoot,
  });
}

/** Frozen, and with snake_case keys as JSON. */
function withJson<T extends object>(members: T): T {
  const toJSON = () =>
    Object.fromEntries(
      Object.entries(members).map(([name, value]) => [
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        value,
      ]),
    );
  return Object.freeze(Object.defineProperty({ ...members }, 'toJSON', { value: toJSON }));
}
