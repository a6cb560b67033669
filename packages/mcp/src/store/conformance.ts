import assert from 'node:assert/strict';
import type { Clock } from '@sallyport/core';
import type { McpStore, Row } from './store.js';

/** Creates the stores for the suite. */
export interface McpStoreHarness {
  /** Creates a store with this clock. The cases use different partitions, so one table is enough. */
  create(clock: Clock): Promise<McpStore>;
}

/** One required behaviour of a store. */
export interface McpStoreCase {
  /** The behaviour, as a sentence. */
  readonly name: string;
  /** Tests one store. Rejects with an `AssertionError`. */
  run(): Promise<void>;
}

interface Bench {
  readonly store: McpStore;
  /** A partition that only this case uses. */
  readonly partition: string;
  row(sort: string, parts?: Partial<Row>): Row;
  /** Sets the clock, in seconds after the start. */
  at(seconds: number): void;
}

/** 2023-11-14T22:00:00Z. */
const START_S = 1_699_999_200;

const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');
const text = (row: Row | undefined): string | undefined => row && Buffer.from(row.data).toString('utf8');

const CASES: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  async 'returns an unchanged row'({ store, row, partition }) {
    const data = Uint8Array.from({ length: 256 }, (_, index) => index);
    assert.equal(await store.put(row('a', { version: 7, data })), true);
    const found = await store.get({ partition, sort: 'a' });
    assert.deepEqual([found?.partition, found?.sort, found?.version, found?.ttl], [partition, 'a', 7, START_S + 60]);
    assert.deepEqual([...(found?.data ?? [])], [...data]);
  },
  async 'returns undefined for a row that was never put'({ store, partition }) {
    assert.equal(await store.get({ partition, sort: 'a' }), undefined);
    assert.equal(await store.take({ partition, sort: 'a' }), undefined);
    assert.deepEqual(await store.list(partition, '', 10), []);
  },
  async 'replaces a row when no condition is given'({ store, row, partition }) {
    await store.put(row('a', { data: bytes('old') }));
    assert.equal(await store.put(row('a', { data: bytes('new') })), true);
    assert.equal(text(await store.get({ partition, sort: 'a' })), 'new');
  },
  async 'puts once when the row must be absent'({ store, row, partition }) {
    assert.equal(await store.put(row('a', { data: bytes('first') }), 'absent'), true);
    assert.equal(await store.put(row('a', { data: bytes('second') }), 'absent'), false);
    assert.equal(text(await store.get({ partition, sort: 'a' })), 'first');
  },
  async 'puts only when the version is the given one'({ store, row }) {
    assert.equal(await store.put(row('a', { version: 2 }), { version: 1 }), false);
    await store.put(row('a', { version: 1 }));
    assert.equal(await store.put(row('a', { version: 3 }), { version: 2 }), false);
    assert.equal(await store.put(row('a', { version: 2 }), { version: 1 }), true);
    assert.equal(await store.put(row('a', { version: 2 }), { version: 1 }), false);
  },
  async 'lets one of many writers of a version win'({ store, row }) {
    await store.put(row('a', { version: 1 }));
    const tries = Array.from({ length: 8 }, () => store.put(row('a', { version: 2 }), { version: 1 }));
    assert.equal((await Promise.all(tries)).filter(Boolean).length, 1);
  },
  async 'recognises only a repetition of the same write'({ store, row, partition }) {
    const first = row('a', { writer: 'one', data: bytes('mine') });
    assert.equal(await store.put(first, 'absent'), true);
    assert.equal(await store.put(first, 'absent'), true);
    assert.equal(await store.put(row('a', { writer: 'two' }), 'absent'), false);
    const next = row('a', { version: 2, writer: 'three', data: bytes('again') });
    assert.equal(await store.put(next, { version: 1 }), true);
    assert.equal(await store.put(next, { version: 1 }), true);
    assert.equal(await store.put(first, 'absent'), false);
    assert.equal(await store.put({ ...next, writer: 'four' }, { version: 1 }), false);
    const found = await store.get({ partition, sort: 'a' });
    assert.deepEqual([text(found), found?.version, found?.writer], ['again', 2, undefined]);
  },
  async 'accepts a row that was read, as a row without a writer'({ store, row, partition }) {
    await store.put(row('a', { writer: 'one' }));
    const read = await store.get({ partition, sort: 'a' });
    assert.equal(await store.put({ ...row('a'), ...read }, 'absent'), false);
  },
  async 'rejects a row of more than 400 KB'({ store, row, partition }) {
    await assert.rejects(store.put(row('a', { data: new Uint8Array(410_000) })));
    assert.equal(await store.get({ partition, sort: 'a' }), undefined);
  },
  async 'returns a row to one of many takers'({ store, row, partition }) {
    await store.put(row('a', { data: bytes('prize') }));
    const takes = await Promise.all(Array.from({ length: 8 }, () => store.take({ partition, sort: 'a' })));
    assert.deepEqual(
      takes.map(text).filter((prize) => prize !== undefined),
      ['prize'],
    );
    assert.equal(await store.get({ partition, sort: 'a' }), undefined);
  },
  async 'counts an expired row as absent'({ store, row, partition, at }) {
    await store.put(row('a', { version: 1, ttl: START_S + 10 }));
    at(9);
    assert.notEqual(await store.get({ partition, sort: 'a' }), undefined);
    at(10);
    assert.equal(await store.get({ partition, sort: 'a' }), undefined);
    assert.deepEqual(await store.list(partition, '', 10), []);
    assert.equal(await store.put(row('a', { version: 2 }), { version: 1 }), false);
    assert.equal(await store.put(row('a', { version: 1 }), 'absent'), true);
  },
  async 'does not delete and return an expired row'({ store, row, partition, at }) {
    await store.put(row('a', { ttl: START_S + 10 }));
    at(11);
    assert.equal(await store.take({ partition, sort: 'a' }), undefined);
  },
  async 'lists in the order of bytes, after the given sort'({ store, row, partition }) {
    for (const sort of ['é', 'b', 'a#2', 'a#10', '!', 'a']) await store.put(row(sort));
    const sorts = (await store.list(partition, '!', 10)).map(({ sort }) => sort);
    assert.deepEqual(sorts, ['a', 'a#10', 'a#2', 'b', 'é']);
  },
  async 'lists at most the requested number, without counting expired rows'({ store, row, partition, at }) {
    for (const sort of ['1', '2', '3', '4', '5']) await store.put(row(sort, { ttl: START_S + (sort < '3' ? 5 : 60) }));
    at(6);
    assert.deepEqual(
      (await store.list(partition, '', 2)).map(({ sort }) => sort),
      ['3', '4'],
    );
    assert.deepEqual(
      (await store.list(partition, '4', 2)).map(({ sort }) => sort),
      ['5'],
    );
  },
  async 'lists one partition only'({ store, row, partition }) {
    await store.put(row('a'));
    await store.put(row('b', { partition: `${partition}x` }));
    assert.deepEqual(
      (await store.list(partition, '', 10)).map(({ sort }) => sort),
      ['a'],
    );
  },
  async 'lists rows that are together larger than a megabyte'({ store, row, partition }) {
    const data = new Uint8Array(250_000);
    for (const sort of ['1', '2', '3', '4', '5', '6']) await store.put(row(sort, { data }));
    assert.equal((await store.list(partition, '', 10)).length, 6);
  },
  async 'keeps a row of 256 KiB'({ store, row, partition }) {
    await store.put(row('a', { data: new Uint8Array(256 * 1024 + 1) }));
    assert.equal((await store.get({ partition, sort: 'a' }))?.data.length, 262_145);
  },
  async 'keeps keys apart that look alike'({ store, row, partition }) {
    for (const sort of ['__proto__', 'constructor', '1', '01', 'A', 'a'])
      await store.put(row(sort, { data: bytes(sort) }));
    for (const sort of ['__proto__', 'constructor', '1', '01', 'A', 'a']) {
      assert.equal(text(await store.get({ partition, sort })), sort);
    }
  },
  async 'shares no memory with its callers'({ store, row, partition }) {
    const data = bytes('abc');
    await store.put(row('a', { data }));
    data[0] = 0;
    const found = await store.get({ partition, sort: 'a' });
    assert.equal(text(found), 'abc');
    found?.data.fill(0);
    assert.equal(text(await store.get({ partition, sort: 'a' })), 'abc');
  },
};

let made = 0;

/**
 * The behaviour of `McpStore`, for any implementation and any test runner.
 *
 * @example it.each(mcpStoreConformance(harness))('$name', ({ run }) => run());
 */
export function mcpStoreConformance(harness: McpStoreHarness): readonly McpStoreCase[] {
  return Object.entries(CASES).map(([name, run]) => ({
    name,
    run: async () => {
      let seconds = START_S;
      const store = await harness.create({ now: () => new Date(seconds * 1000) });
      made += 1;
      const partition = `case#${process.pid}#${made}`;
      await run({
        store,
        partition,
        row: (sort, parts) => ({ partition, sort, version: 1, ttl: START_S + 60, data: bytes('data'), ...parts }),
        at: (later) => {
          seconds = START_S + later;
        },
      });
    },
  }));
}
