import { FrameworkError, type Handler, type MaybePromise, type SecurePrincipal } from '@sallyport/core';
import {
  boolean,
  defineOptions,
  func,
  group,
  INVALID_CONFIGURATION,
  integer,
  kind,
  OptionKind,
  oneOf,
  wrong,
} from '@sallyport/core/options';
import { Authenticated, type Posture } from '@sallyport/secure';
import type { ToolSelection } from '../compose/tool-selection.js';
import { isScope } from '../oauth/internal/scopes.js';
import { endpoint, identifier, origin } from '../oauth/internal/urls.js';
import type { EndpointKind, McpEndpoint } from '../routes/endpoint.js';
import type { McpServer } from '../server/server.js';
import { headerNames, hostnames } from './internal/request-host.js';

/** All documents contain one fixed origin. */
export const URL_MODE_PUBLIC_BASE_URL = 'public_base_url';
/** Each document contains the host of its request, which must be in a list. */
export const URL_MODE_REQUEST_HOST = 'request_host';

/** The source of the origin in documents. */
export type URLMode = typeof URL_MODE_PUBLIC_BASE_URL | typeof URL_MODE_REQUEST_HOST;

/** The capabilities of the authorization server in its documents. */
export interface Capabilities {
  /** Response types. */
  readonly responseTypes: readonly string[];
  /** Grant types. */
  readonly grantTypes: readonly string[];
  /** Methods of client authentication at the token endpoint. */
  readonly tokenEndpointAuthMethods: readonly string[];
  /** Methods of PKCE. */
  readonly codeChallengeMethods: readonly string[];
  /** True if clients can use the URL of a metadata document as their id. Default: not in the documents. */
  readonly clientIdMetadataDocumentSupported?: boolean;
}

/** Creates the handler for one kind of endpoint. It is called once for each kind, at registration. */
export type HandlerFactory = (kind: EndpointKind) => Handler;

/** The tools of an endpoint for a caller; `undefined` for all tools. */
export type FacadeTools = (
  endpoint: McpEndpoint,
  principal: SecurePrincipal,
) => MaybePromise<ToolSelection | undefined>;

/** The document of the upstream authorization server that the facade serves at the root of the origin. */
export interface RootDiscoveryConfig {
  /** The issuer. */
  readonly issuerUrl: string;
  /** The authorization endpoint, where users sign in. */
  readonly authorizationEndpointUrl: string;
  /** The token endpoint. */
  readonly tokenEndpointUrl: string;
  /** The registration endpoint. */
  readonly registrationEndpointUrl: string;
  /** URL of the public keys. */
  readonly jwksUri: string;
  /** Scopes in the document, at least one. */
  readonly scopes: readonly string[];
}

/** Configuration of {@link registerMcpFacade}; an unknown key is rejected. */
export interface FacadeConfig {
  /**
   * Issuer of the tokens: the upstream authorization server, exactly as in its metadata. Only the slash of a bare origin is removed, because
   * issuers are compared as strings (RFC 8414 section 3.3).
   */
  readonly issuerUrl: string;
  /** URL of the public keys. */
  readonly jwksUri: string;
  /** The registration endpoint. Default: the issuer followed by `/register`. */
  readonly registrationEndpointUrl?: string;
  /** The source of the origin in documents; required. */
  readonly urlMode: URLMode;
  /** The public origin, `https://mcp.example.com`; required in the mode `public_base_url`. */
  readonly publicBaseUrl?: string;
  /** Allowed hosts in documents, with the port if it is not 80 or 443; required in the mode `request_host`. */
  readonly allowedHostnames?: readonly string[];
  /** Headers that contain the host; only the first present header is used. Only for the mode `request_host`. Default `host`. */
  readonly hostHeaders?: readonly string[];
  /** Scopes in the documents, by kind of endpoint; at least one each. */
  readonly scopes: Readonly<Record<EndpointKind, readonly string[]>>;
  /** Capabilities of the authorization server in its documents. Default: {@link defaultCapabilities} for each missing member. */
  readonly capabilities?: Partial<Capabilities>;
  /** The handler of the MCP server: `server.handler`. */
  readonly mcpHandler: Handler;
  /** The server of `tools`; required with it. */
  readonly server?: McpServer;
  /**
   * Returns the tools of an endpoint for a caller: names, names that end with `*`, and tags (`{ tag }`); `undefined` for all. It is called
   * for each request; other tools do not exist in it. Requires `server`. Default: all tools of the server.
   */
  readonly tools?: FacadeTools;
  /** The posture of the MCP routes of a kind; `Public` and `Optional` are rejected. Default `Authenticated()`. */
  readonly posture?: (kind: EndpointKind) => Posture;
  /** Creates the authorization endpoint of a kind; requires `tokenHandler`. Default: the facade does not register these routes. */
  readonly authorizeHandler?: HandlerFactory;
  /** Creates the token endpoint of a kind; requires `authorizeHandler`. Default: the facade does not register these routes. */
  readonly tokenHandler?: HandlerFactory;
  /** The authorization-server document at the root of the origin. Default none. */
  readonly rootAuthorizationServer?: RootDiscoveryConfig;
  /** Seconds for which documents may be cached. Only for the mode `public_base_url`. Default: they must not be cached. */
  readonly documentMaxAgeSeconds?: number;
}

/** The capabilities of an authorization server for public clients with PKCE; a fresh copy. */
export function defaultCapabilities(): Capabilities {
  return {
    responseTypes: ['code'],
    grantTypes: ['authorization_code', 'refresh_token'],
    tokenEndpointAuthMethods: ['none'],
    codeChallengeMethods: ['S256'],
  };
}

const SCOPES = 'a non-empty list of scopes, each of visible characters without " and \\';

const scopeSet: OptionKind<readonly string[]> = /* @__PURE__ */ new OptionKind(SCOPES, (value, place) => {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isScope)) throw wrong(place, SCOPES);
  return [...new Set(value as readonly string[])];
});

const WORDS = 'a non-empty list of words';

const words: OptionKind<readonly string[]> = /* @__PURE__ */ new OptionKind(WORDS, (value, place) => {
  const isWord = (word: unknown) => typeof word === 'string' && /^[\x21-\x7e]+$/.test(word);
  if (!Array.isArray(value) || value.length === 0 || !value.every(isWord)) throw wrong(place, WORDS);
  return [...value] as readonly string[];
});

const CAPABILITY_KINDS = {
  responseTypes: words,
  grantTypes: words,
  tokenEndpointAuthMethods: words,
  codeChallengeMethods: words,
  clientIdMetadataDocumentSupported: boolean,
};

/** Validators and defaults for {@link FacadeConfig}. */
export const FACADE_CONFIG = defineOptions<FacadeConfig>()(
  {
    issuerUrl: identifier.required(),
    jwksUri: endpoint.required(),
    registrationEndpointUrl: endpoint,
    urlMode: oneOf(URL_MODE_PUBLIC_BASE_URL, URL_MODE_REQUEST_HOST).required(),
    publicBaseUrl: origin,
    allowedHostnames: hostnames,
    hostHeaders: headerNames,
    scopes: group<FacadeConfig['scopes']>()({
      namespace: scopeSet.required(),
      partner_namespace: scopeSet.required(),
      agent: scopeSet.required(),
      partner_agent: scopeSet.required(),
    }).required(),
    capabilities: group<Partial<Capabilities>>()(CAPABILITY_KINDS),
    mcpHandler: func<Handler>().required(),
    server: kind<McpServer>('made by createMcpServer', (value) => typeof value === 'object' && value !== null),
    tools: func<FacadeTools>(),
    posture: func<NonNullable<FacadeConfig['posture']>>().default(() => Authenticated()),
    authorizeHandler: func<HandlerFactory>(),
    tokenHandler: func<HandlerFactory>(),
    rootAuthorizationServer: group<RootDiscoveryConfig>()({
      issuerUrl: identifier.required(),
      authorizationEndpointUrl: endpoint.required(),
      tokenEndpointUrl: endpoint.required(),
      registrationEndpointUrl: endpoint.required(),
      jwksUri: endpoint.required(),
      scopes: scopeSet.required(),
    }),
    documentMaxAgeSeconds: integer(1, 31_536_000, 'seconds'),
  },
  { fail: facadeError },
);

/** The error for an invalid configuration. */
export function facadeError(problem: string, cause?: unknown): FrameworkError {
  return new FrameworkError(INVALID_CONFIGURATION, `framework: mcp facade: ${problem}`, { cause });
}

type Parsed = ReturnType<(typeof FACADE_CONFIG)['parse']>;

/** The source of the origin in documents, with its settings. */
export type OriginSource =
  | { readonly urlMode: typeof URL_MODE_PUBLIC_BASE_URL; readonly origin: string }
  | {
      readonly urlMode: typeof URL_MODE_REQUEST_HOST;
      readonly allowed: readonly string[];
      readonly headers: readonly string[];
    };

/** A checked configuration with all defaults. */
export interface ParsedFacade extends Omit<Parsed, 'capabilities' | 'registrationEndpointUrl'> {
  readonly registrationEndpointUrl: string;
  /** True if the registration endpoint is derived from the issuer. */
  readonly isRegistrationGuessed: boolean;
  readonly capabilities: Capabilities;
  readonly source: OriginSource;
}

/** @throws FrameworkError `app.invalid_configuration` `framework: mcp facade: <what is wrong>` */
export function parseFacadeConfig(config: FacadeConfig): ParsedFacade {
  const parsed = FACADE_CONFIG.parse(config ?? null);
  if ((parsed.authorizeHandler === undefined) !== (parsed.tokenHandler === undefined)) {
    throw facadeError('options "authorizeHandler" and "tokenHandler" must be given together, or both left out');
  }
  if ((parsed.server === undefined) !== (parsed.tools === undefined)) {
    throw facadeError('options "server" and "tools" must be given together, or both left out');
  }
  return {
    ...parsed,
    registrationEndpointUrl: parsed.registrationEndpointUrl ?? `${parsed.issuerUrl.replace(/\/$/, '')}/register`,
    isRegistrationGuessed: parsed.registrationEndpointUrl === undefined,
    capabilities: withDefaults(parsed.capabilities ?? {}),
    source: sourceOf(parsed),
  };
}

function withDefaults(given: Partial<Capabilities>): Capabilities {
  const defaults = defaultCapabilities();
  return {
    responseTypes: given.responseTypes ?? defaults.responseTypes,
    grantTypes: given.grantTypes ?? defaults.grantTypes,
    tokenEndpointAuthMethods: given.tokenEndpointAuthMethods ?? defaults.tokenEndpointAuthMethods,
    codeChallengeMethods: given.codeChallengeMethods ?? defaults.codeChallengeMethods,
    ...(given.clientIdMetadataDocumentSupported !== undefined && {
      clientIdMetadataDocumentSupported: given.clientIdMetadataDocumentSupported,
    }),
  };
}

/** Rejects options of the other mode, because they would have no effect. */
function sourceOf({
  urlMode,
  publicBaseUrl,
  allowedHostnames,
  hostHeaders,
  documentMaxAgeSeconds,
}: Parsed): OriginSource {
  const needs = (name: string) => facadeError(`option "${name}" is required in the mode ${urlMode}`);
  const foreign =
    urlMode === URL_MODE_PUBLIC_BASE_URL ? { allowedHostnames, hostHeaders } : { publicBaseUrl, documentMaxAgeSeconds };
  for (const [name, value] of Object.entries(foreign)) {
    if (value !== undefined) throw facadeError(`option "${name}" has no effect in the mode ${urlMode}: leave it out`);
  }
  if (urlMode === URL_MODE_PUBLIC_BASE_URL) {
    if (publicBaseUrl === undefined) throw needs('publicBaseUrl');
    return { urlMode, origin: publicBaseUrl };
  }
  if (allowedHostnames === undefined) throw needs('allowedHostnames');
  return { urlMode, allowed: allowedHostnames, headers: hostHeaders ?? ['host'] };
}
