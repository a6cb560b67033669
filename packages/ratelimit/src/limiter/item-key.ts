import { createHash } from 'node:crypto';
import { invalidConfig, invalidInput } from '../errors.js';
import { type Address, strategyOption } from '../strategies/internal/definition.js';
import type { Strategy } from '../strategies/strategy.js';
import type { RateLimitKey } from './limiter.js';

/** Bytes of one part; what is longer is hashed. Keeps keys far from DynamoDB's 2,048 and 1,024 bytes. */
const MAX_PART_BYTES = 256;
const HASHED = 'sha256:';
const DEFAULT_KIND = 'custom';
/** Separators, C0, DEL, C1, and surrogates without their other half: UTF-8 would make one character of all of those. */
const ESCAPED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped.
  /[%#\u0000-\u001f\u007f-\u009f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * The key of the item that counts a rate limit key at an instant: what every runtime that shares the table must build.
 *
 * @throws RateLimitError `ratelimit.invalid_config` for a strategy that is not of this package; `ratelimit.invalid_input` for a
 *   part of the key that is blank or not a text
 */
export function rateLimitItemKey(strategy: Strategy, key: RateLimitKey, at: Date): { pk: string; sk: string } {
  const place = { name: 'strategy', environment: {}, fail: invalidConfig };
  const definition = strategyOption.required().read(strategy, place);
  return { ...toAddress(definition.policy, key, definition.sortSuffix(at.getTime())) };
}

/**
 * The key of the item that counts a rate limit key; `sortSuffix` names the period of the window.
 *
 * @throws RateLimitError `ratelimit.invalid_input` for a part that is blank or not a text
 */
export function toAddress(policy: string, key: RateLimitKey, sortSuffix: string): Address {
  if (typeof key !== 'object' || key === null) throw invalidInput('rate limit key must be an object');
  const kind = partOf('kind', key.kind ?? DEFAULT_KIND);
  const identifier = partOf('identifier', key.identifier);
  const caller = key.caller === undefined ? identifier : partOf('caller', key.caller);
  const sk = `${partOf('resource', key.resource)}#${partOf('operation', key.operation)}`;
  return { pk: `RL#${encodePart(policy)}#${kind}#${caller}`, sk: sk + sortSuffix };
}

function partOf(name: string, value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') throw invalidInput(`${name} must be a text that is not blank`);
  return encodePart(value);
}

/** A part that looks like a hash is hashed too, so that it cannot be the hash of another part. */
function encodePart(value: string): string {
  const encoded = value.replace(ESCAPED, escapeCharacter);
  if (!encoded.startsWith(HASHED) && Buffer.byteLength(encoded) <= MAX_PART_BYTES) return encoded;
  return HASHED + createHash('sha256').update(encoded).digest('hex');
}

function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code >= 0xd800) return `%u${code.toString(16).toUpperCase()}`;
  return encodeURIComponent(character);
}
