import { deepEqual, equal } from 'node:assert/strict';
import { decodeUtf8, encodeUtf8 } from '@sallyport/core';
import { type CaseDefinition, rejectsWith } from './bench.js';

export const WRITE_CASES: readonly CaseDefinition[] = [
  {
    name: 'an object is read byte for byte, with type and metadata',
    async run({ store, ref }) {
      const target = ref();
      const payload = Uint8Array.from([0, 255, 10, 13, 0]);
      const metadata = { author: 'ada', 'note-id': 'n 1' };
      deepEqual(await store.put({ ref: target, payload, contentType: 'text/plain; charset=utf-8', metadata }), target);
      const found = await store.get({ ref: target, maxBytes: 5 });
      deepEqual(new Uint8Array(found.payload), payload);
      deepEqual([found.ref, found.contentType, { ...found.metadata }], [target, 'text/plain; charset=utf-8', metadata]);
    },
  },
  {
    name: 'an object without a type is application/octet-stream, without metadata',
    async run({ store, ref }) {
      const target = ref();
      await store.put({ ref: target, payload: encodeUtf8('a') });
      const { contentType, metadata } = await store.get({ ref: target, maxBytes: 1 });
      deepEqual([contentType, { ...metadata }], ['application/octet-stream', {}]);
    },
  },
  {
    name: 'an empty object can be written and read',
    async run({ store, ref }) {
      const target = ref();
      await store.put({ ref: target, payload: new Uint8Array(0) });
      equal((await store.get({ ref: target, maxBytes: 1 })).payload.byteLength, 0);
    },
  },
  {
    name: 'a second write replaces the first',
    async run({ store, ref }) {
      const target = ref();
      await store.put({ ref: target, payload: encodeUtf8('first'), metadata: { a: 'b' } });
      await store.put({ ref: target, payload: encodeUtf8('second') });
      const found = await store.get({ ref: target, maxBytes: 10 });
      deepEqual([decodeUtf8(found.payload), { ...found.metadata }], ['second', {}]);
    },
  },
  {
    name: 'createOnly writes once, and again after a delete',
    async run({ store, ref }) {
      const target = ref();
      await store.put({ ref: target, payload: encodeUtf8('first'), createOnly: true });
      const again = store.put({ ref: target, payload: encodeUtf8('second'), createOnly: true });
      await rejectsWith('objectstore.precondition_failed', again);
      equal(decodeUtf8((await store.get({ ref: target, maxBytes: 10 })).payload), 'first');
      await store.delete({ ref: target });
      await store.put({ ref: target, payload: encodeUtf8('third'), createOnly: true });
      equal(decodeUtf8((await store.get({ ref: target, maxBytes: 10 })).payload), 'third');
    },
  },
  {
    name: 'keys are unchanged: not decoded or normalized, with their dot segments',
    async run({ store, ref }) {
      const keys = [
        'a+b c',
        'a%2Bb c',
        'é/é%C3%A9',
        'a//b',
        '/a',
        'a/',
        'a/./b',
        'a/../b',
        "x'(!*)~&=;,:@$",
        'ключ/🔑',
        ' leading',
      ];
      for (const key of keys) await store.put({ ref: ref(key), payload: encodeUtf8(key) });
      for (const key of keys) equal(decodeUtf8((await store.get({ ref: ref(key), maxBytes: 100 })).payload), key);
    },
  },
  {
    name: 'changes by the caller after a write have no effect on the store',
    async run({ store, ref }) {
      const target = ref();
      const payload = encodeUtf8('abc');
      await store.put({ ref: target, payload });
      payload.fill(0);
      const first = await store.get({ ref: target, maxBytes: 3 });
      first.payload.fill(1);
      equal(decodeUtf8((await store.get({ ref: target, maxBytes: 3 })).payload), 'abc');
    },
  },
];
