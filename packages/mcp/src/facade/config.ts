import { FrameworkError, type Handler } from '@sallyport/core';
import {
  defineOptions,
  func,
  group,
  INVALID_CONFIGURATION,
  integer,
  OptionKind,
  oneOf,
  wrong,
} from '@sallyport/core/options';
import { Authenticated, type Posture } from '@sallyport/secure';
import { isScope } from '../oauth/internal/scopes.js';
import { endpoint, IDENTIFIER, origin, parseSecureUrl } from '../oauth/internal/urls.js';
import type { EndpointKind } from '../routes/endpoint.js';
import { headerNames, hostnames } from './internal/request-host.js';

/** All documents name one fixed origin. */
export const URL_MODE_PUBLIC_BASE_URL = 'public_base_url';
/** Each document names the host of its request, if it is in a list. */
export const URL_MODE_REQUEST_HOST = 'request_host';

/** Where the origin in documents comes from. */
export type URLMode = typeof URL_MODE_PUBLIC_BASE_URL | typeof URL_MODE_REQUEST_HOST;

/** What the authorization server can do, as its documents say it. */
export interface Capabilities {
  /** Response types. */
  readonly responseTypes: readonly string[];
  /** Grant types. */
  readonly grantTypes: readonly string[];
  /** How clients prove themselves at the token endpoint. */
  readonly tokenEndpointAuthMethods: readonly string[];
  /** Methods of PKCE. */
  readonly codeChallengeMethods: readonly string[];
}

/** Makes the handler of one kind of endpoint. It is called once a kind, at registration. */
export type HandlerFactory = (kind: EndpointKind) => Handler;

/** The document of the upstream authorization server at the root of the origin. */
export interface RootDiscoveryConfig {
  /** The issuer. */
  readonly issuerUrl: string;
  /** Where people sign in. */
  readonly authorizationEndpointUrl: string;
  /** Where clients get tokens. */
  readonly tokenEndpointUrl: string;
  /** Where clients register. */
  readonly registrationEndpointUrl: string;
  /** Keys of tokens. */
  readonly jwksUri: string;
  /** Scopes that a client may ask for, one or more. */
  readonly scopes: readonly string[];
}

/** What {@link registerMcpFacade} serves; an unknown key is refused. */
export interface FacadeConfig {
  /** Issuer of the tokens: the upstream authorization server. A slash at its end is dropped. */
  readonly issuerUrl: string;
  /** Keys of tokens. */
  readonly jwksUri: string;
  /** Where clients register. Default: the issuer and `/register`. */
  readonly registrationEndpointUrl?: string;
  /** Where the origin in documents comes from; required. */
  readonly urlMode: URLMode;
  /** The origin that clients know, `https://mcp.example.com`; required in the mode `public_base_url`. */
  readonly publicBaseUrl?: string;
  /** Hosts that documents may name, with their port where it is neither 80 nor 443; required in the mode `request_host`. */
  readonly allowedHostnames?: readonly string[];
  /** Headers that name the host, in this order; the first that a request has decides. Mode `request_host`. Default `host`. */
  readonly hostHeaders?: readonly string[];
  /** Scopes that a client may ask for, by kind of endpoint; one or more each. */
  readonly scopes: Readonly<Record<EndpointKind, readonly string[]>>;
  /** What the authorization server can do. Default, member by member: what {@link defaultCapabilities} returns. */
  readonly capabilities?: Partial<Capabilities>;
  /** Serves MCP: `server.handler`. */
  readonly mcpHandler: Handler;
  /** Who may call the MCP routes of a kind; `Public` and `Optional` are refused. Default `Authenticated()`. */
  readonly posture?: (kind: EndpointKind) => Posture;
  /** Makes the authorization endpoint of a kind; only together with `tokenHandler`. Default: the routes are the application's. */
  readonly authorizeHandler?: HandlerFactory;
  /** Makes the token endpoint of a kind; only together with `authorizeHandler`. Default: the routes are the application's. */
  readonly tokenHandler?: HandlerFactory;
  /** The upstream document at the root of the origin. Default none. */
  readonly rootAuthorizationServer?: RootDiscoveryConfig;
  /** Seconds for which anybody may keep a document; mode `public_base_url`. Default: nobody may. */
  readonly documentMaxAgeSeconds?: number;
}

/** What an authorization server of public clients with PKCE can do; a fresh copy. */
export function defaultCapabilities(): Capabilities {
  return {
    responseTypes: ['code'],
    grantTypes: ['authorization_code', 'refresh_token'],
    tokenEndpointAuthMethods: ['none'],
    codeChallengeMethods: ['S256'],
  };
}

const SCOPES = 'a list of one or more scopes, each of visible characters without " and \\';

const scopeSet: OptionKind<readonly string[]> = /* @__PURE__ */ new OptionKind(SCOPES, (value, place) => {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isScope)) throw wrong(place, SCOPES);
  return [...new Set(value as readonly string[])];
});

const WORDS = 'a list of one or more words';

const words: OptionKind<readonly string[]> = /* @__PURE__ */ new OptionKind(WORDS, (value, place) => {
  const isWord = (word: unknown) => typeof word === 'string' && /^[\x21-\x7e]+$/.test(word);
  if (!Array.isArray(value) || value.length === 0 || !value.every(isWord)) throw wrong(place, WORDS);
  return [...value] as readonly string[];
});

const issuer: OptionKind<string> = /* @__PURE__ */ new OptionKind(IDENTIFIER, (value, place) => {
  if (parseSecureUrl(value) === undefined) throw wrong(place, IDENTIFIER);
  return (value as string).replace(/\/$/, '');
});

const CAPABILITY_KINDS = {
  responseTypes: words,
  grantTypes: words,
  tokenEndpointAuthMethods: words,
  codeChallengeMethods: words,
};

/** What {@link FacadeConfig} may be, each member for itself. */
export const FACADE_CONFIG = defineOptions<FacadeConfig>()(
  {
    issuerUrl: issuer.required(),
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
    posture: func<NonNullable<FacadeConfig['posture']>>().default(() => Authenticated()),
    authorizeHandler: func<HandlerFactory>(),
    tokenHandler: func<HandlerFactory>(),
    rootAuthorizationServer: group<RootDiscoveryConfig>()({
      issuerUrl: issuer.required(),
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

/** A refused configuration. */
export function facadeError(problem: string, cause?: unknown): FrameworkError {
  return new FrameworkError(
    INVALID_CONFIGURATION,
    `framework: mcp facade: ${problem}`,
    cause === undefined ? {} : { cause },
  );
}

type Parsed = ReturnType<(typeof FACADE_CONFIG)['parse']>;

/** Where the origin in documents comes from, with what it needs. */
export type OriginSource =
  | { readonly urlMode: typeof URL_MODE_PUBLIC_BASE_URL; readonly origin: string }
  | {
      readonly urlMode: typeof URL_MODE_REQUEST_HOST;
      readonly allowed: readonly string[];
      readonly headers: readonly string[];
    };

/** A configuration that was checked, with every default in its place. */
export interface ParsedFacade extends Omit<Parsed, 'capabilities' | 'registrationEndpointUrl'> {
  readonly registrationEndpointUrl: string;
  readonly capabilities: Capabilities;
  readonly source: OriginSource;
}

/** @throws FrameworkError `app.invalid_configuration` `framework: mcp facade: <what is wrong>` */
export function parseFacadeConfig(config: FacadeConfig): ParsedFacade {
  const parsed = FACADE_CONFIG.parse(config ?? null);
  if ((parsed.authorizeHandler === undefined) !== (parsed.tokenHandler === undefined)) {
    throw facadeError('options "authorizeHandler" and "tokenHandler" must be given together, or neither');
  }
  return {
    ...parsed,
    registrationEndpointUrl: parsed.registrationEndpointUrl ?? `${parsed.issuerUrl}/register`,
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
  };
}

/** What belongs to the other mode is refused: it would have no effect. */
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
