import type { Clock, Environment, FullClock } from '@sallyport/core';
import { completeClock } from '@sallyport/core/internal';
import { defineOptions, integer, kind, text, withMethods } from '@sallyport/core/options';
import {
  absentOrPastTtl,
  type Client,
  type Condition,
  DynamoTable,
  type Item,
  type ItemTable,
  isPastTtl,
  type Key,
  notPastTtl,
} from '@sallyport/dynamo';
import { randomText } from '../internal/crypto.js';
import { MCP_TABLE_NAME_ENV } from '../schema.js';
import {
  type McpStore,
  type PutCondition,
  type Row,
  type RowKey,
  type StoreCallOptions,
  storeFailure,
} from './store.js';

/** Options of {@link dynamoMcpStore}; an unknown key is rejected. */
export interface DynamoMcpStoreOptions {
  /** Name of the table. Default: the variable `FRAMEWORK_MCP_TABLE_NAME`. */
  readonly tableName?: string;
  /** The DynamoDB client. Default: a client of this region, created at the first call. */
  readonly client?: Client;
  /** The clock for the expiry of rows. Default: the system's clock. */
  readonly clock?: Clock;
  /** Environment variables. Default: `process.env`. */
  readonly environment?: Environment;
  /** Milliseconds for all attempts of one call, 1 to 60,000; default 5,000. */
  readonly storeTimeoutMs?: number;
}

/** Validators and defaults for {@link DynamoMcpStoreOptions}. */
export const DYNAMO_STORE_OPTIONS = defineOptions<DynamoMcpStoreOptions>()({
  tableName: text('the name of the table').orVariable(MCP_TABLE_NAME_ENV),
  client: withMethods<Client>('send'),
  clock: withMethods<Clock>('now'),
  environment: kind<Environment>('an object', (value) => typeof value === 'object' && value !== null),
  storeTimeoutMs: integer(1, 60_000, 'milliseconds').default(5000),
});

/**
 * A store in a DynamoDB table with the keys of `@sallyport/mcp/schema`. The AWS SDK is loaded at the first call. A call that
 * fails or times out rejects with FrameworkError `mcp.store` (503).
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option, or if both the option and the variable are missing
 */
export function dynamoMcpStore(options: DynamoMcpStoreOptions = {}): McpStore {
  const { tableName, client, clock, storeTimeoutMs: timeoutMs } = DYNAMO_STORE_OPTIONS.parse(options);
  const fullClock = completeClock(clock);
  return new DynamoStore(
    new DynamoTable({ tableName, client, clock: fullClock, timeoutMs, toError: storeFailure }),
    fullClock,
  );
}

const WRITER_BYTES = 12;

class DynamoStore implements McpStore {
  readonly #table: ItemTable;
  readonly #clock: FullClock;

  constructor(table: ItemTable, clock: FullClock) {
    this.#table = table;
    this.#clock = clock;
  }

  async get(key: RowKey, { signal }: StoreCallOptions = {}): Promise<Row | undefined> {
    return this.#unexpired(await this.#table.get(keyOf(key), { consistent: true, signal }));
  }

  async put(row: Row, when?: PutCondition, { signal }: StoreCallOptions = {}): Promise<boolean> {
    // If the response to the first attempt is lost, DynamoDB rejects the second; the id shows that the first has succeeded.
    const writer = row.writer ?? randomText(WRITER_BYTES);
    const attributes = { v: row.version, ttl: row.ttl, d: row.data };
    const { applied } =
      when === undefined
        ? await this.#table.update(keyOf(row), { set: attributes }, { writer, history: true, signal })
        : await this.#table.put({ ...keyOf(row), ...attributes }, { condition: this.#condition(when), writer, signal });
    return applied;
  }

  async take(key: RowKey, { signal }: StoreCallOptions = {}): Promise<Row | undefined> {
    const condition = { present: 'pk' } as const;
    const outcome = await this.#table.remove(keyOf(key), { condition, reread: false, signal });
    return outcome.applied ? this.#unexpired(outcome.item) : undefined;
  }

  async list(
    partition: string,
    after: string,
    limit: number,
    { signal }: StoreCallOptions = {},
  ): Promise<readonly Row[]> {
    const rows: Row[] = [];
    // A sort key is never empty, and DynamoDB does not compare with an empty string.
    const sort = after === '' ? {} : { sort: { name: 'sk', after } };
    let start: Key | undefined;
    do {
      const query = { partition: { name: 'pk', value: partition }, ...sort, consistent: true };
      const page = await this.#table.query({ ...query, limit: limit - rows.length, start }, { signal });
      for (const item of page.items) {
        const row = this.#unexpired(item);
        if (row) rows.push(row);
      }
      start = page.more ? lastKey(page.items) : undefined;
    } while (start && rows.length < limit);
    return rows;
  }

  /** DynamoDB deletes expired rows some time later; until then they count as absent. */
  #condition(when: PutCondition): Condition {
    const nowMs = this.#clock.now().getTime();
    if (when === 'absent') return absentOrPastTtl(nowMs);
    return { all: [{ attribute: 'v', is: '=', value: when.version }, notPastTtl(nowMs)] };
  }

  #unexpired(item: Item | undefined): Row | undefined {
    return item && !isPastTtl(item, this.#clock.now().getTime()) ? toRow(item) : undefined;
  }
}

function keyOf({ partition, sort }: RowKey): Key {
  return { pk: partition, sk: sort };
}

/** The key after which the next page starts. */
function lastKey(items: readonly Item[]): Key | undefined {
  const { pk, sk } = items.at(-1) ?? {};
  return typeof pk === 'string' && typeof sk === 'string' ? { pk, sk } : undefined;
}

/** The row of an item; `undefined` for an item of another writer. */
function toRow({ pk, sk, v, ttl, d }: Item): Row | undefined {
  if (typeof pk !== 'string' || typeof sk !== 'string' || !(d instanceof Uint8Array)) return undefined;
  return { partition: pk, sort: sk, version: Number(v), ttl: Number(ttl), data: d };
}
