import { boolean, defineOptions, invalidOption, kind, text } from '@sallyport/core/options';
import { scopeList } from '../oauth/internal/scopes.js';
import { origin } from '../oauth/internal/urls.js';
import {
  type AuthorizationServerMetadata,
  createAuthorizationServerMetadata,
  createProtectedResourceMetadata,
  type ProtectedResourceMetadata,
} from '../oauth/metadata.js';
import {
  MCP_PATH,
  normalizeMcpPath,
  OAUTH_AUTHORIZATION_SERVER_PATH,
  OAUTH_PROTECTED_RESOURCE_PATH,
  protectedResourcePathFor,
} from '../routes/paths.js';
import { MCP_SIGN_IN_PATHS } from '../schema.js';

/** The part of the sign-in options that clients can see; an unknown key is rejected. */
export interface AuthorizationDocumentsOptions {
  /** The public origin of the server, which is also the issuer that clients see: `https://mcp.example.com`; required. */
  readonly publicBaseUrl: string;
  /** Path of the MCP server, as in `mountMcp`. Default `/mcp`. */
  readonly path?: string;
  /** Scopes that a client may request; required. */
  readonly scopes: readonly string[];
  /** Display name of the server, also on the consent page. Default: the host of `publicBaseUrl`. */
  readonly resourceName?: string;
  /** True if clients may register (RFC 7591). Default `true`. */
  readonly registration?: boolean;
  /** True if clients can use the URL of a metadata document as their id. Default `true`. */
  readonly clientDocuments?: boolean;
}

/** Validators and defaults for {@link AuthorizationDocumentsOptions}. */
export const DOCUMENTS_KINDS = {
  publicBaseUrl: origin.required(),
  path: kind<string>('a path without parameters that begins with /', isFixedPath).default(MCP_PATH),
  scopes: scopeList.required(),
  resourceName: text(),
  registration: boolean.default(true),
  clientDocuments: boolean.default(true),
};

/** Validators and defaults for {@link AuthorizationDocumentsOptions}. */
export const AUTHORIZATION_DOCUMENTS_OPTIONS = defineOptions<AuthorizationDocumentsOptions>()(DOCUMENTS_KINDS);

/** Metadata documents by their path. */
export type AuthorizationDocuments = Readonly<Record<string, ProtectedResourceMetadata | AuthorizationServerMetadata>>;

/**
 * The metadata documents of a server with {@link cognitoAuthorization} or {@link oidcAuthorization}, by their path. The function serves the
 * same bytes; the construct `McpAuthorization` serves them without an invocation.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 * @example
 * const documents = authorizationDocuments({ publicBaseUrl: 'https://mcp.example.com', scopes: ['notes:read'] });
 */
export function authorizationDocuments(options: AuthorizationDocumentsOptions): AuthorizationDocuments {
  const parsed = AUTHORIZATION_DOCUMENTS_OPTIONS.parse(options ?? null);
  const { publicBaseUrl, scopes, resourceName, registration, clientDocuments } = parsed;
  const path = normalizeMcpPath(parsed.path);
  if (scopes.length === 0) throw invalidOption('scopes', 'at least one scope');
  const resource = createProtectedResourceMetadata({
    resource: resourceOf(publicBaseUrl, path),
    authorizationServers: [publicBaseUrl],
    scopesSupported: scopes,
    bearerMethodsSupported: ['header'],
    ...(resourceName !== undefined && { resourceName }),
  });
  const server = createAuthorizationServerMetadata({
    issuer: publicBaseUrl,
    authorizationEndpoint: publicBaseUrl + MCP_SIGN_IN_PATHS.authorize,
    tokenEndpoint: publicBaseUrl + MCP_SIGN_IN_PATHS.token,
    ...(registration && { registrationEndpoint: publicBaseUrl + MCP_SIGN_IN_PATHS.register }),
    scopesSupported: scopes,
    authorizationResponseIssParameterSupported: true,
    clientIdMetadataDocumentSupported: clientDocuments,
  });
  return Object.freeze({
    [OAUTH_PROTECTED_RESOURCE_PATH]: resource,
    [protectedResourcePathFor(path)]: resource,
    [OAUTH_AUTHORIZATION_SERVER_PATH]: server,
  });
}

/** The URL of the MCP endpoint: the `resource` of requests and the audience of tokens. */
export function resourceOf(publicBaseUrl: string, path: string): string {
  const normal = normalizeMcpPath(path);
  return publicBaseUrl + (normal === '/' ? '' : normal);
}

function isFixedPath(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('/') && !/[{}?#\s]|\/:/.test(value);
}
