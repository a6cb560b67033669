import type { Condition, Item } from '@sallyport/dynamo';
import { ttlAt } from '@sallyport/dynamo';
import { JOB_ERRORS } from '../../errors.js';
import { assertId, assertInput, whole } from '../../internal/input.js';
import { leaseKey } from '../../internal/keys.js';
import { newWriteId, numberOf, type StoreParts, stringAt, timeOf } from '../../internal/rows.js';
import type { CallOptions, JobLedger, Lease } from '../../ledger/ledger.js';

export const MIN_DURATION_MS = 1000;
export const MAX_DURATION_MS = 900_000;
export const DEFAULT_DURATION_MS = 30_000;
const KEPT_MS = 30 * 86_400_000;

type LeaseOperations = Pick<JobLedger, 'acquireLease' | 'refreshLease' | 'releaseLease' | 'getLease'>;

export function leaseOperations(parts: StoreParts): LeaseOperations {
  return {
    acquireLease: async (input, options = {}) => acquireLease(parts, input, options),
    refreshLease: async (lease, durationMs, options = {}) => refreshLease(parts, lease, durationMs, options),
    releaseLease: async (lease, options = {}) => releaseLease(parts, lease, options),
    async getLease(name, { signal, consistent = true } = {}) {
      assertId('name', name, JOB_ERRORS);
      const item = await parts.store.get(leaseKey(name), { consistent, signal });
      return item && isHeld(item, parts.clock.now().getTime()) ? toLease(name, item) : undefined;
    },
  };
}

/** @throws JobLedgerError `invalid_input` */
export function holdDuration(durationMs: unknown): number {
  return whole('durationMs', durationMs ?? DEFAULT_DURATION_MS, MIN_DURATION_MS, MAX_DURATION_MS, JOB_ERRORS);
}

/** The condition that the lease was never held, was released, or has expired. */
export function freeAt(nowMs: number): Condition {
  return { any: [{ absent: 'expires_at_ms' }, { attribute: 'expires_at_ms', is: '<=', value: nowMs }] };
}

export function heldBy(id: string): Condition {
  return { attribute: 'lease_id', is: '=', value: id };
}

export function heldAndAlive(id: string, nowMs: number): Condition {
  return { all: [heldBy(id), { attribute: 'expires_at_ms', is: '>', value: nowMs }] };
}

export function isHeld(item: Item, nowMs: number): boolean {
  return stringAt(item, 'lease_id') !== '' && numberOf(item, 'expires_at_ms') > nowMs;
}

/** Milliseconds until a lease ends, at least 1. */
export function retryAfter(item: Item | undefined, nowMs: number): number {
  return Math.max(1, numberOf(item ?? {}, 'expires_at_ms') - nowMs);
}

async function acquireLease(
  parts: StoreParts,
  input: Parameters<JobLedger['acquireLease']>[0],
  { signal }: CallOptions,
): Promise<Lease> {
  assertInput(input, ['name', 'owner', 'durationMs'], JOB_ERRORS);
  const { name, owner } = input;
  assertId('name', name, JOB_ERRORS);
  assertId('owner', owner, JOB_ERRORS);
  const durationMs = holdDuration(input.durationMs);
  signal?.throwIfAborted();
  const nowMs = await timeOf(parts);
  const set = {
    lease_id: parts.ids.newId(),
    lease_owner: owner,
    expires_at_ms: nowMs + durationMs,
    ttl: ttlAt(nowMs + KEPT_MS),
  };
  const count = { token: { from: nowMs, by: 1 } };
  const { applied, item } = await parts.store.update(
    leaseKey(name),
    { set, count },
    { condition: freeAt(nowMs), writer: set.lease_id, signal },
  );
  // If the stored id is the id of this call, an earlier attempt succeeded and its response was lost.
  if (item && (applied || item.lease_id === set.lease_id)) return toLease(name, item);
  throw JOB_ERRORS.conflict('lease_held', { retryAfterMs: retryAfter(item, nowMs) });
}

async function refreshLease(
  parts: StoreParts,
  lease: Lease,
  duration: number | undefined,
  { signal }: CallOptions,
): Promise<Lease> {
  assertLease(lease);
  const durationMs = holdDuration(duration);
  signal?.throwIfAborted();
  const nowMs = await timeOf(parts);
  const set = { expires_at_ms: nowMs + durationMs, ttl: ttlAt(nowMs + KEPT_MS) };
  const { applied, item } = await parts.store.update(
    leaseKey(lease.name),
    { set },
    { condition: heldAndAlive(lease.id, nowMs), writer: newWriteId(), signal },
  );
  if (applied && item) return toLease(lease.name, item);
  throw JOB_ERRORS.conflict('lease_lost');
}

/** Keeps the token in the row, so that the next token is larger. */
async function releaseLease(parts: StoreParts, lease: Lease, { signal }: CallOptions): Promise<void> {
  assertLease(lease);
  signal?.throwIfAborted();
  const nowMs = await timeOf(parts);
  const changes = { set: { ttl: ttlAt(nowMs + KEPT_MS) }, remove: ['lease_id', 'lease_owner', 'expires_at_ms'] };
  const { applied, item } = await parts.store.update(leaseKey(lease.name), changes, {
    condition: heldBy(lease.id),
    writer: newWriteId(),
    signal,
  });
  if (!applied && item && isHeld(item, nowMs)) throw JOB_ERRORS.conflict('lease_lost');
}

function assertLease(lease: Lease): void {
  if (typeof lease !== 'object' || lease === null) throw JOB_ERRORS.invalid('lease must be returned by acquireLease');
  assertId('name', lease.name, JOB_ERRORS);
  assertId('id', lease.id, JOB_ERRORS);
}

function toLease(name: string, item: Item): Lease {
  return {
    name,
    id: stringAt(item, 'lease_id'),
    owner: stringAt(item, 'lease_owner'),
    token: numberOf(item, 'token'),
    expiresAtMs: numberOf(item, 'expires_at_ms'),
  };
}
