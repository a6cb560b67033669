import { invalidInput } from '../../errors.js';
import type { Address, Counters } from '../../strategies/internal/counter-store.js';
import { type Claim, decide } from '../../strategies/internal/windows.js';
import { toAddress } from '../item-key.js';
import type { LimitDecision, LimitFor, RateLimitKey } from '../limiter.js';
import { type AnyStrategy, enforcedWindows } from './limits.js';

/** A claim with the item that it counts in. */
export interface AddressedClaim {
  readonly claim: Claim;
  readonly address: Address;
  /** The key without its window. */
  readonly name: string;
}

const NOTHING_COUNTED: Counters = {};

/**
 * Parses one call.
 *
 * @throws RateLimitError `ratelimit.invalid_input`; `ratelimit.invalid_config` for what `limitFor` answers
 */
export function toClaim(
  strategy: AnyStrategy,
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

/** The denial of a claim that no window could ever admit. */
export function denyUnfit(strategy: AnyStrategy, claim: Claim): LimitDecision {
  return decide(strategy.usage(NOTHING_COUNTED, claim, false), claim, false, 'local');
}

/** What a decision without the store tells a denied caller to wait. */
const DEGRADED_RETRY_MS = 1000;

/** The decision of `onStoreError`: the counts are unknown, and shown as 0. */
export function decideWithoutStore(claim: Claim, allowed: boolean): LimitDecision {
  const resetsAt = new Date(claim.nowMs + DEGRADED_RETRY_MS);
  const windows = claim.windows.map((window) => ({ ...window, currentCount: 0, remaining: 0, resetsAt }));
  const decision = { ...decide(windows, claim, allowed, 'local'), degraded: true, source: 'none' } as const;
  return allowed ? decision : { ...decision, retryAfterMs: DEGRADED_RETRY_MS };
}
