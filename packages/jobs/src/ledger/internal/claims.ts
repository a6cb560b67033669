import { Lru, randomFraction } from '@sallyport/core/internal';
import { type Condition, type Item, isPastTtl, notPastTtl } from '@sallyport/dynamo';
import { JOB_ERRORS } from '../../errors.js';
import { assertId, assertInput, whole } from '../../internal/input.js';
import { decodeCursor, encodeCursor, recordKey } from '../../internal/keys.js';
import { newWriteId, numberOf, type StoreParts, stringAt, timeOf } from '../../internal/rows.js';
import type { ClaimedRecord, ClaimNextInput, JobRecord, ReapedRecords, ReapRecordsInput } from '../job.js';
import type { CallOptions, JobLedger } from '../ledger.js';
import { noteCounted, writeRecord } from './record-changes.js';
import { claimOf, fenceCondition, jobOf, legalSource, recordChanges, toRecord } from './record-rows.js';
import { recordPage } from './records.js';

const MIN_CLAIM_MS = 1000;
const MAX_CLAIM_MS = 900_000;
const DEFAULT_CLAIM_MS = 60_000;
/** Rows per read in a search for candidates. */
const PAGE = 100;
const REAP_PAGE = 1000;
/** Maximum number of jobs with cached candidates. */
const MAX_JOBS = 100;

type ClaimOperations = Pick<JobLedger, 'claimNext' | 'heartbeatRecord' | 'reapRecords'>;

export function claimOperations(parts: StoreParts): ClaimOperations {
  const candidates = new Candidates(parts);
  return {
    claimNext: async (input, options = {}) => claimNext(parts, candidates, input, options),
    heartbeatRecord: async (input, options = {}) => heartbeatRecord(parts, input, options),
    reapRecords: async (input, options = {}) => reapRecords(parts, input, options),
  };
}

async function claimNext(
  parts: StoreParts,
  candidates: Candidates,
  input: ClaimNextInput,
  { signal }: CallOptions,
): Promise<ClaimedRecord | undefined> {
  assertInput(input, ['jobId', 'tenantId', 'owner', 'durationMs', 'maxAttempts'], JOB_ERRORS);
  const { jobId, tenantId, owner, maxAttempts } = input;
  assertJob(input);
  if (owner !== undefined) assertId('owner', owner, JOB_ERRORS);
  if (maxAttempts !== undefined) whole('maxAttempts', maxAttempts, 1, Number.MAX_SAFE_INTEGER, JOB_ERRORS);
  const durationMs = claimDuration(input.durationMs);
  signal?.throwIfAborted();
  if (tenantId !== undefined) await jobOf(parts, { jobId, tenantId }, signal);
  const search = candidates.search(jobId);
  for (;;) {
    const found = await search.next(maxAttempts, signal);
    if (found === undefined) return undefined;
    if (isForeign(found, tenantId)) continue;
    noteCounted(parts, jobId, found);
    const record = await claim(parts, found, { owner, durationMs, maxAttempts }, signal);
    if (record) return record;
    search.forget();
  }
}

/** Terms of a claim. */
interface Terms {
  readonly owner: string | undefined;
  readonly durationMs: number;
  readonly maxAttempts: number | undefined;
}

/** True if a row belongs to an earlier job of another tenant with the same id. */
function isForeign({ record_tenant: owner }: Item, tenantId: string | undefined): boolean {
  return tenantId !== undefined && owner !== undefined && owner !== tenantId;
}

/** Claims a record, unless another caller was faster. */
async function claim(
  parts: StoreParts,
  candidate: Item,
  { owner, durationMs, maxAttempts }: Terms,
  signal: AbortSignal | undefined,
): Promise<ClaimedRecord | undefined> {
  const nowMs = await timeOf(parts);
  const changes = recordChanges({ to: 'PROCESSING' }, 'PROCESSING', nowMs);
  const id = parts.ids.newId();
  const set = { ...changes.set, claim_id: id, claim_until_ms: nowMs + durationMs, claim_owner: owner };
  const remove = (changes.remove ?? []).filter((name) => !(name in set) || (name === 'claim_owner' && !owner));
  const key = { pk: stringAt(candidate, 'pk'), sk: stringAt(candidate, 'sk') };
  const isFree: Condition = {
    any: [legalSource('PROCESSING', nowMs), { all: [claimEnded(nowMs), notPastTtl(nowMs)] }],
  };
  const condition: Condition = { all: [isFree, ...fewerAttempts(maxAttempts)] };
  const options = { condition, writer: id, history: true, signal };
  const { applied, item } = await parts.store.update(key, { ...changes, set, remove }, options);
  // If the response to the first attempt was lost, another caller may have claimed the record in the meantime.
  return applied && item?.claim_id === id ? toClaimed(item) : undefined;
}

function fewerAttempts(most: number | undefined): Condition[] {
  if (most === undefined) return [];
  return [{ any: [{ absent: 'attempts' }, { attribute: 'attempts', is: '<=', value: most - 1 }] }];
}

function claimEnded(nowMs: number): Condition {
  return {
    all: [
      { attribute: 'status', is: '=', value: 'PROCESSING' },
      { attribute: 'claim_until_ms', is: '<=', value: nowMs },
    ],
  };
}

async function heartbeatRecord(
  parts: StoreParts,
  input: Parameters<JobLedger['heartbeatRecord']>[0],
  { signal }: CallOptions,
): Promise<ClaimedRecord> {
  assertInput(input, ['jobId', 'recordId', 'claimId', 'durationMs'], JOB_ERRORS);
  const { jobId, recordId, claimId } = input;
  for (const [name, value] of Object.entries({ jobId, recordId, claimId })) assertId(name, value, JOB_ERRORS);
  const durationMs = claimDuration(input.durationMs);
  signal?.throwIfAborted();
  const nowMs = await timeOf(parts);
  const condition: Condition = {
    all: [
      { attribute: 'claim_id', is: '=', value: claimId },
      { attribute: 'claim_until_ms', is: '>', value: nowMs },
      notPastTtl(nowMs),
    ],
  };
  const set = { claim_until_ms: nowMs + durationMs };
  const options = { condition, writer: newWriteId(), history: true, signal };
  const { applied, item } = await parts.store.update(recordKey(jobId, recordId), { set }, options);
  if (applied && item) return toClaimed(item);
  throw JOB_ERRORS.conflict(
    'claim_lost',
    item && { status: stringAt(item, 'status'), attempts: numberOf(item, 'attempts') },
  );
}

/** A claimed row. */
function toClaimed(item: Item): ClaimedRecord {
  return { ...toRecord(item), claim: claimOf(item) ?? { id: '', expiresAtMs: 0 } };
}

async function reapRecords(
  parts: StoreParts,
  input: ReapRecordsInput,
  { signal }: CallOptions,
): Promise<ReapedRecords> {
  assertInput(input, ['jobId', 'tenantId', 'stuckMs', 'maxAttempts', 'cursor'], JOB_ERRORS);
  const { jobId, tenantId, stuckMs, maxAttempts } = input;
  assertJob(input);
  if (stuckMs !== undefined) whole('stuckMs', stuckMs, MIN_CLAIM_MS, Number.MAX_SAFE_INTEGER, JOB_ERRORS);
  if (maxAttempts !== undefined) whole('maxAttempts', maxAttempts, 1, Number.MAX_SAFE_INTEGER, JOB_ERRORS);
  const binding = ['reap', jobId];
  const start = decodeCursor(input.cursor, binding, ['sk'], JOB_ERRORS)?.sk;
  signal?.throwIfAborted();
  if (tenantId !== undefined) await jobOf(parts, { jobId, tenantId }, signal);
  const page = await recordPage(parts, jobId, { limit: REAP_PAGE, start, signal });
  const requeued: JobRecord[] = [];
  const failed: JobRecord[] = [];
  for (const item of page.items) {
    if (isForeign(item, tenantId)) continue;
    const hasFailed = numberOf(item, 'attempts') >= (maxAttempts ?? Number.POSITIVE_INFINITY);
    const record = await reap(parts, { jobId, item, stuckMs, hasFailed }, signal);
    if (record) (hasFailed ? failed : requeued).push(record);
  }
  const cursor = page.more ? encodeCursor(binding, { sk: stringAt(page.items.at(-1) ?? {}, 'sk') }) : undefined;
  return { requeued, failed, ...(cursor !== undefined && { cursor }) };
}

/** Releases one record, unless it is not stuck or another caller has changed it. */
async function reap(
  parts: StoreParts,
  { jobId, item, stuckMs, hasFailed }: { jobId: string; item: Item; stuckMs: number | undefined; hasFailed: boolean },
  signal: AbortSignal | undefined,
): Promise<JobRecord | undefined> {
  const nowMs = parts.clock.now().getTime();
  const stuck = stuckCondition(item, stuckMs, nowMs);
  if (!stuck) return undefined;
  const attempts = numberOf(item, 'attempts');
  const to = hasFailed ? 'FAILED' : 'PENDING';
  const error = hasFailed ? { message: `gave up after ${attempts} attempts` } : undefined;
  const write = {
    jobId,
    recordId: stringAt(item, 'record_id'),
    ...({ to, nowMs } as const),
    changes: recordChanges({ to, error }, to, nowMs),
    condition: { all: [legalSource(to, nowMs), stuck, ...fenceCondition({ expectedAttempts: attempts })] },
    writer: newWriteId(),
    isCounted: item.counted === true,
  };
  const { applied, item: now, isLast } = await writeRecord(parts, write, signal);
  return applied && now ? { ...toRecord(now), ...(isLast && ({ isLast: true } as const)) } : undefined;
}

/** The condition that the stuck record has not changed since it was read; `undefined` for a record that is not stuck. */
function stuckCondition(item: Item, stuckMs: number | undefined, nowMs: number): Condition | undefined {
  if (item.status !== 'PROCESSING' || isPastTtl(item, nowMs)) return undefined;
  if (claimOf(item)) return numberOf(item, 'claim_until_ms') <= nowMs ? claimEnded(nowMs) : undefined;
  const updatedAt = stringAt(item, 'updated_at');
  if (stuckMs === undefined || Date.parse(updatedAt) + stuckMs > nowMs) return undefined;
  return { all: [{ absent: 'claim_id' }, { attribute: 'updated_at', is: '=', value: updatedAt }] };
}

function claimDuration(durationMs: unknown): number {
  return whole('durationMs', durationMs ?? DEFAULT_CLAIM_MS, MIN_CLAIM_MS, MAX_CLAIM_MS, JOB_ERRORS);
}

function assertJob({ jobId, tenantId }: { readonly jobId: unknown; readonly tenantId?: unknown }): void {
  assertId('jobId', jobId, JOB_ERRORS);
  if (tenantId !== undefined) assertId('tenantId', tenantId, JOB_ERRORS);
}

/** One page of a job's records in the cache of this instance. It is only a hint; the write checks the record. */
class KnownPage {
  /** The sort key after which the page begins; absent for the first page. */
  start: string | undefined;
  /** Records of the page that may be claimed. */
  rows: Item[] = [];
  /** The key after which the next page begins; absent for the last page. */
  next: string | undefined;
  /** True if the page must be read (again). */
  isStale = true;
}

/** Caches the candidates of a page, so that a worker does not read the job's records for each claim. */
class Candidates {
  readonly #parts: StoreParts;
  readonly #pages = new Lru<KnownPage>(MAX_JOBS);

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** Searches from the position of the last search to the end, and then from the beginning. */
  search(jobId: string) {
    const page = this.#pageOf(jobId);
    let endsLeft = page.isStale && page.start === undefined ? 1 : 2;
    const next = async (
      maxAttempts: number | undefined,
      signal: AbortSignal | undefined,
    ): Promise<Item | undefined> => {
      for (;;) {
        // A random row, so that several workers do not all try the first row.
        const [row] = page.rows.splice(Math.floor(randomFraction() * page.rows.length), 1);
        const nowMs = this.#parts.clock.now().getTime();
        if (row && isClaimable(row, maxAttempts, nowMs)) return row;
        if (row) continue;
        if (!page.isStale && page.next === undefined) endsLeft -= 1;
        if (endsLeft === 0) {
          this.#pages.delete(jobId);
          return undefined;
        }
        if (!page.isStale) page.start = page.next;
        const { items, more } = await recordPage(this.#parts, jobId, { limit: PAGE, start: page.start, signal });
        page.rows = items.filter((item) => isClaimable(item, maxAttempts, nowMs));
        const last = items.at(-1);
        page.next = more && last ? stringAt(last, 'sk') : undefined;
        page.isStale = false;
      }
    };
    /**
     * Another caller was faster. The other records of the page may be claimed too, and one read costs less than a rejected write
     * per record.
     */
    const forget = () => {
      page.rows = [];
      page.isStale = true;
    };
    return { next, forget };
  }

  #pageOf(jobId: string): KnownPage {
    const page = this.#pages.get(jobId) ?? new KnownPage();
    this.#pages.set(jobId, page);
    return page;
  }
}

function isClaimable(item: Item, maxAttempts: number | undefined, nowMs: number): boolean {
  if (isPastTtl(item, nowMs) || numberOf(item, 'attempts') >= (maxAttempts ?? Number.POSITIVE_INFINITY)) return false;
  if (item.status === 'PENDING') return true;
  return item.status === 'PROCESSING' && claimOf(item) !== undefined && numberOf(item, 'claim_until_ms') <= nowMs;
}
