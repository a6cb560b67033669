import { JOB_ERRORS } from '../internal/errors-of.js';
import { openTable } from '../internal/open-table.js';
import { parseStoreOptions, type StoreOptions } from '../internal/options.js';
import { JOBS_TABLE_NAME_ENV } from '../schema.js';
import { createLedger } from './internal/create-ledger.js';
import type { JobLedger } from './ledger.js';

/** Options of {@link createJobLedger}. The table is `tableName`, else `FRAMEWORK_JOBS_TABLE_NAME`. */
export interface JobLedgerOptions extends StoreOptions {}

/**
 * A ledger in one DynamoDB table: one conditional write a mutation. The AWS SDK is loaded at the first call.
 *
 * @throws FrameworkError `app.invalid_configuration`
 * @example const ledger = createJobLedger({ tableName: 'jobs' });
 */
export function createJobLedger(options: JobLedgerOptions = {}): JobLedger {
  const { tableName, client, timeoutMs, ...parts } = parseStoreOptions(options, JOBS_TABLE_NAME_ENV);
  const store = openTable({ tableName, client, clock: parts.clock, timeoutMs }, JOB_ERRORS);
  return createLedger({ store, ...parts });
}
