import type { McpDiscovery } from '@sallyport/mcp';
import {
  type BearerGuard,
  createBearerGuard,
  jwtBearerValidator,
  mcpDiscovery,
  protectedResourceMetadataURL,
} from '@sallyport/mcp/oauth';

type Environment = Readonly<Record<string, string | undefined>>;

/** The sign-in of MCP clients: the metadata document, and the check of tokens. */
export interface SignIn extends BearerGuard {
  /** The metadata document with the issuer of tokens (RFC 9728). It is public and contains no secret. */
  readonly discovery: McpDiscovery;
}

/**
 * Returns `undefined` until an issuer and an audience are configured.
 *
 * @param environment `JWT_ISSUER`; `JWT_AUDIENCE`, which is the public address of the server: `https://<host>/mcp`;
 * `JWT_JWKS_URI` if the keys have another address
 */
export function createSignIn(environment: Environment): SignIn | undefined {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: resource, JWT_JWKS_URI } = environment;
  if (!issuer || !resource) return undefined;
  const jwksUri = JWT_JWKS_URI || `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`;
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
