import { boolean, defineOptions, invalidOption, kind, type OptionKind, text } from '@sallyport/core/options';
import { OAUTH_PROTECTED_RESOURCE_PATH } from '../routes/paths.js';
import { scopeList } from './internal/scopes.js';
import { endpoint, IDENTIFIER, identifier, identifiers, parseSecureUrl, withoutBareSlash } from './internal/urls.js';

/** Options of {@link createProtectedResourceMetadata}; an unknown key is rejected. */
export interface ProtectedResourceOptions {
  /** The URL of the MCP endpoint, as clients and tokens name it: `https://mcp.example.com/mcp`. */
  readonly resource: string;
  /** Issuers of the authorization servers whose tokens are taken, one or more. */
  readonly authorizationServers: readonly string[];
  /** Where the resource publishes keys of its own. Default: left out. */
  readonly jwksUri?: string;
  /** Scopes that a client may ask for. Default: left out. */
  readonly scopesSupported?: readonly string[];
  /** How tokens may be sent: this framework reads the header only. Default: left out, which says nothing. */
  readonly bearerMethodsSupported?: readonly 'header'[];
  /** Name of the resource for people. Default: left out. */
  readonly resourceName?: string;
}

/** A protected-resource document (RFC 9728 section 2). */
export interface ProtectedResourceMetadata {
  /** What `aud` of a token and `resource` of a request for one must be. */
  readonly resource: string;
  /** Issuers. */
  readonly authorization_servers: readonly string[];
  /** Keys of the resource. */
  readonly jwks_uri?: string;
  /** Scopes that a client may ask for. */
  readonly scopes_supported?: readonly string[];
  /** How tokens may be sent. */
  readonly bearer_methods_supported?: readonly string[];
  /** Name for people. */
  readonly resource_name?: string;
}

/** Options of {@link createAuthorizationServerMetadata}; an unknown key is rejected. */
export interface AuthorizationServerOptions {
  /** The issuer, as tokens name it in `iss`. The slash of a bare origin is dropped. */
  readonly issuer: string;
  /** Where people sign in. */
  readonly authorizationEndpoint: string;
  /** Where clients get tokens. */
  readonly tokenEndpoint: string;
  /** Where clients register (RFC 7591). Default: left out. */
  readonly registrationEndpoint?: string;
  /** Where the keys are that tokens are verified with. Default: left out. */
  readonly jwksUri?: string;
  /** Response types of the authorization endpoint. Default `code`. */
  readonly responseTypesSupported?: readonly string[];
  /** Grant types of the token endpoint. Default `authorization_code` and `refresh_token`. */
  readonly grantTypesSupported?: readonly string[];
  /** How clients prove themselves at the token endpoint. Default `none`: public clients with PKCE. */
  readonly tokenEndpointAuthMethodsSupported?: readonly string[];
  /** Methods of PKCE. Default `S256`. */
  readonly codeChallengeMethodsSupported?: readonly string[];
  /** Scopes that a client may ask for. Default: left out. */
  readonly scopesSupported?: readonly string[];
  /** True if authorization responses carry `iss` (RFC 9207), as those of `createAuthorizeResponse` do. Default: left out. */
  readonly authorizationResponseIssParameterSupported?: boolean;
  /** True if a client id may be the URL of a metadata document. Default: left out. */
  readonly clientIdMetadataDocumentSupported?: boolean;
}

/** An authorization-server document (RFC 8414 section 2). */
export interface AuthorizationServerMetadata {
  /** What `iss` of a token must be. */
  readonly issuer: string;
  /** Where people sign in. */
  readonly authorization_endpoint: string;
  /** Where clients get tokens. */
  readonly token_endpoint: string;
  /** Where clients register. */
  readonly registration_endpoint?: string;
  /** Keys of tokens. */
  readonly jwks_uri?: string;
  /** Response types. */
  readonly response_types_supported: readonly string[];
  /** Grant types. */
  readonly grant_types_supported: readonly string[];
  /** How clients prove themselves at the token endpoint. */
  readonly token_endpoint_auth_methods_supported: readonly string[];
  /** Methods of PKCE. */
  readonly code_challenge_methods_supported: readonly string[];
  /** Scopes that a client may ask for. */
  readonly scopes_supported?: readonly string[];
  /** True if authorization responses carry `iss`. */
  readonly authorization_response_iss_parameter_supported?: boolean;
  /** True if a client id may be the URL of a metadata document. */
  readonly client_id_metadata_document_supported?: boolean;
}

const words: OptionKind<readonly string[]> = /* @__PURE__ */ kind(
  'a list of one or more words',
  (value) =>
    Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string' && /^\S+$/.test(word)),
);

/** What a protected-resource document says besides its resource. */
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
 * The document by which clients find the authorization servers of an MCP server (RFC 9728). Keys that are not configured are left out.
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
 * The document by which clients find the endpoints of an authorization server (RFC 8414). Keys that are not configured are left out.
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
 * Where the metadata of a resource is: the well-known path stands between its origin and its path (RFC 9728 section 3.1).
 *
 * @throws FrameworkError `app.invalid_configuration` for anything but an absolute https URL without query and fragment
 * @example
 * protectedResourceMetadataURL('https://mcp.example.com/mcp');
 * // 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp'
 */
export function protectedResourceMetadataURL(resource: string): string {
  if (parseSecureUrl(resource) === undefined) throw invalidOption('resource', IDENTIFIER);
  const [, origin = '', path = ''] = /^(https?:\/\/[^/]+)(.*)$/i.exec(withoutBareSlash(resource)) ?? [];
  return origin + OAUTH_PROTECTED_RESOURCE_PATH + path;
}

/** A copy that nobody can change, without the members that are `undefined`. */
function document<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): T {
  const copy = JSON.parse(JSON.stringify(members)) as T;
  for (const member of Object.values(copy)) Object.freeze(member);
  return Object.freeze(copy);
}
