import { createMemoryGroupedRegistry } from '@sallyport/connections';

const API = { apiId: 'a', stage: 's' };
const RECORD = { connectedAt: 1, data: {} };

it.each([
  [999, true],
  [1000, false],
])('the id of a connection of %i bytes is stored: %s', async (bytes, fits) => {
  const registry = createMemoryGroupedRegistry();
  const put = registry.put({ ...API, connectionId: 'x'.repeat(bytes) }, RECORD, 60);
  if (fits) await expect(put).resolves.toBeUndefined();
  else await expect(put).rejects.toMatchObject({ code: 'connections.invalid_input' });
});

it.each([
  [0, true],
  [1, false],
])('data of as many bytes as an item may have, and %i more, are stored: %s', async (more, fits) => {
  const registry = createMemoryGroupedRegistry();
  const data = 'x'.repeat(408_483 + more);
  const put = registry.put({ ...API, connectionId: 'c' }, { connectedAt: 1, data }, 60);
  if (fits) await expect(put).resolves.toBeUndefined();
  else await expect(put).rejects.toMatchObject({ code: 'connections.too_large', status: 413 });
});

it('a connection of more groups than one request reads leaves all of them', async () => {
  const registry = createMemoryGroupedRegistry();
  const key = { ...API, connectionId: 'c' };
  const groups = Array.from({ length: 250 }, (_, index) => `g${String(index).padStart(3, '0')}`);
  await registry.put(key, RECORD, 60);
  for (const group of groups) await registry.join(key, group);
  expect(await registry.groupsOf(key)).toEqual(groups);
  await registry.delete(key);
  expect(await registry.groupsOf(key)).toEqual([]);
  for (const group of ['g000', 'g100', 'g249']) {
    expect((await registry.listByGroup(API, group)).connections).toEqual([]);
  }
});
