import { randomIds } from '@sallyport/core';
import { Lru } from '@sallyport/core/internal';
import { type Condition, type Item, type ItemTable, type Key, TTL_ATTRIBUTE } from '@sallyport/dynamo';
import {
  type Address,
  EXPIRY_GRACE_SECONDS,
  nameOf,
  type Part,
  type StrategyDefinition,
} from '../../strategies/internal/definition.js';
import { shardName } from './shards.js';

/** The attribute of a key's first item with the number of its items; negative while its counters are being spread. */
const ITEMS = 'k';
/** The attribute of another item, followed by a number of items: the time when the first item was last written with that number. */
const VERIFIED = 'v';
const IS_LAYOUT = /^(?:k|v\d+)$/;
/** Time for which an item is written without writing the first item. An expired first item remains for longer. */
const VERIFIED_MS = 1_800_000;
/** Maximum number of keys with a cached number of items. */
const REMEMBERED = 1000;

/** The rejection of a write for a key that has another number of items than this instance assumed. */
export class OtherItems extends Error {
  /** The number that applies; negative while counters are being spread; `undefined` if the first item has to be written. */
  readonly found: number | undefined;
  readonly item: Item | undefined;

  constructor(found: number | undefined, item: Item | undefined) {
    super();
    this.found = found;
    this.item = item;
  }
}

/** The condition and attributes of a write to an item by an instance that assumes this number of items. */
export function guardOf({ items, isFirst, isVerified, nowMs }: Part): { condition: Condition[]; set: Item } {
  const verified = VERIFIED + items;
  if (!isFirst) {
    if (isVerified) return { condition: [], set: { [verified]: nowMs } };
    return { condition: [{ attribute: verified, is: '>', value: nowMs - VERIFIED_MS }], set: {} };
  }
  const isSame: Condition = { attribute: ITEMS, is: '=', value: items };
  const isExpired: Condition = { attribute: TTL_ATTRIBUTE, is: '<=', value: Math.floor(nowMs / 1000) };
  return { condition: [{ any: [{ absent: ITEMS }, isSame, isExpired] }], set: { [ITEMS]: items } };
}

/** @throws OtherItems if an item rejected a write because the number of items differs */
export function assertItems({ items, isFirst, isVerified, nowMs }: Part, item: Item = {}): void {
  const found = isFirst ? item[ITEMS] : undefined;
  const holds = isFirst
    ? found === undefined || found === items || Number(item[TTL_ATTRIBUTE]) * 1000 <= nowMs
    : isVerified || Number(item[VERIFIED + items]) > nowMs - VERIFIED_MS;
  if (!holds) throw new OtherItems(found as number | undefined, item);
}

/**
 * Writes the first item of a key, so that no instance starts another number of items while the item at `address` is written.
 *
 * @returns the address with that permission
 * @throws OtherItems
 */
export async function verify(table: ItemTable, address: Address, name: string, longestMs: number, signal: AbortSignal) {
  const { part, sk } = address;
  const first = { ...part, isFirst: true };
  const { condition, set } = guardOf(first);
  const ttl = Math.ceil((part.nowMs + 2 * longestMs) / 1000) + EXPIRY_GRACE_SECONDS;
  const changes = { set: { ...set, [TTL_ATTRIBUTE]: ttl } };
  const { applied, item } = await table.update({ pk: name, sk }, changes, {
    ...{ condition: { all: condition }, writer: newWriter(), signal },
  });
  if (!applied) assertItems(first, item);
  return { ...address, part: { ...part, isVerified: true } };
}

/** Cached numbers of items that differ from the number that this instance would choose. */
export class Layouts {
  readonly #found = new Lru<{ readonly items: number; readonly untilMs: number }>(REMEMBERED);

  /** The number of items to assume: the cached number, else `wanted`. */
  of(key: Key, wanted: number, nowMs: number): number {
    const found = this.#found.get(nameOf(key));
    return found !== undefined && nowMs < found.untilMs ? found.items : wanted;
  }

  /**
   * Adopts the stored number. A single item is spread if this instance assumes several items: first its counters are stopped, then
   * each item gets its part of them, the first item last. Each write is applied at most once. So any number of instances may do
   * this at the same time, and if an instance is killed, another instance finishes it.
   */
  async adopt(
    { table, strategy, nowMs }: { table: ItemTable; strategy: StrategyDefinition; nowMs: number },
    first: Key,
    wanted: number,
    { found = wanted, item = {} }: OtherItems,
  ): Promise<void> {
    if (found === 1 && wanted > 1) {
      const condition = { attribute: ITEMS, is: '=', value: 1 } as const;
      ({ item = {} } = await table.update(first, { set: { [ITEMS]: -wanted } }, { condition, writer: newWriter() }));
      found = Number(item[ITEMS] ?? wanted);
    }
    const items = Math.abs(found);
    const numbers = Object.entries(item).filter(([name, value]) => typeof value === 'number' && !IS_LAYOUT.test(name));
    for (let place = found < 0 ? items - 1 : -1; place >= 0; place -= 1) {
      const parts = numbers.map(([name, value]) => {
        return [name, name === TTL_ATTRIBUTE ? value : strategy.partOf(Number(value), items, place)];
      });
      const { set } = guardOf({ items, isFirst: place === 0, isVerified: true, nowMs });
      const verified = VERIFIED + items;
      const condition: Condition =
        place === 0
          ? { attribute: ITEMS, is: '=', value: found }
          : { any: [{ absent: verified }, { attribute: verified, is: '<=', value: nowMs - VERIFIED_MS }] };
      const key = { pk: shardName(first.pk, place), sk: first.sk };
      await table.update(
        key,
        { set: { ...Object.fromEntries(parts), ...set } },
        { condition, writer: newWriter(), reread: false },
      );
    }
    this.#found.set(nameOf(first), { items, untilMs: nowMs + VERIFIED_MS });
  }
}

/** 60 random bits, because it is compared only with the last write of one item. */
export function newWriter(): string {
  return randomIds.newId().replaceAll('-', '').slice(0, 16);
}
