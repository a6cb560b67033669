import { invalidInput } from '../../errors.js';
import type { LimitDecision } from '../limiter.js';
import type { AddressedClaim } from './claims.js';

/** The item of a decision, and the part of its cost that was not refunded. */
interface Receipt extends AddressedClaim {
  left: number;
}

/**
 * The decisions of a limiter whose cost can be refunded. They are in a weak map, so unused decisions can be garbage collected.
 */
export class Receipts {
  readonly #receipts = new WeakMap<LimitDecision, Receipt>();

  /** Stores the item of an allowed decision. */
  add<D extends LimitDecision>(decision: D, counted: AddressedClaim, cost: number): D {
    if (decision.allowed) this.#receipts.set(decision, { ...counted, left: cost });
    return decision;
  }

  /**
   * Deducts units from a decision. They cannot be deducted again, even if the refund fails.
   *
   * @throws RateLimitError `ratelimit.invalid_input` for a decision of another limiter, a denied decision, invalid units, or more units than remain
   */
  take(decision: LimitDecision, units: number | undefined): AddressedClaim & { readonly units: number } {
    const receipt = typeof decision === 'object' && decision !== null ? this.#receipts.get(decision) : undefined;
    if (receipt === undefined) throw invalidInput('only an allowed decision of this limiter can be refunded');
    const taken = units ?? receipt.left;
    if (units !== undefined && (!Number.isSafeInteger(units) || units < 1)) {
      throw invalidInput('units must be a whole number of at least 1');
    }
    if (taken < 1 || taken > receipt.left)
      throw invalidInput('units must not exceed the units of the decision that are not refunded yet');
    receipt.left -= taken;
    return { claim: receipt.claim, address: receipt.address, units: taken };
  }
}
