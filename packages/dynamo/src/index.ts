// The table

export type { Client, Sdk } from './client.js';
// Failures and time
export { type DeadlineOptions, type StoreCall, withDeadline } from './deadline.js';
export { isFailedCondition, isTransient, StoreTimeout } from './errors.js';
// Items, conditions, changes
export {
  type CallOptions,
  type Changes,
  type Condition,
  type Item,
  type ItemPage,
  type ItemQuery,
  type ItemTable,
  type Key,
  type ReadOptions,
  type Value,
  WRITER_ATTRIBUTE,
  type WriteOptions,
  type WriteOutcome,
} from './item-table.js';
export { fromAttributes, itemSize, toAttribute, toAttributes } from './items.js';
export { pause } from './pause.js';
export type { CallReport } from './requests.js';
export { DynamoTable, type DynamoTableOptions } from './table.js';
export { absentOrPastTtl, isPastTtl, notPastTtl, TTL_ATTRIBUTE, ttlAt } from './ttl.js';
