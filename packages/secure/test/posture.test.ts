import { json } from '@sallyport/http';
import {
  Authenticated,
  AuthenticatedAnyOf,
  InternalOnly,
  Optional,
  type Posture,
  Public,
  SecureApp,
} from '@sallyport/secure';
import { describePosture } from '../src/postures/internal/kinds.js';
import { isPosture } from '../src/postures/posture.js';

const handler = () => json(200, 1);

describe('the factories', () => {
  it.each<[string, Posture, string, string[], string]>([
    ['Public', Public(), 'public', [], 'Public()'],
    ['Optional', Optional(), 'optional', [], 'Optional()'],
    ['InternalOnly', InternalOnly(), 'internal_only', [], 'InternalOnly()'],
    ['Authenticated', Authenticated(), 'authenticated', [], 'Authenticated()'],
    [
      'Authenticated with scopes',
      Authenticated(' b ', 'a', 'b', ''),
      'authenticated',
      ['b', 'a'],
      'Authenticated(b, a)',
    ],
    [
      'AuthenticatedAnyOf',
      AuthenticatedAnyOf('a', ' a', 'B'),
      'authenticated_any_of',
      ['a', 'B'],
      'AuthenticatedAnyOf(a, B)',
    ],
  ])('%s', (_, posture, kind, scopes, words) => {
    expect(posture.kind).toBe(kind);
    expect(posture.scopes).toEqual(scopes);
    expect([Object.isFrozen(posture), Object.isFrozen(posture.scopes)]).toEqual([true, true]);
    expect(describePosture(posture)).toBe(words);
  });

  it.each<[string, (...args: never[]) => Posture]>([
    ['Public', Public],
    ['Optional', Optional],
    ['InternalOnly', InternalOnly],
  ])('%s accepts no argument', (name, make) => {
    for (const surplus of ['admin', undefined, {}]) {
      expect(() => make(surplus as never)).toThrow(
        expect.failure('app.invalid_configuration', 'too many arguments', `${name}()`),
      );
    }
  });

  it.each<[string, () => Posture]>([
    ["Authenticated(' ')", () => Authenticated(' ')],
    ["Authenticated('', '\\t')", () => Authenticated('', '\t')],
    ['AuthenticatedAnyOf()', () => AuthenticatedAnyOf()],
    ["AuthenticatedAnyOf('')", () => AuthenticatedAnyOf('')],
  ])('%s is rejected', (_, make) => {
    expect(make).toThrow(expect.failure('app.bad_request', 'authenticated scopes normalize to empty'));
  });

  it('rejects a scope that is not a string, instead of requiring fewer scopes', () => {
    expect(() => Authenticated('read', 5 as never)).toThrow(
      expect.failure('app.bad_request', 'authenticated scopes must be strings'),
    );
    expect(() => AuthenticatedAnyOf(['read'] as never)).toThrow(
      expect.failure('app.bad_request', 'authenticated scopes must be strings'),
    );
  });

  it('copies the list that it was given', () => {
    const scopes = ['read'];
    const posture = Authenticated(...scopes);
    scopes.push('write');
    expect(posture.scopes).toEqual(['read']);
    expect(() => (posture.scopes as string[]).push('x')).toThrow(TypeError);
  });
});

describe('registration accepts only postures of this package', () => {
  const notOurs =
    'has a posture that this package did not make: use Public(), Optional(), Authenticated(), AuthenticatedAnyOf() or InternalOnly()';
  const forged: readonly (readonly [string, unknown, string?])[] = [
    ['none', undefined, 'has no posture: did you forget to call Public()?'],
    ['null', null],
    ['a name', 'public'],
    ['a literal', { kind: 'public', scopes: [] }],
    ['a frozen literal', Object.freeze({ kind: 'public', scopes: Object.freeze([]) })],
    ['a clone', { ...Public() }],
    ['a structured clone', structuredClone(Authenticated('a'))],
    ['a proxy', new Proxy(Public(), {})],
    ['an heir', Object.create(Authenticated())],
    ['the factory itself', Public, 'has the function Public for a posture: call it, Public()'],
    ['a handler', handler, 'has a function for a posture: pass the posture after the handler'],
    ['a kind of Object', { kind: 'toString', scopes: null }],
  ];

  it.each(forged)('%s', (_, posture, hint = notOurs) => {
    const app = new SecureApp();
    const given = posture as Posture;
    const register: readonly (() => unknown)[] = [
      () => app.handle('GET', '/a', handler, given),
      () => app.get('/a', handler, given),
      () => app.post('/a', handler, given),
      () => app.put('/a', handler, given),
      () => app.patch('/a', handler, given),
      () => app.delete('/a', handler, given),
      () => app.options('/a', handler, given),
      () => app.head('/a', handler, given),
      () => app.handleStrict('GET', '/a', handler, given),
      () => app.getStrict('/a', handler, given),
      () => app.appSyncField('Query', 'a', handler, given),
      () => app.appSyncBatchField('Query', 'a', () => [], given),
      () => app.webSocket('a', handler, given),
    ];
    const verbs = ['GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'GET', 'GET'];
    const places = [...verbs.map((verb) => `${verb} /a`), 'Query.a', 'Query.a', 'a'];
    expect(register).toHaveLength(places.length);
    for (const [index, attempt] of register.entries()) {
      const message = `framework: invalid auth posture: ${places[index]} ${hint}`;
      expect(attempt).toThrow(expect.failure('app.bad_request', message));
    }
    expect(app.routes()).toEqual([]);
  });

  it('rejects a posture of a second copy of the package', async () => {
    let other: Posture | undefined;
    let isOwn: boolean | undefined;
    await import.meta.jest.isolateModulesAsync(async () => {
      const copy = await import('../src/postures/posture.js');
      other = copy.Public();
      isOwn = copy.isPosture(other);
    });
    expect([isOwn, isPosture(other)]).toEqual([true, false]);
    expect(() => new SecureApp().get('/a', handler, other as Posture)).toThrow(
      expect.failure('app.bad_request', 'invalid auth posture'),
    );
  });
});
