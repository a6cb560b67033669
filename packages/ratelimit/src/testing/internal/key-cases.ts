import { equal, rejects } from 'node:assert/strict';
import type { RateLimitKey } from '../../limiter/limiter.js';
import { fixedWindow } from '../../strategies/fixed-windows.js';
import type { Bench, CaseDefinition } from '../harness.js';

/** Pairs that are equal after joining, encoding, trimming or hashing, but must be different keys. */
const PAIRS: readonly (readonly [string, Partial<RateLimitKey>, Partial<RateLimitKey>])[] = [
  ['separators', { resource: 'a#b', operation: 'c' }, { resource: 'a', operation: 'b#c' }],
  ['a separator across the key', { kind: 'k', identifier: 'x#y' }, { kind: 'k#x', identifier: 'y' }],
  ['an escape and its text', { resource: '#' }, { resource: '%23' }],
  ['control characters', { resource: 'a\u0000' }, { resource: 'a\u0001' }],
  ['an escaped control character', { resource: 'a\n' }, { resource: 'a%0A' }],
  ['halves of surrogate pairs', { resource: '\ud800' }, { resource: '\ud801' }],
  ['a half and its replacement', { resource: '\udc00' }, { resource: '\ufffd' }],
  ['kinds', { kind: 'tenant', identifier: 'anonymous' }, { kind: 'anonymous', identifier: 'anonymous' }],
  [
    'callers of one identity',
    { kind: 'auth', caller: '["external","ada",""]' },
    { kind: 'auth', caller: '["internal","ada",""]' },
  ],
  ['a caller and no caller', { kind: 'auth', caller: '["external","bob",""]' }, { kind: 'auth', identifier: 'bob' }],
  ['case', { resource: '/A' }, { resource: '/a' }],
  ['blanks', { resource: '/a ' }, { resource: '/a' }],
  ['long strings with different ends', { resource: `${'x'.repeat(2048)}1` }, { resource: `${'x'.repeat(2048)}2` }],
  [
    'a long text and its hash',
    { resource: 'x'.repeat(257) },
    { resource: 'sha256:15eb95a462ee20bd91a415ae2d4aed341288186ddaa2b37908f7d592f0c3f85f' },
  ],
  ['prototype names', { resource: '__proto__' }, { resource: 'constructor' }],
];

const BAD_KEYS: readonly (readonly [string, unknown])[] = [
  ['no key', null],
  ['a blank identifier', { identifier: ' ', resource: 'r', operation: 'o' }],
  ['an empty resource', { identifier: 'i', resource: '', operation: 'o' }],
  ['an operation that is not a string', { identifier: 'i', resource: 'r', operation: 1 }],
  ['a missing operation', { identifier: 'i', resource: 'r' }],
  ['a blank caller', { identifier: 'i', resource: 'r', operation: 'o', caller: ' ' }],
  ['a blank kind', { identifier: 'i', resource: 'r', operation: 'o', kind: '' }],
];

const BAD_COSTS: readonly unknown[] = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1', null];

async function assertApart({ limiter, key }: Bench, left: Partial<RateLimitKey>, right: Partial<RateLimitKey>) {
  const limit = await limiter(fixedWindow({ limit: 1, windowMs: 60_000 }));
  const own = (parts: Partial<RateLimitKey>) =>
    (parts.identifier ?? parts.caller) === undefined ? key(parts) : key({ ...parts, resource: key().identifier });
  equal((await limit.consume(own(left))).allowed, true);
  equal((await limit.consume(own(left))).allowed, false);
  equal((await limit.consume(own(right))).allowed, true);
}

export const KEY_CASES: readonly CaseDefinition[] = [
  ...PAIRS.map(([name, left, right]) => ({
    name: `keys do not collide: ${name}`,
    run: (bench: Bench) => assertApart(bench, left, right),
  })),
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((identifier) => ({
    name: `the identifier ${identifier} is valid`,
    async run({ limiter, key }: Bench) {
      const limit = await limiter(fixedWindow({ limit: 2, windowMs: 60_000 }));
      const own = key({ identifier, resource: key().identifier });
      equal((await limit.consume(own)).currentCount, 1);
      equal((await limit.consume(own)).currentCount, 2);
    },
  })),
  {
    name: 'parts of any length and of any character are counted',
    async run({ limiter, key }) {
      const limit = await limiter(fixedWindow({ limit: 5, windowMs: 60_000 }));
      for (const part of ['x'.repeat(2049), '\u0000\u001f\u007f\u0085', 'ü'.repeat(1025), '😀#%', '\ud83d']) {
        const own = key({ resource: part, operation: part, kind: part });
        equal((await limit.consume(own)).currentCount, 1);
      }
    },
  },
  ...BAD_KEYS.map(([name, bad]) => ({
    name: `an invalid key is rejected: ${name}`,
    async run({ limiter }: Bench) {
      const limit = await limiter(fixedWindow({ limit: 1, windowMs: 1000 }));
      const asKey = bad as RateLimitKey;
      await rejects(limit.consume(asKey), { code: 'ratelimit.invalid_input' });
      await rejects(limit.peek(asKey), { code: 'ratelimit.invalid_input' });
      await rejects(limit.reset(asKey), { code: 'ratelimit.invalid_input' });
    },
  })),
  {
    name: 'a cost that is not a whole number of at least 1 is rejected',
    async run({ limiter, key }) {
      const limit = await limiter(fixedWindow({ limit: 1, windowMs: 1000 }));
      for (const cost of BAD_COSTS) {
        await rejects(limit.consume(key(), { cost: cost as number }), { code: 'ratelimit.invalid_input' });
      }
    },
  },
];
