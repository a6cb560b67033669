import type { SealPurpose } from '../src/internal/crypto.js';
import { createSealer } from '../src/internal/crypto.js';
import { SECRET } from './support/rig.js';

const nonceOf = (token: string) => Buffer.from(token.slice('v1.'.length), 'base64url').subarray(0, 12).toString('hex');

describe('when the random source repeats itself', () => {
  beforeEach(() => {
    const crypto = process.getBuiltinModule('node:crypto');
    import.meta.jest
      .spyOn(crypto, 'randomBytes')
      .mockImplementation(((size: number) => Buffer.alloc(size, 7)) as never);
  });
  afterEach(() => {
    import.meta.jest.restoreAllMocks();
  });

  const FIRST = ['state', 'a text', 'ada'] as const;
  it.each<[string, readonly [SealPurpose, string, string]]>([
    ['the text', ['state', 'a tex', 'ada']],
    ['the bound text', ['state', 'a text', 'adb']],
    ['where the bound text ends', ['state', 'aa text', 'ad']],
    ['the purpose', ['session', 'a text', 'ada']],
  ])('seals that differ in %s have different nonces', async (_, second) => {
    const sealer = createSealer(SECRET, 'tested');
    const tokens = [await sealer.seal(...FIRST), await sealer.seal(...second)];
    expect(new Set(tokens.map(nonceOf)).size).toBe(2);
  });

  it('the same seal twice is the same token, which reveals nothing', async () => {
    const sealer = createSealer(SECRET, 'tested');
    expect(await sealer.seal(...FIRST)).toBe(await sealer.seal(...FIRST));
  });

  it('another secret creates another nonce', async () => {
    const other = createSealer({ current: 'another secret of the tests, long enough too' }, 'tested');
    expect(nonceOf(await createSealer(SECRET, 'tested').seal(...FIRST))).not.toBe(nonceOf(await other.seal(...FIRST)));
  });
});

it('a string that is sealed twice has two tokens', async () => {
  const sealer = createSealer(SECRET, 'tested');
  const tokens = await Promise.all(Array.from({ length: 100 }, () => sealer.seal('state', 'a text', 'ada')));
  expect(new Set(tokens.map(nonceOf)).size).toBe(100);
});

it('what was sealed with a random nonce still opens', async () => {
  const token = 'v1.9uyJtaHy5e5q7-m-fQDBzs9I_1aS42LP_ZgmEiHn_18iCnmP0S34o7foH-ulM3LiH9O_j28_';
  expect(await createSealer(SECRET, 'tested').open('state', token, 'bound to')).toBe('a text of an older version');
});
