import type { Changes, Condition, Item, Key, WriteOutcome } from '@sallyport/dynamo';
import { absentOrPastTtl, isPastTtl, notPastTtl, ttlAt } from '@sallyport/dynamo';
import { JOB_ERRORS } from '../../internal/errors-of.js';
import { assertInput, flag, oneOf, textMap, ttlSeconds, whole } from '../../internal/input.js';
import { assertId, jobKey, tenantStatus } from '../../internal/keys.js';
import { assertSize, holdsAll, isoOf, type Kit, numberOf, textOf } from '../../internal/rows.js';
import { OUTCOME_INPUT, outcomeOf } from '../../internal/transition.js';
import type { CallOptions, CreateJobInput, Job, JobLedger, TransitionJobInput } from '../ledger.js';
import { isFinal, JOB_STATUSES, JOB_TRANSITIONS, type JobStatus, sourcesOf } from '../states.js';
import { toJob } from './job-row.js';
import { listJobs } from './list-jobs.js';

const FIRST_STATUSES = ['PENDING', 'RUNNING'] as const;
/** Reached by transitions; for each the row keeps what `tenant_status` will be, so that one write can set it. */
const LATER_STATUSES = JOB_STATUSES.filter((status) => status !== 'PENDING');

type JobOperations = Pick<JobLedger, 'createJob' | 'transitionJob' | 'getJob' | 'listJobs'>;

export function jobOperations(kit: Kit): JobOperations {
  return {
    createJob: async (input, options = {}) => createJob(kit, input, options),
    transitionJob: async (input, options = {}) => transitionJob(kit, input, options),
    getJob: async (input, options = {}) => getJob(kit, input, options),
    listJobs: async (input, options = {}) => listJobs(kit, input, options),
  };
}

async function createJob({ store, clock }: Kit, input: CreateJobInput, { signal }: CallOptions): Promise<Job> {
  assertInput(input, ['jobId', 'tenantId', 'status', 'metadata', 'ttlSeconds'], JOB_ERRORS);
  assertId('jobId', input.jobId, JOB_ERRORS);
  assertId('tenantId', input.tenantId, JOB_ERRORS);
  const nowMs = clock.now().getTime();
  const item = newJob(input, nowMs);
  assertSize(item);
  signal?.throwIfAborted();
  const outcome = await store.put(item, { condition: absentOrPastTtl(nowMs), signal });
  if (!outcome.applied && !(outcome.retried && holdsAll(outcome.item, item))) {
    throw JOB_ERRORS.conflict('exists', outcome.item && { status: outcome.item.status, version: outcome.item.version });
  }
  return toJob(item);
}

function newJob({ jobId, tenantId, ...input }: CreateJobInput, nowMs: number): Item & Key {
  const status = oneOf('status', input.status ?? 'PENDING', FIRST_STATUSES, JOB_ERRORS);
  const now = isoOf(nowMs);
  const seconds = input.ttlSeconds === undefined ? undefined : ttlSeconds('ttlSeconds', input.ttlSeconds, JOB_ERRORS);
  return {
    ...jobKey(jobId),
    job_id: jobId,
    tenant_id: tenantId,
    tenant_status: tenantStatus(tenantId, status),
    tenant_statuses: Object.fromEntries(LATER_STATUSES.map((later) => [later, tenantStatus(tenantId, later)])),
    status,
    version: 1,
    created_at: now,
    updated_at: now,
    started_at: status === 'RUNNING' ? now : undefined,
    metadata: input.metadata === undefined ? undefined : textMap('metadata', input.metadata, JOB_ERRORS),
    ttl: seconds === undefined ? undefined : ttlAt(nowMs + seconds * 1000),
  };
}

async function transitionJob({ store, clock }: Kit, input: TransitionJobInput, { signal }: CallOptions): Promise<Job> {
  assertInput(input, ['jobId', 'to', 'expectedVersion', 'metadata', ...OUTCOME_INPUT], JOB_ERRORS);
  assertId('jobId', input.jobId, JOB_ERRORS);
  const to = oneOf('to', input.to, JOB_STATUSES, JOB_ERRORS);
  const version = input.expectedVersion;
  if (version !== undefined) whole('expectedVersion', version, 1, Number.MAX_SAFE_INTEGER, JOB_ERRORS);
  const nowMs = clock.now().getTime();
  const changes = jobChanges(input, to, nowMs);
  signal?.throwIfAborted();
  const legal = legalSource(to, version, nowMs);
  const key = jobKey(input.jobId);
  const copy = { tenant_status: { map: 'tenant_statuses', entry: to } };
  let outcome = await store.update(key, { ...changes, copy }, { condition: { all: [...legal, HAS_STATUSES] }, signal });
  if (lacksStatuses(outcome)) {
    const set = { ...changes.set, tenant_status: tenantStatus(textOf(outcome.item ?? {}, 'tenant_id'), to) };
    outcome = await store.update(key, { ...changes, set }, { condition: { all: legal }, signal });
  }
  const { item } = outcome;
  if (item && (outcome.applied || (outcome.retried && holdsAll(item, changes.set ?? {})))) return toJob(item);
  throw refusedTransition(item, version, nowMs);
}

const HAS_STATUSES: Condition = { present: 'tenant_statuses' };

function jobChanges(input: TransitionJobInput, to: JobStatus, nowMs: number): Changes {
  const { set, remove } = outcomeOf(input, nowMs);
  const now = isoOf(nowMs);
  const changes = {
    ...set,
    status: to,
    updated_at: now,
    started_at: to === 'RUNNING' ? now : undefined,
    completed_at: isFinal(JOB_TRANSITIONS, to) ? now : undefined,
    metadata: input.metadata === undefined ? undefined : textMap('metadata', input.metadata, JOB_ERRORS),
  };
  assertSize(changes);
  return { set: changes, count: { version: { from: 0, by: 1 } }, remove };
}

function legalSource(to: JobStatus, version: number | undefined, nowMs: number): Condition[] {
  const sources = sourcesOf(JOB_TRANSITIONS, to);
  // Nothing leads to PENDING; an empty list is no condition of DynamoDB's.
  const isLegal: Condition = { attribute: 'status', isOneOf: sources.length > 0 ? sources : ['-'] };
  const isCurrent: Condition[] = version === undefined ? [] : [{ attribute: 'version', is: '=', value: version }];
  return [isLegal, notPastTtl(nowMs), ...isCurrent];
}

/** A row that another writer made. */
function lacksStatuses(outcome: WriteOutcome): boolean {
  return !outcome.applied && outcome.item !== undefined && outcome.item.tenant_statuses === undefined;
}

function refusedTransition(item: Item | undefined, version: number | undefined, nowMs: number): Error {
  if (!item || isPastTtl(item, nowMs)) return JOB_ERRORS.absent('job');
  const details = { status: textOf(item, 'status'), version: numberOf(item, 'version', 1) };
  const isStale = version !== undefined && version !== details.version;
  return JOB_ERRORS.conflict(isStale ? 'version' : 'transition', details);
}

async function getJob(
  { store, clock }: Kit,
  input: Parameters<JobLedger['getJob']>[0],
  { signal }: CallOptions,
): Promise<Job | undefined> {
  assertInput(input, ['jobId', 'tenantId', 'consistent'], JOB_ERRORS);
  assertId('jobId', input.jobId, JOB_ERRORS);
  if (input.tenantId !== undefined) assertId('tenantId', input.tenantId, JOB_ERRORS);
  const item = await store.get(jobKey(input.jobId), {
    consistent: flag('consistent', input.consistent, JOB_ERRORS),
    signal,
  });
  if (!item || isPastTtl(item, clock.now().getTime())) return undefined;
  return input.tenantId === undefined || item.tenant_id === input.tenantId ? toJob(item) : undefined;
}
