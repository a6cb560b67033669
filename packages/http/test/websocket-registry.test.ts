import { ManualClock } from '@sallyport/core/testing';
import { connectionKey, createMemoryConnectionRegistry } from '../src/websocket.js';

const KEY = { apiId: 'api', stage: 'prod', connectionId: 'c/1=' };
const record = (data: unknown = { user: 'ada' }) => ({ connectedAt: 1000, data });

describe('connectionKey', () => {
  it('is apiId/stage/connectionId', () => {
    expect(connectionKey(KEY)).toBe('api/prod/c/1=');
  });

  it.each([
    [{ ...KEY, apiId: '' }],
    [{ ...KEY, stage: ' ' }],
    [{ ...KEY, connectionId: '' }],
    [{ ...KEY, apiId: 'a/b' }],
    [{ ...KEY, stage: 'a/b' }],
    [{ apiId: 'a', stage: 'b' } as typeof KEY],
  ])('rejects %j', (key) => {
    expect(() => connectionKey(key)).toThrow(expect.failure('websocket.invalid_connection', 'connection key'));
  });
});

describe('createMemoryConnectionRegistry', () => {
  it('keeps a copy and returns copies out', async () => {
    const registry = createMemoryConnectionRegistry();
    const data = { user: 'ada' };
    await registry.put(KEY, record(data), 60);
    data.user = 'eve';
    const first = await registry.get(KEY);
    expect(first).toEqual({ connectedAt: 1000, data: { user: 'ada' } });
    (first?.data as { user: string }).user = 'mallory';
    expect(await registry.get(KEY)).toEqual({ connectedAt: 1000, data: { user: 'ada' } });
  });

  it('keeps apart what differs in one part only', async () => {
    const registry = createMemoryConnectionRegistry<string>();
    await registry.put(KEY, { connectedAt: 1, data: 'a' }, 60);
    for (const other of [
      { ...KEY, apiId: 'x' },
      { ...KEY, stage: 'x' },
      { ...KEY, connectionId: 'x' },
    ]) {
      expect(await registry.get(other)).toBeNull();
    }
  });

  it('replaces and deletes, and accepts the deletion of an absent key', async () => {
    const registry = createMemoryConnectionRegistry<string>();
    await registry.put(KEY, { connectedAt: 1, data: 'a' }, 60);
    await registry.put(KEY, { connectedAt: 2, data: 'b' }, 60);
    expect(await registry.get(KEY)).toEqual({ connectedAt: 2, data: 'b' });
    await registry.delete(KEY);
    await registry.delete(KEY);
    expect(await registry.get(KEY)).toBeNull();
  });

  it('removes a record when its lifetime is over', async () => {
    const clock = new ManualClock();
    const registry = createMemoryConnectionRegistry({ clock });
    await registry.put(KEY, record(), 60);
    clock.tick(59_999);
    expect(await registry.get(KEY)).not.toBeNull();
    clock.tick(1);
    expect(await registry.get(KEY)).toBeNull();
  });

  it('holds a bounded number of records, and removes the oldest', async () => {
    const registry = createMemoryConnectionRegistry({ maxConnections: 2 });
    for (const connectionId of ['a', 'b', 'a', 'c']) await registry.put({ ...KEY, connectionId }, record(), 60);
    const there = await Promise.all(
      ['a', 'b', 'c'].map(async (connectionId) => (await registry.get({ ...KEY, connectionId })) !== null),
    );
    expect(there).toEqual([true, false, true]);
  });

  it.each([0, -1, 1.5, Number.NaN])('rejects the lifetime %s', async (ttl) => {
    await expect(createMemoryConnectionRegistry().put(KEY, record(), ttl)).rejects.toThrow(
      expect.failure('app.invalid_configuration', 'ttlSeconds'),
    );
  });

  it.each([
    [{ max: 1 }, 'unknown option "max"'],
    [{ maxConnections: 0 }, 'option "maxConnections"'],
  ])('rejects the options %j', (options, message) => {
    expect(() => createMemoryConnectionRegistry(options as object)).toThrow(
      expect.failure('app.invalid_configuration', message),
    );
  });
});
