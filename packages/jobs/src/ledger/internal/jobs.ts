import type { Changes, Condition, Item, ItemQuery, Key, WriteOutcome } from '@sallyport/dynamo';
import { absentOrPastTtl, isPastTtl, notPastTtl, ttlAt } from '@sallyport/dynamo';
import { JOB_ERRORS } from '../../errors.js';
import { assertId, assertInput, flag, isoTime, oneOf, textMap, ttlSeconds, whole } from '../../internal/input.js';
import { decodeCursor, encodeCursor, jobKey, tenantStatus } from '../../internal/keys.js';
import {
  assertSize,
  isoOf,
  newWriteId,
  numberOf,
  OUTCOME_INPUT,
  outcomeOf,
  readAll,
  type StoreParts,
  storedOutcome,
  stringAt,
  textsOf,
  timeOf,
} from '../../internal/rows.js';
import { storeEnd } from '../../internal/store-end.js';
import type { CallOptions, EndOptions, Page } from '../../ledger/ledger.js';
import { STATUS_CREATED_INDEX, TENANT_CREATED_INDEX } from '../../schema.js';
import {
  type CreateJobInput,
  isFinal,
  JOB_STATUSES,
  JOB_TRANSITIONS,
  type Job,
  type JobProgress,
  type JobStatus,
  type ListJobsInput,
  sourcesOf,
  type TransitionJobInput,
} from '../job.js';
import type { JobLedger } from '../ledger.js';

const FIRST_STATUSES = ['PENDING', 'RUNNING'] as const;
/**
 * Statuses that a transition may reach. The row contains the future value of `tenant_status` for each of them, so that one write
 * can set it.
 */
const LATER_STATUSES = JOB_STATUSES.filter((status) => status !== 'PENDING');

const LIST_INPUT = [
  'tenantId',
  'status',
  'createdFrom',
  'createdTo',
  'order',
  'limit',
  'cursor',
  'consistent',
  'includeMoved',
];
const EARLIEST = '0000-01-01T00:00:00.000Z';
const LATEST = '9999-12-31T23:59:59.999Z';
const MAX_LIMIT = 100;
const MAX_RECORD_COUNT = 1_000_000;

type JobOperations = Pick<JobLedger, 'createJob' | 'transitionJob' | 'getJob' | 'listJobs'>;

export function jobOperations(parts: StoreParts): JobOperations {
  return {
    createJob: async (input, options = {}) => createJob(parts, input, options),
    transitionJob: async (input, options = {}) => transitionJob(parts, input, options),
    getJob: async (input, options = {}) => getJob(parts, input, options),
    listJobs: async (input, options = {}) => listJobs(parts, input, options),
  };
}

async function createJob(parts: StoreParts, input: CreateJobInput, { signal }: CallOptions): Promise<Job> {
  assertInput(input, ['jobId', 'tenantId', 'status', 'metadata', 'ttlSeconds', 'recordCount'], JOB_ERRORS);
  assertId('jobId', input.jobId, JOB_ERRORS);
  assertId('tenantId', input.tenantId, JOB_ERRORS);
  const nowMs = await timeOf(parts);
  const item = newJob(input, nowMs);
  assertSize(item);
  signal?.throwIfAborted();
  const condition = absentOrPastTtl(nowMs);
  const outcome = await parts.store.put(item, { condition, writer: newWriteId(), signal });
  if (!outcome.applied) {
    throw JOB_ERRORS.conflict('exists', outcome.item && { status: outcome.item.status, version: outcome.item.version });
  }
  return toJob(item);
}

function newJob({ jobId, tenantId, ...input }: CreateJobInput, nowMs: number): Item & Key {
  const status = oneOf('status', input.status ?? 'PENDING', FIRST_STATUSES, JOB_ERRORS);
  const now = isoOf(nowMs);
  const seconds = input.ttlSeconds === undefined ? undefined : ttlSeconds('ttlSeconds', input.ttlSeconds, JOB_ERRORS);
  const count = input.recordCount;
  if (count !== undefined) whole('recordCount', count, 1, MAX_RECORD_COUNT, JOB_ERRORS);
  return {
    ...jobKey(jobId),
    ...(count !== undefined && countersOf(count)),
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

function countersOf(count: number): Item {
  return { records_total: count, records_open: count, records_succeeded: 0, records_failed: 0, records_skipped: 0 };
}

async function transitionJob(parts: StoreParts, input: TransitionJobInput, options: EndOptions): Promise<Job> {
  assertInput(input, ['jobId', 'tenantId', 'to', 'expectedVersion', 'metadata', ...OUTCOME_INPUT], JOB_ERRORS);
  assertId('jobId', input.jobId, JOB_ERRORS);
  if (input.tenantId !== undefined) assertId('tenantId', input.tenantId, JOB_ERRORS);
  const to = oneOf('to', input.to, JOB_STATUSES, JOB_ERRORS);
  const version = input.expectedVersion;
  if (version !== undefined) whole('expectedVersion', version, 1, Number.MAX_SAFE_INTEGER, JOB_ERRORS);
  const { store } = parts;
  const nowMs = await timeOf(parts);
  const changes = jobChanges(input, to, nowMs);
  options.signal?.throwIfAborted();
  const legal = legalSource(to, input, nowMs);
  const key = jobKey(input.jobId);
  const copy = { tenant_status: { map: 'tenant_statuses', entry: to } };
  const condition: Condition = { all: [...legal, HAS_STATUSES] };
  const { applied, item } = await storeEnd(parts, options, JOB_ERRORS, async (writer, signal) => {
    const identity = { writer, history: true, signal };
    const outcome = await store.update(key, { ...changes, copy }, { ...identity, condition });
    if (!lacksStatuses(outcome)) return outcome;
    const set = { ...changes.set, tenant_status: tenantStatus(stringAt(outcome.item ?? {}, 'tenant_id'), to) };
    return store.update(key, { ...changes, set }, { ...identity, condition: { all: legal } });
  });
  if (applied && item) return toJob(item);
  throw refusedTransition(item, input, nowMs);
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

type Expected = Pick<TransitionJobInput, 'expectedVersion' | 'tenantId'>;

function legalSource(to: JobStatus, { expectedVersion: version, tenantId }: Expected, nowMs: number): Condition[] {
  const sources = sourcesOf(JOB_TRANSITIONS, to);
  // No status leads to PENDING, and DynamoDB rejects an empty list in a condition.
  const isLegal: Condition = { attribute: 'status', isOneOf: sources.length > 0 ? sources : ['-'] };
  const isCurrent: Condition[] = version === undefined ? [] : [{ attribute: 'version', is: '=', value: version }];
  const isOwn: Condition[] = tenantId === undefined ? [] : [{ attribute: 'tenant_id', is: '=', value: tenantId }];
  return [isLegal, notPastTtl(nowMs), ...isCurrent, ...isOwn];
}

/** True if the writer of the row does not store `tenant_statuses`. */
function lacksStatuses(outcome: WriteOutcome): boolean {
  return !outcome.applied && outcome.item !== undefined && outcome.item.tenant_statuses === undefined;
}

function refusedTransition(
  item: Item | undefined,
  { expectedVersion: version, tenantId }: Expected,
  nowMs: number,
): Error {
  if (!item || isPastTtl(item, nowMs)) return JOB_ERRORS.absent('job');
  if (tenantId !== undefined && item.tenant_id !== tenantId) return JOB_ERRORS.absent('job');
  const details = { status: stringAt(item, 'status'), version: numberOf(item, 'version', 1) };
  const isStale = version !== undefined && version !== details.version;
  return JOB_ERRORS.conflict(isStale ? 'version' : 'transition', details);
}

async function getJob(
  { store, clock }: StoreParts,
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

/**
 * Reads one page: keys from the index, then the jobs themselves. The options determine if a job whose status has changed
 * in the meantime is omitted.
 */
async function listJobs(
  { store, clock }: StoreParts,
  input: ListJobsInput,
  { signal }: CallOptions,
): Promise<Page<Job>> {
  const { tenantId, status, order, limit, from, to, consistent, includeMoved } = parseList(input);
  const binding = ['jobs', tenantId, status, from, to, order];
  const start = decodeCursor(input.cursor, binding, ['pk', 'created_at'], JOB_ERRORS);
  signal?.throwIfAborted();
  if (from > to) return { items: [] };
  const source = sourceOf(tenantId, status);
  const { items: keys, more } = await store.query(
    {
      ...source,
      sort: { name: 'created_at', from, to },
      newestFirst: order === 'newest',
      limit,
      start: start && startAt(start, source.partition, from, to),
    },
    { signal },
  );
  const found = await readAll(store, keys, { consistent, signal });
  const nowMs = clock.now().getTime();
  const jobs = keys.flatMap((key) => {
    const item = found.get(stringAt(key, 'pk'));
    if (item?.tenant_id !== tenantId) return [];
    const isWanted = status === undefined || includeMoved || item.status === status;
    return isWanted && !isPastTtl(item, nowMs) ? toJob(item) : [];
  });
  const last = keys.at(-1);
  return { items: jobs, ...(more && last && { cursor: cursorBehind(last, binding) }) };
}

function parseList(input: ListJobsInput) {
  assertInput(input, LIST_INPUT, JOB_ERRORS);
  const { tenantId, status, createdFrom, createdTo } = input;
  assertId('tenantId', tenantId, JOB_ERRORS);
  return {
    tenantId,
    status: status === undefined ? undefined : oneOf('status', status, JOB_STATUSES, JOB_ERRORS),
    from: createdFrom === undefined ? EARLIEST : isoTime('createdFrom', createdFrom, JOB_ERRORS),
    to: createdTo === undefined ? LATEST : isoTime('createdTo', createdTo, JOB_ERRORS),
    order: oneOf('order', input.order ?? 'newest', ['newest', 'oldest'], JOB_ERRORS),
    limit: whole('limit', input.limit ?? 50, 1, MAX_LIMIT, JOB_ERRORS),
    consistent: flag('consistent', input.consistent, JOB_ERRORS),
    includeMoved: flag('includeMoved', input.includeMoved, JOB_ERRORS),
  };
}

function sourceOf(tenantId: string, status: string | undefined): Required<Pick<ItemQuery, 'index' | 'partition'>> {
  return status === undefined
    ? { index: TENANT_CREATED_INDEX, partition: { name: 'tenant_id', value: tenantId } }
    : { index: STATUS_CREATED_INDEX, partition: { name: 'tenant_status', value: tenantStatus(tenantId, status) } };
}

/** DynamoDB accepts only a position within the bounds of the query. */
function startAt(
  { pk = '', created_at = '' }: Readonly<Record<string, string>>,
  { name, value }: ItemQuery['partition'],
  from: string,
  to: string,
): Item {
  if (created_at < from || created_at > to) throw JOB_ERRORS.foreignCursor();
  return { pk, sk: 'META', created_at, [name]: value };
}

function cursorBehind(key: Item, binding: readonly unknown[]): string {
  return encodeCursor(binding, { pk: stringAt(key, 'pk'), created_at: stringAt(key, 'created_at') });
}

/** Converts a row. Rows of other versions can lack all attributes except the key. */
function toJob(item: Item): Job {
  const { metadata } = item;
  const createdAt = stringAt(item, 'created_at');
  return {
    jobId: stringAt(item, 'job_id'),
    tenantId: stringAt(item, 'tenant_id'),
    status: stringAt(item, 'status') as JobStatus,
    version: numberOf(item, 'version', 1),
    createdAt,
    updatedAt: stringAt(item, 'updated_at') || createdAt,
    ...textsOf(item, { startedAt: 'started_at', completedAt: 'completed_at' }),
    ...(typeof metadata === 'object' && !Array.isArray(metadata) && { metadata: metadata as Record<string, string> }),
    ...storedOutcome(item),
    ...progressOf(item),
  };
}

function progressOf(item: Item): { progress?: JobProgress } {
  if (item.records_total === undefined) return {};
  return {
    progress: {
      total: numberOf(item, 'records_total'),
      open: numberOf(item, 'records_open'),
      succeeded: numberOf(item, 'records_succeeded'),
      failed: numberOf(item, 'records_failed'),
      skipped: numberOf(item, 'records_skipped'),
    },
  };
}
