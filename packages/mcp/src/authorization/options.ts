import { type Clock, type MaybePromise, systemClock } from '@sallyport/core';
import { func, group, integer, kind, parsed, text, withMethods } from '@sallyport/core/options';
import { isScope } from '../oauth/internal/scopes.js';
import { type ClientRegistrationPolicy, POLICY_KINDS } from '../oauth/registration.js';
import { type McpSecret, parseSecret } from '../server/options.js';
import type { McpStore } from '../store/store.js';
import { type AuthorizationDocumentsOptions, DOCUMENTS_KINDS } from './documents.js';

/** Sends a request to the identity provider; given `redirect: 'manual'` and a signal, which it must pass on. */
export type ProviderFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options that all identity providers have in common; an unknown key is rejected. */
export interface AuthorizationOptions extends AuthorizationDocumentsOptions {
  /**
   * The client that you created at the provider for this server alone; required. Its redirect URI is `publicBaseUrl` followed by
   * `/oauth/callback`.
   */
  readonly clientId: string;
  /** The secret of that client, or a function that loads it. Default: a public client. */
  readonly clientSecret?: string | (() => MaybePromise<string>);
  /** Store of pending sign-ins, codes and refresh tokens: `memoryMcpStore()` or `dynamoMcpStore()`; required. */
  readonly store: McpStore;
  /**
   * Keys of at least 32 bytes, or a function that loads them, such as `secretFromArn()`; required. They encrypt the provider's tokens, and
   * the ids of registered clients.
   */
  readonly secret: McpSecret | (() => MaybePromise<McpSecret>);
  /** Scopes that are requested from the provider in addition to the scopes of the client. Default: `openid`; for Cognito an empty list. */
  readonly providerScopes?: readonly string[];
  /** Rules for clients, registered or with a metadata document. Default: public clients with any safe redirect URI. */
  readonly policy?: ClientRegistrationPolicy;
  /** Hosts whose client metadata documents are accepted, in lower case. Default: every public host. */
  readonly clientHosts?: readonly string[];
  /** Milliseconds for one request to the provider, 100 to 20,000. Default 5,000. */
  readonly timeoutMs?: number;
  /** Seconds for which clients and caches may keep the documents. Default 3,600. */
  readonly documentMaxAgeSeconds?: number;
  /** Sends requests to the provider instead of the platform's `fetch`: for a proxy, or a private certificate. */
  readonly fetch?: ProviderFetch;
  /** The clock for expiry; the same as the clock of the store. Default: the system's clock. */
  readonly clock?: Clock;
}

const platformFetch: ProviderFetch = (url, init) => fetch(url, init);

/** Validators and defaults for {@link AuthorizationOptions}. */
export const AUTHORIZATION_KINDS = {
  ...DOCUMENTS_KINDS,
  clientId: text().required(),
  clientSecret: kind<NonNullable<AuthorizationOptions['clientSecret']>>(
    'a string that is not blank, or a function',
    (value) => typeof value === 'function' || (typeof value === 'string' && value.trim() !== ''),
  ),
  store: withMethods<McpStore>('get', 'put', 'take', 'list').required(),
  secret: parsed<AuthorizationOptions['secret']>('keys of at least 32 bytes, or a function', (value) => {
    if (typeof value !== 'function') parseSecret(value as McpSecret);
    return value as McpSecret;
  }).required(),
  providerScopes: kind<readonly string[]>(
    'a list of scopes, each of visible characters without " and \\',
    (value) => Array.isArray(value) && value.every(isScope),
  ),
  policy: group<ClientRegistrationPolicy>()(POLICY_KINDS).default({}),
  clientHosts: kind<readonly string[]>(
    'a list of host names in lower case',
    (value) => Array.isArray(value) && value.every((host) => typeof host === 'string' && /^[a-z0-9.-]+$/.test(host)),
  ),
  timeoutMs: integer(100, 20_000, 'milliseconds').default(5000),
  documentMaxAgeSeconds: integer(1, 31_536_000, 'seconds').default(3600),
  fetch: func<ProviderFetch>().default(platformFetch),
  clock: withMethods<Clock>('now').default(systemClock),
};
