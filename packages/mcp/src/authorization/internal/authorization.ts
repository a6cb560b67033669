import type { Context } from '@sallyport/core';
import { invalidOption, type ParsedOptions } from '@sallyport/core/options';
import { Public, type SecurePrincipalResolver } from '@sallyport/secure';
import type { McpDiscovery } from '../../http/mount.js';
import { createSealer } from '../../internal/crypto.js';
import { createBearerGuard } from '../../oauth/bearer.js';
import { type ClientMetadataLoader, createClientMetadataLoader } from '../../oauth/client-metadata.js';
import { createAuthorizationCodeStore } from '../../oauth/codes.js';
import { createMetadataHandler } from '../../oauth/discovery.js';
import { protectedResourceMetadataURL } from '../../oauth/metadata.js';
import { createRefreshTokenStore } from '../../oauth/refresh-tokens.js';
import { normalizeMcpPath } from '../../routes/paths.js';
import { MCP_SIGN_IN_PATHS } from '../../schema.js';
import { type AuthorizationDocuments, authorizationDocuments, resourceOf } from '../documents.js';
import type { AUTHORIZATION_KINDS } from '../options.js';
import { AuthorizeEndpoint } from './authorize-endpoint.js';
import { createClients } from './clients.js';
import { Provider, type ProviderSettings } from './provider.js';
import { SignIns } from './sign-ins.js';
import { createTokenEndpoint } from './token-endpoint.js';

/** Sign-in for one MCP server: the options for its container and for `mountMcp`. */
export interface McpAuthorization {
  /** Options of `SecureApp`: verifies access tokens, and challenges callers without a token. */
  readonly guard: {
    /** The option `principalResolver`. */
    readonly principalResolver: SecurePrincipalResolver;
    /** The option `challenge`. */
    readonly challenge: (ctx: Context) => string;
  };
  /** The option `discovery` of `mountMcp`: the metadata documents, and the endpoints under `/oauth`. */
  readonly discovery: McpDiscovery;
  /** The metadata documents by their path, for the construct `McpAuthorization`. */
  readonly documents: AuthorizationDocuments;
  /** The redirect URI to register at the provider. */
  readonly callbackUrl: string;
}

type Parsed = ParsedOptions<typeof AUTHORIZATION_KINDS>;

/** The options of one provider. `loadClient` replaces the loader of client metadata documents, for tests. */
export interface ProviderOptions
  extends Omit<ProviderSettings, 'fetch' | 'timeoutMs' | 'clientId' | 'clientSecret' | 'callback'> {
  readonly loadClient?: ClientMetadataLoader | undefined;
}

/** Puts the parts of an authorization server in front of a provider. */
export function createAuthorization(options: Parsed, provider: ProviderOptions): McpAuthorization {
  const { publicBaseUrl, scopes, resourceName, registration, clientDocuments } = options;
  const path = normalizeMcpPath(options.path);
  const resource = resourceOf(publicBaseUrl, path);
  const callbackUrl = publicBaseUrl + MCP_SIGN_IN_PATHS.callback;
  const documents = authorizationDocuments({
    publicBaseUrl,
    path,
    scopes,
    registration,
    clientDocuments,
    ...(resourceName !== undefined && { resourceName }),
  });
  const parts = createParts(options, provider, resource, callbackUrl);
  const { principalResolver, challenge } = createBearerGuard({
    validator: parts.upstream.validator,
    resourceMetadataURL: protectedResourceMetadataURL(resource),
    scopeChallenge: true,
  });
  const discovery: McpDiscovery = {
    mount(app, mounted) {
      if (normalizeMcpPath(mounted) !== path) throw invalidOption('path', `the path of the server, "${mounted}"`);
      for (const [at, document] of Object.entries(documents)) {
        const handler = createMetadataHandler(document, { documentMaxAgeSeconds: options.documentMaxAgeSeconds });
        for (const method of ['GET', 'HEAD']) app.handle(method, at, handler, Public(), { trailingSlash: true });
      }
      app.handle('GET', MCP_SIGN_IN_PATHS.authorize, parts.authorize.ask, Public());
      app.handle('POST', MCP_SIGN_IN_PATHS.authorize, parts.authorize.decide, Public());
      app.handle('GET', MCP_SIGN_IN_PATHS.callback, parts.authorize.callback, Public());
      app.handle('POST', MCP_SIGN_IN_PATHS.token, parts.token, Public());
      if (registration) app.handle('POST', MCP_SIGN_IN_PATHS.register, parts.clients.register, Public());
    },
  };
  return { guard: { principalResolver, challenge }, discovery, documents, callbackUrl };
}

function createParts(options: Parsed, provider: ProviderOptions, resource: string, callback: string) {
  const { clientId, clientSecret, clientDocuments, clientHosts, clock, fetch, policy, publicBaseUrl } = options;
  const { scopes, secret, store, timeoutMs, resourceName } = options;
  const { loadClient, ...settings } = provider;
  const sealer = createSealer(secret, resource, () => clock.now().getTime());
  const upstream = new Provider({ ...settings, clientId, clientSecret, callback, fetch, timeoutMs });
  const allowedHosts = clientHosts === undefined ? {} : { allowedHosts: clientHosts };
  const loader =
    loadClient ??
    createClientMetadataLoader({ policy: { ...policy, requirePublicClient: true }, clock, ...allowedHosts });
  const clients = createClients(sealer, policy, clientDocuments ? loader : undefined);
  const refreshTokens = createRefreshTokenStore({ store, clock });
  const codes = createAuthorizationCodeStore({ store, refreshTokens, clock });
  const signIns = new SignIns(store, sealer, clock);
  const name = resourceName ?? new URL(publicBaseUrl).host;
  const shared = { provider: upstream, signIns, codes };
  return {
    upstream,
    clients,
    authorize: new AuthorizeEndpoint({ ...shared, issuer: publicBaseUrl, resource, scopes, name, clients, sealer }),
    token: createTokenEndpoint({ ...shared, refreshTokens, timeoutMs }),
  };
}
