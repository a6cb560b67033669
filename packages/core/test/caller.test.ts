import { type Caller, callerKey } from '@sallyport/core/internal';
import fc from 'fast-check';

describe('callerKey', () => {
  it.each<[string, Caller, string]>([
    ['nobody', { authIdentity: '', tenantId: '' }, '["","",""]'],
    ['nobody of a tenant', { authIdentity: '', tenantId: 't' }, '["","","t"]'],
    ['an identity of an auth hook', { authIdentity: 'ada', tenantId: 't' }, '["","ada","t"]'],
    ['a principal', { principal: { identity: 'ada' }, authIdentity: 'ada', tenantId: '' }, '["external","ada",""]'],
    [
      'an internal principal',
      { principal: { identity: 'ada', kind: 'internal', tenantId: '' }, authIdentity: 'ada', tenantId: 't' },
      '["internal","ada","t"]',
    ],
    [
      'a principal with a tenant of its own',
      { principal: { identity: 'ada', tenantId: 'p' }, authIdentity: 'ada', tenantId: 't' },
      '["external","ada","p"]',
    ],
    [
      'a principal with quotes and half a surrogate pair',
      { principal: { identity: '"\\\ud800' }, authIdentity: '', tenantId: ',' },
      '["external","\\"\\\\\\ud800",","]',
    ],
  ])('of %s', (_, caller, text) => {
    expect(callerKey(caller)).toBe(text);
  });

  /** Strings with parts of the form, so that an unescaped separator is detected. */
  const part = fc
    .oneof(
      {
        weight: 3,
        arbitrary: fc.array(fc.constantFrom('"', ',', '[', ']', '\\', '\0', 'a', 'u0022', '\ud800'), { maxLength: 4 }),
      },
      { weight: 1, arbitrary: fc.array(fc.string({ unit: 'binary' }), { maxLength: 2 }) },
    )
    .map((letters) => letters.join(''));
  const caller = fc.tuple(fc.constantFrom('', 'external', 'internal'), part, part);
  const toCaller = ([kind, identity, tenantId]: readonly [string, string, string]): Caller =>
    kind === ''
      ? { authIdentity: identity, tenantId }
      : { principal: { identity, kind: kind as 'internal', tenantId }, authIdentity: identity, tenantId: '' };

  it('is the same for the same caller and differs between callers, also as UTF-8', () => {
    const callers = fc.sample(caller, { numRuns: 10_000, seed: 7 });
    const different = new Set(
      callers.map((parts) => parts.map((text) => Buffer.from(text, 'utf16le').toString('hex')).join('/')),
    );
    const keys = new Set(callers.map((parts) => Buffer.from(callerKey(toCaller(parts))).toString('hex')));
    expect(different.size).toBeGreaterThan(3_000);
    expect(keys.size).toBe(different.size);
  });
});
