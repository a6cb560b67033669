import { DynamoTable, type DynamoTableOptions, type ItemTable } from '@sallyport/dynamo';
import type { LedgerErrors } from './errors-of.js';

/** The DynamoDB table of a ledger or an event store, with its errors. */
export function openTable(options: Omit<DynamoTableOptions, 'toError'>, errors: LedgerErrors): ItemTable {
  return new DynamoTable({ ...options, toError: (cause, transient) => errors.unavailable(transient, cause) });
}
