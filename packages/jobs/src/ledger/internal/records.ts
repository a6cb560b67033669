import { type Item, isPastTtl } from '@sallyport/dynamo';
import { JOB_ERRORS, JobLedgerError } from '../../errors.js';
import { assertId, assertInput, flag, oneOf, whole } from '../../internal/input.js';
import { decodeCursor, encodeCursor, jobKey, recordKey } from '../../internal/keys.js';
import { OUTCOME_INPUT, type StoreParts, stringAt } from '../../internal/rows.js';
import { type JobRecord, type ListRecordsInput, RECORD_STATUSES } from '../job.js';
import type { CallOptions, JobLedger, Page } from '../ledger.js';
import { transitionRecord } from './record-changes.js';
import { jobOf, toRecord } from './record-rows.js';

export const CHANGE_INPUT = ['recordId', 'to', 'orCreate', 'expectedAttempts', 'claimId', ...OUTCOME_INPUT] as const;
const FIRST_SK = 'REC#';
const LAST_SK = 'REC$';
/** Pages of the table that are read for one page of records, at most. After that the page is returned although it is not full. */
const MAX_PAGES_READ = 10;

type RecordOperations = Pick<JobLedger, 'transitionRecord' | 'getRecord' | 'listRecords'>;

export function recordOperations(parts: StoreParts): RecordOperations {
  return {
    async transitionRecord(input, options = {}) {
      assertInput(input, ['jobId', 'tenantId', ...CHANGE_INPUT], JOB_ERRORS);
      assertId('jobId', input.jobId, JOB_ERRORS);
      options.signal?.throwIfAborted();
      return transitionRecord(parts, input, options);
    },
    getRecord: async (input, options = {}) => getRecord(parts, input, options),
    listRecords: async (input, options = {}) => listRecords(parts, input, options),
  };
}

async function getRecord(
  parts: StoreParts,
  input: Parameters<JobLedger['getRecord']>[0],
  { signal }: CallOptions,
): Promise<JobRecord | undefined> {
  assertInput(input, ['jobId', 'recordId', 'tenantId', 'consistent'], JOB_ERRORS);
  const { jobId, recordId, tenantId } = input;
  assertId('jobId', jobId, JOB_ERRORS);
  assertId('recordId', recordId, JOB_ERRORS);
  if (tenantId !== undefined) assertId('tenantId', tenantId, JOB_ERRORS);
  const consistent = flag('consistent', input.consistent, JOB_ERRORS);
  const item = await parts.store.get(recordKey(jobId, recordId), { consistent, signal });
  if (!item || isPastTtl(item, parts.clock.now().getTime())) return undefined;
  const isMine = ownership(parts, { jobId, tenantId }, signal);
  return (await isMine(item)) ? toRecord(item) : undefined;
}

/** True if rows belong to a tenant's job. For rows of an older version, which stored no tenant, the job is read once. */
function ownership(
  parts: StoreParts,
  { jobId, tenantId }: { readonly jobId: string; readonly tenantId?: string | undefined },
  signal: AbortSignal | undefined,
): (item: Item) => boolean | Promise<boolean> {
  let isOwnJob: Promise<boolean> | undefined;
  return (item) => {
    if (tenantId === undefined) return true;
    if (item.record_tenant !== undefined) return item.record_tenant === tenantId;
    isOwnJob ??= jobOf(parts, { jobId, tenantId }, signal).then(
      () => true,
      (error: unknown) => {
        if (error instanceof JobLedgerError && error.type === 'not_found') return false;
        throw error;
      },
    );
    return isOwnJob;
  };
}

/** Filtered here, so that pages are full and the cursor points to the last record that was returned. */
async function listRecords(
  parts: StoreParts,
  input: ListRecordsInput,
  { signal }: CallOptions,
): Promise<Page<JobRecord>> {
  const { jobId, tenantId, status, limit } = parseList(input);
  const binding = ['records', jobId, status];
  let start = decodeCursor(input.cursor, binding, ['sk'], JOB_ERRORS)?.sk;
  if (start !== undefined && (start < FIRST_SK || start > LAST_SK)) throw JOB_ERRORS.foreignCursor();
  const nowMs = parts.clock.now().getTime();
  const isMine = ownership(parts, { jobId, tenantId }, signal);
  const records: JobRecord[] = [];
  for (let read = 0; read < MAX_PAGES_READ; read += 1) {
    const page = await recordPage(parts, jobId, { limit, start, signal });
    for (const item of page.items) {
      if (records.length === limit) return { items: records, cursor: encodeCursor(binding, { sk: start ?? '' }) };
      start = stringAt(item, 'sk');
      const isWanted = !isPastTtl(item, nowMs) && (status === undefined || item.status === status);
      if (isWanted && (await isMine(item))) records.push(toRecord(item));
    }
    if (!page.more) return { items: records };
    if (records.length === limit) break;
  }
  return { items: records, cursor: encodeCursor(binding, { sk: start ?? '' }) };
}

function parseList(input: ListRecordsInput) {
  assertInput(input, ['jobId', 'tenantId', 'status', 'limit', 'cursor'], JOB_ERRORS);
  const { jobId, tenantId, status } = input;
  assertId('jobId', jobId, JOB_ERRORS);
  if (tenantId !== undefined) assertId('tenantId', tenantId, JOB_ERRORS);
  if (status !== undefined) oneOf('status', status, RECORD_STATUSES, JOB_ERRORS);
  return { jobId, tenantId, status, limit: whole('limit', input.limit ?? 50, 1, 1000, JOB_ERRORS) };
}

/** One page of the rows of a job's records, after the sort key `start`. */
export function recordPage(
  { store }: StoreParts,
  jobId: string,
  { limit, start, signal }: { limit: number; start: string | undefined; signal: AbortSignal | undefined },
) {
  const { pk } = jobKey(jobId);
  const query = {
    partition: { name: 'pk', value: pk },
    sort: { name: 'sk', from: FIRST_SK, to: LAST_SK },
    limit,
    start: start === undefined ? undefined : { pk, sk: start },
  };
  return store.query(query, { signal });
}
