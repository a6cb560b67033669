import { MemoryTable } from '@sallyport/dynamo';
import { createMemoryEventBusStore, type JsonValue } from '@sallyport/jobs';

const START = new Date('2026-01-01T00:00:00Z');
const clock = { now: () => START };
const KEY = { pk: 'EVT#acme#e1', sk: 'EVT' };
const EVENT = { tenantId: 'acme', type: 'InvoicePaid', id: 'e1' };

/** A row of a version that sorted integer names first: SHA-256 of `{"9":2,"10":1,"a":3}`. */
const OLD_ROW = {
  ...KEY,
  id: 'e1',
  event_type: 'InvoicePaid',
  tenant_id: 'acme',
  tenant_type: 'acme#InvoicePaid',
  payload: '{"9":2,"10":1,"a":3}',
  payload_sha256: 'ac43de46bc6196a4be2565243663627b7f366df169441ec5be1ab0c243f154bb',
  published_at: '2025-12-31T00:00:00.000Z',
  published_key: '2025-12-31T00:00:00.000Z#e1',
  version: 1,
  expires_at: '2026-01-30T00:00:00.000Z',
  ttl: Date.UTC(2026, 0, 30) / 1000,
};

async function storeWith(row: typeof OLD_ROW) {
  const table = new MemoryTable();
  await table.put(row, { writer: 'w', condition: { absent: 'pk' } });
  return createMemoryEventBusStore({ table, clock });
}

it('the digest of a payload is the one of every runtime', async () => {
  const table = new MemoryTable();
  await createMemoryEventBusStore({ table, clock }).publish({ ...EVENT, payload: { a: 3, 9: 2, 10: 1 } });
  // SHA-256 of {"10":1,"9":2,"a":3}, by RFC 8785.
  const digest = 'd6e62753b8541dd53e8db28349f1b082a93958576574f1b34b4fd86fbbd78916';
  expect(await table.get(KEY)).toMatchObject({ payload_sha256: digest });
});

it('an event of a version with another digest is one event with its repetition', async () => {
  const store = await storeWith(OLD_ROW);
  const again = await store.publish({ ...EVENT, payload: { a: 3, 10: 1, 9: 2 } });
  expect([again.outcome, again.event.publishedAt]).toEqual(['duplicate', '2025-12-31T00:00:00.000Z']);
});

it.each<[string, Partial<typeof OLD_ROW>, JsonValue]>([
  ['another payload', {}, { a: 3, 10: 1, 9: 3 }],
  ['a row whose payload is not JSON', { payload: '{' }, { a: 3, 10: 1, 9: 2 }],
  ['a row whose payload has too many levels', { payload: '['.repeat(2_000) + ']'.repeat(2_000) }, []],
])('%s is a conflict', async (_, row, payload) => {
  const store = await storeWith({ ...OLD_ROW, ...row });
  await expect(store.publish({ ...EVENT, payload })).rejects.toMatchObject({ reason: 'payload_mismatch' });
});

it.each([1_001, 12_000])('a payload with %i levels is rejected by name', async (levels) => {
  const payload = JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as JsonValue;
  await expect(createMemoryEventBusStore({ clock }).publish({ ...EVENT, payload })).rejects.toMatchObject({
    code: 'eventbus.invalid_input',
    message: expect.stringMatching(/^framework: payload must /) as string,
  });
});
