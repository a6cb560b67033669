import { fingerprintCredential } from '@sallyport/ratelimit';

describe('fingerprints of credentials', () => {
  it.each([
    ['api_key', 'test-key', '3aac7b8736ac3f36e2a5953843e1c8887a8941d39efbb1f38ab56e91b2b25cab'],
    ['bearer', 'test-token', '9c2a84ede1c96d53239c9f229dd9f51a5df21f77fffce9dfd8931374f3f146ca'],
  ] as const)('%s %s is pinned', (kind, credential, fingerprint) => {
    expect(fingerprintCredential(kind, credential)).toBe(fingerprint);
    expect(fingerprintCredential(kind, ` \t${credential}\t `)).toBe(fingerprint);
  });

  it('differ by kind, credential and key', () => {
    const prints = [
      fingerprintCredential('api_key', 'x'),
      fingerprintCredential('bearer', 'x'),
      fingerprintCredential('bearer', 'X'),
      fingerprintCredential('bearer', 'x', '0123456789abcdef'),
    ];
    expect(new Set(prints).size).toBe(4);
  });

  it('have the same result for bytes and text', () => {
    const bytes = new TextEncoder().encode('0123456789abcdef');
    expect(fingerprintCredential('bearer', 'x', bytes)).toBe(fingerprintCredential('bearer', 'x', '0123456789abcdef'));
  });

  it.each<[string, unknown]>([
    ['15 bytes of text', '0123456789abcde'],
    ['15 bytes', new Uint8Array(15)],
    ['empty text', ''],
    ['a number', 5],
  ])('reject a key of %s', (_, key) => {
    expect(() => fingerprintCredential('bearer', 'x', key as string)).toThrow(
      expect.objectContaining({ code: 'ratelimit.invalid_config' }),
    );
  });

  it('count the bytes of a key and not its characters', () => {
    expect(fingerprintCredential('bearer', 'x', 'üüüüüüüü')).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each<[string, unknown, unknown]>([
    ['a blank credential', 'bearer', ' \t'],
    ['no credential', 'bearer', undefined],
    ['another kind', 'cookie', 'x'],
  ])('reject %s', (_, kind, credential) => {
    expect(() => fingerprintCredential(kind as 'bearer', credential as string)).toThrow(
      expect.objectContaining({ code: 'ratelimit.invalid_input' }),
    );
  });
});
