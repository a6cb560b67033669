import { parseSecureUrl } from '../../oauth/internal/urls.js';
import { ProviderFailure } from './provider-error.js';
import { type RequestLimits, requestProvider } from './provider-request.js';

/** The used part of a provider's metadata (OpenID Connect Discovery 1.0 section 3, RFC 8414 section 2). */
export interface ProviderMetadata {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly jwksUri: string;
  readonly secretInBody: boolean;
  readonly sendsIssuer: boolean;
}

const MAX_AGE_MS = 600_000;
/** After a failure the next load is delayed, so that a provider that is down receives few requests. */
const COOLDOWN_MS = 5_000;

/**
 * Loads the metadata of an issuer at first use and keeps it for ten minutes. Concurrent callers share one request. A set that is out of date
 * remains in use if it cannot be loaded again.
 *
 * @returns a function that rejects with ProviderFailure
 */
export function createProviderDiscovery<T>(
  issuer: string,
  limits: RequestLimits,
  now: () => number,
  toValue: (metadata: ProviderMetadata) => T,
): () => Promise<T> {
  let known: { readonly value: T; readonly at: number } | undefined;
  let failed: { readonly failure: unknown; readonly at: number } | undefined;
  let loading: Promise<T> | undefined;
  const isWithin = (ms: number, at: number) => Math.abs(now() - at) < ms;
  const load = async () => {
    try {
      const value = toValue(await loadMetadata(issuer, limits));
      known = { value, at: now() };
      return value;
    } catch (failure) {
      failed = { failure, at: now() };
      if (known) return known.value;
      throw failure;
    } finally {
      loading = undefined;
    }
  };
  return async () => {
    if (known && isWithin(MAX_AGE_MS, known.at)) return known.value;
    if (failed && isWithin(COOLDOWN_MS, failed.at)) {
      if (known) return known.value;
      throw failed.failure;
    }
    loading ??= load();
    return loading;
  };
}

async function loadMetadata(issuer: string, limits: RequestLimits): Promise<ProviderMetadata> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { status, members } = await requestProvider(url, { headers: { accept: 'application/json' } }, limits);
  if (status !== 200) throw new ProviderFailure('metadata', `the metadata has status ${status}`);
  // RFC 8414 section 3.3: otherwise another issuer could take over the sign-in.
  if (members.issuer !== issuer) throw new ProviderFailure('issuer', 'the metadata names another issuer');
  const methods = members.token_endpoint_auth_methods_supported;
  return {
    authorizationEndpoint: endpoint(members.authorization_endpoint, 'authorization_endpoint'),
    tokenEndpoint: endpoint(members.token_endpoint, 'token_endpoint'),
    jwksUri: endpoint(members.jwks_uri, 'jwks_uri'),
    secretInBody:
      Array.isArray(methods) && !methods.includes('client_secret_basic') && methods.includes('client_secret_post'),
    sendsIssuer: members.authorization_response_iss_parameter_supported === true,
  };
}

function endpoint(value: unknown, name: string): string {
  if (!parseSecureUrl(value, { query: true })) throw new ProviderFailure('metadata', `${name} is not an https URL`);
  return value as string;
}
