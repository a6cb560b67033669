import { canonicalIp } from './ip.js';

/** Where a request came from, as the provider itself states it. Forwarding headers never count. */
export interface SourceProvenance {
  /** Canonical address, `''` when unknown or malformed. */
  readonly sourceIP: string;
  readonly provider: 'apigw-v2' | 'lambda-url' | 'apigw-v1' | 'unknown';
  readonly source: 'provider_request_context' | 'unknown';
  /** Only when the provider supplied an address that parses. */
  readonly valid: boolean;
}

const PROVIDERS: readonly unknown[] = ['apigw-v2', 'lambda-url', 'apigw-v1'];

/** The record of a request whose source nobody vouches for; a fresh copy. */
export function unknownProvenance(): SourceProvenance {
  return { sourceIP: '', provider: 'unknown', source: 'unknown', valid: false };
}

/** The record for an address that a provider's request context names. */
export function providerProvenance(provider: SourceProvenance['provider'], address: unknown): SourceProvenance {
  const sourceIP = canonicalIp(address);
  if (sourceIP === '' || provider === 'unknown') return unknownProvenance();
  return { sourceIP, provider, source: 'provider_request_context', valid: true };
}

/** Checks a record that a caller hands in; anything that does not hold together is unknown. */
export function parseProvenance(input: unknown): SourceProvenance {
  if (typeof input !== 'object' || input === null) return unknownProvenance();
  const { provider, source, sourceIP } = input as Partial<SourceProvenance>;
  if (!PROVIDERS.includes(provider) || source !== 'provider_request_context') return unknownProvenance();
  return providerProvenance(provider as SourceProvenance['provider'], sourceIP);
}
