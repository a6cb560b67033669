import { JOB_ERRORS, JobLedgerError } from '../../errors.js';
import { assertId, assertInput, distinct, ttlSeconds, whole } from '../../internal/input.js';
import type { StoreParts } from '../../internal/rows.js';
import type { CallOptions } from '../../ledger/ledger.js';
import type { JobRecord, RecordOutcome } from '../job.js';
import type { JobLedger } from '../ledger.js';
import { CHANGE_INPUT, createRecord, transitionRecord } from './records.js';

const MAX_RECORDS = 10_000;
const MAX_CONCURRENCY = 64;
const DEFAULT_CONCURRENCY = 16;

type BatchOperations = Pick<JobLedger, 'createRecords' | 'transitionRecords'>;

export function batchOperations(parts: StoreParts): BatchOperations {
  return {
    async createRecords(input, options = {}) {
      assertInput(input, ['jobId', 'recordIds', 'concurrency', 'ttlSeconds'], JOB_ERRORS);
      const { jobId, recordIds, ttlSeconds: seconds } = input;
      assertId('jobId', jobId, JOB_ERRORS);
      if (seconds !== undefined) ttlSeconds('ttlSeconds', seconds, JOB_ERRORS);
      assertList('recordIds', recordIds, recordIds);
      return runAll(
        recordIds,
        input.concurrency,
        options,
        (id) => id,
        (id) => createRecord(parts, jobId, id, seconds),
      );
    },
    async transitionRecords(input, options = {}) {
      assertInput(input, ['jobId', 'changes', 'concurrency'], JOB_ERRORS);
      const { jobId, changes } = input;
      assertId('jobId', jobId, JOB_ERRORS);
      const ids = Array.isArray(changes) ? changes.map((change) => change?.recordId) : undefined;
      assertList('changes', changes, ids);
      return runAll(
        changes,
        input.concurrency,
        options,
        (change) => change?.recordId,
        async (change) => {
          assertInput(change, CHANGE_INPUT, JOB_ERRORS);
          return transitionRecord(parts, { ...change, jobId }, {});
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

/** Runs `concurrency` writes at once. When the signal aborts, writes that are under way are finished. */
async function runAll<T>(
  all: readonly T[],
  concurrency: unknown,
  { signal }: CallOptions,
  idOf: (one: T) => unknown,
  run: (one: T) => Promise<JobRecord>,
): Promise<RecordOutcome[]> {
  const lanes = whole('concurrency', concurrency ?? DEFAULT_CONCURRENCY, 1, MAX_CONCURRENCY, JOB_ERRORS);
  const outcomes: RecordOutcome[] = all.map((one) => ({ recordId: String(idOf(one)), outcome: 'not_started' }));
  const left = all.entries();
  const lane = async () => {
    for (const [index, one] of left) {
      if (signal?.aborted) return;
      outcomes[index] = { recordId: String(idOf(one)), ...(await settle(() => run(one))) };
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, all.length) }, lane));
  return outcomes;
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
