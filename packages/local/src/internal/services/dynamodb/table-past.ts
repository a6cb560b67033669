import type { PastTable, WriteView } from '../../console/api.js';
import { localError } from '../../errors.js';
import { sizeOf } from '../../journal/changes.js';
import type { RawRecord } from '../../journal/journal.js';
import { ChangeLog, type Changes, type Item } from './change-log.js';
import { callEngine } from './engine-client.js';
import { keyText, matchWrites, type TableWrite, writtenItems } from './writes.js';

/** Kept writes, of all tables. */
const MAX_WRITES = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** Maximum number of items of a table in the past. */
const MAX_ITEMS = 1_000;

/** Of a write or a table, what is the same for every reader: the console adds what it hides. */
type Write = Omit<WriteView, 'hidden'>;
type EarlierTable = Omit<PastTable, 'items'> & {
  readonly items: readonly Omit<PastTable['items'][number], 'hidden'>[];
};

/** The items that calls wrote, and earlier states of tables: from the streams of the tables. */
export class TablePast {
  /** In milliseconds since 1970. */
  readonly runStart: number;
  readonly #now: () => number;
  readonly #begun = new Map<string, number>();
  readonly #logs = new Map<string, ChangeLog>();
  readonly #writes: TableWrite[] = [];
  #bytes = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.runStart = now();
  }

  /** The stream of a table was enabled. */
  begin(table: string): void {
    this.#begun.set(table, this.#now());
    this.#logs.delete(table);
  }

  /** A call succeeded. */
  note(operation: string, input: unknown): void {
    for (const written of writtenItems(operation, input)) {
      this.#writes.push({ ...written, input, endedAt: this.#now() });
      this.#bytes += sizeOf(written.value);
    }
    while (this.#writes.length > MAX_WRITES || this.#bytes > MAX_BYTES)
      this.#bytes -= sizeOf(this.#writes.shift()?.value);
  }

  /** The items that the calls of an invocation wrote, each before and after its call. */
  async writesOf({ awsCalls }: Pick<RawRecord, 'awsCalls'>, endpoint: string): Promise<readonly Write[]> {
    // The journal has the same object, unless the input is too long to be kept.
    const own = awsCalls.flatMap(({ error, input }, call) =>
      error === null ? this.#writes.filter((write) => write.input === input).map((write) => ({ call, write })) : [],
    );
    const views: Write[] = [];
    for (const table of new Set(own.map(({ write }) => write.table))) {
      const changes = await this.#read(table, endpoint);
      const matched = this.#match(table, changes);
      for (const { call, write } of own) {
        if (write.table !== table) continue;
        const change = matched.get(write);
        const { value } = write;
        const key = Object.fromEntries(changes.keyNames.map((name) => [name, value[name]]));
        const images = change ? { before: change.before, after: change.after } : {};
        views.push({ call, table, key, isChanged: change !== undefined, before: null, after: null, ...images });
      }
    }
    return views.sort((a, b) => a.call - b.call);
  }

  /**
   * The items of a table at a time.
   *
   * @param at milliseconds since the epoch
   * @throws FrameworkError `local.not_found` for a time before the known changes
   */
  async at(table: string, at: number, endpoint: string): Promise<EarlierTable> {
    const known = await this.#read(table, endpoint);
    if (at < known.since)
      throw localError(
        'local.not_found',
        `framework: the table ${JSON.stringify(table)} at this time is not known: its stream is known from ${new Date(known.since).toISOString()}`,
      );
    const endedAt = new Map([...this.#match(table, known)].map(([write, change]) => [change, write.endedAt]));
    const { Items, LastEvaluatedKey } = await callEngine(endpoint, 'DynamoDB.Scan', {
      TableName: table,
      Limit: MAX_ITEMS,
    });
    const items = new Map<string, Item>();
    for (const item of (Items ?? []) as readonly Item[]) items.set(keyText(item, known.keyNames), item);
    // Backwards: each later change is undone.
    const later = known.changes.filter((change) => (endedAt.get(change) ?? change.createdAt) > at);
    const changed = new Set<string>();
    for (const { keys, before } of [...later].reverse()) {
      const key = keyText(keys, known.keyNames);
      changed.add(key);
      if (before) items.set(key, before);
      else items.delete(key);
    }
    const entries = [...items].slice(0, MAX_ITEMS);
    return {
      items: entries.map(([key, item]) => ({ item, isChanged: changed.has(key) })),
      created: [...changed].filter((key) => !items.has(key)).length,
      isPartial: LastEvaluatedKey !== undefined || items.size > MAX_ITEMS,
    };
  }

  #read(table: string, endpoint: string): Promise<Changes> {
    let log = this.#logs.get(table);
    log ??= new ChangeLog(table, this.#now, this.#begun.get(table));
    this.#logs.set(table, log);
    return log.read(endpoint);
  }

  #match(table: string, { changes, keyNames }: Changes) {
    return matchWrites(
      changes,
      this.#writes.filter((write) => write.table === table),
      keyNames,
    );
  }
}
