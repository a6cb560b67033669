import {
  absentOrPastTtl,
  afterConflicts,
  type Changes,
  type Condition,
  type Item,
  type ItemTable,
  isPastTtl,
  ttlAt,
} from '@sallyport/dynamo';
import { JOB_ERRORS } from '../../errors.js';
import { assertId, flag, oneOf, ttlSeconds } from '../../internal/input.js';
import { jobKey, recordKey } from '../../internal/keys.js';
import { isoOf, newWriteId, numberOf, type StoreParts, stringAt, timeOf } from '../../internal/rows.js';
import { storeEnd } from '../../internal/store-end.js';
import {
  isFinal,
  type JobRecord,
  RECORD_STATUSES,
  RECORD_TRANSITIONS,
  type RecordStatus,
  type TransitionRecordInput,
} from '../job.js';
import type { EndOptions } from '../ledger.js';
import {
  type Fence,
  fenceCondition,
  isFencedOff,
  type JobOfRecord,
  jobOf,
  legalSource,
  newRecord,
  parseFence,
  recordChanges,
  toRecord,
} from './record-rows.js';

/** A change of one record, ready to be written. */
export interface RecordWrite {
  readonly jobId: string;
  readonly recordId: string;
  readonly to: RecordStatus;
  readonly nowMs: number;
  readonly changes: Changes;
  readonly condition: Condition;
  /** Unique for this change. */
  readonly writer: string;
  /** True if the cache of this instance shows that the job counts its records. */
  readonly isCounted: boolean;
}

/** The outcome: the new row, or the row that rejected the change. */
interface Written {
  readonly applied: boolean;
  readonly item: Item | undefined;
  readonly isLast: boolean;
}

/** @throws JobLedgerError conflict `exists` */
export async function createRecord(
  parts: StoreParts,
  jobId: string,
  recordId: string,
  { job, seconds }: { readonly job: JobOfRecord | undefined; readonly seconds: number | undefined },
): Promise<JobRecord> {
  assertId('recordId', recordId, JOB_ERRORS);
  const nowMs = await timeOf(parts);
  const item = {
    ...newRecord(jobId, recordId, nowMs, job),
    status: 'PENDING',
    attempts: 0,
    updated_at: isoOf(nowMs),
    ttl: seconds === undefined ? job?.ttl : ttlAt(nowMs + ttlSeconds('ttlSeconds', seconds, JOB_ERRORS) * 1000),
  };
  const condition = absentOrPastTtl(nowMs);
  const outcome = await parts.store.put(item, { condition, writer: newWriteId() });
  if (outcome.applied) return toRecord(item);
  throw JOB_ERRORS.conflict('exists', outcome.item && { status: outcome.item.status });
}

/** @throws JobLedgerError not_found; conflict `transition`, `claim_lost` */
export async function transitionRecord(
  parts: StoreParts,
  input: TransitionRecordInput,
  options: EndOptions,
): Promise<JobRecord> {
  const { jobId, recordId, tenantId } = input;
  assertId('recordId', recordId, JOB_ERRORS);
  if (tenantId !== undefined) assertId('tenantId', tenantId, JOB_ERRORS);
  const to = oneOf('to', input.to, RECORD_STATUSES, JOB_ERRORS);
  const mayCreate = flag('orCreate', input.orCreate, JOB_ERRORS) && RECORD_TRANSITIONS.PENDING.includes(to);
  const fence = parseFence(input);
  const nowMs = await timeOf(parts);
  const changes = recordChanges(input, to, nowMs);
  const written = await storeEnd(parts, options, JOB_ERRORS, async (writer, signal) => {
    const job = mayCreate ? await jobOf(parts, input, signal) : undefined;
    const write = {
      ...{ jobId, recordId, to, nowMs, changes, writer },
      isCounted: job?.isCounted === true || isKnownAsCounted(parts, jobId),
      condition: { all: [legalSource(to, nowMs), ...fenceCondition(fence), ...ofTenant(tenantId)] },
    };
    const first = mayCreate ? await createOrWrite(parts, write, job, signal) : await writeRecord(parts, write, signal);
    if (!(await lacksTenant(parts, input, first, signal))) return first;
    const condition = { all: [legalSource(to, nowMs), ...fenceCondition(fence), NO_TENANT] };
    return writeRecord(parts, { ...write, condition, changes: withTenant(changes, tenantId) }, signal);
  });
  if (written.applied && written.item)
    return { ...toRecord(written.item), ...(written.isLast && ({ isLast: true } as const)) };
  throw refusedTransition(input, fence, written.item, nowMs);
}

function ofTenant(tenantId: string | undefined): Condition[] {
  return tenantId === undefined ? [] : [{ attribute: 'record_tenant', is: '=', value: tenantId }];
}

const NO_TENANT: Condition = { absent: 'record_tenant' };

function withTenant(changes: Changes, tenantId: string | undefined): Changes {
  return { ...changes, set: { ...changes.set, record_tenant: tenantId } };
}

/**
 * True if the change was rejected only because an older version, which stored no tenant, wrote the row, and the job belongs to
 * the tenant.
 */
async function lacksTenant(
  parts: StoreParts,
  { jobId, tenantId }: TransitionRecordInput,
  { applied, item }: Written,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (applied || tenantId === undefined || item === undefined || item.record_tenant !== undefined) return false;
  await jobOf(parts, { jobId, tenantId }, signal);
  return true;
}

/** Creates the record if absent or if it has expired, and then runs the transition. */
async function createOrWrite(
  parts: StoreParts,
  write: RecordWrite,
  job: JobOfRecord | undefined,
  signal: AbortSignal | undefined,
): Promise<Written> {
  const { jobId, recordId, nowMs, changes, condition } = write;
  const { pk: _, sk: __, ...fields } = newRecord(jobId, recordId, nowMs, job);
  const ttl = changes.set?.ttl ?? job?.ttl;
  const whole = { ...changes, setIfAbsent: { ...fields, ...(changes.set?.ttl === undefined && { ttl }) } };
  const either: Condition = { any: [{ absent: 'pk' }, condition] };
  const written = await writeRecord(parts, { ...write, changes: whole, condition: either }, signal);
  if (written.applied || !written.item || !isPastTtl(written.item, nowMs)) return written;
  const fresh = { ...newRecord(jobId, recordId, nowMs, job), status: 'PENDING', attempts: 0, ttl };
  await parts.store.put(fresh, { condition: absentOrPastTtl(nowMs), writer: newWriteId(), signal });
  return writeRecord(parts, write, signal);
}

function refusedTransition(
  { orCreate, tenantId }: TransitionRecordInput,
  fence: Fence,
  item: Item | undefined,
  nowMs: number,
): Error {
  if (!item || isPastTtl(item, nowMs)) {
    return orCreate ? JOB_ERRORS.conflict('transition', { status: 'PENDING' }) : JOB_ERRORS.absent('record');
  }
  if (tenantId !== undefined && item.record_tenant !== tenantId) return JOB_ERRORS.absent('record');
  const status = stringAt(item, 'status');
  if (isFencedOff(item, fence)) {
    return JOB_ERRORS.conflict('claim_lost', { status, attempts: numberOf(item, 'attempts') });
  }
  return JOB_ERRORS.conflict('transition', { status });
}

/** Cached ids of jobs that count their records, by table. This hint saves a rejected write. */
const COUNTED = new WeakMap<ItemTable, Set<string>>();
const MAX_COUNTED = 1000;

function isKnownAsCounted({ store }: StoreParts, jobId: string): boolean {
  return COUNTED.get(store)?.has(jobId) === true;
}

/** Stores that a job counts its records, if a row shows it. */
export function noteCounted({ store }: StoreParts, jobId: string, item: Item | undefined): void {
  if (item?.counted !== true) return;
  const jobs = COUNTED.get(store) ?? new Set();
  if (jobs.size >= MAX_COUNTED) jobs.clear();
  COUNTED.set(store, jobs.add(jobId));
}

/** Writes a change of a record. If it ends a counted record, it also changes the counters of the job. */
export async function writeRecord(
  parts: StoreParts,
  write: RecordWrite,
  signal: AbortSignal | undefined,
): Promise<Written> {
  const isEnd = isFinal(RECORD_TRANSITIONS, write.to);
  if (isEnd && write.isCounted) return endCounted(parts, write, signal);
  const condition: Condition = isEnd ? { all: [write.condition, { absent: 'counted' }] } : write.condition;
  const { applied, item } = await updateRecord(parts, { ...write, condition }, signal);
  noteCounted(parts, write.jobId, item);
  if (!applied && isEnd && item?.counted === true) return endCounted(parts, write, signal);
  return { applied, item, isLast: false };
}

function updateRecord({ store }: StoreParts, write: RecordWrite, signal: AbortSignal | undefined) {
  const { jobId, recordId, changes, condition, writer } = write;
  return store.update(recordKey(jobId, recordId), changes, { condition, writer, history: true, signal });
}

/**
 * Finishes a record and counts it in one transaction. The job's counter has either more than one open record or exactly one, and
 * each case has its own condition. So `isLast` is returned to exactly one caller.
 */
async function endCounted(parts: StoreParts, write: RecordWrite, signal: AbortSignal | undefined): Promise<Written> {
  const { store } = parts;
  const key = recordKey(write.jobId, write.recordId);
  let isLast = false;
  for (;;) {
    const outcome = await afterConflicts(parts.clock, signal, () =>
      store.transact(bothChanges(write, isLast), { signal }),
    );
    if (outcome.applied) {
      const wasLast = outcome.repeated ? await hasEndedJob(parts, write, signal) : isLast;
      return { applied: true, item: await endedRecord(parts, write, signal), isLast: wasLast };
    }
    const [record, job] = outcome.refusals;
    if (record?.held !== true) {
      const item = record?.item ?? (await store.get(key, { consistent: true, signal }));
      return { applied: false, item, isLast: false };
    }
    const jobItem = job?.item ?? (await store.get(jobKey(write.jobId), { consistent: true, signal }));
    const open = numberOf(jobItem ?? {}, 'records_open');
    // The job has more records than it was created for, or no longer exists.
    if (open < 1) return { ...(await updateRecord(parts, write, signal)), isLast: false };
    isLast = open === 1;
  }
}

function bothChanges({ jobId, recordId, to, nowMs, ...write }: RecordWrite, isLast: boolean) {
  const add = { records_open: -1, [`records_${to.toLowerCase()}`]: 1 };
  const condition: Condition = { attribute: 'records_open', is: isLast ? '=' : '>', value: 1 };
  return [
    { key: recordKey(jobId, recordId), ...write },
    {
      key: jobKey(jobId),
      changes: { add, ...(isLast && { set: { records_done_at: isoOf(nowMs), records_done_by: write.writer } }) },
      condition,
    },
  ];
}

/** True if an earlier attempt of this change with a lost response ended the last record of the job. */
async function hasEndedJob(
  { store }: StoreParts,
  { jobId, writer }: RecordWrite,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  return (await store.get(jobKey(jobId), { consistent: true, signal }))?.records_done_by === writer;
}

/** A transaction returns no items. The record has ended, so a failed read must not fail the call. */
async function endedRecord(
  { store }: StoreParts,
  { jobId, recordId, changes }: RecordWrite,
  signal: AbortSignal | undefined,
): Promise<Item> {
  const key = recordKey(jobId, recordId);
  const item = await store.get(key, { consistent: true, signal }).catch(() => undefined);
  return item ?? { ...key, job_id: jobId, record_id: recordId, ...changes.set };
}
