import { boolean, defineOptions, invalidOption, kind, type OptionKind, text } from '@sallyport/core/options';
import { OAUTH_PROTECTED_RESOURCE_PATH } from '../routes/paths.js';
import { scopeList } from './internal/scopes.js';
import { endpoint, IDENTIFIER, identifier, identifiers, parseSecureUrl, withoutBareSlash } from './internal/urls.js';

/** Options of {@link createProtectedResourceMetadata}; an unknown key is rejected. */
export interface ProtectedResourceOptions {
  /** The URL of the MCP endpoint, exactly as in clients and tokens: `https://mcp.example.com/mcp`. */
  readonly resource: string;
  /** Issuers of the authorization servers whose tokens are accepted; at least one. */
  readonly authorizationServers: readonly string[];
  /** URL of the public keys of the resource. Default: left out. */
  readonly jwksUri?: string;
  /** Scopes that a client may request. Default: left out. */
  readonly scopesSupported?: readonly string[];
  /** Methods of sending tokens: this framework reads only the header. Default: left out. */
  readonly bearerMethodsSupported?: readonly 'header'[];
  /** Display name of the resource. Default: left out. */
  readonly resourceName?: string;
}

/** A protected-resource document (RFC 9728 section 2). */
export interface ProtectedResourceMetadata {
  /** The value of `aud` in tokens and of `resource` in token requests. */
  readonly resource: string;
  /** Issuers of the authorization servers. */
  readonly authorization_servers: readonly string[];
  /** URL of the resource's public keys. */
  readonly jwks_uri?: string;
  /** Scopes that a client may request. */
  readonly scopes_supported?: readonly string[];
  /** Methods of sending tokens. */
  readonly bearer_methods_supported?: readonly string[];
  /** Display name. */
  readonly resource_name?: string;
}

/** Options of {@link createAuthorizationServerMetadata}; an unknown key is rejected. */
export interface AuthorizationServerOptions {
  /** The issuer, exactly as in the claim `iss` of tokens. The slash of a bare origin is dropped. */
  readonly issuer: string;
  /** URL of the sign-in page. */
  readonly authorizationEndpoint: string;
  /** URL of the token endpoint. */
  readonly tokenEndpoint: string;
  /** URL for client registration (RFC 7591). Default: left out. */
  readonly registrationEndpoint?: string;
  /** URL of the keys that verify tokens. Default: left out. */
  readonly jwksUri?: string;
  /** Response types of the authorization endpoint. Default `code`. */
  readonly responseTypesSupported?: readonly string[];
  /** Grant types of the token endpoint. Default `authorization_code` and `refresh_token`. */
  readonly grantTypesSupported?: readonly string[];
  /** Authentication methods of clients at the token endpoint. Default `none`: public clients with PKCE. */
  readonly tokenEndpointAuthMethodsSupported?: readonly string[];
  /** PKCE methods. Default `S256`. */
  readonly codeChallengeMethodsSupported?: readonly string[];
  /** Scopes that a client may request. Default: left out. */
  readonly scopesSupported?: readonly string[];
  /** True if authorization responses contain `iss` (RFC 9207), as responses of `createAuthorizeResponse` do. Default: left out. */
  readonly authorizationResponseIssParameterSupported?: boolean;
  /** True if clients can use the URL of a metadata document as their id. Default: left out. */
  readonly clientIdMetadataDocumentSupported?: boolean;
}

/** An authorization-server document (RFC 8414 section 2). */
export interface AuthorizationServerMetadata {
  /** The value of `iss` in tokens. */
  readonly issuer: string;
  /** URL of the sign-in page. */
  readonly authorization_endpoint: string;
  /** URL of the token endpoint. */
  readonly token_endpoint: string;
  /** URL for client registration. */
  readonly registration_endpoint?: string;
  /** URL of the keys that verify tokens. */
  readonly jwks_uri?: string;
  /** Response types. */
  readonly response_types_supported: readonly string[];
  /** Grant types. */
  readonly grant_types_supported: readonly string[];
  /** Authentication methods of clients at the token endpoint. */
  readonly token_endpoint_auth_methods_supported: readonly string[];
  /** PKCE methods. */
  readonly code_challenge_methods_supported: readonly string[];
  /** Scopes that a client may request. */
  readonly scopes_supported?: readonly string[];
  /** True if authorization responses contain `iss`. */
  readonly authorization_response_iss_parameter_supported?: boolean;
  /** True if clients can use the URL of a metadata document as their id. */
  readonly client_id_metadata_document_supported?: boolean;
}

const words: OptionKind<readonly string[]> = /* @__PURE__ */ kind(
  'a non-empty list of words',
  (value) =>
    Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string' && /^\S+$/.test(word)),
);

/** Validators of a protected-resource document, without its resource. */
export const RESOURCE_KINDS = {
  authorizationServers: identifiers.required(),
  jwksUri: endpoint,
  scopesSupported: scopeList,
  bearerMethodsSupported: kind<readonly 'header'[]>(
    'the list ["header"]',
    (value) => Array.isArray(value) && value.length === 1 && value[0] === 'header',
  ),
  resourceName: text(),
};

/** Validators and defaults for {@link ProtectedResourceOptions}. */
export const PROTECTED_RESOURCE_OPTIONS = defineOptions<ProtectedResourceOptions>()({
  resource: identifier.required(),
  ...RESOURCE_KINDS,
});

/** Validators and defaults for {@link AuthorizationServerOptions}. */
export const AUTHORIZATION_SERVER_OPTIONS = defineOptions<AuthorizationServerOptions>()({
  issuer: identifier.required(),
  authorizationEndpoint: endpoint.required(),
  tokenEndpoint: endpoint.required(),
  registrationEndpoint: endpoint,
  jwksUri: endpoint,
  responseTypesSupported: words.default(['code']),
  grantTypesSupported: words.default(['authorization_code', 'refresh_token']),
  tokenEndpointAuthMethodsSupported: words.default(['none']),
  codeChallengeMethodsSupported: words.default(['S256']),
  scopesSupported: scopeList,
  authorizationResponseIssParameterSupported: boolean,
  clientIdMetadataDocumentSupported: boolean,
});

/**
 * Creates the document that lists the authorization servers of an MCP server (RFC 9728). Keys that are not configured are left out.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 * @example
 * const document = createProtectedResourceMetadata({
 *   resource: 'https://mcp.example.com/mcp',
 *   authorizationServers: ['https://id.example.com'],
 * });
 */
export function createProtectedResourceMetadata(options: ProtectedResourceOptions): ProtectedResourceMetadata {
  const parsed = PROTECTED_RESOURCE_OPTIONS.parse(options ?? null);
  return document({
    resource: parsed.resource,
    authorization_servers: parsed.authorizationServers,
    jwks_uri: parsed.jwksUri,
    scopes_supported: parsed.scopesSupported,
    bearer_methods_supported: parsed.bearerMethodsSupported,
    resource_name: parsed.resourceName,
  });
}

/**
 * Creates the document that lists the endpoints of an authorization server (RFC 8414). Keys that are not configured are left out.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 * @example
 * const document = createAuthorizationServerMetadata({
 *   issuer: 'https://id.example.com',
 *   authorizationEndpoint: 'https://id.example.com/authorize',
 *   tokenEndpoint: 'https://id.example.com/token',
 * });
 */
export function createAuthorizationServerMetadata(options: AuthorizationServerOptions): AuthorizationServerMetadata {
  const parsed = AUTHORIZATION_SERVER_OPTIONS.parse(options ?? null);
  return document({
    issuer: parsed.issuer,
    authorization_endpoint: parsed.authorizationEndpoint,
    token_endpoint: parsed.tokenEndpoint,
    registration_endpoint: parsed.registrationEndpoint,
    jwks_uri: parsed.jwksUri,
    response_types_supported: parsed.responseTypesSupported,
    grant_types_supported: parsed.grantTypesSupported,
    token_endpoint_auth_methods_supported: parsed.tokenEndpointAuthMethodsSupported,
    code_challenge_methods_supported: parsed.codeChallengeMethodsSupported,
    scopes_supported: parsed.scopesSupported,
    authorization_response_iss_parameter_supported: parsed.authorizationResponseIssParameterSupported,
    client_id_metadata_document_supported: parsed.clientIdMetadataDocumentSupported,
  });
}

/**
 * The URL of a resource's metadata: the well-known path is inserted between its origin and its path (RFC 9728 section 3.1).
 *
 * @throws FrameworkError `app.invalid_configuration` unless it is an absolute https URL without query and fragment
 * @example
 * protectedResourceMetadataURL('https://mcp.example.com/mcp');
 * // 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp'
 */
export function protectedResourceMetadataURL(resource: string): string {
  if (parseSecureUrl(resource) === undefined) throw invalidOption('resource', IDENTIFIER);
  const [, origin = '', path = ''] = /^(https?:\/\/[^/]+)(.*)$/i.exec(withoutBareSlash(resource)) ?? [];
  return origin + OAUTH_PROTECTED_RESOURCE_PATH + path;
}

/** A frozen copy without the members that are `undefined`. */
function document<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): T {
  const copy = JSON.parse(JSON.stringify(members)) as T;
  for (const member of Object.values(copy)) Object.freeze(member);
  return Object.freeze(copy);
}
