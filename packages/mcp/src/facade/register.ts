import { type Context, FrameworkError, type Handler, isFrameworkError } from '@sallyport/core';
import { type Posture, Public, SecureApp } from '@sallyport/secure';
import { serverDataIn } from '../compose/internal/data.js';
import { selectingHandler } from '../compose/internal/server-view.js';
import { type EndpointKind, endpointOfParams } from '../routes/endpoint.js';
import { OAUTH_AUTHORIZATION_SERVER_PATH } from '../routes/paths.js';
import { type FacadeConfig, facadeError, type HandlerFactory, type ParsedFacade, parseFacadeConfig } from './config.js';
import { authorizationServerHandler, protectedResourceHandler, rootHandler } from './internal/documents.js';
import { requestedMcpPath } from './internal/endpoint.js';
import { createInventory, type FacadeRoute, MCP_METHODS, type RouteInventory } from './inventory.js';

type Arguments = Parameters<SecureApp['handle']>;

/**
 * Registers one MCP server for namespaces, partners and agents, and the OAuth metadata documents of each endpoint. The documents are
 * public. The MCP routes require an authenticated caller; the bearer guard of the container must check that the audience of a token is
 * the endpoint, with {@link mcpResourceURL}.
 *
 * The configuration and all routes are checked before the first registration: after an error the application is unchanged.
 *
 * @returns the registered routes; frozen
 * @throws FrameworkError `app.invalid_configuration` `framework: mcp facade: <what is wrong>`
 * @example
 * registerMcpFacade(app, {
 *   issuerUrl: 'https://id.example.com',
 *   jwksUri: 'https://id.example.com/jwks.json',
 *   urlMode: URL_MODE_PUBLIC_BASE_URL,
 *   publicBaseUrl: 'https://mcp.example.com',
 *   scopes: { namespace: ['notes'], partner_namespace: ['notes'], agent: ['notes'], partner_agent: ['notes'] },
 *   mcpHandler: server.handler,
 * });
 */
export function registerMcpFacade(app: SecureApp, config: FacadeConfig): RouteInventory {
  const facade = parseFacadeConfig(config);
  const inventory = createInventory(
    facade.authorizeHandler !== undefined,
    facade.rootAuthorizationServer !== undefined,
  );
  const routes = listRoutes(facade, inventory, createReport(app, facade, inventory));
  rehearse(app, routes);
  for (const route of routes) app.handle(...route);
  return inventory;
}

/** Called for each request of an authorization-server document. */
type Report = (ctx: Context) => void;

/** Logs once which endpoints of the documents may not exist: a client that uses such an endpoint gets 404. */
function createReport(app: SecureApp, facade: ParsedFacade, { routes: [first] }: RouteInventory): Report {
  let isReported = false;
  return ({ log }) => {
    if (isReported) return;
    isReported = true;
    if (facade.isRegistrationGuessed) {
      const url = facade.registrationEndpointUrl;
      log.warn('a document names a registration endpoint that is not configured', {
        ...{ event: 'mcp.facade_endpoint', option: 'registrationEndpointUrl', url },
      });
    }
    const path = first?.authorizePattern;
    if (!app.routes().some((route) => route.path === path)) {
      log.warn('a document names an authorization endpoint that the application does not serve', {
        ...{ event: 'mcp.facade_endpoint', option: 'authorizeHandler', path },
      });
    }
  };
}

/** Lists the documents first: an app of another copy of the package rejects their posture before it has registered a route. */
function listRoutes(facade: ParsedFacade, { routes }: RouteInventory, report: Report): readonly Arguments[] {
  const { rootAuthorizationServer: root } = facade;
  return [
    ...(root
      ? [['GET', OAUTH_AUTHORIZATION_SERVER_PATH, rootHandler(facade, root), Public()] satisfies Arguments]
      : []),
    ...routes.flatMap((route) => documentRoutes(facade, route, report)),
    ...routes.flatMap((route) => authorizationRoutes(facade, route)),
    ...routes.flatMap((route) => mcpRoutes(facade, route)),
  ];
}

function documentRoutes(facade: ParsedFacade, route: FacadeRoute, report: Report): readonly Arguments[] {
  const document = authorizationServerHandler(facade, route.kind);
  const authorizationServer: Handler = (ctx) => {
    report(ctx);
    return document(ctx);
  };
  const documents = [
    [route.protectedResourcePattern, protectedResourceHandler(facade, route.kind)],
    [route.discoveryCanonicalPattern, authorizationServer],
    [route.discoverySuffixPattern, authorizationServer],
  ] as const;
  return documents.flatMap(([pattern, handler]) =>
    ['GET', 'HEAD'].map((method) => [method, pattern, handler, Public(), { trailingSlash: true }] satisfies Arguments),
  );
}

function authorizationRoutes(
  { authorizeHandler, tokenHandler }: ParsedFacade,
  route: FacadeRoute,
): readonly Arguments[] {
  if (!authorizeHandler || !tokenHandler) return [];
  const authorize = make(authorizeHandler, 'authorizeHandler', route.kind);
  const token = make(tokenHandler, 'tokenHandler', route.kind);
  return [
    ['GET', route.authorizePattern, authorize, Public()],
    ['POST', route.tokenPattern, token, Public()],
  ];
}

function make(factory: HandlerFactory, name: string, kind: EndpointKind): Handler {
  const handler: unknown = factory(kind);
  if (typeof handler !== 'function') throw facadeError(`option "${name}" must return a function for ${kind}`);
  return ofEndpoint(kind, handler as Handler);
}

function mcpRoutes(facade: ParsedFacade, { kind, mcpPattern }: FacadeRoute): readonly Arguments[] {
  const { posture } = facade;
  const handler = ofEndpoint(kind, mcpHandlerOf(facade, kind));
  const stated = authenticated(posture(kind), kind);
  return MCP_METHODS.map((method) => [method, mcpPattern, handler, stated, { streaming: true, trailingSlash: true }]);
}

/** The handler of the server, with the tools of the endpoint. */
function mcpHandlerOf({ mcpHandler, server, tools }: ParsedFacade, kind: EndpointKind): Handler {
  if (!server || !tools) return mcpHandler;
  return selectingHandler(serverDataIn(server), (ctx) => {
    const principal = ctx.securePrincipal();
    // The posture of the route requires a caller.
    if (principal === null) throw new FrameworkError('app.unauthorized');
    return tools(endpointOfParams(kind, ctx.params), principal);
  });
}

function authenticated(posture: Posture, kind: EndpointKind): Posture {
  const { kind: stated } = (posture ?? {}) as Partial<Posture>;
  if (stated === 'public' || stated === 'optional') {
    throw facadeError(`option "posture" must require authentication: it is ${stated} for ${kind}`);
  }
  return posture;
}

/** The handler, with 404 for paths with invalid identifiers. */
function ofEndpoint(kind: EndpointKind, handler: Handler): Handler {
  return (ctx) => {
    requestedMcpPath(kind, ctx);
    return handler(ctx);
  };
}

/** Registers the routes of the application and of the facade on a temporary container, to find collisions. */
function rehearse(app: SecureApp, routes: readonly Arguments[]): void {
  const trial = new SecureApp({ log: false });
  for (const { surface, method, path } of app.routes()) {
    if (surface === 'http') trial.handle(method, path, () => ({ status: 204 }), Public());
  }
  try {
    for (const route of routes) trial.handle(...route);
  } catch (error) {
    if (!isFrameworkError(error)) throw error;
    throw facadeError(error.message.replace(/^framework: /, ''), error);
  }
}
