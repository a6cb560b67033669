import { boolean, defineOptions, group, kind } from '@sallyport/core/options';
import type { ClientMetadataLoader } from '../oauth/client-metadata.js';
import { splitScopes } from '../oauth/internal/scopes.js';
import { origin } from '../oauth/internal/urls.js';
import { jwtBearerValidator } from '../oauth/jwt-validator.js';
import { resourceOf } from './documents.js';
import { createAuthorization, type McpAuthorization } from './internal/authorization.js';
import { withTimeLimit } from './internal/provider-request.js';
import { AUTHORIZATION_KINDS, type AuthorizationOptions } from './options.js';

/** A user pool of Amazon Cognito. */
export interface CognitoUserPool {
  /** The id of the pool: `eu-central-1_a1B2c3D4e`; required. */
  readonly id: string;
  /** The origin of its domain: `https://notes.auth.eu-central-1.amazoncognito.com`, or a custom domain; required. */
  readonly domain: string;
  /**
   * True if the pool binds tokens to the parameter `resource`, which needs managed login and the feature plan Essentials or Plus. With
   * false, access tokens must be issued to the app client `clientId`, so this app client must be for this server alone. Default `true`.
   *
   * @see https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-define-resource-servers.html#cognito-user-pools-resource-binding
   */
  readonly resourceBinding?: boolean;
  /**
   * The identifier of the pool's resource server, which Cognito puts before each custom scope: with `notes`, the scope `read` of this server is
   * `notes/read` at Cognito. Default: scopes have the same name at Cognito.
   */
  readonly resourceServer?: string;
}

const POOL_ID = /^([a-z]{2}(?:-[a-z]+)+-\d)_[0-9A-Za-z]+$/;
/** https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateResourceServer.html */
const RESOURCE_SERVER = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;

const USER_POOL_KINDS = {
  id: kind<string>('the id of a user pool, such as eu-central-1_a1B2c3D4e', (value) =>
    POOL_ID.test(String(value)),
  ).required(),
  domain: origin.required(),
  resourceBinding: boolean.default(true),
  resourceServer: kind<string>('the identifier of a resource server', (value) => RESOURCE_SERVER.test(String(value))),
};

/** Options of {@link cognitoAuthorization}; an unknown key is rejected. */
export interface CognitoAuthorizationOptions extends AuthorizationOptions {
  /** The user pool; required. */
  readonly userPool: CognitoUserPool;
}

/** Validators and defaults for {@link CognitoUserPool}. */
export const COGNITO_USER_POOL = defineOptions<CognitoUserPool>()(USER_POOL_KINDS);

/** Validators and defaults for {@link CognitoAuthorizationOptions}. */
export const COGNITO_AUTHORIZATION_OPTIONS = defineOptions<CognitoAuthorizationOptions>()({
  ...AUTHORIZATION_KINDS,
  userPool: group<CognitoUserPool>()(USER_POOL_KINDS).required(),
});

/**
 * Sign-in with Amazon Cognito, which has neither dynamic client registration nor client metadata documents. MCP clients register here, the
 * user agrees to each client and signs in at the user pool, and the client receives an access token of the pool for this server alone.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option, by name
 * @example
 * const signIn = cognitoAuthorization({
 *   userPool: { id: 'eu-central-1_a1B2c3D4e', domain: 'https://auth.example.com' },
 *   clientId: '1example23456789', publicBaseUrl: 'https://mcp.example.com',
 *   scopes: ['notes:read'], store: dynamoMcpStore(), secret: secretFromArn(),
 * });
 * const app = new SecureApp(signIn.guard);
 * mountMcp(app, server, { posture: Authenticated('notes:read'), discovery: signIn.discovery });
 */
export function cognitoAuthorization(options: CognitoAuthorizationOptions): McpAuthorization {
  return createCognitoAuthorization(options);
}

/** {@link cognitoAuthorization} with another loader of client metadata documents, for tests. */
export function createCognitoAuthorization(
  options: CognitoAuthorizationOptions,
  loadClient?: ClientMetadataLoader,
): McpAuthorization {
  const { userPool, ...common } = COGNITO_AUTHORIZATION_OPTIONS.parse(options ?? null);
  // Parsed again, because the group has the type of its input, in which defaults are optional.
  const { id, domain, resourceBinding, resourceServer } = COGNITO_USER_POOL.parse(userPool);
  const { publicBaseUrl, path, clientId, fetch, timeoutMs, providerScopes } = common;
  const resource = resourceOf(publicBaseUrl, path);
  const issuer = issuerOf(id);
  const prefix = resourceServer === undefined ? '' : `${resourceServer}/`;
  // The claims of an access token: `scope` as one string, `token_use`, `client_id`, and `aud` only with resource binding
  // (https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html).
  const validator = jwtBearerValidator({
    issuer,
    jwksUri: `${issuer}/.well-known/jwks.json`,
    audience: resourceBinding ? [resource] : [clientId],
    audienceClaim: resourceBinding ? 'aud' : 'client_id',
    tokenUse: 'access',
    algorithms: ['RS256'],
    scopes: ({ scope }) => splitScopes(typeof scope === 'string' ? scope : '').map((one) => withoutPrefix(one, prefix)),
    fetch: withTimeLimit({ fetch, timeoutMs }),
  });
  const endpoints = {
    authorizationEndpoint: `${domain}/oauth2/authorize`,
    tokenEndpoint: `${domain}/oauth2/token`,
    // Secrets contain `+`, and Cognito documents no encoding for them in the header.
    secretInBody: true,
    sendsIssuer: false,
    validator,
  };
  return createAuthorization(common, {
    issuer,
    binding: resourceBinding ? { resource } : {},
    scopes: providerScopes ?? [],
    toProviderScope: (scope) => prefix + scope,
    endpoints: async () => endpoints,
    loadClient,
  });
}

/** The region is the first part of the id; the regions of China have their own domain. */
function issuerOf(id: string): string {
  const region = POOL_ID.exec(id)?.[1] ?? '';
  return `https://cognito-idp.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}/${id}`;
}

function withoutPrefix(scope: string, prefix: string): string {
  return scope.startsWith(prefix) ? scope.slice(prefix.length) : scope;
}
