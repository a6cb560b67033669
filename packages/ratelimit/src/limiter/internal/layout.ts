import { type Condition, type Item, type ItemTable, type Key, TTL_ATTRIBUTE } from '@sallyport/dynamo';
import type { Address, Part, StrategyDefinition } from '../../strategies/internal/definition.js';
import { Lru } from '../../strategies/internal/lru.js';
import { shardName } from './shards.js';

/** The attribute of a key's first item with the number of its items; negative while its counters are being spread. */
const ITEMS = 'k';
/** The attribute of another item with the time when the first item was written with the same number; followed by the number. */
const VERIFIED = 'v';
const IS_LAYOUT = /^(?:k|v\d+)$/;
/** How long an item is written without writing the first one. Well below the time that an expired item remains. */
const VERIFIED_MS = 1_800_000;
/** The most keys whose number of items is remembered. */
const REMEMBERED = 1000;

/** The rejection of a write for a key that has another number of items than this instance assumed. */
export class OtherItems extends Error {
  /** The number that applies; negative while counters are being spread; `undefined` if the first item has to be written. */
  readonly found: number | undefined;
  /** The first item. */
  readonly item: Item | undefined;

  constructor(found: number | undefined, item: Item | undefined) {
    super('framework: the key is spread over another number of items');
    this.found = found;
    this.item = item;
  }
}

/** The condition under which an item may be written by an instance that assumes so many items. */
export function conditionFor({ items, isFirst, isVerified, nowMs }: Part): Condition | undefined {
  if (isFirst) {
    const expired = { attribute: TTL_ATTRIBUTE, is: '<=', value: Math.floor(nowMs / 1000) } as const;
    return { any: [{ absent: ITEMS }, { attribute: ITEMS, is: '=', value: items }, expired] };
  }
  return isVerified ? undefined : { attribute: VERIFIED + items, is: '>', value: nowMs - VERIFIED_MS };
}

/** The attributes that a write of an item sets. */
export function attributesFor({ items, isFirst, isVerified, nowMs }: Part): Item {
  if (isFirst) return { [ITEMS]: items };
  return isVerified ? { [VERIFIED + items]: nowMs } : {};
}

/** @throws OtherItems if an item does not match {@link conditionFor} */
export function assertItems({ items, isFirst, isVerified, nowMs }: Part, item: Item | undefined): void {
  if (!isFirst) {
    if (!isVerified && !(Number(item?.[VERIFIED + items]) > nowMs - VERIFIED_MS)) throw new OtherItems(undefined, item);
    return;
  }
  const found = item?.[ITEMS];
  const expiry = item?.[TTL_ATTRIBUTE];
  if (typeof found !== 'number' || found === items) return;
  if (typeof expiry !== 'number' || expiry > nowMs / 1000) throw new OtherItems(found, item);
}

/** The address of a key's first item. */
export function firstOf({ pk, sk, part }: Address, name: string): Address {
  return part ? { pk: name, sk, part: { ...part, isFirst: true } } : { pk, sk };
}

/** The numbers of items that this instance has found, where they differ from the one that it would choose. */
export class Layouts {
  readonly #found = new Lru<{ readonly items: number; readonly untilMs: number }>(REMEMBERED);

  /** The number of items to assume; `wanted` if no other one is known. */
  of({ pk, sk }: Key, wanted: number, nowMs: number): number {
    const found = this.#found.get(`${pk}\n${sk}`);
    return found !== undefined && nowMs < found.untilMs ? found.items : wanted;
  }

  /** Adopts the number that was found. A key with one item is spread if this instance wants that. */
  async adopt(table: ItemTable, strategy: StrategyDefinition, first: Key, wanted: number, other: OtherItems, nowMs: number) {
    let { found = wanted, item } = other;
    if (found === 1 && wanted > 1) [found, item] = await freeze(table, first, wanted);
    if (found < 0) await spread(table, strategy, first, -found, item ?? {}, nowMs);
    this.#found.set(`${first.pk}\n${first.sk}`, { items: Math.abs(found), untilMs: nowMs + VERIFIED_MS });
  }
}

/** Ends all writes of a key's only item, so that its counters no longer change. */
async function freeze(table: ItemTable, first: Key, wanted: number): Promise<[number, Item | undefined]> {
  const condition = { attribute: ITEMS, is: '=', value: 1 } as const;
  const { item } = await table.update(first, { set: { [ITEMS]: -wanted } }, { condition });
  return [Number(item?.[ITEMS] ?? wanted), item];
}

/**
 * Spreads the counters of an only item that no longer change. Each write happens at most once, so any number of instances may do
 * this at once, and another one finishes it where one was killed.
 */
async function spread(table: ItemTable, strategy: StrategyDefinition, first: Key, items: number, item: Item, nowMs: number) {
  const partOf = (place: number): Item => {
    const counters = Object.entries(item).flatMap(([name, value]) => {
      if (typeof value !== 'number' || name === TTL_ATTRIBUTE || IS_LAYOUT.test(name)) return [];
      return [[name, strategy.partOf(value, items, place)] as const];
    });
    return Object.fromEntries(counters);
  };
  const verified = VERIFIED + items;
  const isOld: Condition = { any: [{ absent: verified }, { attribute: verified, is: '<=', value: nowMs - VERIFIED_MS }] };
  for (let place = 1; place < items; place += 1) {
    const key = { pk: shardName(first.pk, place), sk: first.sk };
    const set = { ...partOf(place), [verified]: nowMs, [TTL_ATTRIBUTE]: item[TTL_ATTRIBUTE] };
    await table.update(key, { set }, { condition: isOld, reread: false });
  }
  const condition = { attribute: ITEMS, is: '=', value: -items } as const;
  await table.update(first, { set: { ...partOf(0), [ITEMS]: items } }, { condition, reread: false });
}
