import { deepEqual, equal, rejects } from 'node:assert/strict';
import type { EventBusStore } from '../../event-bus/event-bus.js';
import type { CaseDefinition } from '../harness.js';

async function idsOf(store: EventBusStore, query: Parameters<EventBusStore['query']>[0]): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.query({ ...query, ...(cursor && { cursor }) });
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return ids;
}

export const EVENT_BUS_CASES: readonly CaseDefinition<EventBusStore>[] = [
  {
    name: 'an event has the published values when it is read',
    async run({ subject: store, id }) {
      const tenantId = id('tenant');
      const { event, outcome } = await store.publish({
        tenantId,
        type: 'InvoicePaid',
        id: 'e1',
        payload: { amount: 7, secret: 'kept' },
        sourceId: 'billing',
        correlationId: 'c1',
        metadata: { region: 'eu' },
        tags: ['vip', 'late'],
      });
      equal(outcome, 'created');
      deepEqual(JSON.parse(JSON.stringify(event)), {
        id: 'e1',
        type: 'InvoicePaid',
        tenantId,
        payload: { amount: 7, secret: 'kept' },
        publishedAt: '2023-11-14T22:13:20.000Z',
        version: 1,
        sourceId: 'billing',
        correlationId: 'c1',
        expiresAt: '2023-12-14T22:13:20.000Z',
        metadata: { region: 'eu' },
        tags: ['vip', 'late'],
      });
      deepEqual(await store.get({ tenantId, id: 'e1' }), event);
    },
  },
  {
    name: 'the same id and payload are one event at any later time; another payload is a conflict',
    async run({ subject: store, id, clock }) {
      const event = { tenantId: id('tenant'), type: 'T', id: 'e', payload: { a: 1, b: [2] } };
      await store.publish(event);
      clock.at(5000);
      const again = await store.publish({ ...event, payload: { b: [2], a: 1 }, publishedAt: '2024-01-01T00:00:00Z' });
      deepEqual([again.outcome, again.event.publishedAt], ['duplicate', '2023-11-14T22:13:20.000Z']);
      await rejects(store.publish({ ...event, payload: { a: 2 } }), {
        code: 'eventbus.conflict',
        reason: 'payload_mismatch',
      });
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => store.publish({ ...event, id: 'race' }).then(({ outcome }) => outcome)),
      );
      equal(outcomes.filter((outcome) => outcome === 'created').length, 1);
    },
  },
  {
    name: 'an id belongs to one type, one source and one set of tags; a later correlation or metadata is ignored',
    async run({ subject: store, id }) {
      const event = { tenantId: id('tenant'), type: 'T', id: 'e', payload: 1, tags: ['a', 'b'], sourceId: 's' };
      await store.publish({ ...event, correlationId: 'first' });
      for (const other of [{ type: 'U' }, { tags: ['a'] }, { sourceId: 't' }]) {
        await rejects(store.publish({ ...event, ...other }), { reason: 'payload_mismatch' });
      }
      const again = await store.publish({
        ...event,
        tags: ['b', 'a'],
        correlationId: 'second',
        metadata: { try: '2' },
      });
      deepEqual([again.outcome, again.event.correlationId], ['duplicate', 'first']);
      deepEqual(await store.get({ tenantId: event.tenantId, id: 'e', consistent: true }), again.event);
      await rejects(store.get({ tenantId: event.tenantId, id: 'e', consistent: 1 } as never), {
        code: 'eventbus.invalid_input',
      });
    },
  },
  {
    name: 'an event belongs to its tenant',
    async run({ subject: store, id }) {
      const [tenantId, stranger] = [id('tenant'), id('stranger')];
      await store.publish({ tenantId, type: 'T', id: 'e', payload: 1 });
      equal(await store.get({ tenantId: stranger, id: 'e' }), undefined);
      equal(await store.delete({ tenantId: stranger, id: 'e' }), false);
      deepEqual(await idsOf(store, { tenantId: stranger }), []);
      equal(await store.delete({ tenantId, id: 'e' }), true);
      equal(await store.delete({ tenantId, id: 'e' }), false);
    },
  },
  {
    name: 'an expired event counts as absent while its row is still there',
    async run({ subject: store, id, clock }) {
      const event = { tenantId: id('tenant'), type: 'T', id: 'e', payload: 1, ttlSeconds: 10 };
      await store.publish(event);
      clock.at(10_000);
      equal(await store.get({ tenantId: event.tenantId, id: 'e' }), undefined);
      deepEqual(await idsOf(store, { tenantId: event.tenantId }), []);
      equal((await store.publish({ ...event, payload: 2 })).outcome, 'created');
      clock.at(20_000);
      equal(await store.delete({ tenantId: event.tenantId, id: 'e' }), false);
    },
  },
  {
    name: 'events are found by type, time and tag, newest first, in full pages',
    async run({ subject: store, id, clock }) {
      const tenantId = id('tenant');
      for (let number = 0; number < 30; number += 1) {
        clock.at(number * 1000);
        const tags = number % 10 === 0 ? ['tenth'] : ['other'];
        await store.publish({
          tenantId,
          type: number % 2 === 0 ? 'Even' : 'Odd',
          id: `e${number}`,
          payload: number,
          tags,
        });
      }
      deepEqual((await idsOf(store, { tenantId, limit: 7 })).length, 30);
      deepEqual(await idsOf(store, { tenantId, type: 'Even', limit: 4, from: '2023-11-14T22:13:40Z' }), [
        'e28',
        'e26',
        'e24',
        'e22',
        'e20',
      ]);
      const window = { from: '2023-11-14T22:13:21.000Z', to: '2023-11-14T22:13:23.000Z' };
      deepEqual(await idsOf(store, { tenantId, ...window, order: 'oldest' }), ['e1', 'e2', 'e3']);
      deepEqual(await idsOf(store, { tenantId, from: window.to, to: window.from }), []);
      const tagged = await store.query({ tenantId, tag: 'tenth', limit: 3 });
      deepEqual(
        tagged.items.map((event) => event.id),
        ['e20', 'e10', 'e0'],
      );
      const short = await store.query({ tenantId, tag: 'tenth', limit: 1 });
      deepEqual(
        short.items.map((event) => event.id),
        ['e20'],
      );
      deepEqual(await idsOf(store, { tenantId, tag: 'tenth', limit: 1 }), ['e20', 'e10', 'e0']);
      await rejects(store.query({ tenantId, cursor: short.cursor ?? '' }), { code: 'eventbus.invalid_input' });
    },
  },
  {
    name: 'ids with separators do not collide',
    async run({ subject: store, id }) {
      const tenantId = id('t');
      await store.publish({ tenantId: `${tenantId}#a`, type: 'T', id: 'b', payload: 1 });
      equal((await store.publish({ tenantId, type: 'T', id: 'a#b', payload: 2 })).outcome, 'created');
      deepEqual(
        (await store.query({ tenantId, type: 'T' })).items.map((event) => event.id),
        ['a#b'],
      );
      deepEqual((await store.query({ tenantId: `${tenantId}#T`, type: 'T' })).items, []);
    },
  },
  {
    name: 'invalid events are rejected',
    async run({ subject: store, id }) {
      const event = { tenantId: id('tenant'), type: 'T', payload: 1 };
      for (const bad of [
        { tenantId: '' },
        { type: 'a\n' },
        { id: 'x'.repeat(257) },
        { payload: undefined },
        { payload: 10n },
        { payload: 'x'.repeat(350_001) },
        { publishedAt: 'soon' },
        { tags: Array.from({ length: 33 }, (_, index) => `t${index}`) },
        { tags: 'one' },
        { ttlSeconds: 0 },
        { topic: 'x' },
      ]) {
        await rejects(store.publish({ ...event, ...bad } as never), { code: 'eventbus.invalid_input' });
      }
      for (const bad of [
        { limit: 0 },
        { limit: 1001 },
        { from: 'soon' },
        { to: 'late' },
        { order: 'random' },
        { type: '' },
        { tag: '' },
      ]) {
        await rejects(store.query({ tenantId: event.tenantId, ...bad } as never), { code: 'eventbus.invalid_input' });
      }
      await rejects(store.publish({ ...event, id: 'x' }, { remainingMs: -1 }), { code: 'eventbus.invalid_input' });
      const most = Array.from({ length: 32 }, (_, index) => `t${index}`);
      deepEqual((await store.publish({ ...event, id: 'tags', tags: most })).event.tags, most);
      for (const limit of [1, 1000]) {
        equal((await store.query({ tenantId: event.tenantId, limit })).items.length, 1);
      }
      await rejects(store.get({ id: 'e' } as never), { code: 'eventbus.invalid_input' });
    },
  },
];
