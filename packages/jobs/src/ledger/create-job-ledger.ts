import type { Logger } from '@sallyport/core';
import { defineOptions } from '@sallyport/core/options';
import { JOB_ERRORS } from '../errors.js';
import { CompletedKeys } from '../idempotency/internal/completed-keys.js';
import { idempotencyOperations } from '../idempotency/internal/idempotency-records.js';
import {
  completedKeysOption,
  type LedgerPartOptions,
  openStore,
  type StoreOptions,
  storeKinds,
} from '../internal/input.js';
import type { StoreParts } from '../internal/rows.js';
import { leaseOperations } from '../leases/internal/leases.js';
import { semaphoreOperations } from '../leases/internal/semaphores.js';
import { JOBS_TABLE_NAME_ENV } from '../schema.js';
import { claimOperations } from './internal/claims.js';
import { jobOperations } from './internal/jobs.js';
import { batchOperations } from './internal/record-batches.js';
import { recordOperations } from './internal/records.js';
import type { CallOptions, JobLedger } from './ledger.js';

/** Options of {@link createJobLedger}. The table is `tableName`, else `FRAMEWORK_JOBS_TABLE_NAME`. */
export interface JobLedgerOptions extends StoreOptions, LedgerPartOptions {}

/** Validators and defaults for {@link JobLedgerOptions}. */
export const LEDGER_OPTIONS = defineOptions<JobLedgerOptions>()({
  ...storeKinds(JOBS_TABLE_NAME_ENV),
  completedKeys: completedKeysOption,
});

/**
 * Creates a ledger in one DynamoDB table, for idempotency keys, leases, semaphores and jobs. Each change is one conditional write. The table
 * is the option `tableName` or the variable `FRAMEWORK_JOBS_TABLE_NAME`. The AWS SDK is loaded at the first call.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option, or if the table name is missing
 * @example
 * const ledger = createJobLedger({ tableName: 'jobs' });
 * await ledger.createJob({ jobId: 'import-7', tenantId: 'acme' });
 */
export function createJobLedger(options: JobLedgerOptions = {}): JobLedger {
  const { completedKeys, ...store } = LEDGER_OPTIONS.parse(options);
  return createLedger({ ...openStore(store, JOB_ERRORS), completedKeys: new CompletedKeys(completedKeys) });
}

/** The parts of a ledger. */
interface LedgerParts extends StoreParts {
  readonly log: Logger;
  readonly completedKeys: CompletedKeys;
}

/** A ledger for any store. Its methods do not use `this`, so that a copy can replace one of them. */
export function createLedger(parts: LedgerParts): JobLedger {
  const { clock, ids, log } = parts;
  return Object.freeze({
    clock,
    ids,
    log,
    warm: async (options: CallOptions = {}) => parts.store.warm(options),
    ...jobOperations(parts),
    ...recordOperations(parts),
    ...batchOperations(parts),
    ...claimOperations(parts),
    ...leaseOperations(parts),
    ...semaphoreOperations(parts),
    ...idempotencyOperations(parts),
  });
}
