import { randomFraction } from '@sallyport/core/internal';
import type { Item } from '@sallyport/dynamo';
import { ttlAt } from '@sallyport/dynamo';
import { JOB_ERRORS } from '../../errors.js';
import { assertId, assertInput, whole } from '../../internal/input.js';
import { semaphorePk, slotSk } from '../../internal/keys.js';
import { newWriteId, numberOf, type StoreParts, stringAt, timeOf } from '../../internal/rows.js';
import type { CallOptions, JobLedger, Slot } from '../../ledger/ledger.js';
import { freeAt, heldAndAlive, heldBy, holdDuration, isHeld, retryAfter } from './leases.js';

export const MAX_SLOTS = 256;
const TRIES = 3;
const KEPT_MS = 3_600_000;
const PREFIX = 'SLOT#';

type SlotInput = Parameters<JobLedger['acquireSlot']>[0];
type SemaphoreOperations = Pick<JobLedger, 'acquireSlot' | 'refreshSlot' | 'releaseSlot' | 'inspectSemaphore'>;

export function semaphoreOperations(parts: StoreParts): SemaphoreOperations {
  return {
    async acquireSlot(input, options = {}) {
      assertInput(input, ['scope', 'subject', 'limit', 'owner', 'durationMs'], JOB_ERRORS);
      assertSemaphore(input);
      assertId('owner', input.owner, JOB_ERRORS);
      whole('limit', input.limit, 1, MAX_SLOTS, JOB_ERRORS);
      return acquireSlot(parts, input, holdDuration(input.durationMs), options);
    },
    refreshSlot: async (slot, durationMs, options = {}) => refreshSlot(parts, slot, durationMs, options),
    releaseSlot: async (slot, options = {}) => releaseSlot(parts, slot, options),
    async inspectSemaphore(input, { signal } = {}) {
      assertInput(input, ['scope', 'subject'], JOB_ERRORS);
      assertSemaphore(input);
      const active = await activeSlots(parts, input, parts.clock.now().getTime(), signal);
      return { occupancy: active.length, slots: active.map((item) => toSlot(input, item)) };
    },
  };
}

async function acquireSlot(
  parts: StoreParts,
  input: SlotInput,
  durationMs: number,
  { signal }: CallOptions,
): Promise<Slot> {
  signal?.throwIfAborted();
  const candidates = freeSlots(await activeUnderLimit(parts, input, signal), input.limit);
  for (let tried = 0; tried < TRIES && candidates.length > 0; tried += 1) {
    const [slot = 0] = candidates.splice(Math.floor(randomFraction() * candidates.length), 1);
    const taken = await takeSlot(parts, input, slot, durationMs, signal);
    if (taken) return taken;
  }
  await activeUnderLimit(parts, input, signal);
  throw JOB_ERRORS.conflict('contended', { retryAfterMs: 1 });
}

/**
 * The free slots with the lowest numbers, as many as the limit allows. Taken slots above a lowered limit count, so that callers
 * who read the same rows cannot exceed the limit together.
 */
function freeSlots(active: readonly Item[], limit: number): number[] {
  const taken = new Set(active.map(slotOf));
  const free = Array.from({ length: limit }, (_, slot) => slot).filter((slot) => !taken.has(slot));
  return free.slice(0, limit - active.length);
}

/** @throws JobLedgerError conflict `semaphore_full` */
async function activeUnderLimit(parts: StoreParts, input: SlotInput, signal: AbortSignal | undefined): Promise<Item[]> {
  const nowMs = await timeOf(parts);
  const active = await activeSlots(parts, input, nowMs, signal);
  if (active.length < input.limit) return active;
  const retryAfterMs = Math.min(...active.map((item) => retryAfter(item, nowMs)));
  throw JOB_ERRORS.conflict('semaphore_full', { limit: input.limit, occupancy: active.length, retryAfterMs });
}

async function activeSlots(
  { store }: StoreParts,
  { scope, subject }: Pick<SlotInput, 'scope' | 'subject'>,
  nowMs: number,
  signal: AbortSignal | undefined,
): Promise<Item[]> {
  const partition = { name: 'pk', value: semaphorePk(scope, subject) };
  const { items } = await store.query({ partition, consistent: true }, { signal });
  return items.filter((item) => isHeld(item, nowMs));
}

async function takeSlot(
  { store, clock, ids }: StoreParts,
  { scope, subject, owner }: SlotInput,
  slot: number,
  durationMs: number,
  signal: AbortSignal | undefined,
): Promise<Slot | undefined> {
  const nowMs = clock.now().getTime();
  const item = {
    pk: semaphorePk(scope, subject),
    sk: slotSk(slot),
    lease_id: ids.newId(),
    lease_owner: owner,
    expires_at_ms: nowMs + durationMs,
    ttl: ttlAt(nowMs + durationMs + KEPT_MS),
  };
  const outcome = await store.put(item, { condition: freeAt(nowMs), writer: item.lease_id, signal });
  const isOwn = outcome.applied || outcome.item?.lease_id === item.lease_id;
  return isOwn ? toSlot({ scope, subject }, item) : undefined;
}

async function refreshSlot(
  parts: StoreParts,
  slot: Slot,
  duration: number | undefined,
  { signal }: CallOptions,
): Promise<Slot> {
  const key = keyOf(slot);
  const durationMs = holdDuration(duration);
  signal?.throwIfAborted();
  const nowMs = await timeOf(parts);
  const set = { expires_at_ms: nowMs + durationMs, ttl: ttlAt(nowMs + durationMs + KEPT_MS) };
  const options = { condition: heldAndAlive(slot.id, nowMs), writer: newWriteId(), signal };
  const { applied, item } = await parts.store.update(key, { set }, options);
  if (applied && item) return toSlot(slot, item);
  throw JOB_ERRORS.conflict('lease_lost');
}

async function releaseSlot({ store, clock }: StoreParts, slot: Slot, { signal }: CallOptions): Promise<void> {
  const key = keyOf(slot);
  signal?.throwIfAborted();
  const { applied, item } = await store.remove(key, { condition: heldBy(slot.id), signal });
  if (!applied && item && isHeld(item, clock.now().getTime())) throw JOB_ERRORS.conflict('lease_lost');
}

function keyOf(slot: Slot) {
  if (typeof slot !== 'object' || slot === null) throw JOB_ERRORS.invalid('slot must be returned by acquireSlot');
  assertSemaphore(slot);
  assertId('id', slot.id, JOB_ERRORS);
  const number = whole('slot', slot.slot, 0, MAX_SLOTS - 1, JOB_ERRORS);
  return { pk: semaphorePk(slot.scope, slot.subject), sk: slotSk(number) };
}

function assertSemaphore({ scope, subject }: { readonly scope: unknown; readonly subject: unknown }): void {
  assertId('scope', scope, JOB_ERRORS);
  assertId('subject', subject, JOB_ERRORS);
}

function slotOf(item: Item): number {
  return Number(stringAt(item, 'sk').slice(PREFIX.length));
}

function toSlot({ scope, subject }: Pick<Slot, 'scope' | 'subject'>, item: Item): Slot {
  return {
    scope,
    subject,
    slot: slotOf(item),
    id: stringAt(item, 'lease_id'),
    owner: stringAt(item, 'lease_owner'),
    expiresAtMs: numberOf(item, 'expires_at_ms'),
  };
}
