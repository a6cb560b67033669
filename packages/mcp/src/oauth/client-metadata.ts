import { type Clock, systemClock } from '@sallyport/core';
import { isObject } from '@sallyport/core/internal';
import { defineOptions, group, integer, kind, withMethods } from '@sallyport/core/options';
import { own } from '../protocol/internal/json-rpc.js';
import { type Fetched, type FetchRules, fetchPublic, isPublicAddress } from './internal/public-fetch.js';
import { SharedLoads } from './internal/shared-loads.js';
import { parseSecureUrl } from './internal/urls.js';
import { OAuthError } from './oauth-error.js';
import {
  type ClientMetadata,
  type ClientRegistrationPolicy,
  POLICY_KINDS,
  validateClientRegistration,
} from './registration.js';

/** Options of {@link createClientMetadataLoader}; an unknown key is rejected. */
export interface ClientMetadataLoaderOptions {
  /** Policy for accepted clients. Default: any client with safe redirect URIs. */
  readonly policy?: ClientRegistrationPolicy;
  /** Hosts whose documents are fetched, as exact names in lower case. Default: every host with public addresses only. */
  readonly allowedHosts?: readonly string[];
  /** Milliseconds for one fetch, 100 to 10,000. Default 3,000. */
  readonly timeoutMs?: number;
  /** Seconds for which a document is cached in this process. Default 600. */
  readonly cacheSeconds?: number;
  /** The clock for the age of a document. Default: the system's clock. */
  readonly clock?: Clock;
}

/** Validators and defaults for {@link ClientMetadataLoaderOptions}. */
export const CLIENT_METADATA_LOADER_OPTIONS = defineOptions<ClientMetadataLoaderOptions>()({
  policy: group<ClientRegistrationPolicy>()(POLICY_KINDS).default({}),
  allowedHosts: kind<readonly string[]>(
    'a list of host names in lower case',
    (value) => Array.isArray(value) && value.every((host) => typeof host === 'string' && /^[a-z0-9.-]+$/.test(host)),
  ),
  timeoutMs: integer(100, 10_000, 'milliseconds').default(3000),
  cacheSeconds: integer(0, 86_400, 'seconds').default(600),
  clock: withMethods<Clock>('now').default(systemClock),
});

/** A client whose id is the URL of its metadata document. */
export interface DocumentClient extends ClientMetadata {
  /** The URL of the document. */
  readonly client_id: string;
}

/** Finds a client by its id. */
export type ClientMetadataLoader = (clientId: string) => Promise<DocumentClient>;

/** The maximum size that the draft recommends, with a margin. */
const MAX_BYTES = 16_384;

/**
 * Loads clients whose id is the URL of a metadata document (draft-ietf-oauth-client-id-metadata-document), which newer revisions of MCP
 * prefer to registration. Any caller can choose the URL: it is fetched over https only, from a host name whose addresses are all public,
 * without redirects, and with a short time limit. Instances in a private network need a route to the internet.
 *
 * Concurrent loads of one id share one request, and a failed load is not repeated for 30 seconds. Each instance sends at most 10 requests
 * at the same time, 20 a minute to one host name and 100 a minute in all; `allowedHosts` bounds them further.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option; the loader rejects with OAuthError `invalid_client` if the id is
 *   not such a URL, or the document is unavailable or has another `client_id`, and with `temporarily_unavailable` above these bounds
 * @example
 * const loadClient = createClientMetadataLoader();
 * const client = isClientMetadataURL(clientId) ? await loadClient(clientId) : await clients.get(clientId);
 */
export function createClientMetadataLoader(options: ClientMetadataLoaderOptions = {}): ClientMetadataLoader {
  return createLoader(options, { isAllowed: isPublicAddress });
}

/**
 * True if a client id is the URL of a metadata document: `https:` with a host name and a path, without user name, fragment, and `.` or
 * `..` in its path.
 */
export function isClientMetadataURL(clientId: string): boolean {
  return parseClientId(clientId) !== undefined;
}

/** {@link createClientMetadataLoader} with other rules for addresses, for tests. */
export function createLoader(
  options: ClientMetadataLoaderOptions,
  rules: Pick<FetchRules, 'isAllowed' | 'lookup' | 'ca'>,
): ClientMetadataLoader {
  const { policy, allowedHosts, timeoutMs, cacheSeconds, clock } = CLIENT_METADATA_LOADER_OPTIONS.parse(options);
  const loads = new SharedLoads<DocumentClient>(cacheSeconds * 1000, () => clock.now().getTime());
  return async (clientId) => {
    const url = parseClientId(clientId);
    if (!url || (allowedHosts && !allowedHosts.includes(url.hostname))) throw unknownClient();
    return loads.get(clientId, url.hostname, async () =>
      readClient(clientId, await load(url, { ...rules, timeoutMs, maxBytes: MAX_BYTES }), policy),
    );
  };
}

/** Accepts only host names: the parser turns every spelling of an address into digits or brackets. */
function parseClientId(clientId: unknown): URL | undefined {
  const url = parseSecureUrl(clientId, { query: true });
  if (url?.protocol !== 'https:' || url.pathname === '/' || url.hostname.startsWith('[')) return undefined;
  if (!/[a-z]/.test(url.hostname) || !url.hostname.includes('.')) return undefined;
  // The parser has resolved `.` and `..` in every spelling, and normalized the host.
  return url.href === clientId ? url : undefined;
}

async function load(url: URL, rules: FetchRules): Promise<Fetched> {
  try {
    return await fetchPublic(url, rules);
  } catch (cause) {
    throw unknownClient(cause);
  }
}

function readClient(
  clientId: string,
  { status, contentType, body }: Fetched,
  policy: ClientRegistrationPolicy,
): DocumentClient {
  const [type = ''] = contentType.split(';');
  if (status !== 200 || !/^application\/(?:[\w.-]+\+)?json$/i.test(type.trim())) throw unknownClient();
  let document: unknown;
  try {
    document = JSON.parse(body);
  } catch (cause) {
    throw unknownClient(cause);
  }
  if (!isObject(document) || own(document, 'client_id') !== clientId || own(document, 'client_secret') !== undefined) {
    throw unknownClient();
  }
  const client = validateClientRegistration(document, policy);
  // A secret in a public document is not a secret.
  if (client.token_endpoint_auth_method.startsWith('client_secret')) throw unknownClient();
  return { client_id: clientId, ...client };
}

function unknownClient(cause?: unknown): OAuthError {
  return new OAuthError('invalid_client', 'the client is not known', { cause });
}
