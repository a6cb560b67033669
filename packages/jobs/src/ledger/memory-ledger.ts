import { createMap } from '@sallyport/core';
import { defineOptions, kind } from '@sallyport/core/options';
import {
  type Changes,
  type Condition,
  type Item,
  type ItemPage,
  type ItemQuery,
  type ItemTable,
  type Key,
  type Value,
  WRITER_ATTRIBUTE,
  type WriteOptions,
  type WriteOutcome,
} from '@sallyport/dynamo';
import type { EventBusStore } from '../event-bus/event-bus.js';
import { createEventStore } from '../event-bus/event-store.js';
import { PART_OPTIONS, type PartOptions, partsOf } from '../internal/options.js';
import { createLedger } from './create-job-ledger.js';
import type { JobLedger } from './ledger.js';

/** Rows that several ledgers of one process share, as instances of a function share a table. */
export interface MemoryTable {
  /** How many rows there are, expired ones too. */
  readonly size: number;
}

/** Options of {@link createMemoryJobLedger} and {@link createMemoryEventBusStore}. */
export interface MemoryLedgerOptions extends PartOptions {
  /** Rows to be shared, made by {@link createMemoryTable}. Default: an empty table of its own. */
  readonly table?: MemoryTable | undefined;
}

const OPTIONS = defineOptions<MemoryLedgerOptions>()({
  ...PART_OPTIONS,
  table: kind<MemoryStore>('a table made by createMemoryTable', (value) => value instanceof MemoryStore),
});

/** An empty table. */
export function createMemoryTable(): MemoryTable {
  return new MemoryStore();
}

/**
 * A ledger of one process, for tests and local runs: the same behaviour as the shared one, without a table.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 * @example const ledger = createMemoryJobLedger();
 */
export function createMemoryJobLedger(options: MemoryLedgerOptions = {}): JobLedger {
  return createLedger(parse(options));
}

/**
 * An event store of one process, for tests and local runs.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 * @example const events = createMemoryEventBusStore();
 */
export function createMemoryEventBusStore(options: MemoryLedgerOptions = {}): EventBusStore {
  return createEventStore(parse(options));
}

function parse(options: MemoryLedgerOptions) {
  const { table = new MemoryStore(), ...parts } = OPTIONS.parse(options);
  return { store: table, ...partsOf(parts) };
}

type Row = Record<string, Value | undefined> & Key;

/** A table of one process. Each write is one synchronous step, so nothing comes between check and change. */
class MemoryStore implements ItemTable, MemoryTable {
  readonly #rows = new Map<string, Row>();

  get size(): number {
    return this.#rows.size;
  }

  async get(key: Key): Promise<Item | undefined> {
    return copy(this.#rows.get(nameOf(key)));
  }

  async put(item: Item & Key, { condition, writer }: WriteOptions = {}): Promise<WriteOutcome> {
    const before = this.#rows.get(nameOf(item));
    if (condition && !holds(condition, before)) return refused(before);
    this.#rows.set(nameOf(item), signed(withoutUndefined(item) as Row, writer));
    return { applied: true, item: copy(before), repeated: false };
  }

  async update(key: Key, changes: Changes, { condition, writer }: WriteOptions = {}): Promise<WriteOutcome> {
    const before = this.#rows.get(nameOf(key));
    if (condition && !holds(condition, before)) return refused(before);
    const after = signed(changed(before ?? { ...key }, changes), writer);
    this.#rows.set(nameOf(key), after);
    return { applied: true, item: copy(after), repeated: false };
  }

  async remove(key: Key, { condition }: WriteOptions = {}): Promise<WriteOutcome> {
    const before = this.#rows.get(nameOf(key));
    if (condition && !holds(condition, before)) return refused(before);
    this.#rows.delete(nameOf(key));
    return { applied: true, item: copy(before), repeated: false };
  }

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

function isWithin(value: unknown, sort: NonNullable<ItemQuery['sort']>): boolean {
  if ('after' in sort) return compare(value, sort.after) > 0;
  return compare(value, sort.from) >= 0 && compare(value, sort.to) <= 0;
}

function signed(row: Row, writer: string | undefined): Row {
  return writer === undefined ? row : { ...row, [WRITER_ATTRIBUTE]: writer };
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

/** Rows of an index with one sort key are in the order of the table's own keys. */
function compareRows(a: Item, b: Item, by: string): number {
  return compare(a[by], b[by]) || compare(a.pk, b.pk) || compare(a.sk, b.sk);
}
