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
  /** Audience of the tokens of people and their applications. */
  readonly audience: string;
  readonly jwksUri: string;
  /** The origin that clients know, `https://notes.example.com`. Tokens of agents are for its `/mcp` and for nothing else. */
  readonly publicUrl: string;
  /** Fetches the issuer's keys; the platform's `fetch` by default. */
  readonly fetch?: KeyFetch;
}

/** Open WebSocket connections, who opened them, and what they watch. All instances share it. */
export type Connections = GroupedConnectionRegistry<ConnectionPrincipal>;

/** What an agent may ask for. */
const SCOPES = ['notes:read', 'notes:write'];

export interface Auth extends Required<Pick<SecureOptions, 'principalResolver' | 'challenge'>> {
  /** The documents by which an agent that knows only a URL finds out where to sign in. */
  readonly discovery: McpDiscovery;
}

/**
 * Callers show a JWT; over a WebSocket they show it once, at `$connect`. Agents show one of their own, which was issued for the MCP
 * endpoint: a token that reaches one of them opens nothing else, and no other token opens the MCP endpoint.
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

/** The route decides, never what a request says of itself. */
function isAgent({ route }: Context): boolean {
  return route?.surface === 'http' && route.pattern === MCP_PATH;
}
