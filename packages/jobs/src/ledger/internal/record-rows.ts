import type { Changes, Condition, Item } from '@sallyport/dynamo';
import { isPastTtl, notPastTtl } from '@sallyport/dynamo';
import { JOB_ERRORS } from '../../errors.js';
import { assertId, whole } from '../../internal/input.js';
import { jobKey, recordKey } from '../../internal/keys.js';
import {
  assertSize,
  isoOf,
  numberOf,
  outcomeOf,
  type StoreParts,
  storedOutcome,
  textOf,
  textsOf,
} from '../../internal/rows.js';
import {
  isFinal,
  type JobRecord,
  RECORD_TRANSITIONS,
  type RecordChange,
  type RecordClaim,
  type RecordStatus,
  sourcesOf,
} from '../job.js';

/** Attributes of a claim. Every transition removes them. */
const CLAIM = ['claim_id', 'claim_until_ms', 'claim_owner'] as const;

/** What a record takes over from its job. */
export interface JobOfRecord {
  readonly tenantId: string;
  /** Unix seconds; absent when the job stays for ever. */
  readonly ttl: number | undefined;
  /** Whether the job counts the records that end. */
  readonly isCounted: boolean;
}

/**
 * The job of records; `undefined` when there is none. Read consistently: it may have been made a moment ago.
 *
 * @throws JobLedgerError not_found when it is not the given tenant's
 */
export async function jobOf(
  { store, clock }: StoreParts,
  { jobId, tenantId }: { readonly jobId: string; readonly tenantId?: string | undefined },
  signal: AbortSignal | undefined,
): Promise<JobOfRecord | undefined> {
  const item = await store.get(jobKey(jobId), { consistent: true, signal });
  const isThere = item !== undefined && !isPastTtl(item, clock.now().getTime());
  if (tenantId !== undefined && !(isThere && item.tenant_id === tenantId)) throw JOB_ERRORS.absent('job');
  if (!isThere) return undefined;
  const ttl = numberOf(item, 'ttl');
  return {
    tenantId: textOf(item, 'tenant_id'),
    ttl: ttl > 0 ? ttl : undefined,
    isCounted: item.records_total !== undefined,
  };
}

/** Attributes of a record that nothing changes later. */
export function newRecord(jobId: string, recordId: string, nowMs: number, job: JobOfRecord | undefined) {
  return {
    ...recordKey(jobId, recordId),
    job_id: jobId,
    record_id: recordId,
    created_at: isoOf(nowMs),
    // Not `tenant_id`: the index of jobs would take it up.
    record_tenant: job?.tenantId,
    counted: job?.isCounted === true ? true : undefined,
  };
}

/** The changes of a transition, without what it needs to hold. */
export function recordChanges(input: Omit<RecordChange, 'recordId'>, to: RecordStatus, nowMs: number): Changes {
  const { set, remove } = outcomeOf(input, nowMs);
  const now = isoOf(nowMs);
  const isEnd = isFinal(RECORD_TRANSITIONS, to);
  const changes = { ...set, status: to, updated_at: now, completed_at: isEnd ? now : undefined };
  assertSize(changes);
  const by = to === 'PROCESSING' ? 1 : 0;
  return { set: changes, count: { attempts: { from: 0, by } }, remove: [...remove, ...CLAIM] };
}

/** Holds for a record that may go to a status. */
export function legalSource(to: RecordStatus, nowMs: number): Condition {
  return { all: [{ attribute: 'status', isOneOf: sourcesOf(RECORD_TRANSITIONS, to) }, notPastTtl(nowMs)] };
}

/** Identifies the caller's attempt of a record. */
export interface Fence {
  readonly expectedAttempts?: number | undefined;
  readonly claimId?: string | undefined;
}

/** @throws JobLedgerError `invalid_input` */
export function parseFence({ expectedAttempts, claimId }: Fence): Fence {
  if (expectedAttempts !== undefined) {
    whole('expectedAttempts', expectedAttempts, 0, Number.MAX_SAFE_INTEGER, JOB_ERRORS);
  }
  if (claimId !== undefined) assertId('claimId', claimId, JOB_ERRORS);
  return { expectedAttempts, claimId };
}

/** Only a caller with its claim or its attempt can change a claimed record. */
export function fenceCondition({ expectedAttempts, claimId }: Fence): Condition[] {
  const fences: Condition[] = [];
  if (expectedAttempts !== undefined) fences.push({ attribute: 'attempts', is: '=', value: expectedAttempts });
  if (claimId !== undefined) fences.push({ attribute: 'claim_id', is: '=', value: claimId });
  return fences.length > 0 ? fences : [{ absent: 'claim_id' }];
}

/** Whether the condition failed because another worker has or had the record. */
export function isFencedOff(item: Item, { expectedAttempts, claimId }: Fence): boolean {
  if (expectedAttempts !== undefined && numberOf(item, 'attempts') !== expectedAttempts) return true;
  if (claimId !== undefined) return item.claim_id !== claimId;
  return expectedAttempts === undefined && item.claim_id !== undefined;
}

/** Rows of other versions may have no attribute but their key. */
export function toRecord(item: Item): JobRecord {
  const createdAt = textOf(item, 'created_at');
  const claim = claimOf(item);
  return {
    jobId: textOf(item, 'job_id'),
    recordId: textOf(item, 'record_id'),
    status: textOf(item, 'status') as RecordStatus,
    attempts: numberOf(item, 'attempts'),
    createdAt,
    updatedAt: textOf(item, 'updated_at') || createdAt,
    ...textsOf(item, { completedAt: 'completed_at' }),
    ...storedOutcome(item),
    ...(claim && { claim }),
  };
}

/** The claim of a row; `undefined` when it has none. */
export function claimOf(item: Item): RecordClaim | undefined {
  const id = textOf(item, 'claim_id');
  if (id === '') return undefined;
  return { id, expiresAtMs: numberOf(item, 'claim_until_ms'), ...textsOf(item, { owner: 'claim_owner' }) };
}
