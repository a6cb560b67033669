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
  stringAt,
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

const OF_JOB = ['tenant_id', 'ttl', 'records_total'];

/** Attributes that a record copies from its job. */
export interface JobOfRecord {
  readonly tenantId: string;
  /** Unix seconds; absent if the job does not expire. */
  readonly ttl: number | undefined;
  /** True if the job counts its finished records. */
  readonly isCounted: boolean;
}

/**
 * The job of records; `undefined` if absent. The read is consistent, because the job may have just been created.
 *
 * @throws JobLedgerError not_found if it belongs to another tenant
 */
export async function jobOf(
  { store, clock }: StoreParts,
  { jobId, tenantId }: { readonly jobId: string; readonly tenantId?: string | undefined },
  signal: AbortSignal | undefined,
): Promise<JobOfRecord | undefined> {
  const item = await store.get(jobKey(jobId), { consistent: true, attributes: OF_JOB, signal });
  const isThere = item !== undefined && !isPastTtl(item, clock.now().getTime());
  if (tenantId !== undefined && !(isThere && item.tenant_id === tenantId)) throw JOB_ERRORS.absent('job');
  if (!isThere) return undefined;
  const ttl = numberOf(item, 'ttl');
  return {
    tenantId: stringAt(item, 'tenant_id'),
    ttl: ttl > 0 ? ttl : undefined,
    isCounted: item.records_total !== undefined,
  };
}

/** Attributes of a record that never change. */
export function newRecord(jobId: string, recordId: string, nowMs: number, job: JobOfRecord | undefined) {
  return {
    ...recordKey(jobId, recordId),
    job_id: jobId,
    record_id: recordId,
    created_at: isoOf(nowMs),
    // The attribute is not named `tenant_id`, because then the index of jobs would include the record.
    record_tenant: job?.tenantId,
    counted: job?.isCounted === true ? true : undefined,
  };
}

/** The changes of a transition, without its condition. */
export function recordChanges(input: Omit<RecordChange, 'recordId'>, to: RecordStatus, nowMs: number): Changes {
  const { set, remove } = outcomeOf(input, nowMs);
  const now = isoOf(nowMs);
  const isEnd = isFinal(RECORD_TRANSITIONS, to);
  const changes = { ...set, status: to, updated_at: now, completed_at: isEnd ? now : undefined };
  assertSize(changes);
  const by = to === 'PROCESSING' ? 1 : 0;
  return { set: changes, count: { attempts: { from: 0, by } }, remove: [...remove, ...CLAIM] };
}

/** The condition that a record may change to a status. */
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

/** The condition that the caller passes the right claim or number of attempts for a claimed record. */
export function fenceCondition({ expectedAttempts, claimId }: Fence): Condition[] {
  const fences: Condition[] = [];
  if (expectedAttempts !== undefined) fences.push({ attribute: 'attempts', is: '=', value: expectedAttempts });
  if (claimId !== undefined) fences.push({ attribute: 'claim_id', is: '=', value: claimId });
  return fences.length > 0 ? fences : [{ absent: 'claim_id' }];
}

/** True if the condition failed because another worker has or had the record. */
export function isFencedOff(item: Item, { expectedAttempts, claimId }: Fence): boolean {
  if (expectedAttempts !== undefined && numberOf(item, 'attempts') !== expectedAttempts) return true;
  if (claimId !== undefined) return item.claim_id !== claimId;
  return expectedAttempts === undefined && item.claim_id !== undefined;
}

/** Converts a row. Rows of other versions can lack all attributes except the key. */
export function toRecord(item: Item): JobRecord {
  const createdAt = stringAt(item, 'created_at');
  const claim = claimOf(item);
  return {
    jobId: stringAt(item, 'job_id'),
    recordId: stringAt(item, 'record_id'),
    status: stringAt(item, 'status') as RecordStatus,
    attempts: numberOf(item, 'attempts'),
    createdAt,
    updatedAt: stringAt(item, 'updated_at') || createdAt,
    ...textsOf(item, { completedAt: 'completed_at' }),
    ...storedOutcome(item),
    ...(claim && { claim }),
  };
}

/** The claim of a row; `undefined` if absent. */
export function claimOf(item: Item): RecordClaim | undefined {
  const id = stringAt(item, 'claim_id');
  if (id === '') return undefined;
  return { id, expiresAtMs: numberOf(item, 'claim_until_ms'), ...textsOf(item, { owner: 'claim_owner' }) };
}
