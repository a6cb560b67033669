import { brandError, createMap } from '@sallyport/core/internal';
import {
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
} from '../item-table.js';

type Row = Record<string, Value | undefined> & Key;

/**
 * A table in the memory of one process that behaves like a DynamoDB table, for tests and local runs of a store. Each write is one
 * synchronous step, so no other write can run between check and change. Expired items are not deleted, as in DynamoDB for some time.
 *
 * @example const table: ItemTable = new MemoryTable();
 */
export class MemoryTable implements ItemTable {
  static {
    brandError(MemoryTable, 'sallyport.MemoryTable');
  }

  readonly #rows = new Map<string, Row>();

  /** The number of items, including expired items. */
  get size(): number {
    return this.#rows.size;
  }

  /** Resolves immediately. */
  async ready(): Promise<void> {}

  /** Does nothing. */
  async warm(): Promise<void> {}

  /** Reads one item; `undefined` if absent. */
  async get(key: Key, { attributes }: ReadOptions = {}): Promise<Item | undefined> {
    const row = copy(this.#rows.get(nameOf(key)));
    if (row === undefined || attributes === undefined) return row;
    return withoutUndefined(Object.fromEntries(attributes.map((name) => [name, row[name]])));
  }

  /** Replaces the whole item. */
  async put(item: Item & Key, { condition, writer }: PutOptions): Promise<WriteOutcome> {
    const before = this.#rows.get(nameOf(item));
    if (!holds(condition, before)) return refused(before, writer, undefined);
    this.#rows.set(nameOf(item), signed(withoutUndefined(item) as Row, writer));
    return { applied: true, item: copy(before), repeated: false };
  }

  /** Changes some attributes; creates the item if absent. */
  async update(key: Key, changes: Changes, { condition, writer, history }: UpdateOptions): Promise<WriteOutcome> {
    const before = this.#rows.get(nameOf(key));
    const isRepeated = history === true && isWrittenBy(before, writer);
    if (isRepeated || (condition && !holds(condition, before))) return refused(before, writer, before);
    const after = signed(changed(before ?? { ...key }, changes), writer, history);
    this.#rows.set(nameOf(key), after);
    return { applied: true, item: copy(after), repeated: false };
  }

  /** Changes several items in one transaction. */
  async transact(changes: readonly TransactedChange[]): Promise<TransactOutcome> {
    const refusals = changes.map(({ key, condition, writer }) => {
      const item = this.#rows.get(nameOf(key));
      const held = !isWrittenBy(item, writer) && (condition === undefined || holds(condition, item));
      return { held, item: held ? undefined : copy(item) };
    });
    if (refusals.some(({ item }, place) => isWrittenBy(item, changes[place]?.writer))) {
      return { applied: true, repeated: true };
    }
    if (refusals.some(({ held }) => !held)) return { applied: false, refusals };
    for (const { key, changes: one, writer } of changes) {
      if (one === undefined) continue;
      const before = this.#rows.get(nameOf(key)) ?? { ...key };
      this.#rows.set(nameOf(key), signed(changed(before, one), writer, true));
    }
    return { applied: true, repeated: false };
  }

  /** Removes an item. */
  async remove(key: Key, { condition }: RemoveOptions): Promise<WriteOutcome> {
    const before = this.#rows.get(nameOf(key));
    if (condition && !holds(condition, before)) return refused(before);
    this.#rows.delete(nameOf(key));
    return { applied: true, item: copy(before), repeated: false };
  }

  /** Reads one page of a partition. */
  async query({ partition, sort, newestFirst, limit = Number.POSITIVE_INFINITY, start }: ItemQuery): Promise<ItemPage> {
    const by = sort?.name ?? 'sk';
    const found = [...this.#rows.values()]
      .filter((row) => row[partition.name] === partition.value && row[by] !== undefined)
      .filter((row) => !sort || isWithin(row[by], sort))
      .sort((a, b) => compareRows(a, b, by));
    if (newestFirst) found.reverse();
    const behind = start
      ? found.filter((row) => compareRows(row, { ...start }, by) * (newestFirst ? -1 : 1) > 0)
      : found;
    return { items: behind.slice(0, limit).map((row) => copy(row) as Item), more: behind.length > limit };
  }

  /** Returns items in any order, without absent items. */
  async getMany(keys: readonly Key[]): Promise<readonly Item[]> {
    return keys.map((key) => copy(this.#rows.get(nameOf(key)))).filter((item) => item !== undefined);
  }
}

/** Keys contain no control characters. */
function nameOf({ pk, sk }: Key): string {
  return `${pk}\n${sk}`;
}

/** A repeated write is recognized by its writer; its outcome contains the item that the operation returns. */
function refused(before: Row | undefined, writer?: string, answered?: Row): WriteOutcome {
  if (isWrittenBy(before, writer)) return { applied: true, item: copy(answered), repeated: true };
  return { applied: false, item: copy(before), retried: false };
}

function holds(condition: Condition, row: Item | undefined): boolean {
  if ('all' in condition) return condition.all.every((part) => holds(part, row));
  if ('any' in condition) return condition.any.some((part) => holds(part, row));
  if ('absent' in condition) return row?.[condition.absent] === undefined;
  if ('present' in condition) return row?.[condition.present] !== undefined;
  const value = row?.[condition.attribute];
  if ('isOneOf' in condition) return condition.isOneOf.includes(value as string);
  if (condition.is === '=') return value === condition.value;
  // True even if the attribute is missing or has another type.
  if (condition.is === '<>') return value !== condition.value;
  if (value === undefined || typeof value !== typeof condition.value) return false;
  return condition.is === '>' ? value > condition.value : value <= condition.value;
}

function isWithin(value: unknown, sort: NonNullable<ItemQuery['sort']>): boolean {
  if ('after' in sort) return compare(value, sort.after) > 0;
  return compare(value, sort.from) >= 0 && compare(value, sort.to) <= 0;
}

/** With `history` the ids of earlier writes move by one position. */
function signed(row: Row, writer: string | undefined, history = false): Row {
  if (writer === undefined) return row;
  const [first, second] = EARLIER_WRITER_ATTRIBUTES;
  const earlier = history ? { [first]: row[WRITER_ATTRIBUTE] ?? '-', [second]: row[first] ?? '-' } : {};
  return { ...row, ...earlier, [WRITER_ATTRIBUTE]: writer };
}

function changed(before: Item & Key, { set, setIfAbsent, add, count, copy: copies, remove = [] }: Changes): Row {
  const after = withoutUndefined({ ...setIfAbsent, ...before, ...withoutUndefined(set) }) as Row;
  for (const [name, by] of Object.entries(add ?? {})) after[name] = Number(before[name] ?? 0) + by;
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

/** Rows of an index with one sort key are in the order of the table's keys. */
function compareRows(a: Item, b: Item, by: string): number {
  return compare(a[by], b[by]) || compare(a.pk, b.pk) || compare(a.sk, b.sk);
}
