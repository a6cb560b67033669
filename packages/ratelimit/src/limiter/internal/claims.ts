import { createHash } from 'node:crypto';
import { invalidConfig, invalidInput } from '../../errors.js';
import {
  type Address,
  type Claim,
  type Counters,
  canFit,
  decide,
  type StrategyDefinition,
} from '../../strategies/internal/definition.js';
import type { LimitDecision, LimitFor, RateLimitKey, WindowLimit } from '../limiter.js';

/** A claim with the item that it counts in. */
export interface AddressedClaim {
  readonly claim: Claim;
  readonly address: Address;
  /** The address without the period of a window. */
  readonly name: string;
}

/** Bytes of one part; what is longer is hashed. Keeps keys far from DynamoDB's 2,048 and 1,024 bytes. */
const MAX_PART_BYTES = 256;
const HASHED = 'sha256:';
const DEFAULT_KIND = 'custom';
/** Separators, C0, DEL, C1, and surrogates without their other half: UTF-8 would make one character of all of those. */
const ESCAPED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped.
  /[%#\u0000-\u001f\u007f-\u009f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const NOTHING_COUNTED: Counters = {};
/** How long a caller is told to wait who was denied because the store failed. */
const DEGRADED_RETRY_MS = 1000;

/**
 * Parses one call.
 *
 * @throws RateLimitError `ratelimit.invalid_input`; `ratelimit.invalid_config` for what `limitFor` returns
 */
export function toClaim(
  strategy: StrategyDefinition,
  limitFor: LimitFor | undefined,
  key: RateLimitKey,
  cost: unknown,
  nowMs: number,
): AddressedClaim {
  const { pk, sk } = toAddress(strategy.policy, key, '');
  if (!Number.isSafeInteger(cost) || (cost as number) < 1) {
    throw invalidInput('cost must be a whole number of at least 1');
  }
  const windows = enforcedWindows(strategy, limitFor, key);
  const address = { pk, sk: sk + strategy.sortSuffix(nowMs) };
  return { claim: { key, nowMs, cost: cost as number, windows }, address, name: `${pk}\n${sk}` };
}

/** @throws RateLimitError `ratelimit.invalid_config` when `limitFor` returns anything but one limit for each window */
function enforcedWindows(
  strategy: StrategyDefinition,
  limitFor: LimitFor | undefined,
  key: RateLimitKey,
): readonly WindowLimit[] {
  const answer = limitFor?.(key);
  if (answer === undefined) return strategy.windows;
  const given = typeof answer === 'number' ? [answer] : answer;
  const fits = (limit: number) => Number.isSafeInteger(limit) && limit >= 0 && limit <= strategy.maxLimit;
  if (!Array.isArray(given) || given.length !== strategy.windows.length || !given.every(fits)) {
    throw invalidConfig('limitFor must answer one whole number of at least 0 for each window');
  }
  return strategy.withLimits(strategy.givenOrder.map((place) => given[place] ?? 0));
}

/** The denial of a claim that no window could ever admit; `undefined` for one that a window may admit. */
export function denyUnfit(strategy: StrategyDefinition, claim: Claim): LimitDecision | undefined {
  if (canFit(claim)) return undefined;
  return decide(strategy.usage(NOTHING_COUNTED, claim, false), claim, false, 'local');
}

/** The decision that `onStoreError` makes. The counts are unknown and shown as 0. */
export function decideWithoutStore(claim: Claim, onStoreError: 'deny' | 'allow'): LimitDecision {
  const allowed = onStoreError === 'allow';
  const resetsAt = new Date(claim.nowMs + DEGRADED_RETRY_MS);
  const windows = claim.windows.map((window) => ({ ...window, currentCount: 0, remaining: 0, resetsAt }));
  const decision = { ...decide(windows, claim, allowed, 'local'), degraded: true, source: 'none' } as const;
  return allowed ? decision : { ...decision, retryAfterMs: DEGRADED_RETRY_MS };
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
