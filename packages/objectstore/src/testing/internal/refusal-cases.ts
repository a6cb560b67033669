import { encodeUtf8 } from '@sallyport/core';
import type { PutObjectInput } from '../../store/store.js';
import { type CaseDefinition, rejectsWith } from './bench.js';

export const REFUSAL_CASES: readonly CaseDefinition[] = [
  {
    name: 'invalid references are rejected by every operation',
    async run({ store, ref }) {
      const { bucket } = ref();
      const wrong: unknown[] = [
        undefined,
        `s3://${bucket}/key`,
        { bucket, key: '' },
        { bucket, key: 'a?b' },
        { bucket, key: 'a#b' },
        { bucket, key: 'a\u0000' },
        { bucket, key: 'a ' },
        { bucket, key: '\ud800' },
        { bucket, key: 'é'.repeat(513) },
        { bucket: '', key: 'a' },
        { bucket: 'a/b', key: 'a' },
        { bucket, key: 'a', versionId: '' },
        { bucket, key: 'a', region: 'x' },
      ];
      for (const broken of wrong as PutObjectInput['ref'][]) {
        await rejectsWith('objectstore.invalid_ref', store.put({ ref: broken, payload: encodeUtf8('1') }));
        await rejectsWith('objectstore.invalid_ref', store.get({ ref: broken, maxBytes: 1 }));
        await rejectsWith('objectstore.invalid_ref', store.delete({ ref: broken }));
      }
    },
  },
  {
    name: 'a wrong payload, type, metadata or member is rejected, and nothing is written',
    async run({ store, ref }) {
      const target = ref();
      const good = { ref: target, payload: encodeUtf8('1') };
      const wrong: object[] = [
        { payload: 'text' },
        { payload: [1] },
        { payload: undefined },
        { contentType: 'text' },
        { contentType: 'text/plain\r\nx-amz-acl: public-read' },
        { contentType: `text/${'a'.repeat(252)}` },
        { metadata: { Upper: 'a' } },
        { metadata: { a: 'é' } },
        { metadata: { a: ' b' } },
        { metadata: { a: 1 } },
        { metadata: { a: 'x'.repeat(2048) } },
        { metadata: [] },
        { createOnly: 'yes' },
        { acl: 'public-read' },
      ];
      for (const part of wrong) {
        await rejectsWith('objectstore.invalid_input', store.put({ ...good, ...part } as PutObjectInput));
      }
      await rejectsWith('objectstore.not_found', store.get({ ref: target, maxBytes: 1 }));
    },
  },
  {
    name: 'metadata of 2,048 bytes together is accepted',
    async run({ store, ref }) {
      await store.put({ ref: ref(), payload: encodeUtf8('1'), metadata: { a: 'x'.repeat(2047) } });
    },
  },
];
