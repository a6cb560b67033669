import type { GroupedConnectionRegistry } from '@sallyport/connections';
import type { Context } from '@sallyport/core';
import { MCP_PATH, type McpDiscovery } from '@sallyport/mcp';
import {
  createBearerGuard,
  jwtBearerValidator,
  mcpDiscovery,
  protectedResourceMetadataURL,
} from '@sallyport/mcp/oauth';
import { firstPrincipal, type SecureOptions } from '@sallyport/secure';
import { type ConnectionPrincipal, connectionPrincipal } from '@sallyport/secure/authorizers';
import { jwtPrincipalResolver, type KeyFetch } from '@sallyport/secure/jwt';

export interface AuthConfig {
  /** The authorization server. */
  readonly issuer: string;
  /** Audience of the tokens of users and their applications. */
  readonly audience: string;
  readonly jwksUri: string;
  /** The public origin, `https://notes.example.com`. The audience of agents' tokens is its `/mcp`. */
  readonly publicUrl: string;
  /** Fetches the issuer's keys; the platform's `fetch` by default. */
  readonly fetch?: KeyFetch;
}

/** Open WebSocket connections, with their principals and watched notes. All instances share it. */
export type Connections = GroupedConnectionRegistry<ConnectionPrincipal>;

/** Scopes that an agent may request. */
const SCOPES = ['notes:read', 'notes:write'];

export interface Auth extends Required<Pick<SecureOptions, 'principalResolver' | 'challenge'>> {
  /** The OAuth metadata documents of the MCP endpoint. */
  readonly discovery: McpDiscovery;
}

/**
 * Callers authenticate with a JWT, on a WebSocket at `$connect` only. The MCP endpoint and the agent gateway have separate tokens: these are not
 * valid for other routes, and other tokens are not valid for the MCP endpoint.
 */
export function createAuth({ issuer, audience, jwksUri, publicUrl, fetch }: AuthConfig, store: Connections): Auth {
  const keys = { issuer, jwksUri, ...(fetch ? { fetch } : {}) };
  const jwt = jwtPrincipalResolver({ ...keys, audience: [audience] });
  const people = firstPrincipal(connectionPrincipal({ store, connect: jwt, ttlSeconds: 7200 }), jwt);
  const resource = publicUrl + MCP_PATH;
  const agents = createBearerGuard({
    validator: jwtBearerValidator({ ...keys, audience: [resource] }),
    resourceMetadataURL: protectedResourceMetadataURL(resource),
  });
  return {
    principalResolver: (ctx) => (isAgent(ctx) ? agents.principalResolver(ctx) : people(ctx)),
    challenge: (ctx) => (isAgent(ctx) ? agents.challenge(ctx) : 'Bearer'),
    discovery: mcpDiscovery({ publicBaseUrl: publicUrl, authorizationServers: [issuer], scopesSupported: SCOPES }),
  };
}

/** Determined by the matched route, or by the invoking gateway, not by the content of a request. */
function isAgent({ route, invocationProvenance }: Context): boolean {
  return invocationProvenance === 'agent' || (route?.surface === 'http' && route.pattern === MCP_PATH);
}
