import type { Changes, Condition, Item } from '@sallyport/dynamo';
import { absentOrPastTtl, isPastTtl, notPastTtl, ttlAt } from '@sallyport/dynamo';
import { JOB_ERRORS } from '../../errors.js';
import { assertId, assertInput, flag, oneOf, ttlSeconds, whole } from '../../internal/input.js';
import { decodeCursor, encodeCursor, jobKey, recordKey } from '../../internal/keys.js';
import {
  assertSize,
  holdsAll,
  isoOf,
  numberOf,
  OUTCOME_INPUT,
  outcomeOf,
  type StoreParts,
  storedOutcome,
  textOf,
  textsOf,
} from '../../internal/rows.js';
import type { CallOptions, Page } from '../../ledger/ledger.js';
import {
  isFinal,
  type JobRecord,
  type ListRecordsInput,
  RECORD_STATUSES,
  RECORD_TRANSITIONS,
  type RecordChange,
  type RecordStatus,
  sourcesOf,
  type TransitionRecordInput,
} from '../job.js';
import type { JobLedger } from '../ledger.js';

export const CHANGE_INPUT = ['recordId', 'to', 'orCreate', ...OUTCOME_INPUT] as const;
const FIRST_SK = 'REC#';
const LAST_SK = 'REC$';
/** Pages of the table that are read for one page of records, at most. After that the page is returned although it is not full. */
const MAX_PAGES_READ = 10;

type RecordOperations = Pick<JobLedger, 'transitionRecord' | 'getRecord' | 'listRecords'>;

export function recordOperations(parts: StoreParts): RecordOperations {
  return {
    async transitionRecord(input, options = {}) {
      assertInput(input, ['jobId', ...CHANGE_INPUT], JOB_ERRORS);
      assertId('jobId', input.jobId, JOB_ERRORS);
      options.signal?.throwIfAborted();
      return transitionRecord(parts, input, options);
    },
    getRecord: async (input, options = {}) => getRecord(parts, input, options),
    listRecords: async (input, options = {}) => listRecords(parts, input, options),
  };
}

/** @throws JobLedgerError conflict `exists` */
export async function createRecord(
  { store, clock }: StoreParts,
  jobId: string,
  recordId: string,
  seconds: number | undefined,
): Promise<JobRecord> {
  assertId('recordId', recordId, JOB_ERRORS);
  const nowMs = clock.now().getTime();
  const now = isoOf(nowMs);
  const item = {
    ...newRecord(jobId, recordId, now),
    status: 'PENDING',
    attempts: 0,
    updated_at: now,
    ttl: seconds === undefined ? undefined : ttlAt(nowMs + ttlSeconds('ttlSeconds', seconds, JOB_ERRORS) * 1000),
  };
  const outcome = await store.put(item, { condition: absentOrPastTtl(nowMs) });
  if (outcome.applied || (outcome.retried && holdsAll(outcome.item, item))) return toRecord(item);
  throw JOB_ERRORS.conflict('exists', outcome.item && { status: outcome.item.status });
}

function newRecord(jobId: string, recordId: string, now: string) {
  return { ...recordKey(jobId, recordId), job_id: jobId, record_id: recordId, created_at: now };
}

export async function transitionRecord(
  { store, clock }: StoreParts,
  input: TransitionRecordInput,
  { signal }: CallOptions,
): Promise<JobRecord> {
  const { jobId, recordId } = input;
  assertId('recordId', recordId, JOB_ERRORS);
  const to = oneOf('to', input.to, RECORD_STATUSES, JOB_ERRORS);
  const orCreate = flag('orCreate', input.orCreate, JOB_ERRORS);
  const nowMs = clock.now().getTime();
  const changes = recordChanges(input, to, nowMs);
  const mayCreate = orCreate && RECORD_TRANSITIONS.PENDING.includes(to);
  const whole = { ...changes, ...(mayCreate && { setIfAbsent: fieldsOf(newRecord(jobId, recordId, isoOf(nowMs))) }) };
  const key = recordKey(jobId, recordId);
  let outcome = await store.update(key, whole, { condition: legalSource(to, mayCreate, nowMs), signal });
  if (!outcome.applied && mayCreate && outcome.item && isPastTtl(outcome.item, nowMs)) {
    const fresh = { ...newRecord(jobId, recordId, isoOf(nowMs)), ...changes.set, attempts: attemptsOf(to) };
    const written = await store.put(fresh, { condition: absentOrPastTtl(nowMs), signal });
    outcome = written.applied ? { applied: true, item: fresh, repeated: false } : written;
  }
  const { item } = outcome;
  if (item && (outcome.applied || (outcome.retried && holdsAll(item, changes.set ?? {})))) return toRecord(item);
  if (!item || isPastTtl(item, nowMs)) {
    throw orCreate ? JOB_ERRORS.conflict('transition', { status: 'PENDING' }) : JOB_ERRORS.absent('record');
  }
  throw JOB_ERRORS.conflict('transition', { status: textOf(item, 'status') });
}

function recordChanges(input: RecordChange, to: RecordStatus, nowMs: number): Changes {
  const { set, remove } = outcomeOf(input, nowMs);
  const isEnd = isFinal(RECORD_TRANSITIONS, to);
  const now = isoOf(nowMs);
  const changes = { ...set, status: to, updated_at: now, completed_at: isEnd ? now : undefined };
  assertSize(changes);
  return { set: changes, count: { attempts: { from: 0, by: attemptsOf(to) } }, remove };
}

function attemptsOf(to: RecordStatus): number {
  return to === 'PROCESSING' ? 1 : 0;
}

/** Without the keys: an update sets those by itself. */
function fieldsOf({ job_id, record_id, created_at }: ReturnType<typeof newRecord>): Item {
  return { job_id, record_id, created_at };
}

function legalSource(to: RecordStatus, mayCreate: boolean, nowMs: number): Condition {
  const legal: Condition = {
    all: [{ attribute: 'status', isOneOf: sourcesOf(RECORD_TRANSITIONS, to) }, notPastTtl(nowMs)],
  };
  return mayCreate ? { any: [{ absent: 'pk' }, legal] } : legal;
}

async function getRecord(
  { store, clock }: StoreParts,
  input: Parameters<JobLedger['getRecord']>[0],
  { signal }: CallOptions,
): Promise<JobRecord | undefined> {
  assertInput(input, ['jobId', 'recordId', 'consistent'], JOB_ERRORS);
  assertId('jobId', input.jobId, JOB_ERRORS);
  assertId('recordId', input.recordId, JOB_ERRORS);
  const consistent = flag('consistent', input.consistent, JOB_ERRORS);
  const item = await store.get(recordKey(input.jobId, input.recordId), { consistent, signal });
  return item && !isPastTtl(item, clock.now().getTime()) ? toRecord(item) : undefined;
}

/** Filtered here, so that pages are full and the cursor points to the last record that was returned. */
async function listRecords(
  { store, clock }: StoreParts,
  input: ListRecordsInput,
  { signal }: CallOptions,
): Promise<Page<JobRecord>> {
  assertInput(input, ['jobId', 'status', 'limit', 'cursor'], JOB_ERRORS);
  assertId('jobId', input.jobId, JOB_ERRORS);
  const { jobId, status } = input;
  if (status !== undefined) oneOf('status', status, RECORD_STATUSES, JOB_ERRORS);
  const limit = whole('limit', input.limit ?? 50, 1, 1000, JOB_ERRORS);
  const binding = ['records', jobId, status];
  let start = decodeCursor(input.cursor, binding, ['sk'], JOB_ERRORS)?.sk;
  if (start !== undefined && (start < FIRST_SK || start > LAST_SK))
    throw JOB_ERRORS.invalid('cursor does not belong to this query');
  const { pk } = jobKey(jobId);
  const nowMs = clock.now().getTime();
  const records: JobRecord[] = [];
  for (let read = 0; read < MAX_PAGES_READ; read += 1) {
    const page = await store.query(
      {
        partition: { name: 'pk', value: pk },
        sort: { name: 'sk', from: FIRST_SK, to: LAST_SK },
        limit,
        start: start === undefined ? undefined : { pk, sk: start },
      },
      { signal },
    );
    for (const item of page.items) {
      if (records.length === limit) return { items: records, cursor: encodeCursor(binding, { sk: start ?? '' }) };
      start = textOf(item, 'sk');
      if (!isPastTtl(item, nowMs) && (status === undefined || item.status === status)) records.push(toRecord(item));
    }
    if (!page.more) return { items: records };
    if (records.length === limit) break;
  }
  return { items: records, cursor: encodeCursor(binding, { sk: start ?? '' }) };
}

/** Rows of other versions may have no attribute but their key. */
function toRecord(item: Item): JobRecord {
  const createdAt = textOf(item, 'created_at');
  return {
    jobId: textOf(item, 'job_id'),
    recordId: textOf(item, 'record_id'),
    status: textOf(item, 'status') as RecordStatus,
    attempts: numberOf(item, 'attempts'),
    createdAt,
    updatedAt: textOf(item, 'updated_at') || createdAt,
    ...textsOf(item, { completedAt: 'completed_at' }),
    ...storedOutcome(item),
  };
}
