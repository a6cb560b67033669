import { createHash, createHmac } from 'node:crypto';
import { WebSha256 } from '../src/internal/web-sha256.js';

const text = (value: string) => new TextEncoder().encode(value);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const KEY = text('key');

it.each([
  ['a digest', undefined, createHash('sha256')],
  ['an HMAC with a key of text', 'key', createHmac('sha256', 'key')],
  ['an HMAC with a key of bytes', KEY, createHmac('sha256', 'key')],
  ['an HMAC with a key in a buffer', KEY.buffer, createHmac('sha256', 'key')],
])('%s is equal to the result of Node.js, and a reset starts again', async (_title, key, expected) => {
  const hash = new WebSha256(key);
  hash.update(text('lost'));
  hash.reset();
  hash.update(text('a'));
  hash.update(text('bc'));
  expect(hex(await hash.digest())).toBe(expected.update('abc').digest('hex'));
});
