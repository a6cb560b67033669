import { isObject } from '@sallyport/core/internal';
import { MicrovmError } from '../errors.js';

/** Names that must never be in a request to the controller, a response, a row or an event; `-` counts as `_`. */
const NAMES: ReadonlySet<string> = new Set([
  'authorization',
  'account_wide_list_token',
  'aws_access_key_id',
  'aws_secret_access_key',
  'aws_session_token',
  'bearer_token',
  'plaintext_token',
  'provider_error',
  'provider_exception',
  'provider_secret',
  'raw_provider_error',
  'raw_provider_exception',
  'raw_aws_credentials',
  'raw_lifecycle_hook_payload',
  'raw_sdk_client',
  'session_token_plaintext',
  'token_value',
  'x_amz_security_token',
  'x_aws_proxy_auth',
]);

/** Patterns of credentials, and of strings that precede credentials. */
const VALUES: readonly RegExp[] = [
  /^\s*bearer /i,
  /x-aws-proxy-auth|aws_secret_access_key|aws_access_key_id|aws_session_token/i,
  /(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  // A JWE in compact form (RFC 7516 section 7.1): five parts, the first a JSON object.
  /(?<![\w-])eyJ[\w-]{4,}\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+(?![\w.-])/,
];

/** True if a name is the name of a credential. */
export function isForbiddenName(name: string): boolean {
  return NAMES.has(name.toLowerCase().replaceAll('-', '_'));
}

/** True if a string contains a credential or a string that precedes it. */
export function isForbiddenText(text: string): boolean {
  return VALUES.some((pattern) => pattern.test(text));
}

/** Path of the first forbidden name or string in a plain value; `undefined` if absent. */
export function findForbidden(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return isForbiddenText(value) ? path || 'the value' : undefined;
  if (Array.isArray(value)) return first(value.entries(), (index, item) => findForbidden(item, `${path}[${index}]`));
  if (!isObject(value)) return undefined;
  return first(Object.entries(value), (name, member) => {
    const place = path === '' ? name : `${path}.${name}`;
    return isForbiddenName(name) || isForbiddenText(name) ? place : findForbidden(member, place);
  });
}

function first<K>(
  entries: Iterable<readonly [K, unknown]>,
  find: (key: K, value: unknown) => string | undefined,
): string | undefined {
  for (const [key, value] of entries) {
    const found = find(key, value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** @throws MicrovmError `microvm.leak_blocked` if an outgoing value contains a credential */
export function assertNoLeak(value: unknown, what: string): void {
  const place = findForbidden(value);
  if (place === undefined) return;
  const cause = new Error(`framework: ${what} contains a credential at ${place.slice(0, 100)}`);
  throw new MicrovmError('microvm.leak_blocked', 'answer withheld', { cause });
}
