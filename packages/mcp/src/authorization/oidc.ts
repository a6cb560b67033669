import { defineOptions, kind, text } from '@sallyport/core/options';
import type { ClientMetadataLoader } from '../oauth/client-metadata.js';
import { parseSecureUrl } from '../oauth/internal/urls.js';
import { jwtBearerValidator } from '../oauth/jwt-validator.js';
import { resourceOf } from './documents.js';
import { createAuthorization, type McpAuthorization } from './internal/authorization.js';
import { createProviderDiscovery } from './internal/discovery.js';
import { withTimeLimit } from './internal/provider-request.js';
import { AUTHORIZATION_KINDS, type AuthorizationOptions } from './options.js';

/** Options of {@link oidcAuthorization}; an unknown key is rejected. */
export interface OidcAuthorizationOptions extends AuthorizationOptions {
  /**
   * The issuer, exactly as in its metadata, with a slash at its end if it has one there: `https://id.example.com`; required. The metadata is
   * loaded from `/.well-known/openid-configuration` below it.
   */
  readonly issuer: string;
  /**
   * The audience that the provider has for this server, if it does not bind tokens to `resource` (RFC 8707). It is sent as the parameter
   * `audience`, and access tokens must have it. Default: `resource` is sent, and access tokens must have the URL of the MCP server as `aud`.
   */
  readonly audience?: string;
}

/** Validators and defaults for {@link OidcAuthorizationOptions}. */
export const OIDC_AUTHORIZATION_OPTIONS = defineOptions<OidcAuthorizationOptions>()({
  ...AUTHORIZATION_KINDS,
  issuer: kind<string>(
    'an absolute https URL without user name, query and fragment',
    (value) => parseSecureUrl(value) !== undefined,
  ).required(),
  audience: text(),
});

/**
 * Sign-in with an OpenID provider that has neither dynamic client registration nor client metadata documents. MCP clients register here, the
 * user agrees to each client and signs in at the provider, and the client receives an access token of the provider for this server alone.
 *
 * Access tokens must be JSON Web Tokens. They are verified before a client receives them: a provider that binds a token to another
 * audience fails with the log line `mcp.identity_provider_failed`.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option, by name
 * @example
 * const signIn = oidcAuthorization({
 *   issuer: 'https://id.example.com', clientId: 'mcp', publicBaseUrl: 'https://mcp.example.com',
 *   scopes: ['notes:read'], store: dynamoMcpStore(), secret: secretFromArn(),
 * });
 * const app = new SecureApp(signIn.guard);
 * mountMcp(app, server, { posture: Authenticated('notes:read'), discovery: signIn.discovery });
 */
export function oidcAuthorization(options: OidcAuthorizationOptions): McpAuthorization {
  return createOidcAuthorization(options);
}

/** {@link oidcAuthorization} with another loader of client metadata documents, for tests. */
export function createOidcAuthorization(
  options: OidcAuthorizationOptions,
  loadClient?: ClientMetadataLoader,
): McpAuthorization {
  const { issuer, audience, ...common } = OIDC_AUTHORIZATION_OPTIONS.parse(options ?? null);
  const { clock, fetch, publicBaseUrl, path, timeoutMs, providerScopes } = common;
  const resource = resourceOf(publicBaseUrl, path);
  const keyFetch = withTimeLimit({ fetch, timeoutMs });
  const endpoints = createProviderDiscovery(
    issuer,
    { fetch, timeoutMs },
    () => clock.now().getTime(),
    (metadata) => ({
      ...metadata,
      validator: jwtBearerValidator({
        issuer,
        jwksUri: metadata.jwksUri,
        audience: [audience ?? resource],
        fetch: keyFetch,
      }),
    }),
  );
  return createAuthorization(common, {
    issuer,
    binding: audience === undefined ? { resource } : { audience },
    scopes: providerScopes ?? ['openid'],
    toProviderScope: (scope) => scope,
    endpoints,
    loadClient,
  });
}
