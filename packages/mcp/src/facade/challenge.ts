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
 * The URL of the MCP endpoint that a route serves, which its tokens are for: the option `requiredAudience` of a bearer guard. It knows
 * the four patterns of a facade and `/mcp`.
 *
 * @param publicBaseUrl the origin that clients know
 * @returns a function of the matched route; `undefined` for any other route, and for parameters that are no identifiers
 * @throws FrameworkError `app.invalid_configuration` for anything but an origin
 * @example createBearerGuard({ validator, requiredAudience: mcpResourceURL('https://mcp.example.com') });
 */
export function mcpResourceURL(publicBaseUrl: string): (route: MatchedRoute) => string | undefined {
  return urlOf(publicBaseUrl, (path) => path);
}

/**
 * The URL of the protected-resource document of the MCP endpoint that a route serves: the option `resourceMetadataURLFunc` of a bearer
 * guard. It knows the four patterns of a facade and `/mcp`.
 *
 * @param publicBaseUrl the origin that clients know
 * @returns a function of the matched route; `undefined` for any other route, and for parameters that are no identifiers
 * @throws FrameworkError `app.invalid_configuration` for anything but an origin
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
