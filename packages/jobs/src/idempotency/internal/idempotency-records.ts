import type { Condition, Item, Key } from '@sallyport/dynamo';
import { ttlAt } from '@sallyport/dynamo';
import { toErrorEnvelope } from '../../error-envelope.js';
import { JOB_ERRORS } from '../../errors.js';
import { assertId, assertInput, assertText, fingerprintOf, flag, ttlSeconds, whole } from '../../internal/input.js';
import { idempotencyKey, resultKey } from '../../internal/keys.js';
import {
  isoOf,
  newWriteId,
  numberOf,
  type StoreParts,
  storedOutcome,
  stringAt,
  textsOf,
  timeOf,
  toJson,
} from '../../internal/rows.js';
import type { CallOptions, JobLedger } from '../../ledger/ledger.js';
import type {
  BeginIdempotencyInput,
  CompleteIdempotencyInput,
  IdempotencyHandle,
  IdempotencyRecord,
  IdempotencyStart,
  IdempotencyStatus,
  RenewIdempotencyInput,
} from '../record.js';
import type { CompletedKeys } from './completed-keys.js';

const BEGIN_INPUT = ['scope', 'key', 'inProgressMs', 'fingerprint', 'executionId', 'ttlSeconds'];
export const MIN_IN_PROGRESS_MS = 1000;
/** A durable execution may last a year. */
export const MAX_IN_PROGRESS_MS = 366 * 86_400_000;
const DAY_SECONDS = 86_400;
/** A failed condition is billed by the size of the existing item, so larger results are stored in a separate item. */
const MAX_INLINE_BYTES = 3072;
const MAX_RESULT_BYTES = 350_000;
const OUTCOME = ['result', 'result_ref', 'result_omitted', 'error'] as const;

type IdempotencyOperations = Pick<
  JobLedger,
  'beginIdempotency' | 'renewIdempotency' | 'completeIdempotency' | 'abandonIdempotency' | 'getIdempotencyRecord'
>;

interface IdempotencyParts extends StoreParts {
  readonly completedKeys: CompletedKeys;
}

export function idempotencyOperations(parts: IdempotencyParts): IdempotencyOperations {
  return {
    async beginIdempotency(input, options = {}) {
      assertBegin(input);
      options.signal?.throwIfAborted();
      return beginKnown(parts, input) ?? beginIdempotency(parts, input, options);
    },
    async renewIdempotency(handle, input, options = {}) {
      assertHandle(handle);
      assertInput(input, ['inProgressMs', 'ttlSeconds'], JOB_ERRORS);
      assertTimes(input);
      return renewIdempotency(parts, handle, input, options);
    },
    async completeIdempotency(handle, outcome, options = {}) {
      assertHandle(handle);
      return completeIdempotency(parts, handle, outcome, options);
    },
    async abandonIdempotency(handle, options = {}) {
      assertHandle(handle);
      return abandonIdempotency(parts, handle, options);
    },
    async getIdempotencyRecord(input, { signal } = {}) {
      assertInput(input, ['scope', 'key'], JOB_ERRORS);
      const { scope, key } = input;
      assertScopeAndKey(scope, key);
      const item = await parts.store.get(idempotencyKey(scope, key), { consistent: true, signal });
      const nowMs = parts.clock.now().getTime();
      if (!item || isFree(item, nowMs)) return undefined;
      return readRecord(parts, { scope, key }, item, signal);
    },
  };
}

/** The result of a begin from this instance's cache; `undefined` if the key is not cached. */
function beginKnown(
  { clock, completedKeys }: IdempotencyParts,
  { scope, key, fingerprint }: BeginIdempotencyInput,
): IdempotencyStart | undefined {
  const record = completedKeys.find(scope, key, clock.now().getTime());
  if (!record) return undefined;
  assertSame(fingerprint, record.fingerprint);
  return { outcome: 'already_completed', record };
}

/** @throws JobLedgerError conflict `payload_mismatch` if both exist and differ */
function assertSame(fingerprint: string | undefined, stored: unknown): void {
  if (fingerprint !== undefined && stored !== undefined && stored !== fingerprint) {
    throw JOB_ERRORS.conflict('payload_mismatch');
  }
}

async function beginIdempotency(
  parts: IdempotencyParts,
  input: BeginIdempotencyInput,
  { signal }: CallOptions,
): Promise<IdempotencyStart> {
  const { scope, key, fingerprint, executionId } = input;
  const nowMs = await timeOf(parts);
  const item = newRecord(input, parts.ids.newId(), nowMs);
  const outcome = await parts.store.put(item, {
    condition: beginnable(input, nowMs),
    writer: item.idem_owner,
    signal,
  });
  const found = outcome.item;
  if (outcome.applied || found?.idem_owner === item.idem_owner) {
    const isOwn = executionId !== undefined && found?.execution_id === executionId && !isFree(found, nowMs);
    // An earlier attempt of this call with a lost response is not an earlier run.
    const replayed = outcome.applied && isOwn && found.idem_owner !== item.idem_owner;
    return { outcome: 'created', handle: { scope, key, owner: item.idem_owner }, replayed };
  }
  // The row that rejected the write was removed in the meantime.
  if (!found || isFree(found, nowMs)) return { outcome: 'already_in_progress', retryAfterMs: 1 };
  assertSame(fingerprint, found.fingerprint);
  if (found.status === 'COMPLETED') {
    const record = await readRecord(parts, { scope, key }, found, signal);
    parts.completedKeys.keep(record);
    return { outcome: 'already_completed', record };
  }
  return { outcome: 'already_in_progress', retryAfterMs: Math.max(1, numberOf(found, 'in_progress_until_ms') - nowMs) };
}

function assertBegin(input: BeginIdempotencyInput): void {
  assertInput(input, BEGIN_INPUT, JOB_ERRORS);
  assertScopeAndKey(input.scope, input.key);
  if (input.fingerprint !== undefined) fingerprintOf(input.fingerprint, JOB_ERRORS);
  if (input.executionId !== undefined) assertText('executionId', input.executionId, JOB_ERRORS);
  assertTimes(input);
}

function assertTimes(input: RenewIdempotencyInput): void {
  whole('inProgressMs', input.inProgressMs, MIN_IN_PROGRESS_MS, MAX_IN_PROGRESS_MS, JOB_ERRORS);
  if (input.ttlSeconds !== undefined) ttlSeconds('ttlSeconds', input.ttlSeconds, JOB_ERRORS);
}

function newRecord(input: BeginIdempotencyInput, owner: string, nowMs: number): Item & Key & { idem_owner: string } {
  const { scope, key, fingerprint, executionId } = input;
  return {
    ...idempotencyKey(scope, key),
    status: 'IN_PROGRESS',
    idem_owner: owner,
    ...timesOf(input, nowMs),
    fingerprint,
    execution_id: executionId,
  };
}

/** A record never expires before the end of the time for which it blocks its key. */
function timesOf({ inProgressMs, ttlSeconds: seconds = DAY_SECONDS }: RenewIdempotencyInput, nowMs: number) {
  const untilMs = nowMs + inProgressMs;
  const expiresAtMs = Math.max(nowMs + seconds * 1000, untilMs);
  return { in_progress_until_ms: untilMs, expires_at_ms: expiresAtMs, ttl: ttlAt(expiresAtMs) };
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

/** True for a record that has expired, or is in progress for longer than its owner declared. */
function isFree(item: Item, nowMs: number): boolean {
  if (numberOf(item, 'expires_at_ms', Number.POSITIVE_INFINITY) <= nowMs) return true;
  return item.status === 'IN_PROGRESS' && numberOf(item, 'in_progress_until_ms') <= nowMs;
}

/** Renews a key. An owner may renew its key even after its time is over, as long as no other caller has begun it. */
async function renewIdempotency(
  parts: StoreParts,
  { scope, key, owner }: IdempotencyHandle,
  input: RenewIdempotencyInput,
  { signal }: CallOptions,
): Promise<void> {
  signal?.throwIfAborted();
  const set = timesOf(input, await timeOf(parts));
  const options = { condition: ownInProgress(owner), writer: newWriteId(), signal };
  const { applied, item } = await parts.store.update(idempotencyKey(scope, key), { set }, options);
  if (!applied) throw JOB_ERRORS.conflict(item?.status === 'COMPLETED' ? 'already_completed' : 'owner_lost');
}

async function abandonIdempotency({ store, clock }: StoreParts, handle: IdempotencyHandle, { signal }: CallOptions) {
  signal?.throwIfAborted();
  const outcome = await store.remove(idempotencyKey(handle.scope, handle.key), {
    condition: ownInProgress(handle.owner),
    signal,
  });
  const { applied, item } = outcome;
  // The first attempt of this call may have released the key to its current owner.
  if (!applied && outcome.retried && item?.status === 'IN_PROGRESS') return;
  if (applied || !item || numberOf(item, 'expires_at_ms', Number.POSITIVE_INFINITY) <= clock.now().getTime()) return;
  throw JOB_ERRORS.conflict(stringAt(item, 'status') === 'COMPLETED' ? 'already_completed' : 'owner_lost');
}

function assertHandle(handle: IdempotencyHandle): void {
  if (typeof handle !== 'object' || handle === null)
    throw JOB_ERRORS.invalid('handle must be returned by beginIdempotency');
  assertScopeAndKey(handle.scope, handle.key);
  assertId('owner', handle.owner, JOB_ERRORS);
}

function assertScopeAndKey(scope: IdempotencyRecord['scope'], key: unknown): void {
  assertId('scope', scope, JOB_ERRORS);
  assertText('key', key, JOB_ERRORS);
}

async function completeIdempotency(
  parts: IdempotencyParts,
  handle: IdempotencyHandle,
  input: CompleteIdempotencyInput,
  { signal }: CallOptions,
): Promise<void> {
  assertInput(input, ['result', 'error', 'resultOmitted', 'resultTtlSeconds', 'writeId'], JOB_ERRORS);
  const omitted = flag('resultOmitted', input.resultOmitted, JOB_ERRORS);
  if ([input.result !== undefined, input.error !== undefined, omitted].filter(Boolean).length > 1) {
    throw JOB_ERRORS.invalid('pass only one of result, error and resultOmitted');
  }
  const seconds = ttlSeconds('resultTtlSeconds', input.resultTtlSeconds ?? DAY_SECONDS, JOB_ERRORS);
  const result = toJson('result', input.result, JOB_ERRORS);
  const error = input.error === undefined ? undefined : JSON.stringify(toErrorEnvelope(input.error));
  if (input.writeId !== undefined) assertId('writeId', input.writeId, JOB_ERRORS);
  signal?.throwIfAborted();
  const nowMs = await timeOf(parts);
  const expiresAtMs = nowMs + seconds * 1000;
  const set: Item = {
    ...(await storeResult(parts, handle, result, ttlAt(expiresAtMs), signal)),
    error,
    ...(omitted && { result_omitted: true }),
    status: 'COMPLETED',
    completed_at: isoOf(nowMs),
    expires_at_ms: expiresAtMs,
    ttl: ttlAt(expiresAtMs),
  };
  await writeCompletion(parts, handle, { set, nowMs, writer: input.writeId ?? newWriteId() }, signal);
}

/** The attributes of the result. A large result is first written to a separate item, and then the record refers to it. */
async function storeResult(
  { store }: StoreParts,
  { scope, key, owner }: IdempotencyHandle,
  result: string | undefined,
  ttl: number,
  signal: AbortSignal | undefined,
): Promise<Item> {
  const bytes = result === undefined ? 0 : Buffer.byteLength(result);
  if (bytes <= MAX_INLINE_BYTES) return { result };
  if (bytes > MAX_RESULT_BYTES) return { result_omitted: true };
  const aside = resultKey(scope, key, owner);
  // An earlier attempt of this completion has written the same item.
  await store.put({ ...aside, result, ttl }, { condition: { absent: 'pk' }, writer: owner, signal });
  return { result_ref: aside.sk };
}

async function writeCompletion(
  parts: IdempotencyParts,
  handle: IdempotencyHandle,
  { set, nowMs, writer }: { readonly set: Item; readonly nowMs: number; readonly writer: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  const { scope, key, owner } = handle;
  const remove = ['in_progress_until_ms', ...OUTCOME.filter((name) => set[name] === undefined)];
  const outcome = await parts.store.update(
    idempotencyKey(scope, key),
    { set, remove },
    { condition: ownInProgress(owner), writer, signal },
  );
  const { applied, item } = outcome;
  if (applied) {
    if (item && item.result_ref === undefined) parts.completedKeys.keep(await readRecord(parts, handle, item));
    return;
  }
  if (!item || numberOf(item, 'expires_at_ms', Number.POSITIVE_INFINITY) <= nowMs) {
    throw JOB_ERRORS.absent('idempotency record');
  }
  if (item.status !== 'COMPLETED') throw JOB_ERRORS.conflict('owner_lost');
  const { status, completedAt, result, error, resultOmitted } = await readRecord(parts, handle, item, signal);
  throw JOB_ERRORS.conflict('already_completed', { status, completedAt, result, error, resultOmitted });
}

/** The condition that the caller is the owner of a key in progress. */
function ownInProgress(owner: string): Condition {
  return {
    all: [
      { attribute: 'status', is: '=', value: 'IN_PROGRESS' },
      { attribute: 'idem_owner', is: '=', value: owner },
    ],
  };
}

/** Converts a row, and reads a result in a separate item. Rows of other versions can lack all attributes except the key. */
async function readRecord(
  { store }: Pick<StoreParts, 'store'>,
  { scope, key }: Pick<IdempotencyRecord, 'scope' | 'key'>,
  item: Item,
  signal?: AbortSignal,
): Promise<IdempotencyRecord> {
  const aside = stringAt(item, 'result_ref');
  const large =
    aside === ''
      ? undefined
      : await store.get({ ...idempotencyKey(scope, key), sk: aside }, { consistent: true, signal });
  const until = item.status === 'IN_PROGRESS' ? numberOf(item, 'in_progress_until_ms') : undefined;
  return {
    scope,
    key,
    status: stringAt(item, 'status') as IdempotencyStatus,
    expiresAtMs: numberOf(item, 'expires_at_ms'),
    ...(until !== undefined && { inProgressUntilMs: until }),
    ...textsOf(item, { fingerprint: 'fingerprint', executionId: 'execution_id', completedAt: 'completed_at' }),
    ...storedOutcome(large ? { ...item, result: large.result } : item),
    resultOmitted: item.result_omitted === true || (aside !== '' && large?.result === undefined),
  };
}
