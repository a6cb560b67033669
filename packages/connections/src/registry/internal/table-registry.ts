import type { CallScope, FullClock, IdGenerator, SecurePrincipal } from '@sallyport/core';
import {
  afterConflicts,
  type Condition,
  type Item,
  type ItemTable,
  isPastTtl,
  itemSize,
  type Key,
  TTL_ATTRIBUTE,
  ttlAt,
  ttlOfDeleted,
} from '@sallyport/dynamo';
import type { ConnectionKey, ConnectionRecord } from '@sallyport/http/websocket';
import { ConnectionError, invalidInput } from '../../errors.js';
import { LISTING_INDEX } from '../../schema.js';
import type { ConnectionPage, GroupedConnectionRegistry, ListOptions } from '../registry.js';
import {
  CONNECTION_ROW,
  connectionAt,
  decodeCursor,
  encodeCursor,
  groupListing,
  groupOf,
  groupRow,
  listedAs,
  partitionOf,
  placeOfNow,
  principalListing,
} from './rows.js';

/** The parts of a registry. */
export interface RegistryParts<T> {
  readonly table: ItemTable;
  readonly clock: FullClock;
  readonly ids: IdGenerator;
  /** Returns the principal of the connection with this data. */
  readonly principalOf: (data: T) => SecurePrincipal | undefined;
}

/** An item has at most 400 KiB; the ids of its last writes need some of them. */
const MAX_ITEM_BYTES = 399 * 1024;
const MAX_PAGE = 1000;
const DEFAULT_PAGE = 100;
/** Rows of a connection that one request reads. */
const ROWS = 100;

/** Attributes of the index. */
const INDEXED = ['listing', 'listed'] as const;
/** The attributes of connections and memberships, without key and expiry. */
const CONTENT = ['connected_ms', 'data', ...INDEXED];

/** A registry over any table. The registries in DynamoDB and in memory behave the same, because only the table differs. */
export function createRegistry<T>(parts: RegistryParts<T>): GroupedConnectionRegistry<T> {
  const { table, clock, ids } = parts;
  const nowMs = () => clock.now().getTime();
  const signed = () => ({ writer: ids.newId(), history: true }) as const;

  async function rowOf(key: ConnectionKey, { signal }: CallScope): Promise<Item | undefined> {
    const item = await table.get({ pk: partitionOf(key), sk: CONNECTION_ROW }, { consistent: true, signal });
    return item && !isPastTtl(item, nowMs()) ? item : undefined;
  }

  async function rowsOf(key: ConnectionKey, { signal }: CallScope): Promise<readonly Item[]> {
    const pk = partitionOf(key);
    const rows: Item[] = [];
    for (let more = true; more; ) {
      const last = rows.at(-1);
      const start = last && { pk, sk: String(last.sk) };
      const partition = { name: 'pk', value: pk };
      const page = await table.query({ partition, consistent: true, limit: ROWS, start }, { signal });
      rows.push(...page.items);
      more = page.more && page.items.length > 0;
    }
    return rows;
  }

  async function list(listing: string, { limit = DEFAULT_PAGE, cursor, signal }: ListOptions): Promise<ConnectionPage> {
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_PAGE) {
      throw invalidInput(`limit must be a whole number from 1 to ${MAX_PAGE}`);
    }
    const now = placeOfNow(nowMs());
    const from = cursor === undefined ? now : decodeCursor(cursor);
    const sort = { name: 'listed', after: from > now ? from : now };
    const partition = { name: 'listing', value: listing };
    const { items, more } = await table.query({ index: LISTING_INDEX, partition, sort, limit }, { signal });
    const connections = items.map(({ listed }) => connectionAt(listed)).filter((key) => key !== undefined);
    const last = items.at(-1)?.listed;
    return { connections, ...(more && typeof last === 'string' && { cursor: encodeCursor(last) }) };
  }

  /**
   * Adds the row of a membership, unless the connection has been deleted or changed since it was read. Both are one transaction, so
   * that a disconnect removes every member.
   */
  async function joinAs(
    key: ConnectionKey,
    sk: string,
    { ttl, listing, writer }: { readonly ttl: number; readonly listing: string; readonly writer: string },
    { signal }: CallScope,
  ): Promise<boolean> {
    const pk = partitionOf(key);
    const set = { listing, listed: listedAs(key, ttl), ttl };
    const isUnchanged: Condition = { attribute: TTL_ATTRIBUTE, is: '=', value: ttl };
    const { applied } = await afterConflicts(clock, signal, () =>
      table.transact(
        [
          { key: { pk, sk }, changes: { set }, writer },
          { key: { pk, sk: CONNECTION_ROW }, condition: isUnchanged },
        ],
        { signal },
      ),
    );
    return applied;
  }

  /**
   * Writes an expired row without content, which DynamoDB deletes for free. If the response to a write is lost and the row no longer exists,
   * the repetition could not be recognized, and would undo a later write of another instance.
   */
  async function markDeleted(key: Key, { signal }: CallScope): Promise<void> {
    const changes = { set: { [TTL_ATTRIBUTE]: ttlOfDeleted(nowMs()) }, remove: CONTENT };
    await table.update(key, changes, { ...signed(), condition: { present: 'pk' }, reread: false, signal });
  }

  return Object.freeze({
    async put(key, record, ttlSeconds, { signal } = {}) {
      const { pk, sk, ...set } = connectionRow(parts, key, record, ttlSeconds);
      const remove = INDEXED.filter((name) => set[name] === undefined);
      await table.update({ pk, sk }, { set, remove }, { ...signed(), signal });
    },
    async get(key, scope = {}) {
      const row = await rowOf(key, scope);
      if (!row) return null;
      return { connectedAt: Number(row.connected_ms), data: JSON.parse(String(row.data)) as T };
    },
    async delete(key, scope = {}) {
      // Deletes the connection first: then it can no longer join a group.
      await markDeleted({ pk: partitionOf(key), sk: CONNECTION_ROW }, scope);
      for (const { pk, sk, w } of await rowsOf(key, scope)) {
        if (groupOf(sk) === undefined) continue;
        const isThatRow: Condition = typeof w === 'string' ? { attribute: 'w', is: '=', value: w } : { absent: 'w' };
        await table.remove(
          { pk: String(pk), sk: String(sk) },
          {
            condition: isThatRow,
            reread: false,
            signal: scope.signal,
          },
        );
      }
    },
    async join(key, group, scope = {}) {
      const sk = groupRow(group);
      const writer = ids.newId();
      for (;;) {
        const row = await rowOf(key, scope);
        if (!row) return false;
        const membership = { ttl: Number(row.ttl), listing: groupListing(key, group), writer };
        if (await joinAs(key, sk, membership, scope)) return true;
      }
    },
    async leave(key, group, scope = {}) {
      await markDeleted({ pk: partitionOf(key), sk: groupRow(group) }, scope);
    },
    async groupsOf(key, scope = {}) {
      const rows = await rowsOf(key, scope);
      const live = rows.filter((row) => !isPastTtl(row, nowMs()));
      return live.map(({ sk }) => groupOf(sk)).filter((group) => group !== undefined);
    },
    listByGroup: async (api, group, options = {}) => list(groupListing(api, group), options),
    listByPrincipal: async (api, principal, options = {}) => list(principalListing(api, principal), options),
  } satisfies GroupedConnectionRegistry<T>);
}

/** @throws ConnectionError for data that is not JSON or is too large, or if the lifetime is not a number of whole seconds */
function connectionRow<T>(
  { clock, principalOf }: RegistryParts<T>,
  key: ConnectionKey,
  { connectedAt, data }: ConnectionRecord<T>,
  ttlSeconds: number,
) {
  if (!Number.isSafeInteger(ttlSeconds) || ttlSeconds < 1) {
    throw invalidInput('ttlSeconds must be a positive whole number');
  }
  if (!Number.isSafeInteger(connectedAt)) throw invalidInput('connectedAt must be epoch milliseconds');
  const json = toJson(data);
  const principal = principalOf(data);
  const ttl = ttlAt(clock.now().getTime() + ttlSeconds * 1000);
  const row = {
    pk: partitionOf(key),
    sk: CONNECTION_ROW,
    connected_ms: connectedAt,
    data: json,
    ttl,
    listing: principal && principalListing(key, principal),
    listed: principal && listedAs(key, ttl),
  };
  if (itemSize(row) > MAX_ITEM_BYTES) {
    throw new ConnectionError('connections.too_large', 'data of the connection is larger than an item may be');
  }
  return row;
}

function toJson(data: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(data);
  } catch (cause) {
    throw new ConnectionError('connections.invalid_input', 'data must be a JSON value', { cause });
  }
  if (json === undefined) throw invalidInput('data must be a JSON value');
  return json;
}
