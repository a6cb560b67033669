import { ObjectStoreError } from '@sallyport/objectstore';
import { createFakeObjectStore } from '@sallyport/objectstore/testing';

const ref = { bucket: 'b', key: 'k' };
const payload = new Uint8Array([1]);

describe('the fake', () => {
  it('counts its versions, or uses given ids', async () => {
    const store = createFakeObjectStore({ versioning: 'enabled' });
    expect((await store.put({ ref, payload })).versionId).toBe('v00000000000000000001');
    expect((await store.put({ ref, payload })).versionId).toBe('v00000000000000000002');
    const named = createFakeObjectStore({ versioning: 'enabled', ids: () => 'mine' });
    expect((await named.put({ ref, payload })).versionId).toBe('mine');
  });

  it('fails the next calls of an operation, for a key, and the given number of times', async () => {
    const store = createFakeObjectStore({ versioning: 'off' });
    const down = new ObjectStoreError('objectstore.unavailable', 'down', { retryable: true });
    store.failNext('put', down, { key: 'other' });
    store.failNext('put', down, { times: 2 });
    await expect(store.put({ ref, payload })).rejects.toBe(down);
    await expect(store.put({ ref, payload })).rejects.toBe(down);
    await store.put({ ref, payload });
    await expect(store.put({ ref: { ...ref, key: 'other' }, payload })).rejects.toBe(down);
    await store.get({ ref, maxBytes: 1 });
  });

  it('changes nothing in a call that fails', async () => {
    const store = createFakeObjectStore({ versioning: 'off' });
    await store.put({ ref, payload });
    store.failNext('delete', new Error('down'));
    await expect(store.delete({ ref })).rejects.toThrow('down');
    expect((await store.get({ ref, maxBytes: 1 })).payload).toEqual(payload);
  });

  it.each(['list', 'copy', 'presignGet', ''])('has no operation %p', (operation) => {
    const store = createFakeObjectStore({ versioning: 'off' });
    expect(() => store.failNext(operation as 'put', new Error('x'))).toThrow(
      expect.objectContaining({ code: 'objectstore.unsupported_operation' }),
    );
  });

  it('records its last 10,000 valid calls, and returns copies', async () => {
    const store = createFakeObjectStore({ versioning: 'off' });
    await store.put({ ref, payload });
    await store.get({ ref, maxBytes: 0 }).catch(() => {});
    (store.calls() as unknown[]).length = 0;
    expect(store.calls()).toEqual([{ operation: 'put', ref }]);
    for (let call = 0; call < 10_000; call += 1) await store.delete({ ref });
    expect(store.calls()).toHaveLength(10_000);
    expect(store.calls()[0]).toEqual({ operation: 'delete', ref });
  });
});
