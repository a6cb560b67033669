import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { decodeUtf8, encodeUtf8 } from '@sallyport/core';
import { type CaseDefinition, rejectsWith } from './bench.js';

const versioning = 'enabled' as const;

export const VERSION_CASES: readonly CaseDefinition[] = [
  {
    name: 'a write returns its version, and each version can be read',
    versioning,
    async run({ store, ref }) {
      const target = ref();
      const first = await store.put({ ref: target, payload: encodeUtf8('first') });
      const second = await store.put({ ref: target, payload: encodeUtf8('second') });
      ok(first.versionId && second.versionId);
      notEqual(first.versionId, second.versionId);
      const old = await store.get({ ref: first, maxBytes: 10 });
      deepEqual([decodeUtf8(old.payload), old.ref], ['first', first]);
      const newest = await store.get({ ref: target, maxBytes: 10 });
      deepEqual([decodeUtf8(newest.payload), newest.ref], ['second', second]);
    },
  },
  {
    name: 'a delete without a version hides the object and keeps its versions',
    versioning,
    async run({ store, ref }) {
      const target = ref();
      const first = await store.put({ ref: target, payload: encodeUtf8('first') });
      await store.delete({ ref: target });
      await rejectsWith('objectstore.not_found', store.get({ ref: target, maxBytes: 10 }));
      equal(decodeUtf8((await store.get({ ref: first, maxBytes: 10 })).payload), 'first');
    },
  },
  {
    name: 'after a delete of the newest version the previous one is current',
    versioning,
    async run({ store, ref }) {
      const target = ref();
      await store.put({ ref: target, payload: encodeUtf8('first') });
      const second = await store.put({ ref: target, payload: encodeUtf8('second') });
      await store.delete({ ref: second });
      equal(decodeUtf8((await store.get({ ref: target, maxBytes: 10 })).payload), 'first');
      await rejectsWith('objectstore.not_found', store.get({ ref: second, maxBytes: 10 }));
      await store.delete({ ref: second });
    },
  },
  {
    name: 'createOnly writes over a delete marker, and not over a version',
    versioning,
    async run({ store, ref }) {
      const target = ref();
      await store.put({ ref: target, payload: encodeUtf8('first') });
      const again = store.put({ ref: target, payload: encodeUtf8('second'), createOnly: true });
      await rejectsWith('objectstore.precondition_failed', again);
      await store.delete({ ref: target });
      await store.put({ ref: target, payload: encodeUtf8('third'), createOnly: true });
      equal(decodeUtf8((await store.get({ ref: target, maxBytes: 10 })).payload), 'third');
    },
  },
  {
    name: 'a version that never existed is not found, and deleting it succeeds',
    versioning,
    async run({ store, ref }) {
      const target = ref();
      await store.put({ ref: target, payload: encodeUtf8('first') });
      const versioned = { ...target, versionId: '3HL4kqtJlcpXroDTDmJ.rmSpXd3dIbrHY' };
      await rejectsWith('objectstore.not_found', store.get({ ref: versioned, maxBytes: 10 }));
      await store.delete({ ref: versioned });
      equal(decodeUtf8((await store.get({ ref: target, maxBytes: 10 })).payload), 'first');
    },
  },
  {
    name: 'a write with a version is rejected',
    versioning,
    async run({ store, ref }) {
      const target = ref();
      const first = await store.put({ ref: target, payload: encodeUtf8('first') });
      await rejectsWith('objectstore.invalid_ref', store.put({ ref: first, payload: encodeUtf8('second') }));
      equal(decodeUtf8((await store.get({ ref: target, maxBytes: 10 })).payload), 'first');
    },
  },
];
