import type { FullClock, IdGenerator } from '@sallyport/core';
import { absentOrPastTtl, type Condition, type Item, type ItemTable, isPastTtl, type Key } from '@sallyport/dynamo';
import { assertNoLeak } from '../../internal/forbidden.js';
import { MACHINE_INDEX, PENDING_INDEX } from '../../schema.js';
import type { MicrovmRegistry, RegistryWriteOptions, SessionChanges, SessionRecord } from '../registry.js';
import { keyOf, parseRow, partitionOf, pendingOf, sortKeyOf, toChanges, toRow } from './rows.js';

/** Dependencies of a registry. */
export interface RegistryParts {
  readonly table: ItemTable;
  readonly clock: FullClock;
  readonly ids: IdGenerator;
  /** Receives the key of each row that cannot be read. */
  readonly onBadRow: (key: Key) => void;
}

/** Maximum number of reads for one page of a list. */
const MAX_READS = 5;
/** Greater than every character of a session id. */
const AFTER_ALL = '~';

/** Creates a registry on any table with the framework's keys. */
export function createTableRegistry({ table, clock, ids, onBadRow }: RegistryParts): MicrovmRegistry {
  const nowMs = () => clock.now().getTime();
  const live = (row: Item | undefined): SessionRecord | undefined => {
    if (row === undefined || isPastTtl(row, nowMs())) return undefined;
    const record = parseRow(row);
    if (record === undefined) onBadRow({ pk: String(row.pk), sk: String(row.sk) });
    return record;
  };
  const change = async (
    record: SessionRecord,
    changes: SessionChanges,
    condition: Condition,
    { signal, writeId = ids.newId() }: RegistryWriteOptions = {},
  ) => {
    const update = toChanges(record, changes);
    assertNoLeak(update.set, 'a row');
    const write = { condition, writer: writeId, signal, reread: true };
    const { applied, item } = await table.update(keyOf(record), update, write);
    return applied ? live(item) : undefined;
  };
  const readKeys = async (keys: readonly Item[], signal: AbortSignal | undefined) => {
    const records = await Promise.all(
      keys.map(async ({ pk, sk }) =>
        live(await table.get({ pk: String(pk), sk: String(sk) }, { consistent: true, signal })),
      ),
    );
    return records.filter((record) => record !== undefined);
  };
  return {
    get: async (key, { signal } = {}) => live(await table.get(keyOf(key), { consistent: true, signal })),

    async reserve(record, { signal } = {}) {
      const row = toRow(record);
      assertNoLeak(row, 'a row');
      const condition = absentOrPastTtl(nowMs());
      const { applied, item } = await table.put(row, { condition, writer: ids.newId(), signal });
      return applied ? { reserved: true } : { reserved: false, taken: live(item) };
    },

    confirm: (record, changes, options) =>
      change(record, changes, { all: [isVersion(record), isRequested, isReservation(record)] }, options),

    change: (record, changes, options) => change(record, changes, isVersion(record), options),

    async list(binding, { after, limit, authSubject }, { signal } = {}) {
      const partition = { name: 'pk', value: partitionOf(binding) };
      const records: SessionRecord[] = [];
      let from = after === undefined ? sortKeyOf('') : `${sortKeyOf(after)}\u0000`;
      for (let reads = 0; reads < MAX_READS; reads += 1) {
        const sort = { name: 'sk', from, to: sortKeyOf(AFTER_ALL) };
        const { items, more } = await table.query({ partition, sort, limit: limit - records.length }, { signal });
        const found = items.map(live).filter((record) => record !== undefined);
        records.push(...found.filter((record) => authSubject === undefined || record.authSubject === authSubject));
        const last = items.at(-1);
        if (!more || last === undefined) return { records, next: undefined };
        const lastId = String(last.sk).slice(sortKeyOf('').length);
        if (records.length === limit || reads === MAX_READS - 1) return { records, next: lastId };
        from = `${sortKeyOf(lastId)}\u0000`;
      }
      return { records, next: undefined };
    },

    async listPending({ kind, from, to, limit, after }, { signal } = {}) {
      const partition = { name: 'pending', value: kind };
      const sort = { name: 'created_at', from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      const start = after === undefined ? undefined : (JSON.parse(after) as Item);
      const { items, more } = await table.query({ index: PENDING_INDEX, partition, sort, limit, start }, { signal });
      const last = more ? items.at(-1) : undefined;
      // The index may still contain removed sessions.
      const records = (await readKeys(items, signal)).filter((record) => pendingOf(record) === kind);
      return { records, next: last && JSON.stringify(keyInIndex(last)) };
    },

    async findByMicrovmId(microvmId, { signal } = {}) {
      const partition = { name: 'microvm_id', value: microvmId };
      const { items } = await table.query({ index: MACHINE_INDEX, partition, limit: 1 }, { signal });
      return (await readKeys(items, signal))[0];
    },
  };
}

/** Index keys of an item: an in-memory table returns items with all attributes. */
function keyInIndex({ pk, sk, pending, created_at }: Item): Item {
  return { pk, sk, pending, created_at };
}

const isRequested: Condition = { attribute: 'state', is: '=', value: 'requested' };

function isVersion({ version }: SessionRecord): Condition {
  return { attribute: 'version', is: '=', value: version };
}

function isReservation({ reservationId }: SessionRecord): Condition {
  return { attribute: 'reservation_id', is: '=', value: reservationId };
}
