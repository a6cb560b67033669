import { FrameworkError } from '@sallyport/core';
import { json } from '@sallyport/http';
import { Authenticated, firstPrincipal, Optional, SecureApp } from '@sallyport/secure';
import { choosePosture } from '@sallyport/secure/migrate';
import { type SharedSecretOptions, sharedSecretPrincipalResolver } from '@sallyport/secure/shared-secret';
import { requestContext } from './support/context.js';
import { DIRECT, DOORS, send } from './support/operations.js';

describe('sharedSecretPrincipalResolver', () => {
  const secrets = [
    { id: 'billing', value: 's3cret-of-billing', scopes: ['invoices'], kind: 'internal' as const },
    { id: 'partner', value: 'p' },
    { id: ' shop ', value: 'schlüssel' },
  ];
  const app = new SecureApp({ principalResolver: sharedSecretPrincipalResolver({ header: 'X-Api-Key', secrets }) });
  app.get('/op', (ctx) => json(200, ctx.securePrincipal()), Optional());
  const call = async (value?: string) => {
    const { status, body } = await send(app, DIRECT, { headers: value === undefined ? {} : { 'x-api-key': value } });
    return status === 200 ? body : status;
  };

  it.each<[string, string | undefined, unknown]>([
    ['none', undefined, null],
    [
      'the first',
      's3cret-of-billing',
      { identity: 'billing', scopes: ['invoices'], kind: 'internal', claims: {}, tenantId: '' },
    ],
    ['the second', 'p', { identity: 'partner', scopes: [], kind: 'external', claims: {}, tenantId: '' }],
    ['one beyond ASCII', 'schlüssel', { identity: 'shop', scopes: [], kind: 'external', claims: {}, tenantId: '' }],
    ['a blank one', '', 401],
    ['a wrong one of equal length', 's3cret-of-billinG', 401],
    ['a prefix', 's3cret-of-billin', 401],
    ['a longer one', 's3cret-of-billing2', 401],
    ['with blanks', ' p ', 401],
    ['a megabyte', 'x'.repeat(1_000_000), 401],
  ])('%s', async (_, value, outcome) => {
    expect(await call(value)).toEqual(outcome);
  });

  it('treats two values as none', async () => {
    const answer = await app.serve({ method: 'GET', path: '/op', headers: { 'x-api-key': ['p', 'p'] } });
    expect(answer.status).toBe(401);
  });

  it('works at every door', async () => {
    for (const door of DOORS)
      expect((await send(app, door, { headers: { 'X-API-KEY': 'p' } })).body).toMatchObject({ identity: 'partner' });
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'options must be an object'],
    ['an unknown option', { header: 'x', secrets, salt: 1 }, '"salt"'],
    ['a bad header', { header: 'x y', secrets }, '"header"'],
    ['no secrets', { header: 'x', secrets: [] }, '"secrets"'],
    ['a blank id', { header: 'x', secrets: [{ id: ' ', value: 'hush' }] }, '"secrets[0].id"'],
    ['a blank value', { header: 'x', secrets: [{ id: 'a', value: '' }] }, '"secrets[0].value"'],
    ['a value that no header can hold', { header: 'x', secrets: [{ id: 'a', value: 'hush ' }] }, '"secrets[0].value"'],
    ['scopes as a text', { header: 'x', secrets: [{ id: 'a', value: 'hush', scopes: 'a b' }] }, '"secrets[0].scopes"'],
    ['another kind', { header: 'x', secrets: [{ id: 'a', value: 'hush', kind: 'root' }] }, '"secrets[0].kind"'],
    [
      'an id twice',
      {
        header: 'x',
        secrets: [
          { id: 'a', value: 'hush1' },
          { id: 'a ', value: 'hush2' },
        ],
      },
      '"secrets"',
    ],
    [
      'a value twice',
      {
        header: 'x',
        secrets: [
          { id: 'a', value: 'hush' },
          { id: 'b', value: 'hush' },
        ],
      },
      '"secrets"',
    ],
  ])('rejects %s, never naming a value', (_, options, name) => {
    const make = () => sharedSecretPrincipalResolver(options as SharedSecretOptions);
    expect(make).toThrow(expect.failure('app.invalid_configuration', name));
    expect(make).not.toThrow(/hush/);
  });
});

describe('firstPrincipal', () => {
  const ctx = requestContext();

  it('calls each in turn until a caller is found', async () => {
    const asked: string[] = [];
    const say = (name: string, value: unknown) => () => {
      asked.push(name);
      return value as never;
    };
    const resolver = firstPrincipal(
      say('a', null),
      say('b', Promise.resolve(undefined)),
      say('c', { identity: 'c' }),
      say('d', { identity: 'd' }),
    );
    expect(await resolver(ctx)).toEqual({ identity: 'c' });
    expect(asked).toEqual(['a', 'b', 'c']);
    expect(await firstPrincipal(() => null)(ctx)).toBeNull();
  });

  it('stops at a resolver that rejects', async () => {
    let asked = 0;
    const refuse = () => {
      throw new FrameworkError('app.unauthorized');
    };
    const next = () => {
      asked += 1;
      return { identity: 'x' };
    };
    await expect(firstPrincipal(refuse, next)(ctx)).rejects.toMatchObject({ code: 'app.unauthorized' });
    await expect(firstPrincipal(async () => refuse(), next)(ctx)).rejects.toMatchObject({ code: 'app.unauthorized' });
    expect(asked).toBe(0);
  });

  it('rejects an empty list and a value that is not a function', () => {
    expect(() => firstPrincipal()).toThrow(expect.failure('app.invalid_configuration', 'option "resolvers"'));
    expect(() => firstPrincipal(() => null, {} as never)).toThrow(
      expect.failure('app.invalid_configuration', 'option "resolvers"'),
    );
  });
});

describe('choosePosture', () => {
  it('throws at registration until one is chosen', () => {
    const app = new SecureApp();
    expect(() => app.get('/users/{id}', () => json(200, 1), choosePosture('GET /users/{id}') as never)).toThrow(
      expect.failure('app.bad_request', 'posture not chosen: GET /users/{id}'),
    );
    expect(app.get('/users/{id}', () => json(200, 1), Authenticated()).routes()).toHaveLength(1);
  });
});
