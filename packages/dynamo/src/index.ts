export {
  type DeadlineOptions,
  isTransient,
  pause,
  type StoreCall,
  StoreTimeout,
  withDeadline,
} from '@sallyport/core/internal';
export { afterConflicts, isFailedCondition, isThrottled } from './errors.js';
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
export { MemoryTable } from './memory/memory-table.js';
export type { CallReport, Client, Sdk } from './requests.js';
export { type StoreUntilOptions, storeUntil } from './store-until.js';
export { DynamoTable, type DynamoTableOptions } from './table.js';
