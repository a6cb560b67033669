import type { Logger } from '@sallyport/core';
import { JOB_ERRORS } from '../errors.js';
import { idempotencyOperations } from '../idempotency/internal/idempotency-records.js';
import { openStore, type StoreOptions, storeOptions } from '../internal/input.js';
import type { StoreParts } from '../internal/rows.js';
import { leaseOperations } from '../leases/internal/leases.js';
import { semaphoreOperations } from '../leases/internal/semaphores.js';
import { JOBS_TABLE_NAME_ENV } from '../schema.js';
import { jobOperations } from './internal/jobs.js';
import { batchOperations } from './internal/record-batches.js';
import { recordOperations } from './internal/records.js';
import type { JobLedger } from './ledger.js';

/** Options of {@link createJobLedger}. The table is `tableName`, else `FRAMEWORK_JOBS_TABLE_NAME`. */
export interface JobLedgerOptions extends StoreOptions {}

const OPTIONS = storeOptions(JOBS_TABLE_NAME_ENV);

/**
 * A ledger in one DynamoDB table: one conditional write a mutation. The AWS SDK is loaded at the first call.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option, or when neither option nor variable names the table
 * @example
 * const ledger = createJobLedger({ tableName: 'jobs' });
 * await ledger.createJob({ jobId: 'import-7', tenantId: 'acme' });
 */
export function createJobLedger(options: JobLedgerOptions = {}): JobLedger {
  return createLedger(openStore(OPTIONS.parse(options), JOB_ERRORS));
}

/** A ledger over any store. Its methods need no `this`, so that one of them can be replaced in a copy. */
export function createLedger(parts: StoreParts & { readonly log: Logger }): JobLedger {
  const { clock, ids, log } = parts;
  return Object.freeze({
    clock,
    ids,
    log,
    ...jobOperations(parts),
    ...recordOperations(parts),
    ...batchOperations(parts),
    ...leaseOperations(parts),
    ...semaphoreOperations(parts),
    ...idempotencyOperations(parts),
  });
}
