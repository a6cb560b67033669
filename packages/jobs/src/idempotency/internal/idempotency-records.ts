import type { Condition, Item, Key } from '@sallyport/dynamo';
import { ttlAt } from '@sallyport/dynamo';
import { JOB_ERRORS } from '../../internal/errors-of.js';
import { assertInput, fingerprintOf, ttlSeconds, whole } from '../../internal/input.js';
import { assertId, assertText, idempotencyKey } from '../../internal/keys.js';
import { type Kit, numberOf, textOf } from '../../internal/rows.js';
import type {
  BeginIdempotencyInput,
  CallOptions,
  IdempotencyHandle,
  IdempotencyRecord,
  IdempotencyStart,
  JobLedger,
} from '../../ledger/ledger.js';
import { completeIdempotency } from './complete-idempotency.js';
import { ownInProgress, readRecord } from './idempotency-row.js';

const BEGIN_INPUT = ['scope', 'key', 'inProgressMs', 'fingerprint', 'executionId', 'ttlSeconds'];
const MIN_IN_PROGRESS_MS = 1000;
/** A durable execution may last a year. */
const MAX_IN_PROGRESS_MS = 366 * 86_400_000;
const DAY_SECONDS = 86_400;

type IdempotencyOperations = Pick<
  JobLedger,
  'beginIdempotency' | 'completeIdempotency' | 'abandonIdempotency' | 'getIdempotencyRecord'
>;

export function idempotencyOperations(kit: Kit): IdempotencyOperations {
  return {
    beginIdempotency: async (input, options = {}) => beginIdempotency(kit, input, options),
    async completeIdempotency(handle, outcome, options = {}) {
      assertHandle(handle);
      return completeIdempotency(kit, handle, outcome, options);
    },
    async abandonIdempotency(handle, options = {}) {
      assertHandle(handle);
      return abandonIdempotency(kit, handle, options);
    },
    async getIdempotencyRecord(input, { signal } = {}) {
      assertInput(input, ['scope', 'key'], JOB_ERRORS);
      const { scope, key } = input;
      assertScopeAndKey(scope, key);
      const item = await kit.store.get(idempotencyKey(scope, key), { consistent: true, signal });
      const nowMs = kit.clock.now().getTime();
      if (!item || isFree(item, nowMs)) return undefined;
      return readRecord(kit, { scope, key }, item, signal);
    },
  };
}

async function beginIdempotency(
  kit: Kit,
  input: BeginIdempotencyInput,
  { signal }: CallOptions,
): Promise<IdempotencyStart> {
  assertBegin(input);
  signal?.throwIfAborted();
  const { scope, key, fingerprint, executionId } = input;
  const nowMs = kit.clock.now().getTime();
  const item = newRecord(input, kit.ids.newId(), nowMs);
  const outcome = await kit.store.put(item, { condition: beginnable(input, nowMs), signal });
  const found = outcome.item;
  if (outcome.applied || found?.idem_owner === item.idem_owner) {
    const isOwn = executionId !== undefined && found?.execution_id === executionId && !isFree(found, nowMs);
    return { outcome: 'created', handle: { scope, key, owner: item.idem_owner }, replayed: outcome.applied && isOwn };
  }
  // Gone between the refusal and the look at it.
  if (!found || isFree(found, nowMs)) return { outcome: 'already_in_progress', retryAfterMs: 1 };
  if (fingerprint !== undefined && found.fingerprint !== undefined && found.fingerprint !== fingerprint) {
    throw JOB_ERRORS.conflict('payload_mismatch');
  }
  if (found.status === 'COMPLETED') {
    return { outcome: 'already_completed', record: await readRecord(kit, { scope, key }, found, signal) };
  }
  return { outcome: 'already_in_progress', retryAfterMs: Math.max(1, numberOf(found, 'in_progress_until_ms') - nowMs) };
}

function assertBegin(input: BeginIdempotencyInput): void {
  assertInput(input, BEGIN_INPUT, JOB_ERRORS);
  assertScopeAndKey(input.scope, input.key);
  whole('inProgressMs', input.inProgressMs, MIN_IN_PROGRESS_MS, MAX_IN_PROGRESS_MS, JOB_ERRORS);
  if (input.fingerprint !== undefined) fingerprintOf(input.fingerprint, JOB_ERRORS);
  if (input.executionId !== undefined) assertText('executionId', input.executionId, JOB_ERRORS);
  if (input.ttlSeconds !== undefined) ttlSeconds('ttlSeconds', input.ttlSeconds, JOB_ERRORS);
}

/** A record never ends before the time for which it blocks its key. */
function newRecord(input: BeginIdempotencyInput, owner: string, nowMs: number): Item & Key & { idem_owner: string } {
  const { scope, key, inProgressMs, fingerprint, executionId, ttlSeconds: seconds = DAY_SECONDS } = input;
  const untilMs = nowMs + inProgressMs;
  const expiresAtMs = Math.max(nowMs + seconds * 1000, untilMs);
  return {
    ...idempotencyKey(scope, key),
    status: 'IN_PROGRESS',
    idem_owner: owner,
    in_progress_until_ms: untilMs,
    expires_at_ms: expiresAtMs,
    fingerprint,
    execution_id: executionId,
    ttl: ttlAt(expiresAtMs),
  };
}

function beginnable({ fingerprint, executionId }: BeginIdempotencyInput, nowMs: number): Condition {
  const isSilent: Condition = { attribute: 'in_progress_until_ms', is: '<=', value: nowMs };
  const inProgress: Condition = { attribute: 'status', is: '=', value: 'IN_PROGRESS' };
  const free: Condition[] = [
    { absent: 'pk' },
    { attribute: 'expires_at_ms', is: '<=', value: nowMs },
    { all: [inProgress, isSilent] },
  ];
  if (executionId === undefined) return { any: free };
  const isOwn: Condition = { attribute: 'execution_id', is: '=', value: executionId };
  const isSame: Condition[] =
    fingerprint === undefined
      ? []
      : [{ any: [{ absent: 'fingerprint' }, { attribute: 'fingerprint', is: '=', value: fingerprint }] }];
  return { any: [...free, { all: [inProgress, isOwn, ...isSame] }] };
}

/** Expired, or in progress for longer than its owner said. */
function isFree(item: Item, nowMs: number): boolean {
  if (numberOf(item, 'expires_at_ms', Number.POSITIVE_INFINITY) <= nowMs) return true;
  return item.status === 'IN_PROGRESS' && numberOf(item, 'in_progress_until_ms') <= nowMs;
}

async function abandonIdempotency({ store, clock }: Kit, handle: IdempotencyHandle, { signal }: CallOptions) {
  signal?.throwIfAborted();
  const { applied, item } = await store.remove(idempotencyKey(handle.scope, handle.key), {
    condition: ownInProgress(handle.owner),
    signal,
  });
  if (applied || !item || numberOf(item, 'expires_at_ms', Number.POSITIVE_INFINITY) <= clock.now().getTime()) return;
  throw JOB_ERRORS.conflict(textOf(item, 'status') === 'COMPLETED' ? 'already_completed' : 'owner_lost');
}

function assertHandle(handle: IdempotencyHandle): void {
  if (typeof handle !== 'object' || handle === null) throw JOB_ERRORS.invalid('handle must be a handle');
  assertScopeAndKey(handle.scope, handle.key);
  assertId('owner', handle.owner, JOB_ERRORS);
}

function assertScopeAndKey(scope: IdempotencyRecord['scope'], key: unknown): void {
  assertId('scope', scope, JOB_ERRORS);
  assertText('key', key, JOB_ERRORS);
}
