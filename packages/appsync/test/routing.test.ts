import { runInNewContext } from 'node:vm';
import { bind, json, text } from '@sallyport/http';
import { serveDirect } from '@sallyport/http/internal';
import { resolver } from '../src/index.js';
import { createService, portable, resolverEvent } from './support/service.js';

describe('routing', () => {
  it('may have one field name under several parent types and in an HTTP route', async () => {
    const service = createService();
    for (const parent of ['Query', 'Subscription', 'Mutation', 'User']) {
      service.graphql.register(parent, 'note', () => text(200, parent));
    }
    service.http.register('GET', '/note', () => text(200, 'http'));
    for (const parent of ['Query', 'Subscription', 'Mutation', 'User']) {
      expect(await service.serve(resolverEvent({ parent }))).toBe(parent);
    }
    expect(Buffer.from((await serveDirect(service.http, { method: 'GET', path: '/note' })).body).toString()).toBe(
      'http',
    );
  });

  it('falls back to the HTTP route of the synthesized request in the open container', async () => {
    const service = createService();
    service.http.register('GET', '/{name}', (ctx) =>
      json(200, [ctx.param('name'), ctx.bodyJson(), ctx.route?.surface]),
    );
    expect(await service.serve(resolverEvent({ field: 'anything', args: { a: 1 } }))).toEqual([
      'anything',
      { a: 1 },
      'http',
    ]);
    expect(await service.serve(resolverEvent({ parent: 'Mutation', field: 'anything' }))).toEqual(
      portable('app.method_not_allowed', 405, 'method not allowed', 'POST', '/anything'),
    );
  });

  it.each(['constructor', 'toString', '__proto__', 'missing'])(
    'answers 404 for the field %s unless it is registered',
    async (field) => {
      const service = createService();
      expect(await service.serve(resolverEvent({ field }))).toEqual(
        portable('app.not_found', 404, 'not found', 'GET', `/${field}`),
      );
      service.graphql.register('Query', field, () => text(200, 'here'));
      expect(await service.serve(resolverEvent({ field }))).toBe('here');
    },
  );

  it('trims names for routing', async () => {
    const service = createService();
    service.graphql.register(' Query ', ' note ', () => text(200, 'here'));
    expect(await service.serve(resolverEvent({ parent: 'Query ', field: ' note' }))).toBe('here');
  });

  it.each<[string, unknown[], string]>([
    ['a blank parent', [' ', 'note', () => text(200, '')], 'appsync parent type and field are required'],
    ['a blank field', ['Query', '', () => text(200, '')], 'appsync parent type and field are required'],
    ['a parent that is no string', [5, 'note', () => text(200, '')], 'appsync parent type and field are required'],
    ['a name that is no string', ['Query', 5, () => text(200, '')], 'appsync parent type and field are required'],
    ['no handler', ['Query', 'x', undefined], 'route handler must be a function: Query.x'],
    [
      'a handler of bind that reads path parameters',
      ['Query', 'note', bind({ params: { id: { type: 'string' } } }, () => null)],
      'the names of bind({ params }) (id) must be those of the pattern (none): Query.note',
    ],
    ['a pair twice', ['Query', 'taken', () => text(200, '')], 'duplicate route: Query.taken'],
  ])('rejects %s at registration', (_name, [parent, field, handler], message) => {
    const service = createService();
    service.graphql.registerBatch('Query', 'taken', () => []);
    expect(() => service.graphql.register(parent as string, field as string, handler as never)).toThrow(
      expect.failure('app.bad_request', message),
    );
  });

  it.each([
    [{ batchConcurrency: 0 }, 'batchConcurrency'],
    [{ batchConcurrency: 1.5 }, 'batchConcurrency'],
    [{ batchResult: 'list' as never }, 'batchResult'],
    [{ errorMode: 'reject' as never }, 'errorMode'],
    [{ deadlineMarginMs: Number.NaN }, 'deadlineMarginMs'],
  ])('rejects the option %j', (options, name) => {
    expect(() => createService(options)).toThrow(expect.failure('app.invalid_configuration', `option "${name}"`));
  });

  it('explains the HTTP route that a field falls back to', () => {
    const service = createService();
    service.http.register('GET', '/note', function readNote() {
      return json(200, {});
    });
    expect(service.graphql.explainTarget('appsync', resolverEvent())).toMatchObject({
      route: 'Query.note',
      handler: 'readNote',
      outcome: 'handled',
    });
  });

  it('explains what would run, without running it', () => {
    const service = createService();
    service.graphql.register('Query', 'note', function findNote() {
      throw new Error('ran');
    });
    expect(service.graphql.explainTarget('appsync', resolverEvent())).toEqual({
      route: 'Query.note',
      handler: 'findNote',
      posture: null,
      outcome: 'handled',
      projection: 'payload',
    });
    expect(service.graphql.explainTarget('appsync', [resolverEvent({ field: 'x' })])).toMatchObject({
      handler: null,
      outcome: 'not_found',
    });
  });
});

describe('resolver', () => {
  it.each<[unknown, unknown]>([
    [undefined, null],
    [null, null],
    [0, 0],
    ['x', 'x'],
    [[], []],
    [Promise.resolve({ a: 1 }), { a: 1 }],
    // A promise of another realm, as in test runners: `instanceof Promise` is false.
    [runInNewContext('Promise.resolve({ a: 1 })'), { a: 1 }],
  ])('answers %j as %j', async (value, payload) => {
    const service = createService();
    service.graphql.register(
      'Query',
      'note',
      resolver(() => value),
    );
    expect(await service.serve(resolverEvent())).toEqual(payload);
  });

  it('passes the arguments to the handler', async () => {
    const service = createService();
    service.graphql.register(
      'Query',
      'note',
      resolver<{ id: string }>((_ctx, { id }) => id),
    );
    expect(await service.serve(resolverEvent({ args: { id: '7' } }))).toBe('7');
    expect(await service.serve(resolverEvent({ args: null }))).toBeNull();
  });
});
