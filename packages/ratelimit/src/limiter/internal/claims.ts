import { sha256 } from '@sallyport/core/internal';
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

/** The parsed arguments of one call. */
export interface Call {
  readonly key: RateLimitKey;
  readonly cost: number;
  /** The partition key of the key's first item. */
  readonly name: string;
}

/** A claim with the item in which it is counted. */
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
  /** The number of items of the key. */
  readonly shards: number;
  /** True if it is the item of a key that is not spread. */
  readonly isFirst: boolean;
}

/** Maximum size of a part in bytes; longer parts are hashed. This keeps keys well below DynamoDB's limits of 2,048 and 1,024 bytes. */
const MAX_PART_BYTES = 256;
const HASHED = 'sha256:';
const DEFAULT_KIND = 'custom';
/** Separators, C0, DEL, C1, and surrogates without their other half, because UTF-8 encodes all of these as the same character. */
const ESCAPED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are escaped.
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

/** The item of a key that is not spread; it has the complete limits. */
export function wholeShare({ name }: Pick<Call, 'name'>, windows: readonly WindowLimit[]): Share {
  return { name, windows, shards: 1, isFirst: true };
}

/** A claim on an item at a time. */
export function claimOn(strategy: StrategyDefinition, share: Share, call: Call, nowMs: number): AddressedClaim {
  const { name: pk, windows, shards, isFirst } = share;
  return {
    claim: { key: call.key, cost: call.cost, nowMs, windows, shards },
    address: { pk, sk: strategy.sortKey(nowMs), part: { items: shards, isFirst, nowMs } },
  };
}

/** The denial of a claim that is larger than a limit; `undefined` for a claim that could be allowed. */
export function denyUnfit(strategy: StrategyDefinition, claim: Claim): LimitDecision | undefined {
  if (canFit(claim)) return undefined;
  return decide(strategy.usage(NOTHING_COUNTED, claim, false), claim, false, 'local');
}

/** The decision of `onStoreError`. The counts are unknown and shown as 0. */
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
 * The partition key of the item that counts a rate limit key. The resource is part of it; otherwise all routes of one caller
 * would share the throughput of one partition.
 *
 * @throws RateLimitError `ratelimit.invalid_input` for a part that is blank or not a string
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

/** A part that looks like a hash is hashed too, so that it cannot be equal to the hash of another part. */
function encodePart(value: string): string {
  const encoded = value.replace(ESCAPED, escapeCharacter);
  if (!encoded.startsWith(HASHED) && Buffer.byteLength(encoded) <= MAX_PART_BYTES) return encoded;
  return HASHED + sha256(encoded);
}

function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code >= 0xd800) return `%u${code.toString(16).toUpperCase()}`;
  return encodeURIComponent(character);
}
