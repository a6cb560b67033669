import type { JobLedger } from '../ledger/ledger.js';
import { type HoldOptions, parseHold, runHeld } from './internal/heartbeat.js';

export interface WithLeaseOptions extends HoldOptions {
  readonly name: string;
}

export interface WithSlotOptions extends HoldOptions {
  readonly scope: string;
  readonly subject: string;
  /** 1 to 256. */
  readonly limit: number;
}

/** What the work of {@link withLease} is given. */
export interface HeldLease {
  readonly id: string;
  /** The fencing token: hand it to the resource, which refuses a smaller one. */
  readonly token: number;
  /** Aborts when the lease is lost, or when the caller gives up. */
  readonly signal: AbortSignal;
}

/** What the work of {@link withSlot} is given. */
export interface HeldSlot {
  readonly id: string;
  readonly slot: number;
  /** Aborts when the slot is lost, or when the caller gives up. */
  readonly signal: AbortSignal;
}

/**
 * Runs work under a lease and refreshes it meanwhile. A lease that is lost, or could not be refreshed until a tenth of its
 * duration (at least 500 ms) before its end, aborts the work's signal; the call then rejects even if the work fulfilled.
 *
 * @throws JobLedgerError conflict `lease_held`, `lease_lost` (with what the work threw as `cause`); what the work throws
 * @example await withLease(ledger, { name: 'nightly-report' }, ({ token, signal }) => report(token, signal));
 */
export async function withLease<T>(
  ledger: JobLedger,
  options: WithLeaseOptions,
  work: (lease: HeldLease) => Promise<T>,
): Promise<T> {
  const timing = parseHold(options, ['name']);
  const { name } = options;
  return runHeld(
    ledger,
    {
      acquire: (owner, durationMs, signal) => ledger.acquireLease({ name, owner, durationMs }, { signal }),
      refresh: (lease, durationMs, signal) => ledger.refreshLease(lease, durationMs, { signal }),
      release: (lease) => ledger.releaseLease(lease),
    },
    options,
    timing,
    ({ id, token }, signal) => work({ id, token, signal }),
  );
}

/**
 * Runs work in a slot of a semaphore, as {@link withLease} under a lease.
 *
 * @throws JobLedgerError conflict `semaphore_full`, `contended`, `lease_lost`; what the work throws
 * @example await withSlot(ledger, { scope: 'api', subject: tenant, limit: 5 }, ({ signal }) => call(signal));
 */
export async function withSlot<T>(
  ledger: JobLedger,
  options: WithSlotOptions,
  work: (slot: HeldSlot) => Promise<T>,
): Promise<T> {
  const timing = parseHold(options, ['scope', 'subject', 'limit']);
  const { scope, subject, limit } = options;
  return runHeld(
    ledger,
    {
      acquire: (owner, durationMs, signal) =>
        ledger.acquireSlot({ scope, subject, limit, owner, durationMs }, { signal }),
      refresh: (slot, durationMs, signal) => ledger.refreshSlot(slot, durationMs, { signal }),
      release: (slot) => ledger.releaseSlot(slot),
    },
    options,
    timing,
    ({ id, slot }, signal) => work({ id, slot, signal }),
  );
}

export type { HoldOptions };
