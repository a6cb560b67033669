import type { EndpointKind } from '../routes/endpoint.js';
import { MCP_ROUTE_CONTRACT_VERSION, OAUTH_AUTHORIZATION_SERVER_PATH } from '../routes/paths.js';
import {
  supportedEndpointTemplates,
  supportedOAuthDiscoveryTemplates,
  supportedOAuthFacadeTemplates,
} from '../routes/templates.js';

/** The HTTP methods of an MCP route. */
export const MCP_METHODS = ['POST', 'GET', 'DELETE'] as const;

/** The routes of one kind of endpoint. */
export interface FacadeRoute {
  /** Kind of the endpoint. */
  readonly kind: EndpointKind;
  /** Pattern of the MCP routes. */
  readonly mcpPattern: string;
  /** `POST`, `GET`, `DELETE`. */
  readonly mcpMethods: typeof MCP_METHODS;
  /** GET: the protected-resource document. */
  readonly protectedResourcePattern: string;
  /** GET: the authorization-server document, with the well-known part first. */
  readonly discoveryCanonicalPattern: string;
  /** GET: the same document, with the well-known part last. */
  readonly discoverySuffixPattern: string;
  /** GET: the authorization endpoint. */
  readonly authorizePattern: string;
  /** POST: the token endpoint. */
  readonly tokenPattern: string;
  /** True if the facade has registered the authorization and token endpoints. */
  readonly authorizationRoutesAttached: boolean;
}

/** The routes of a facade, for infrastructure code. In JSON the keys are snake_case, the same in every runtime. */
export interface RouteInventory {
  /** Version of the route contract. */
  readonly contractVersion: typeof MCP_ROUTE_CONTRACT_VERSION;
  /** The routes of all kinds, in the order of the contract. */
  readonly routes: readonly FacadeRoute[];
  /** GET: the document of the upstream authorization server at the root of the origin. */
  readonly rootAuthorizationServerPattern: typeof OAUTH_AUTHORIZATION_SERVER_PATH;
  /** True if the facade has registered it. */
  readonly rootAuthorizationServerAttached: boolean;
}

/** A new frozen inventory. */
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

/** A frozen object with snake_case keys in JSON. */
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
