import { equal, rejects } from 'node:assert/strict';
import { decodeUtf8, encodeUtf8 } from '@sallyport/core';
import { type CaseDefinition, rejectsWith } from './bench.js';

export const READ_CASES: readonly CaseDefinition[] = [
  {
    name: 'an object of exactly maxBytes is read, one byte more is rejected',
    async run({ store, ref }) {
      const target = ref();
      await store.put({ ref: target, payload: encodeUtf8('12345') });
      equal(decodeUtf8((await store.get({ ref: target, maxBytes: 5 })).payload), '12345');
      await rejectsWith('objectstore.object_too_large', store.get({ ref: target, maxBytes: 4 }));
    },
  },
  {
    name: 'a read without a valid limit is rejected',
    async run({ store, ref }) {
      const target = ref();
      await store.put({ ref: target, payload: encodeUtf8('1') });
      const limits = [undefined, null, 0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '5', 5n];
      for (const maxBytes of limits as number[]) {
        await rejectsWith('objectstore.invalid_get_limit', store.get({ ref: target, maxBytes }));
      }
    },
  },
  {
    name: 'a missing object is not found',
    async run({ store, ref }) {
      await rejectsWith('objectstore.not_found', store.get({ ref: ref(), maxBytes: 1 }));
    },
  },
  {
    name: 'a deleted object is not found, and deleting it again succeeds',
    async run({ store, ref }) {
      const target = ref();
      await store.put({ ref: target, payload: encodeUtf8('1') });
      await store.delete({ ref: target });
      await rejectsWith('objectstore.not_found', store.get({ ref: target, maxBytes: 1 }));
      await store.delete({ ref: target });
      await store.delete({ ref: ref() });
    },
  },
  {
    name: 'a version of a bucket without versions is not found',
    async run({ store, ref }) {
      const target = ref();
      await store.put({ ref: target, payload: encodeUtf8('1') });
      const versioned = { ...target, versionId: '3HL4kqtJlcpXroDTDmJ.rmSpXd3dIbrHY' };
      await rejectsWith('objectstore.not_found', store.get({ ref: versioned, maxBytes: 1 }));
    },
  },
  {
    name: 'a signal that is aborted rejects with its reason, and nothing is written',
    async run({ store, ref }) {
      const target = ref();
      const reason = new Error('the caller gave up');
      const signal = AbortSignal.abort(reason);
      const isReason = (error: unknown) => error === reason;
      await rejects(store.put({ ref: target, payload: encodeUtf8('1') }, { signal }), isReason);
      await rejects(store.get({ ref: target, maxBytes: 1 }, { signal }), isReason);
      await rejects(store.delete({ ref: target }, { signal }), isReason);
      await rejectsWith('objectstore.not_found', store.get({ ref: target, maxBytes: 1 }));
    },
  },
];
