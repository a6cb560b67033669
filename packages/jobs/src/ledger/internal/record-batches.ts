import type { FullClock } from '@sallyport/core';
import { lazily, randomFraction } from '@sallyport/core/internal';
import { isThrottled, pause } from '@sallyport/dynamo';
import { JOB_ERRORS, JobLedgerError } from '../../errors.js';
import { assertId, assertInput, distinct, ttlSeconds, whole } from '../../internal/input.js';
import type { StoreParts } from '../../internal/rows.js';
import type { CallOptions } from '../../ledger/ledger.js';
import type { JobRecord, RecordOutcome } from '../job.js';
import type { JobLedger } from '../ledger.js';
import { createRecord, transitionRecord } from './record-changes.js';
import { jobOf } from './record-rows.js';
import { CHANGE_INPUT } from './records.js';

const MAX_RECORDS = 10_000;
const MAX_CONCURRENCY = 64;
const DEFAULT_CONCURRENCY = 16;

type BatchOperations = Pick<JobLedger, 'createRecords' | 'transitionRecords'>;

export function batchOperations(parts: StoreParts): BatchOperations {
  return {
    async createRecords(input, options = {}) {
      assertInput(input, ['jobId', 'tenantId', 'recordIds', 'concurrency', 'ttlSeconds'], JOB_ERRORS);
      const { jobId, recordIds, ttlSeconds: seconds } = input;
      assertId('jobId', jobId, JOB_ERRORS);
      if (seconds !== undefined) ttlSeconds('ttlSeconds', seconds, JOB_ERRORS);
      if (input.tenantId !== undefined) assertId('tenantId', input.tenantId, JOB_ERRORS);
      assertList('recordIds', recordIds, recordIds);
      const job = lazily(() => jobOf(parts, input, options.signal));
      return runAll(
        parts.clock,
        recordIds,
        input.concurrency,
        options,
        (id) => id,
        async (id) => createRecord(parts, jobId, id, { job: await job(), seconds }),
      );
    },
    async transitionRecords(input, options = {}) {
      assertInput(input, ['jobId', 'tenantId', 'changes', 'concurrency'], JOB_ERRORS);
      const { jobId, tenantId, changes } = input;
      assertId('jobId', jobId, JOB_ERRORS);
      if (tenantId !== undefined) assertId('tenantId', tenantId, JOB_ERRORS);
      const ids = Array.isArray(changes) ? changes.map((change) => change?.recordId) : undefined;
      assertList('changes', changes, ids);
      return runAll(
        parts.clock,
        changes,
        input.concurrency,
        options,
        (change) => change?.recordId,
        async (change) => {
          assertInput(change, CHANGE_INPUT, JOB_ERRORS);
          const one = { ...change, jobId, ...(tenantId !== undefined && { tenantId }) };
          return transitionRecord(parts, one, { remainingMs: options.remainingMs });
        },
      );
    },
  };
}

function assertList(name: string, list: unknown, ids: readonly unknown[] | undefined): void {
  if (!Array.isArray(list) || !ids) throw JOB_ERRORS.invalid(`${name} must be a list`);
  if (list.length > MAX_RECORDS) throw JOB_ERRORS.invalid(`${name} must have at most ${MAX_RECORDS} records`);
  distinct(name, ids, JOB_ERRORS);
}

/** Runs up to `concurrency` writes in parallel. If the signal aborts, writes in progress are finished. */
async function runAll<T>(
  clock: FullClock,
  all: readonly T[],
  concurrency: unknown,
  { signal }: CallOptions,
  idOf: (one: T) => unknown,
  run: (one: T) => Promise<JobRecord>,
): Promise<RecordOutcome[]> {
  const lanes = whole('concurrency', concurrency ?? DEFAULT_CONCURRENCY, 1, MAX_CONCURRENCY, JOB_ERRORS);
  const outcomes: RecordOutcome[] = all.map((one) => ({ recordId: String(idOf(one)), outcome: 'not_started' }));
  const left = all.entries();
  const pace = new Pace(clock);
  const lane = async () => {
    for (const [index, one] of left) {
      if (signal?.aborted) return;
      outcomes[index] = { recordId: String(idOf(one)), ...(await settle(() => pace.run(() => run(one), signal))) };
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, all.length) }, lane));
  return outcomes;
}

const FIRST_GAP_MS = 50;
const MAX_GAP_MS = 1000;
/** Maximum number of attempts for a record: while every write of the batch is throttled, and in total. */
const TRIES_IN_VAIN = 5;
const MAX_TRIES = 20;

/**
 * The common rate of a batch. The records of a job share one partition. Parallel writers run in turn with a gap between them. The gap
 * doubles when a write is throttled, and shrinks with each successful write, so that the rate adapts to the partition.
 */
class Pace {
  readonly #clock: FullClock;
  #gapMs = 0;
  /** Resolves after the last turn. */
  #turns: Promise<void> = Promise.resolve();
  /** Number of times the gap has grown. Writes of one turn grow it once. */
  #grown = 0;
  #written = 0;
  /** True if a record was abandoned because no write succeeds; other records are then abandoned at their first throttling. */
  #isInVain = false;

  constructor(clock: FullClock) {
    this.#clock = clock;
  }

  /** Runs a write, and retries it while the table is throttled. */
  async run<T>(write: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    let inVain = 0;
    let written = this.#written;
    for (let tried = 1; ; tried += 1) {
      await this.#turn(signal);
      const grown = this.#grown;
      try {
        const answer = await write();
        this.#gotThrough();
        return answer;
      } catch (error) {
        if (!isThrottled((error as { cause?: unknown }).cause)) throw error;
        if (grown === this.#grown && !this.#isInVain) this.#slowDown();
        inVain = this.#written > written ? 1 : inVain + 1;
        written = this.#written;
        if (inVain === TRIES_IN_VAIN) this.#giveUp();
        if (this.#isInVain || tried === MAX_TRIES || signal?.aborted) throw error;
      }
    }
  }

  /** Waits for the previous turns, and then for the current gap. */
  async #turn(signal: AbortSignal | undefined): Promise<void> {
    const before = this.#turns;
    let end = () => {};
    this.#turns = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    if (this.#gapMs > 0 && !signal?.aborted) {
      await pause(this.#clock, this.#gapMs * (0.5 + randomFraction()), signal).catch(() => undefined);
    }
    end();
  }

  #slowDown(): void {
    this.#grown += 1;
    this.#gapMs = Math.min(MAX_GAP_MS, Math.max(FIRST_GAP_MS, this.#gapMs * 2));
  }

  /** Limits the other records to one attempt, so that the batch ends in time. */
  #giveUp(): void {
    this.#isInVain = true;
    this.#gapMs = FIRST_GAP_MS;
  }

  #gotThrough(): void {
    this.#written += 1;
    this.#isInVain = false;
    this.#gapMs = this.#gapMs < 1 ? 0 : this.#gapMs * 0.9;
  }
}

async function settle(run: () => Promise<JobRecord>): Promise<Omit<RecordOutcome, 'recordId'>> {
  try {
    return { outcome: 'ok', record: await run() };
  } catch (cause) {
    const error = cause instanceof JobLedgerError ? cause : JOB_ERRORS.unavailable(false, cause);
    return { outcome: outcomeName(error), error };
  }
}

function outcomeName({ type, reason }: JobLedgerError): RecordOutcome['outcome'] {
  if (type === 'conflict') return reason === 'exists' ? 'exists' : 'conflict';
  return type === 'not_found' ? 'not_found' : 'failed';
}
