import { invalidOption } from '@sallyport/core/options';
import { parseSecureUrl, withoutBareSlash } from '../oauth/internal/urls.js';
import { ENDPOINT_KINDS, patternOf } from '../routes/endpoint.js';
import { MCP_PATH, protectedResourcePathFor } from '../routes/paths.js';
import { encodedMcpPath } from './internal/endpoint.js';

/** A matched route: its pattern, and its decoded path parameters. */
interface MatchedRoute {
  readonly pattern: string;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * A function that returns the URL of the MCP endpoint of a route, the audience of its tokens: for the option `audience` of
 * `jwtBearerValidator`, or `requiredAudience` of a bearer guard. It supports the four patterns of a facade and `/mcp`.
 *
 * @param publicBaseUrl the public origin
 * @returns a function of the matched route that returns `undefined` for other routes and for invalid identifiers
 * @throws FrameworkError `app.invalid_configuration` if it is not an origin
 * @example createBearerGuard({ validator, requiredAudience: mcpResourceURL('https://mcp.example.com') });
 */
export function mcpResourceURL(publicBaseUrl: string): (route: MatchedRoute) => string | undefined {
  return urlOf(publicBaseUrl, (path) => path);
}

/**
 * A function that returns the URL of the protected-resource document of a route: for the option `resourceMetadataURLFunc` of a bearer
 * guard. It supports the four patterns of a facade and `/mcp`.
 *
 * @param publicBaseUrl the public origin
 * @returns a function of the matched route that returns `undefined` for other routes and for invalid identifiers
 * @throws FrameworkError `app.invalid_configuration` if it is not an origin
 * @example createBearerGuard({ validator, resourceMetadataURLFunc: mcpResourceMetadataURL('https://mcp.example.com') });
 */
export function mcpResourceMetadataURL(publicBaseUrl: string): (route: MatchedRoute) => string | undefined {
  return urlOf(publicBaseUrl, protectedResourcePathFor);
}

function urlOf(publicBaseUrl: string, derive: (mcpPath: string) => string) {
  if (parseSecureUrl(publicBaseUrl, { path: false }) === undefined) {
    throw invalidOption('publicBaseUrl', 'an https origin, such as https://mcp.example.com');
  }
  const origin = withoutBareSlash(publicBaseUrl);
  return ({ pattern, params }: MatchedRoute): string | undefined => {
    const path = mcpPathOf(pattern, params);
    return path === undefined ? undefined : origin + derive(path);
  };
}

function mcpPathOf(pattern: string, params: Readonly<Record<string, string>>): string | undefined {
  if (pattern === MCP_PATH) return MCP_PATH;
  const kind = ENDPOINT_KINDS.find((one) => patternOf(one) === pattern);
  return kind && encodedMcpPath(kind, params);
}
