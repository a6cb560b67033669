import { createMap } from '@sallyport/core';
import type {
  Changes,
  Condition,
  Item,
  ItemStore,
  Key,
  StorePage,
  StoreQuery,
  Value,
  WriteOutcome,
} from './item-store.js';

type Row = Record<string, Value | undefined> & Key;

/** A table of one process. Each write is one synchronous step, so nothing comes between check and change. */
export class MemoryStore implements ItemStore {
  readonly #rows = new Map<string, Row>();

  get size(): number {
    return this.#rows.size;
  }

  async get(key: Key): Promise<Item | undefined> {
    return copy(this.#rows.get(nameOf(key)));
  }

  async put(item: Item & Key, condition: Condition | undefined): Promise<WriteOutcome> {
    const before = this.#rows.get(nameOf(item));
    if (condition && !holds(condition, before)) return refused(before);
    this.#rows.set(nameOf(item), withoutUndefined(item) as Row);
    return { applied: true, item: copy(before) };
  }

  async update(key: Key, changes: Changes, condition: Condition): Promise<WriteOutcome> {
    const before = this.#rows.get(nameOf(key));
    if (!holds(condition, before)) return refused(before);
    const after = changed(before ?? { ...key }, changes);
    this.#rows.set(nameOf(key), after);
    return { applied: true, item: copy(after) };
  }

  async remove(key: Key, condition: Condition | undefined): Promise<WriteOutcome> {
    const before = this.#rows.get(nameOf(key));
    if (condition && !holds(condition, before)) return refused(before);
    this.#rows.delete(nameOf(key));
    return { applied: true, item: copy(before) };
  }

  async query({
    partition,
    sort,
    newestFirst,
    limit = Number.POSITIVE_INFINITY,
    start,
  }: StoreQuery): Promise<StorePage> {
    const by = sort?.name ?? 'sk';
    const found = [...this.#rows.values()]
      .filter((row) => row[partition.name] === partition.value && row[by] !== undefined)
      .filter((row) => !sort || (compare(row[by], sort.from) >= 0 && compare(row[by], sort.to) <= 0))
      .sort((a, b) => compareRows(a, b, by));
    if (newestFirst) found.reverse();
    const behind = start ? found.filter((row) => compareRows(row, start, by) * (newestFirst ? -1 : 1) > 0) : found;
    return { items: behind.slice(0, limit).map((row) => copy(row) as Item), more: behind.length > limit };
  }

  async getMany(keys: readonly Key[]): Promise<readonly Item[]> {
    return keys.map((key) => copy(this.#rows.get(nameOf(key)))).filter((item) => item !== undefined);
  }
}

/** Keys hold no control characters. */
function nameOf({ pk, sk }: Key): string {
  return `${pk}\n${sk}`;
}

function refused(before: Row | undefined): WriteOutcome {
  return { applied: false, item: copy(before), retried: false };
}

function holds(condition: Condition, row: Item | undefined): boolean {
  if ('all' in condition) return condition.all.every((part) => holds(part, row));
  if ('any' in condition) return condition.any.some((part) => holds(part, row));
  if ('absent' in condition) return row?.[condition.absent] === undefined;
  if ('present' in condition) return row?.[condition.present] !== undefined;
  const value = row?.[condition.attribute];
  if (value === undefined) return false;
  if ('isOneOf' in condition) return condition.isOneOf.includes(value as string);
  if (typeof value !== typeof condition.value) return false;
  if (condition.is === '=') return value === condition.value;
  return condition.is === '>' ? value > condition.value : value <= condition.value;
}

function changed(before: Item & Key, { set, setIfAbsent, count, copy: copies, remove = [] }: Changes): Row {
  const after = withoutUndefined({ ...setIfAbsent, ...before, ...withoutUndefined(set) }) as Row;
  for (const [name, { from, by }] of Object.entries(count ?? {})) after[name] = Number(before[name] ?? from) + by;
  for (const [name, { map, entry }] of Object.entries(copies ?? {})) {
    after[name] = (before[map] as Readonly<Record<string, string>>)[entry];
  }
  for (const name of remove) delete after[name];
  return after;
}

function withoutUndefined(item: Item = {}): Item {
  const row = createMap<Value>();
  for (const [name, value] of Object.entries(item)) if (value !== undefined) row[name] = value;
  return row;
}

/** Values are never changed in place, so a copy of the row is enough. */
function copy(row: Item | undefined): Item | undefined {
  return row && Object.assign(createMap<Value>(), row);
}

/** DynamoDB sorts text by its UTF-8 bytes. */
function compare(a: unknown, b: unknown): number {
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

/** Rows of an index with one sort key are in the order of the table's own keys. */
function compareRows(a: Item, b: Item, by: string): number {
  return compare(a[by], b[by]) || compare(a.pk, b.pk) || compare(a.sk, b.sk);
}
