import type { Condition, Item } from './item-table.js';

/** The attribute that all tables of the framework name as their TTL attribute. */
export const TTL_ATTRIBUTE = 'ttl';

const SECOND_MS = 1000;

/** Unix seconds for the TTL attribute: never before the moment itself. */
export function ttlAt(ms: number): number {
  return Math.ceil(ms / SECOND_MS);
}

/** Whether an item has expired. DynamoDB deletes expired items late, within days; until then they count as absent. */
export function isPastTtl(item: Item, nowMs: number): boolean {
  const ttl = item[TTL_ATTRIBUTE];
  return typeof ttl === 'number' && ttl * SECOND_MS <= nowMs;
}

/** Holds for an item that is there and has not expired, or has no expiry. */
export function notPastTtl(nowMs: number): Condition {
  return { any: [{ absent: TTL_ATTRIBUTE }, { attribute: TTL_ATTRIBUTE, is: '>', value: secondsOf(nowMs) }] };
}

/** Holds when there is no item, or when it has expired. */
export function absentOrPastTtl(nowMs: number): Condition {
  return { any: [{ absent: 'pk' }, { attribute: TTL_ATTRIBUTE, is: '<=', value: secondsOf(nowMs) }] };
}

function secondsOf(ms: number): number {
  return Math.floor(ms / SECOND_MS);
}
