import { createHash } from 'node:crypto';
import { invalidInput } from '../../errors.js';
import {
  type Address,
  type Claim,
  type Counters,
  canFit,
  decide,
  type StrategyDefinition,
} from '../../strategies/internal/definition.js';
import type { LimitDecision, RateLimitKey, WindowLimit } from '../limiter.js';

/** What one call asks for, parsed. */
export interface Call {
  readonly key: RateLimitKey;
  readonly cost: number;
  /** The partition key of the key's first item. */
  readonly name: string;
}

/** A claim with the item that it counts in. */
export interface AddressedClaim {
  readonly claim: Claim;
  readonly address: Address;
}

/** The item, or one of several items, in which a key is counted. */
export interface Share {
  /** Its partition key. */
  readonly name: string;
  /** Its part of the limits. */
  readonly windows: readonly WindowLimit[];
  /** How many there are of the key. */
  readonly shards: number;
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
/** The wait time for a caller who was denied because the store failed. */
const DEGRADED_RETRY_MS = 1000;

/**
 * Parses one call.
 *
 * @throws RateLimitError `ratelimit.invalid_input`
 */
export function parseCall({ policy }: StrategyDefinition, key: RateLimitKey, cost: unknown): Call {
  const name = partitionKey(policy, key);
  if (!Number.isSafeInteger(cost) || (cost as number) < 1) {
    throw invalidInput('cost must be a whole number of at least 1');
  }
  return { key, cost: cost as number, name };
}

/** The whole limits of a key in one item. */
export function wholeShare({ name }: Call, windows: readonly WindowLimit[]): Share {
  return { name, windows, shards: 1 };
}

/** A claim on an item at an instant. */
export function claimOn(strategy: StrategyDefinition, share: Share, call: Call, nowMs: number): AddressedClaim {
  const { name: pk, windows, shards } = share;
  return {
    claim: { key: call.key, cost: call.cost, nowMs, windows, shards },
    address: { pk, sk: strategy.sortKey(nowMs) },
  };
}

/** The denial of a claim that no window could ever admit; `undefined` for one that a window may admit. */
export function denyUnfit(strategy: StrategyDefinition, claim: Claim): LimitDecision | undefined {
  if (canFit(claim)) return undefined;
  return decide(strategy.usage(NOTHING_COUNTED, claim, false), claim, false, 'local');
}

/** The decision that `onStoreError` makes. The counts are unknown and shown as 0. */
export function decideWithoutStore(
  claim: Pick<Claim, 'nowMs' | 'windows' | 'cost'>,
  onStoreError: 'deny' | 'allow',
): LimitDecision {
  const allowed = onStoreError === 'allow';
  const resetsAt = new Date(claim.nowMs + DEGRADED_RETRY_MS);
  const windows = claim.windows.map((window) => ({ ...window, currentCount: 0, remaining: 0, resetsAt }));
  const decision = { ...decide(windows, claim, allowed, 'local'), degraded: true, source: 'none' } as const;
  return allowed ? decision : { ...decision, retryAfterMs: DEGRADED_RETRY_MS };
}

/**
 * The partition key of the item that counts a rate limit key. What is used is part of it: all routes of one caller would else share
 * the throughput of one partition.
 *
 * @throws RateLimitError `ratelimit.invalid_input` for a part that is blank or not a text
 */
export function partitionKey(policy: string, key: RateLimitKey): string {
  if (typeof key !== 'object' || key === null) throw invalidInput('rate limit key must be an object');
  const kind = partOf('kind', key.kind ?? DEFAULT_KIND);
  const identifier = partOf('identifier', key.identifier);
  const caller = key.caller === undefined ? identifier : partOf('caller', key.caller);
  const used = `${partOf('resource', key.resource)}#${partOf('operation', key.operation)}`;
  return `RL#${encodePart(policy)}#${kind}#${caller}#${used}`;
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
