// Time and failures of any service
export {
  type DeadlineOptions,
  isTransient,
  pause,
  type StoreCall,
  StoreTimeout,
  withDeadline,
} from '@sallyport/core/internal';
// Failures of the table
export { afterConflicts, isFailedCondition, isThrottled } from './errors.js';
// Items, conditions, changes
export {
  type CallOptions,
  type Changes,
  type Condition,
  EARLIER_WRITER_ATTRIBUTES,
  type Item,
  type ItemPage,
  type ItemQuery,
  type ItemTable,
  isWrittenBy,
  type Key,
  type PutOptions,
  type ReadOptions,
  type RemoveOptions,
  type TransactedChange,
  type TransactOutcome,
  type UpdateOptions,
  type Value,
  WRITER_ATTRIBUTE,
  type WriteOutcome,
} from './item-table.js';
// Expiry
export {
  absentOrPastTtl,
  fromAttributes,
  isPastTtl,
  itemSize,
  notPastTtl,
  TTL_ATTRIBUTE,
  toAttribute,
  toAttributes,
  ttlAt,
  ttlOfDeleted,
} from './items.js';
// The table
export type { CallReport, Client, Sdk } from './requests.js';
// The end of work
export { type StoreUntilOptions, storeUntil } from './store-until.js';
export { DynamoTable, type DynamoTableOptions } from './table.js';
