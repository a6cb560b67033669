import type { Item } from '@sallyport/dynamo';
import { ttlAt } from '@sallyport/dynamo';
import { toErrorEnvelope } from '../../error-envelope.js';
import { JOB_ERRORS } from '../../internal/errors-of.js';
import { assertInput, flag, ttlSeconds } from '../../internal/input.js';
import { toJson } from '../../internal/json.js';
import { idempotencyKey, resultKey } from '../../internal/keys.js';
import { holdsAll, isoOf, type Kit, numberOf } from '../../internal/rows.js';
import type { CallOptions, CompleteIdempotencyInput, IdempotencyHandle } from '../../ledger/ledger.js';
import { ownInProgress, readRecord } from './idempotency-row.js';

/** A failed condition is billed by the size of the item that it meets: larger results lie beside the record. */
const MAX_INLINE_BYTES = 3072;
const MAX_RESULT_BYTES = 350_000;
const DAY_SECONDS = 86_400;
const OUTCOME = ['result', 'result_ref', 'result_omitted', 'error'] as const;

export async function completeIdempotency(
  kit: Kit,
  handle: IdempotencyHandle,
  input: CompleteIdempotencyInput,
  { signal }: CallOptions,
): Promise<void> {
  assertInput(input, ['result', 'error', 'resultOmitted', 'resultTtlSeconds'], JOB_ERRORS);
  const omitted = flag('resultOmitted', input.resultOmitted, JOB_ERRORS);
  if ([input.result !== undefined, input.error !== undefined, omitted].filter(Boolean).length > 1) {
    throw JOB_ERRORS.invalid('result, error and resultOmitted exclude each other');
  }
  const seconds = ttlSeconds('resultTtlSeconds', input.resultTtlSeconds ?? DAY_SECONDS, JOB_ERRORS);
  const result = toJson('result', input.result, JOB_ERRORS);
  const error = input.error === undefined ? undefined : JSON.stringify(toErrorEnvelope(input.error));
  signal?.throwIfAborted();
  const nowMs = kit.clock.now().getTime();
  const expiresAtMs = nowMs + seconds * 1000;
  const set: Item = {
    ...(await storeResult(kit, handle, result, ttlAt(expiresAtMs), signal)),
    error,
    ...(omitted && { result_omitted: true }),
    status: 'COMPLETED',
    completed_at: isoOf(nowMs),
    expires_at_ms: expiresAtMs,
    ttl: ttlAt(expiresAtMs),
  };
  await writeCompletion(kit, handle, set, nowMs, signal);
}

/** Where the result lies; a large one is written before the record tells of it. */
async function storeResult(
  { store }: Kit,
  { scope, key, owner }: IdempotencyHandle,
  result: string | undefined,
  ttl: number,
  signal: AbortSignal | undefined,
): Promise<Item> {
  const bytes = result === undefined ? 0 : Buffer.byteLength(result);
  if (bytes <= MAX_INLINE_BYTES) return { result };
  if (bytes > MAX_RESULT_BYTES) return { result_omitted: true };
  const aside = resultKey(scope, key, owner);
  await store.put({ ...aside, result, ttl }, { signal });
  return { result_ref: aside.sk };
}

async function writeCompletion(
  kit: Kit,
  handle: IdempotencyHandle,
  set: Item,
  nowMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { scope, key, owner } = handle;
  const remove = ['in_progress_until_ms', ...OUTCOME.filter((name) => set[name] === undefined)];
  const outcome = await kit.store.update(
    idempotencyKey(scope, key),
    { set, remove },
    { condition: ownInProgress(owner), signal },
  );
  const { applied, item } = outcome;
  if (applied || (outcome.retried && item?.idem_owner === owner && holdsAll(item, set))) return;
  if (!item || numberOf(item, 'expires_at_ms', Number.POSITIVE_INFINITY) <= nowMs) {
    throw JOB_ERRORS.absent('idempotency record');
  }
  if (item.status !== 'COMPLETED') throw JOB_ERRORS.conflict('owner_lost');
  const { status, completedAt, result, error, resultOmitted } = await readRecord(kit, handle, item, signal);
  throw JOB_ERRORS.conflict('already_completed', { status, completedAt, result, error, resultOmitted });
}
