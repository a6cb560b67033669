import { normalizePrincipal, UNKNOWN_KIND } from '../src/internal/gate.js';
import { normalizeScopes } from '../src/postures/posture.js';
import type { NormalPrincipal } from '../src/principal.js';

const NONE = { scopes: [], claims: {}, kind: 'external', tenantId: '' };

describe('the normal form of a principal', () => {
  it.each<[string, unknown, unknown]>([
    ['nothing', undefined, null],
    ['null', null, null],
    ['a text', 'ada', null],
    ['a number', 5, null],
    ['true', true, null],
    ['a function', () => ({ identity: 'ada' }), null],
    ['a list', ['ada'], null],
    ['an empty object', {}, null],
    ['a blank identity', { identity: ' \t' }, null],
    ['a number for an identity', { identity: 7 }, null],
    ['an object for an identity', { identity: { toString: () => 'ada' } }, null],
    ['an identity alone', { identity: ' ada ' }, { identity: 'ada', ...NONE }],
    [
      'scopes',
      { identity: 'a', scopes: [' r ', 'w', '', 'r', 'W', 5] },
      { ...NONE, identity: 'a', scopes: ['r', 'w', 'W'] },
    ],
    ['scopes as a text', { identity: 'a', scopes: 'read write' }, { ...NONE, identity: 'a' }],
    ['scopes as an object', { identity: 'a', scopes: { 0: 'read', length: 1 } }, { ...NONE, identity: 'a' }],
    ['scopes as a set', { identity: 'a', scopes: new Set(['read']) }, { ...NONE, identity: 'a' }],
    ['internal', { identity: 'a', kind: 'internal' }, { ...NONE, identity: 'a', kind: 'internal' }],
    ['external', { identity: 'a', kind: 'external' }, { ...NONE, identity: 'a' }],
    ['a blank kind', { identity: 'a', kind: ' ' }, { ...NONE, identity: 'a' }],
    ['an unknown kind', { identity: 'a', kind: 'mystery' }, UNKNOWN_KIND],
    ['an unknown kind and no identity', { kind: 'mystery' }, UNKNOWN_KIND],
    ['a kind in another case', { identity: 'a', kind: 'Internal' }, UNKNOWN_KIND],
    ['a padded kind', { identity: 'a', kind: ' internal' }, UNKNOWN_KIND],
    ['a kind of Object', { identity: 'a', kind: 'constructor' }, UNKNOWN_KIND],
    ['null for a kind', { identity: 'a', kind: null }, UNKNOWN_KIND],
    ['zero for a kind', { identity: 'a', kind: 0 }, UNKNOWN_KIND],
    ['false for a kind', { identity: 'a', kind: false }, UNKNOWN_KIND],
    ['a list for a kind', { identity: 'a', kind: ['internal'] }, UNKNOWN_KIND],
    ['an object for a kind', { identity: 'a', kind: { toString: () => 'internal' } }, UNKNOWN_KIND],
    ['a tenant', { identity: 'a', tenantId: ' t1 ' }, { ...NONE, identity: 'a', tenantId: 't1' }],
    ['a number for a tenant', { identity: 'a', tenantId: 5 }, { ...NONE, identity: 'a' }],
    ['claims', { identity: 'a', claims: { x: { y: [1] } } }, { ...NONE, identity: 'a', claims: { x: { y: [1] } } }],
    ['claims as a list', { identity: 'a', claims: [1] }, { ...NONE, identity: 'a' }],
    ['claims as an instance', { identity: 'a', claims: new Map([['x', 1]]) }, { ...NONE, identity: 'a' }],
  ])('%s', (_, given, normal) => {
    expect(normalizePrincipal(given)).toEqual(normal);
  });

  it.each<[string, unknown, readonly string[]]>([
    ['a text', 'ada', ['no object']],
    ['no identity', {}, ['no identity']],
    ['an unknown kind', { identity: 'a', kind: 'mystery' }, ['a kind other than "external" or "internal"']],
    ['scopes as a text', { identity: 'a', scopes: 'read' }, ['scopes that are not a list']],
    ['null for scopes', { identity: 'a', scopes: null }, []],
    ['a list of scopes', { identity: 'a', scopes: ['read'] }, []],
    ['an identity alone', { identity: 'a' }, []],
  ])('complains of what no principal has: %s', (_, given, expected) => {
    const complaints: string[] = [];
    normalizePrincipal(given, (what) => complaints.push(what));
    expect(complaints).toEqual(expected);
  });

  it.each([
    ['a zero-width space', '\u200b'],
    ['a NUL', '\0'],
    ['controls', '\u0001\u001f\u007f\u0085'],
    ['a byte order mark', '\ufeff'],
    ['joiners and marks of direction', '\u200c\u200d\u2060\u202e'],
    ['half a surrogate pair', '\ud800'],
    ['a Hangul filler', '\u3164\u115f'],
    ['a blank Braille pattern', '\u2800'],
    ['variation selectors', '\ufe0f\u{e0100}'],
    ['tags', '\u{e0041}'],
    ['blanks between them', '\u200b \u00a0\u2028\u200b'],
  ])('treats an identity of only %s as anonymous', (_, identity) => {
    expect(normalizePrincipal({ identity, kind: 'internal' })).toBeNull();
  });

  it.each(['a\u200b', '\u0000a', 'é', '名', '🙂', '-', 'auth0|123', '\u0301'])(
    'accepts the identity %j unchanged',
    (identity) => {
      expect(normalizePrincipal({ identity })).toMatchObject({ identity });
    },
  );

  it('ignores members of a prototype', () => {
    const raised = { identity: 'root', kind: 'internal', scopes: ['admin'], claims: { a: 1 }, tenantId: 't' };
    expect(normalizePrincipal(Object.create(raised))).toBeNull();
    expect(normalizePrincipal(Object.assign(Object.create(raised), { identity: 'a' }))).toEqual({
      ...NONE,
      identity: 'a',
    });
    const polluted = Object.prototype as Record<string, unknown>;
    Object.assign(polluted, raised);
    try {
      expect(normalizePrincipal({})).toBeNull();
      expect(normalizePrincipal({ identity: 'a' })).toEqual({ ...NONE, identity: 'a' });
    } finally {
      for (const name of Object.keys(raised)) delete polluted[name];
    }
  });

  it('reads each field once', () => {
    const reads: string[] = [];
    const watched = new Proxy(
      { identity: 'a', scopes: ['r'], claims: { c: 1 }, kind: 'internal', tenantId: 't' },
      {
        get(target, key, receiver) {
          reads.push(String(key));
          return Reflect.get(target, key, receiver);
        },
      },
    );
    expect(normalizePrincipal(watched)).toEqual({
      identity: 'a',
      scopes: ['r'],
      claims: { c: 1 },
      kind: 'internal',
      tenantId: 't',
    });
    expect(reads.sort()).toEqual(['claims', 'identity', 'kind', 'scopes', 'tenantId']);
  });

  it('reads scopes after getters once', () => {
    let looks = 0;
    const scopes: string[] = [];
    Object.defineProperty(scopes, '0', {
      get: () => {
        looks += 1;
        return looks === 1 ? 'read' : 'admin';
      },
    });
    const normal = normalizePrincipal({ identity: 'a', scopes }) as NormalPrincipal;
    expect([normal.scopes, looks]).toEqual([['read'], 1]);
  });

  it('takes 10,000 scopes', () => {
    const scopes = Array.from({ length: 10_000 }, (_, index) => `scope:${index}`);
    const normal = normalizePrincipal({ identity: 'a', scopes }) as NormalPrincipal;
    expect([normal.scopes.length, normal.scopes[9_999]]).toEqual([10_000, 'scope:9999']);
  });
});

describe('normalizeScopes', () => {
  it.each<[unknown, string[]]>([
    [undefined, []],
    ['read', []],
    [[], []],
    [[' ', '\t', ''], []],
    [
      [' b ', 'a', 'b', null, 'B'],
      ['b', 'a', 'B'],
    ],
  ])('%j', (scopes, normal) => {
    expect(normalizeScopes(scopes)).toEqual(normal);
  });
});
