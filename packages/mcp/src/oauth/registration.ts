import type { Context, Handler, MaybePromise } from '@sallyport/core';
import { isObject } from '@sallyport/core/internal';
import { boolean, defineOptions, func, group, list, string } from '@sallyport/core/options';
import { randomText } from '../internal/crypto.js';
import { own } from '../protocol/internal/json-rpc.js';
import type { JsonObject } from '../protocol/types.js';
import { jsonAnswer } from './internal/answers.js';
import { isRedirectUri } from './internal/redirect-uri.js';
import { isScope } from './internal/scopes.js';
import { isShownText } from './internal/shown-text.js';
import { parseSecureUrl } from './internal/urls.js';
import { OAuthError, toErrorAnswer } from './oauth-error.js';

/** Rules for the clients that may register; an unknown key is rejected. */
export interface ClientRegistrationPolicy {
  /** Allowed redirect URIs, as exact strings. Default: any `https:` URI, and `http:` on loopback. */
  readonly allowedRedirectUris?: readonly string[];
  /** True if clients must not have a secret (`token_endpoint_auth_method: none`). Default `false`. */
  readonly requirePublicClient?: boolean;
  /** True if `grant_types` must contain `refresh_token` when a client sends it. Default `false`. */
  readonly requireRefreshToken?: boolean;
}

/** Validators for the members of a policy. */
export const POLICY_KINDS = {
  allowedRedirectUris: list(string, 'a list of URIs'),
  requirePublicClient: boolean.default(false),
  requireRefreshToken: boolean.default(false),
};

/** Validators and defaults for {@link ClientRegistrationPolicy}. */
export const REGISTRATION_POLICY = defineOptions<ClientRegistrationPolicy>()(POLICY_KINDS);

/** The policy for Claude's hosted clients: their two redirect URIs, no secret, refresh tokens. */
export const CLAUDE_REGISTRATION_POLICY: ClientRegistrationPolicy = /* @__PURE__ */ Object.freeze({
  allowedRedirectUris: /* @__PURE__ */ Object.freeze([
    'https://claude.ai/api/mcp/auth_callback',
    'https://claude.com/api/mcp/auth_callback',
  ]),
  requirePublicClient: true,
  requireRefreshToken: true,
});

/** Stored metadata of a client (RFC 7591 section 2). Members that are not listed here are never stored. */
export interface ClientMetadata {
  /** Redirect URIs for authorization responses: 1 to 10. */
  readonly redirect_uris: readonly string[];
  /** Authentication method of the client at the token endpoint; `none` for public clients. */
  readonly token_endpoint_auth_method: string;
  /** Grants that the client uses: `authorization_code`, and `refresh_token`. Others are not stored. */
  readonly grant_types: readonly string[];
  /** Response types that the client uses. */
  readonly response_types: readonly string[];
  /** `web` or `native`. */
  readonly application_type?: string;
  /**
   * Display name, at most 256 characters without control and direction characters. It may contain markup, and any client can use any
   * name: a consent page must escape it, and show the host of the redirect URI with it.
   */
  readonly client_name?: string;
  /** Page about the client. */
  readonly client_uri?: string;
  /** Logo of the client. */
  readonly logo_uri?: string;
  /** Terms of service. */
  readonly tos_uri?: string;
  /** Privacy policy. */
  readonly policy_uri?: string;
  /** Scopes that the client may request, separated by spaces. */
  readonly scope?: string;
  /** URL of the client's keys. */
  readonly jwks_uri?: string;
  /** Name of the software. */
  readonly software_id?: string;
  /** Version of the software. */
  readonly software_version?: string;
}

/** A client that has registered. */
export interface RegisteredClient extends ClientMetadata {
  /** Identifies the client in requests. */
  readonly client_id: string;
  /** Seconds since the epoch. */
  readonly client_id_issued_at: number;
}

const MAX_REDIRECT_URIS = 10;
const MAX_TEXT = 2048;
const AUTH_METHODS: readonly string[] = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'];
/** The grants of the token endpoint. */
const GRANT_TYPES: readonly string[] = ['authorization_code', 'refresh_token'];
const URI_MEMBERS = ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri', 'jwks_uri'] as const;
const TEXT_MEMBERS = ['client_name', 'software_id', 'software_version'] as const;

/**
 * Validates the metadata that a client sends, and returns the supported members.
 *
 * @throws OAuthError `invalid_redirect_uri` or `invalid_client_metadata`
 * @throws FrameworkError `app.invalid_configuration` for a wrong policy
 * @example validateClientRegistration(ctx.bodyJson(), CLAUDE_REGISTRATION_POLICY);
 */
export function validateClientRegistration(request: unknown, policy: ClientRegistrationPolicy = {}): ClientMetadata {
  const { allowedRedirectUris, requirePublicClient, requireRefreshToken } = REGISTRATION_POLICY.parse(policy);
  if (!isObject(request)) throw invalid('the registration must be a JSON object');
  const isNative = applicationType(own(request, 'application_type')) === 'native';
  const grants = requireRefreshToken ? ['authorization_code', 'refresh_token'] : ['authorization_code'];
  return {
    redirect_uris: redirectUris(own(request, 'redirect_uris'), isNative, allowedRedirectUris),
    token_endpoint_auth_method: authMethod(own(request, 'token_endpoint_auth_method'), requirePublicClient),
    grant_types: supported(request, 'grant_types', grants, GRANT_TYPES),
    response_types: supported(request, 'response_types', ['code'], ['code']),
    ...(own(request, 'application_type') !== undefined && { application_type: isNative ? 'native' : 'web' }),
    ...scopeMember(own(request, 'scope')),
    ...members(request, TEXT_MEMBERS, isShownText),
    ...members(
      request,
      URI_MEMBERS,
      (value) => isShortText(value) && parseSecureUrl(value, { query: true }) !== undefined,
    ),
  };
}

function redirectUris(value: unknown, isNative: boolean, allowed: readonly string[] | undefined): readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_REDIRECT_URIS) {
    throw new OAuthError('invalid_redirect_uri', `redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS} URIs`);
  }
  return value.map((uri: unknown) => {
    const isAllowed = isRedirectUri(uri, isNative) && (allowed === undefined || allowed.includes(uri));
    if (!isAllowed) throw new OAuthError('invalid_redirect_uri', 'a redirect URI is not allowed');
    return uri;
  });
}

function applicationType(value: unknown): string {
  if (value === undefined) return 'web';
  if (value !== 'web' && value !== 'native') throw invalid('application_type must be "web" or "native"');
  return value;
}

function authMethod(value: unknown, mustBePublic: boolean): string {
  const method = value ?? 'none';
  if (mustBePublic && method !== 'none') throw invalid('token_endpoint_auth_method must be "none"');
  if (typeof method !== 'string' || !AUTH_METHODS.includes(method))
    throw invalid('token_endpoint_auth_method is not supported');
  return method;
}

/**
 * The values of a list that this server supports; all `required` values must be among them. If the client sends no list, the required
 * values. Other values are left out: a server may replace requested values, or answer `invalid_client_metadata` (RFC 7591 sections 2, 3.2.2).
 */
function supported(
  request: JsonObject,
  name: string,
  required: readonly string[],
  known: readonly string[],
): readonly string[] {
  const value = own(request, name);
  if (value === undefined) return required;
  const isList = Array.isArray(value) && value.length <= MAX_REDIRECT_URIS && value.every(isShortText);
  if (!isList || !required.every((word) => value.includes(word)))
    throw invalid(`${name} must have ${required.join(' and ')}`);
  return known.filter((word) => value.includes(word));
}

function scopeMember(value: unknown): { readonly scope?: string } {
  if (value === undefined) return {};
  const isScopes = isShortText(value) && value.split(' ').every((scope) => scope === '' || isScope(scope));
  if (!isScopes) throw invalid('scope must be scopes separated by spaces');
  return { scope: value };
}

function members<N extends string>(
  request: JsonObject,
  names: readonly N[],
  isRight: (value: unknown) => boolean,
): { readonly [K in N]?: string } {
  const found: { [K in N]?: string } = {};
  for (const name of names) {
    const value = own(request, name);
    if (value === undefined) continue;
    if (!isRight(value)) throw invalid(`${name} is not valid`);
    found[name] = value as string;
  }
  return found;
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT;
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description);
}

/** Result of `save` of {@link createRegistrationHandler} for a client with a secret. */
export interface ClientSecret {
  /** The secret. It is sent to the client once; store only its hash. */
  readonly clientSecret: string;
  /** Expiry of the secret. Default never. */
  readonly expiresAt?: Date;
}

/** Options of {@link createRegistrationHandler}; an unknown key is rejected. */
export interface RegistrationHandlerOptions {
  /** Rules for the clients that may register. Default: public and confidential clients, with any safe redirect URI. */
  readonly policy?: ClientRegistrationPolicy;
  /**
   * Stores the client; required. Returns the secret of a confidential client. A client whose method requires a secret
   * (`client_secret_basic`, `client_secret_post`) is rejected if `save` returns no secret.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a function without a result keeps a public client.
  readonly save: (client: RegisteredClient, ctx: Context) => MaybePromise<ClientSecret | undefined | void>;
}

/** Validators and defaults for {@link RegistrationHandlerOptions}. */
export const REGISTRATION_HANDLER_OPTIONS = defineOptions<RegistrationHandlerOptions>()({
  policy: group<ClientRegistrationPolicy>()(POLICY_KINDS).default({}),
  save: func<RegistrationHandlerOptions['save']>().required(),
});

/** Authentication methods that require a secret. */
const NEEDS_SECRET: readonly string[] = ['client_secret_basic', 'client_secret_post'];
const MAX_BODY_BYTES = 65_536;
const CLIENT_ID_BYTES = 16;

/**
 * Creates a handler of dynamic client registration (RFC 7591), POST with JSON: 201 with the client, or 400 with an error. Any caller may
 * register: put a rate limit before it. Newer revisions of MCP prefer client ids that are URLs; see {@link createClientMetadataLoader}.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 * @example
 * app.post('/register', createRegistrationHandler({ policy: CLAUDE_REGISTRATION_POLICY, save: (client) => clients.put(client) }), Public());
 */
export function createRegistrationHandler(options: RegistrationHandlerOptions): Handler {
  const { policy, save } = REGISTRATION_HANDLER_OPTIONS.parse(options ?? null);
  return serveRegistration(policy, async (metadata, ctx) => {
    const client = { client_id: randomText(CLIENT_ID_BYTES), client_id_issued_at: issuedAt(ctx), ...metadata };
    const secret = await save(client, ctx);
    if (!secret && NEEDS_SECRET.includes(client.token_endpoint_auth_method)) {
      return invalid('token_endpoint_auth_method is not supported: this server issues no client secrets');
    }
    return { ...client, ...(secret && secretMembers(secret)) };
  });
}

/** The current time in seconds since the epoch. */
export function issuedAt(ctx: Context): number {
  return Math.floor(ctx.now().getTime() / 1000);
}

/** The handler of registrations: `register` returns the members of the answer, or the error. */
export function serveRegistration(
  policy: ClientRegistrationPolicy,
  register: (metadata: ClientMetadata, ctx: Context) => MaybePromise<object | OAuthError>,
): Handler {
  return async (ctx) => {
    const metadata = readRegistration(ctx, policy);
    if (metadata instanceof OAuthError) return toErrorAnswer(metadata);
    const client = await register(metadata, ctx);
    if (client instanceof OAuthError) return toErrorAnswer(client);
    return jsonAnswer(JSON.stringify(client), { status: 201, secret: true });
  };
}

function readRegistration(ctx: Context, policy: ClientRegistrationPolicy): ClientMetadata | OAuthError {
  try {
    if (ctx.bodyText().length > MAX_BODY_BYTES) return invalid('the registration is too large');
    return validateClientRegistration(parseBody(ctx), policy);
  } catch (error) {
    if (error instanceof OAuthError) return error;
    throw error;
  }
}

function parseBody(ctx: Context): unknown {
  try {
    return ctx.bodyJson();
  } catch (cause) {
    throw new OAuthError('invalid_client_metadata', 'the registration must be a JSON object', { cause });
  }
}

function secretMembers({ clientSecret, expiresAt }: ClientSecret): object {
  const seconds = expiresAt === undefined ? 0 : Math.floor(expiresAt.getTime() / 1000);
  return { client_secret: clientSecret, client_secret_expires_at: seconds };
}
