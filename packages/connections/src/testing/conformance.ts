import { deepEqual, equal, rejects } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Clock } from '@sallyport/core';
import type { ConnectionKey } from '@sallyport/http/websocket';
import type { GroupedConnectionRegistry } from '../registry/registry.js';

/** Creates the registries for the suite. All registries of one harness share their rows. */
export interface ConnectionHarness {
  /** A registry with this clock and the default `principalOf`. */
  create(options: { readonly clock: Clock }): Promise<GroupedConnectionRegistry>;
}

/** One required behaviour of a registry. */
export interface ConnectionConformanceCase {
  /** The behaviour, as a sentence. */
  readonly name: string;
  /** Throws an `AssertionError` if the registry behaves otherwise. */
  run(): Promise<void>;
}

interface Bench {
  readonly registry: GroupedConnectionRegistry;
  /** Another registry over the same rows, as in another function instance. */
  readonly other: GroupedConnectionRegistry;
  /** The API of this case; no other case uses it. */
  readonly api: { readonly apiId: string; readonly stage: string };
  key(connectionId: string): ConnectionKey;
  /** Sets the time, in milliseconds after the start. */
  at(ms: number): void;
}

const CONNECTED_AT = 1_700_000_000_000;
const ADA = { identity: 'ada', tenantId: 'acme' };
const INVALID = { code: 'connections.invalid_input', status: 400 };
const record = (data: unknown = { principal: ADA }) => ({ connectedAt: CONNECTED_AT, data });
const idsOf = (page: { readonly connections: readonly ConnectionKey[] }) =>
  page.connections.map(({ connectionId }) => connectionId).sort();

const CASES: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  async 'a record written by one instance is read by another'({ registry, other, key }) {
    await registry.put(key('a='), record({ nested: [1, 'é'], principal: ADA }), 60);
    deepEqual(await other.get(key('a=')), record({ nested: [1, 'é'], principal: ADA }));
  },
  async 'a connection that was never put is absent, and may be deleted'({ registry, key }) {
    equal(await registry.get(key('none')), null);
    await registry.delete(key('none'));
  },
  async 'a second put replaces the record'({ registry, key }) {
    await registry.put(key('a'), record('old'), 60);
    await registry.put(key('a'), record('new'), 60);
    deepEqual(await registry.get(key('a')), record('new'));
  },
  async 'a record is absent from the second in which it expires'({ registry, key, at, api }) {
    await registry.put(key('a'), record(), 60);
    await registry.join(key('a'), 'room');
    at(59_999);
    deepEqual(await registry.get(key('a')), record());
    deepEqual(idsOf(await registry.listByGroup(api, 'room')), ['a']);
    at(60_000);
    equal(await registry.get(key('a')), null);
    deepEqual(idsOf(await registry.listByGroup(api, 'room')), []);
    deepEqual(idsOf(await registry.listByPrincipal(api, ADA)), []);
    deepEqual(await registry.groupsOf(key('a')), []);
  },
  async 'the same id in another API or stage is another connection'({ registry, key, api }) {
    await registry.put(key('a'), record('one'), 60);
    await registry.put({ ...key('a'), stage: 'other' }, record('two'), 60);
    deepEqual(await registry.get(key('a')), record('one'));
    deepEqual(idsOf(await registry.listByGroup({ ...api, stage: 'other' }, 'room')), []);
  },
  async 'a group lists each connection that joined once, and none that left'({ registry, other, key, api }) {
    for (const id of ['a', 'b', 'c']) await registry.put(key(id), record(), 60);
    for (const id of ['a', 'b', 'b']) equal(await other.join(key(id), 'room'), true);
    equal(await registry.join(key('c'), 'room 2'), true);
    deepEqual(idsOf(await registry.listByGroup(api, 'room')), ['a', 'b']);
    await registry.leave(key('a'), 'room');
    await registry.leave(key('a'), 'never joined');
    deepEqual(idsOf(await registry.listByGroup(api, 'room')), ['b']);
    deepEqual(await registry.groupsOf(key('c')), ['room 2']);
  },
  async 'an unknown connection cannot join a group'({ registry, key, api }) {
    equal(await registry.join(key('none'), 'room'), false);
    deepEqual(idsOf(await registry.listByGroup(api, 'room')), []);
  },
  async 'a deleted connection is in no list'({ registry, key, api }) {
    await registry.put(key('a'), record(), 60);
    for (const group of ['x', 'y']) await registry.join(key('a'), group);
    await registry.delete(key('a'));
    for (const group of ['x', 'y']) deepEqual(idsOf(await registry.listByGroup(api, group)), []);
    deepEqual(idsOf(await registry.listByPrincipal(api, ADA)), []);
    deepEqual(await registry.groupsOf(key('a')), []);
  },
  async 'the connections of a principal are listed, by kind, identity and tenant'({ registry, key, api }) {
    await registry.put(key('a'), record({ principal: ADA }), 60);
    await registry.put(key('b'), record({ principal: ADA, expiresAt: 1 }), 60);
    await registry.put(key('c'), record({ principal: { ...ADA, tenantId: 'other' } }), 60);
    await registry.put(key('d'), record({ principal: { ...ADA, kind: 'internal' } }), 60);
    await registry.put(key('e'), record('nobody'), 60);
    deepEqual(idsOf(await registry.listByPrincipal(api, ADA)), ['a', 'b']);
    deepEqual(idsOf(await registry.listByPrincipal(api, { ...ADA, tenantId: 'other' })), ['c']);
    deepEqual(idsOf(await registry.listByPrincipal(api, { ...ADA, kind: 'internal' })), ['d']);
  },
  async 'a long list is read in pages, in the order of expiry'({ registry, key, api }) {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const [position, id] of ids.entries()) {
      await registry.put(key(id), record(), 100 - position);
      await registry.join(key(id), 'room');
    }
    const read: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await registry.listByGroup(api, 'room', { limit: 2, cursor });
      read.push(...page.connections.map(({ connectionId }) => connectionId));
      cursor = page.cursor;
    } while (cursor !== undefined);
    deepEqual(read, ['e', 'd', 'c', 'b', 'a']);
  },
  async 'a cursor of another list does not return that list'({ registry, key, api }) {
    for (const id of ['a', 'b']) {
      await registry.put(key(id), record(), 60);
      await registry.join(key(id), 'room');
    }
    const { cursor } = await registry.listByGroup(api, 'room', { limit: 1 });
    deepEqual(idsOf(await registry.listByGroup(api, 'other', { cursor })), []);
  },
  async 'a group name with separators of keys is valid'({ registry, key, api }) {
    await registry.put(key('a'), record(), 60);
    for (const group of ['x#GROUP#y', 'x/y', '%23', ' ', '__proto__']) {
      equal(await registry.join(key('a'), group), true);
      deepEqual(idsOf(await registry.listByGroup(api, group)), ['a']);
    }
    deepEqual(idsOf(await registry.listByGroup(api, 'x')), []);
  },
  async 'invalid input is rejected before anything is written'({ registry, key, api }) {
    const bad = (value: unknown) => value as never;
    await rejects(registry.put(key('a'), record(undefined as unknown), 0), INVALID);
    await rejects(registry.put(key('a'), record(), 1.5), INVALID);
    await rejects(registry.put(key('a'), { connectedAt: bad('now'), data: 1 }, 60), INVALID);
    await rejects(registry.put(key('a'), record(10n), 60), INVALID);
    await rejects(
      registry.put(
        key('a'),
        record(() => 1),
        60,
      ),
      INVALID,
    );
    await rejects(registry.put(key('x'.repeat(1100)), record(), 60), INVALID);
    await rejects(registry.put(key(''), record(), 60), { code: 'websocket.invalid_connection' });
    for (const group of ['', 'x'.repeat(257), bad(7)]) await rejects(registry.join(key('a'), group), INVALID);
    for (const limit of [0, 1001, 1.5, bad('5')]) await rejects(registry.listByGroup(api, 'room', { limit }), INVALID);
    await rejects(registry.listByGroup(api, 'room', { cursor: 'nonsense' }), INVALID);
    await rejects(registry.listByPrincipal(api, bad(null)), INVALID);
    await rejects(registry.listByPrincipal(api, { identity: '' }), INVALID);
    equal(await registry.get(key('a')), null);
  },
  async 'the shortest lifetime, the longest group and pages of every size are valid'({ registry, key, api, at }) {
    await registry.put(key('a'), record(null), 1);
    for (const group of ['x', 'x'.repeat(256), 'é'.repeat(128)]) equal(await registry.join(key('a'), group), true);
    for (const limit of [1, 1000]) deepEqual(idsOf(await registry.listByGroup(api, 'x', { limit })), ['a']);
    at(999);
    deepEqual(await registry.get(key('a')), record(null));
    at(1000);
    equal(await registry.get(key('a')), null);
  },
  async 'data that is too large for an item is rejected, and any other is stored'({ registry, key }) {
    const error = { code: 'connections.too_large', status: 413 };
    await rejects(registry.put(key('a'), record('x'.repeat(410_000)), 60), error);
    let fits = true;
    for (let bytes = 408_000; bytes < 410_000; bytes += 100) {
      const data = 'x'.repeat(bytes);
      const stored = await registry.put(key('a'), record(data), 60).catch((thrown: unknown) => thrown);
      if (stored === undefined) {
        // Three writes, because an item has the ids of its last writes too.
        for (const _ of [2, 3]) await registry.put(key('a'), record(data), 60);
        deepEqual([fits, await registry.get(key('a'))], [true, record(data)]);
      } else {
        equal((stored as { code?: unknown }).code, error.code);
        fits = false;
      }
    }
    equal(fits, false);
  },
};

/**
 * The behaviour of `GroupedConnectionRegistry`, for any implementation and any test runner.
 *
 * @example it.each(connectionConformance(harness))('$name', ({ run }) => run());
 */
export function connectionConformance(harness: ConnectionHarness): readonly ConnectionConformanceCase[] {
  return Object.entries(CASES).map(([name, check]) => ({
    name,
    async run() {
      let nowMs = CONNECTED_AT;
      const clock = { now: () => new Date(nowMs) };
      const api = { apiId: `api-${randomUUID()}`, stage: 'live' };
      await check({
        registry: await harness.create({ clock }),
        other: await harness.create({ clock }),
        api,
        key: (connectionId) => ({ ...api, connectionId }),
        at: (ms) => {
          nowMs = CONNECTED_AT + ms;
        },
      });
    },
  }));
}
