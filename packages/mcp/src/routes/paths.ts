import { assertText, routeError, trimBlanks } from './internal/text.js';

/**
 * Paths of MCP servers and of the OAuth documents about them. Shared with infrastructure code: imports nothing.
 *
 * The location of metadata: RFC 9728 section 3.1 for a protected resource, RFC 8414 section 3.1 for an authorization server.
 */

/** Version of these paths, patterns and rules; the same in every runtime of the framework. */
export const MCP_ROUTE_CONTRACT_VERSION = 'm17.mcp-route-algebra/v1';

/** The path of a single MCP server, and the default of `mountMcp`. */
export const MCP_PATH = '/mcp';
/** Path of the protected-resource document of an origin, and the prefix of all others. */
export const OAUTH_PROTECTED_RESOURCE_PATH = '/.well-known/oauth-protected-resource';
/** Path of the protected-resource document of {@link MCP_PATH}. */
export const OAUTH_PROTECTED_RESOURCE_MCP_PATH = '/.well-known/oauth-protected-resource/mcp';
/** Path of the authorization-server document of an origin, and the prefix of all others. */
export const OAUTH_AUTHORIZATION_SERVER_PATH = '/.well-known/oauth-authorization-server';
/** Path of the authorization-server document of {@link MCP_PATH}. */
export const OAUTH_AUTHORIZATION_SERVER_MCP_PATH = '/.well-known/oauth-authorization-server/mcp';

/** Route parameter of the client's namespace. */
export const PARAM_CLIENT_NAMESPACE = 'client_namespace';
/** Route parameter of the partner. */
export const PARAM_PARTNER_ID = 'partner_id';
/** Route parameter of the agent. */
export const PARAM_AGENT_ID = 'agent_id';

/**
 * The normal form of a path: trimmed, with one leading `/`, without repeated and trailing `/`, and with `.` and `..` resolved. `..` at
 * the root is dropped. Nothing is decoded, and case is not changed.
 *
 * @throws TypeError with the code `mcp.invalid_route` for a value that is not a string
 * @example normalizeMcpPath('//acme/./old/../mcp/'); // '/acme/mcp'
 */
export function normalizeMcpPath(path: string): string {
  assertText(path, 'a path');
  const kept: string[] = [];
  for (const segment of trimBlanks(path).split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

/** The normal form for concatenation: the root is an empty string. */
function partOf(resourcePath: string): string {
  const path = normalizeMcpPath(resourcePath);
  return path === '/' ? '' : path;
}

/**
 * Path of the metadata document of a protected resource.
 *
 * @throws TypeError with the code `mcp.invalid_route` for a value that is not a string
 * @example protectedResourcePathFor('/acme/mcp'); // '/.well-known/oauth-protected-resource/acme/mcp'
 */
export function protectedResourcePathFor(resourcePath: string): string {
  return OAUTH_PROTECTED_RESOURCE_PATH + partOf(resourcePath);
}

/**
 * Path of the authorization-server document of a resource, in the canonical form: the well-known part first.
 *
 * @throws TypeError with the code `mcp.invalid_route` for a value that is not a string
 */
export function authorizationServerPathFor(resourcePath: string): string {
  return OAUTH_AUTHORIZATION_SERVER_PATH + partOf(resourcePath);
}

/**
 * Path of the authorization-server document of a resource, in the suffix form, which some clients try: the well-known part last.
 *
 * @throws TypeError with the code `mcp.invalid_route` for a value that is not a string
 */
export function authorizationServerSuffixPathFor(resourcePath: string): string {
  return partOf(resourcePath) + OAUTH_AUTHORIZATION_SERVER_PATH;
}

/**
 * Path of the authorization endpoint of a resource.
 *
 * @throws TypeError with the code `mcp.invalid_route` for a value that is not a string
 */
export function authorizePathFor(resourcePath: string): string {
  return `${authorizationServerPathFor(resourcePath)}/authorize`;
}

/**
 * Path of the token endpoint of a resource.
 *
 * @throws TypeError with the code `mcp.invalid_route` for a value that is not a string
 */
export function tokenPathFor(resourcePath: string): string {
  return `${authorizationServerPathFor(resourcePath)}/token`;
}

/**
 * The inverse of {@link protectedResourcePathFor}: the path of the resource; `/` for the prefix alone.
 *
 * @throws TypeError with the code `mcp.invalid_route` for a path that does not begin with the prefix
 * @example resourcePathFromProtectedResourcePath('/.well-known/oauth-protected-resource/mcp'); // '/mcp'
 */
export function resourcePathFromProtectedResourcePath(path: string): string {
  const normal = normalizeMcpPath(path);
  if (normal === OAUTH_PROTECTED_RESOURCE_PATH) return '/';
  if (normal.startsWith(`${OAUTH_PROTECTED_RESOURCE_PATH}/`)) return normal.slice(OAUTH_PROTECTED_RESOURCE_PATH.length);
  throw routeError(`a path of protected-resource metadata begins with ${OAUTH_PROTECTED_RESOURCE_PATH}`);
}
