import type { McpDiscovery } from '@sallyport/mcp';
import {
  type BearerGuard,
  createBearerGuard,
  jwtBearerValidator,
  mcpDiscovery,
  protectedResourceMetadataURL,
} from '@sallyport/mcp/oauth';

type Environment = Readonly<Record<string, string | undefined>>;

/** How clients of the MCP server get a token, and how it is checked. */
export interface SignIn extends BearerGuard {
  /** The document that says who gives out tokens (RFC 9728). It holds no secret: everybody may read it. */
  readonly discovery: McpDiscovery;
}

/**
 * Nothing until an issuer and an audience are configured.
 *
 * @param environment `JWT_ISSUER`; `JWT_AUDIENCE`, which is the address of the server as clients have it: `https://<host>/mcp`;
 * `JWT_JWKS_URI` where the keys stand elsewhere
 */
export function createSignIn(environment: Environment): SignIn | undefined {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: resource, JWT_JWKS_URI } = environment;
  if (!issuer || !resource) return undefined;
  const jwksUri = JWT_JWKS_URI ?? `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`;
  const guard = createBearerGuard({
    validator: jwtBearerValidator({ issuer, jwksUri, audience: [resource] }),
    resourceMetadataURL: protectedResourceMetadataURL(resource),
  });
  const discovery = mcpDiscovery({
    publicBaseUrl: new URL(resource).origin,
    authorizationServers: [issuer],
    scopesSupported: ['mcp', 'recipes:read'],
  });
  return { ...guard, discovery };
}
