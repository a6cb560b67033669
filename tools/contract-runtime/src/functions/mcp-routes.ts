import * as routes from '@sallyport/mcp/routes';
import { renameKeys, toCamel, toSnake } from '../casing.js';

type Args = Readonly<Record<string, unknown>>;

/** The version, paths and parameter names. */
export function constants(): object {
  return {
    contract_version: routes.MCP_ROUTE_CONTRACT_VERSION,
    mcp_path: routes.MCP_PATH,
    oauth_protected_resource_path: routes.OAUTH_PROTECTED_RESOURCE_PATH,
    oauth_protected_resource_mcp_path: routes.OAUTH_PROTECTED_RESOURCE_MCP_PATH,
    oauth_authorization_server_path: routes.OAUTH_AUTHORIZATION_SERVER_PATH,
    oauth_authorization_server_mcp_path: routes.OAUTH_AUTHORIZATION_SERVER_MCP_PATH,
    param_client_namespace: routes.PARAM_CLIENT_NAMESPACE,
    param_partner_id: routes.PARAM_PARTNER_ID,
    param_agent_id: routes.PARAM_AGENT_ID,
    endpoint_kinds: [...routes.ENDPOINT_KINDS],
  };
}

/** `{ "paths": [ … ] }`: the normal form of each. */
export function normalize({ paths }: Args): readonly string[] {
  return (paths as string[]).map(routes.normalizeMcpPath);
}

/** `{ "resource_paths": [ … ] }`: what is derived of each. */
export function derive({ resource_paths }: Args): readonly object[] {
  return (resource_paths as string[]).map(derivedPaths);
}

function derivedPaths(path: string): object {
  return {
    protected_resource: routes.protectedResourcePathFor(path),
    authorization_server: routes.authorizationServerPathFor(path),
    authorization_server_suffix: routes.authorizationServerSuffixPathFor(path),
    authorize: routes.authorizePathFor(path),
    token: routes.tokenPathFor(path),
  };
}

/** `{ "protected_resource_paths": [ … ] }`: the resource path of each, or the code of its error. */
export function resourcePaths({ protected_resource_paths }: Args): readonly unknown[] {
  return (protected_resource_paths as string[]).map((path) =>
    outcomeOf(() => routes.resourcePathFromProtectedResourcePath(path)),
  );
}

/** `{ "paths": [ … ] }`: the endpoint of each, or the code of its error. */
export function parse({ paths }: Args): readonly unknown[] {
  return (paths as string[]).map((path) => outcomeOf(() => renameKeys(routes.parseMcpPath(path), toSnake)));
}

/** `{ "endpoints": [ … ] }`: all paths of each, or the code of its error. */
export function build({ endpoints }: Args): readonly unknown[] {
  return (endpoints as object[]).map((given) => {
    const endpoint = renameKeys(given, toCamel) as routes.McpEndpoint;
    return outcomeOf(() => {
      const mcp = routes.mcpPathFor(endpoint);
      return { mcp, ...derivedPaths(mcp) };
    });
  });
}

/** The three lists of templates. */
export function templates(): unknown {
  const lists = {
    endpoints: routes.supportedEndpointTemplates(),
    oauthFacade: routes.supportedOAuthFacadeTemplates(),
    oauthDiscovery: routes.supportedOAuthDiscoveryTemplates(),
  };
  return renameKeys(lists, toSnake);
}

function outcomeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return { code: (error as { code?: unknown }).code };
  }
}
