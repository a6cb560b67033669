import { defineOptions, integer, type OptionKinds } from '@sallyport/core/options';
import { JOB_ERRORS } from '../errors.js';
import { idOption, signalOption } from '../internal/input.js';
import type { JobLedger } from '../ledger/ledger.js';
import { runHeld } from './internal/heartbeat.js';
import { DEFAULT_DURATION_MS, MAX_DURATION_MS, MIN_DURATION_MS } from './internal/leases.js';
import { MAX_SLOTS } from './internal/semaphores.js';

/** Options that `withLease` and `withSlot` share. */
export interface HoldOptions {
  /** A label of the holder, for display. Default: a random id. */
  readonly owner?: string;
  /** Milliseconds from one refresh until the lease or slot ends, 1,000 to 900,000. Default 30,000. */
  readonly durationMs?: number;
  /** Milliseconds between refreshes. Default: a third of `durationMs`. */
  readonly heartbeatMs?: number;
  /** Milliseconds to wait for a lease that another caller holds, 0 to 86,400,000. Default 0. */
  readonly waitMs?: number;
  /** Aborts the wait and the signal of the work. */
  readonly signal?: AbortSignal;
}

const MAX_WAIT_MS = 86_400_000;

const HOLD_OPTIONS = {
  owner: idOption,
  durationMs: integer(MIN_DURATION_MS, MAX_DURATION_MS, 'milliseconds').default(DEFAULT_DURATION_MS),
  heartbeatMs: integer(1, MAX_DURATION_MS, 'milliseconds'),
  waitMs: integer(0, MAX_WAIT_MS, 'milliseconds').default(0),
  signal: signalOption,
} satisfies OptionKinds<HoldOptions>;

/** Options of {@link withLease}. */
export interface WithLeaseOptions extends HoldOptions {
  /** Name of the lease, 1 to 256 bytes. */
  readonly name: string;
}

/** Options of {@link withSlot}. */
export interface WithSlotOptions extends HoldOptions {
  /** First part of the semaphore's name: the limited resource. 1 to 256 bytes. */
  readonly scope: string;
  /** Second part of the semaphore's name: the user of the resource. 1 to 256 bytes. */
  readonly subject: string;
  /** Slots of the semaphore, 1 to 256. */
  readonly limit: number;
}

/** Validators and defaults for {@link WithLeaseOptions}. */
export const LEASE_OPTIONS = defineOptions<WithLeaseOptions>()(
  { ...HOLD_OPTIONS, name: idOption.required() },
  { fail: JOB_ERRORS.invalid },
);

/** Validators and defaults for {@link WithSlotOptions}. */
export const SLOT_OPTIONS = defineOptions<WithSlotOptions>()(
  {
    ...HOLD_OPTIONS,
    scope: idOption.required(),
    subject: idOption.required(),
    limit: integer(1, MAX_SLOTS).required(),
  },
  { fail: JOB_ERRORS.invalid },
);

/** The argument of the work of {@link withLease}. */
export interface HeldLease {
  /** Unique for this acquisition. */
  readonly id: string;
  /** The fencing token. Pass it to the resource, which must reject a smaller token. */
  readonly token: number;
  /** Aborts when the lease is lost, or when the option `signal` aborts. */
  readonly signal: AbortSignal;
}

/** The argument of the work of {@link withSlot}. */
export interface HeldSlot {
  /** Unique for this acquisition. */
  readonly id: string;
  /** The slot's number, 0 to `limit` - 1. */
  readonly slot: number;
  /** Aborts when the slot is lost, or when the option `signal` aborts. */
  readonly signal: AbortSignal;
}

/**
 * Runs work on one instance at a time: acquires a lease of this name, refreshes it while the work runs (default 30 s), and releases it. If
 * another caller holds the lease, the call rejects, or waits up to `waitMs`. If the lease is lost, or could not be refreshed until a tenth
 * of its duration (at least 500 ms) before its end, the work's signal aborts and the call rejects, even if the work succeeded.
 *
 * @throws JobLedgerError `jobs.invalid_input` for a wrong option; conflict `lease_held`, `lease_lost` (with the work's error as
 *   `cause`); errors of the work
 * @example
 * await withLease(ledger, { name: 'nightly-report' }, async ({ token, signal }) => {
 *   await writeReport({ fencingToken: token, signal });
 * });
 */
export async function withLease<T>(
  ledger: JobLedger,
  options: WithLeaseOptions,
  work: (lease: HeldLease) => Promise<T>,
): Promise<T> {
  const settings = LEASE_OPTIONS.parse(options);
  const { name } = settings;
  return runHeld(
    ledger,
    {
      acquire: (owner, durationMs, signal) => ledger.acquireLease({ name, owner, durationMs }, { signal }),
      refresh: (lease, durationMs, signal) => ledger.refreshLease(lease, durationMs, { signal }),
      release: (lease) => ledger.releaseLease(lease),
      look: async (signal) => {
        const held = await ledger.getLease(name, { signal, consistent: false });
        return held ? Math.max(1, held.expiresAtMs - ledger.clock.now().getTime()) : 0;
      },
    },
    settings,
    ({ id, token }, signal) => work({ id, token, signal }),
  );
}

/**
 * Runs work on at most `limit` instances at a time: acquires a slot of a semaphore, and refreshes it as {@link withLease} does.
 *
 * @throws JobLedgerError `jobs.invalid_input` for a wrong option; conflict `semaphore_full`, `contended`, `lease_lost`; errors of the work
 * @example await withSlot(ledger, { scope: 'api', subject: tenant, limit: 5 }, ({ signal }) => call(signal));
 */
export async function withSlot<T>(
  ledger: JobLedger,
  options: WithSlotOptions,
  work: (slot: HeldSlot) => Promise<T>,
): Promise<T> {
  const settings = SLOT_OPTIONS.parse(options);
  const { scope, subject, limit } = settings;
  return runHeld(
    ledger,
    {
      acquire: (owner, durationMs, signal) =>
        ledger.acquireSlot({ scope, subject, limit, owner, durationMs }, { signal }),
      refresh: (slot, durationMs, signal) => ledger.refreshSlot(slot, durationMs, { signal }),
      release: (slot) => ledger.releaseSlot(slot),
    },
    settings,
    ({ id, slot }, signal) => work({ id, slot, signal }),
  );
}
