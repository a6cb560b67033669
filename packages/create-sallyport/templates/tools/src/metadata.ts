import { type Context, FrameworkError } from '@sallyport/core';
import { json } from '@sallyport/http';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where clients of the MCP server ask who gives them a token (RFC 9728, section 3.1). */
export const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';

/**
 * Answers who gives out tokens for the MCP server. It holds no secret: everybody may read it.
 *
 * @param environment `JWT_ISSUER`; `JWT_AUDIENCE`, which is the address of the server as clients have it: `https://<host>/mcp`
 */
export function describeResource({ JWT_ISSUER: issuer, JWT_AUDIENCE: resource }: Environment) {
  return () => {
    if (!issuer || !resource) throw new FrameworkError('app.not_found', 'no issuer is configured');
    return json(200, {
      resource,
      authorization_servers: [issuer],
      scopes_supported: ['recipes:read'],
      bearer_methods_supported: ['header'],
    });
  };
}

/** The header `www-authenticate` of a 401 of the MCP server (RFC 9728, section 5.1); other routes keep their own. */
export function createChallenge({ JWT_AUDIENCE: resource }: Environment) {
  const metadata = resource && URL.canParse(resource) ? new URL(METADATA_PATH, resource).href : undefined;
  return (ctx: Context) =>
    metadata !== undefined && ctx.request.path === '/mcp' ? `Bearer resource_metadata="${metadata}"` : undefined;
}
