import { json, text } from '@sallyport/http';
import { serveDirect } from '@sallyport/http/internal';
import { createService, portable, resolverEvent } from './support/service.js';

describe('the synthesized request', () => {
  it.each([
    ['Query', 'GET'],
    ['Subscription', 'GET'],
    ['Mutation', 'POST'],
    ['Note', 'POST'],
    ['query', 'POST'],
  ])('of parent type %s is a %s', async (parent, method) => {
    const service = createService();
    service.graphql.register(parent, 'note', (ctx) => json(200, [ctx.request.method, ctx.request.path, ctx.route]));
    expect(await service.serve(resolverEvent({ parent }))).toEqual([
      method,
      '/note',
      { surface: 'appsync', method, pattern: `${parent}.note` },
    ]);
  });

  it.each<[string, unknown, unknown, string]>([
    ['an object', { a: [1] }, { a: [1] }, '{"a":[1]}'],
    ['nothing in an object', {}, {}, '{}'],
    [
      'a prototype name',
      JSON.parse('{"__proto__":{"x":1}}'),
      JSON.parse('{"__proto__":{"x":1}}'),
      '{"__proto__":{"x":1}}',
    ],
  ])('has %s as its body', async (_name, args, value, body) => {
    const service = createService();
    const seen: unknown[] = [];
    service.graphql.register('Query', 'note', (ctx) => {
      seen.push(ctx.bodyJson(), ctx.bodyText());
      return text(200, '');
    });
    await service.serve(resolverEvent({ args }));
    expect(seen).toEqual([value, body]);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('forwards headers, lists as lists, and adds a content type only if absent in any case', async () => {
    const service = createService();
    service.graphql.register('Query', 'note', (ctx) =>
      json(200, [ctx.request.headers, ctx.cookie('a'), ctx.sourceProvenance().valid]),
    );
    expect(
      await service.serve(
        resolverEvent({
          headers: { 'X-List': ['a,b', 'c'], 'X-Bad': 5, Cookie: 'a=1', 'Content-TYPE': 'application/graphql+json' },
        }),
      ),
    ).toEqual([{ 'content-type': ['application/graphql+json'], cookie: ['a=1'], 'x-list': ['a,b', 'c'] }, '1', false]);
    expect(await service.serve(resolverEvent())).toEqual([{ 'content-type': ['application/json'] }, null, false]);
  });

  it.each([
    [{ 'x-request-id': 'sent-1' }, 'sent-1'],
    [{ 'x-request-id': 'not fit' }, 'req-1'],
    [undefined, 'req-1'],
  ])('has the request id of %j', async (headers, id) => {
    const service = createService();
    service.graphql.register('Query', 'note', (ctx) => text(200, ctx.requestId));
    expect(await service.serve(resolverEvent({ ...(headers ? { headers } : {}) }))).toBe(id);
  });

  it('counts the serialised arguments as request bytes', async () => {
    const service = createService({ limits: { maxRequestBytes: 10 } });
    service.graphql.register('Query', 'note', () => text(200, 'ok'));
    expect(await service.serve(resolverEvent({ args: { a: 1 } }))).toBe('ok');
    expect(await service.serve(resolverEvent({ args: { a: 'long enough' } }))).toEqual(
      portable('app.too_large', 413, 'request too large', 'GET', '/note'),
    );
  });

  it.each<[string, unknown]>([
    ['no arguments key', { info: { fieldName: 'note', parentTypeName: 'Query' } }],
    ['a blank field', resolverEvent({ field: ' ' })],
    ['no parent type', { arguments: {}, info: { fieldName: 'note' } }],
    ['arguments that are a list', resolverEvent({ args: [] })],
    ['arguments that are a text', resolverEvent({ args: 'x' })],
    ['a name with a slash', resolverEvent({ field: 'a/b' })],
    ['a name with a query', resolverEvent({ field: 'a?b' })],
    ['a name with an escape', resolverEvent({ field: 'a%20' })],
    ['a name with a space', resolverEvent({ field: 'a b' })],
    ['nothing at all', null],
  ])('is rejected for %s', async (_name, event) => {
    const answer = (await createService().serve(event)) as { error_info: Record<string, unknown> };
    expect(answer).toMatchObject({
      framework_error: true,
      error_message: 'invalid appsync event',
      error_type: 'CLIENT_ERROR',
    });
    expect(answer.error_info.code).toBe('app.bad_request');
  });
});

describe('the context', () => {
  const event = resolverEvent({
    args: { id: '1' },
    source: { n: 1 },
    headers: { 'X-A': 'b' },
    more: {
      identity: { sub: 's' },
      prev: { result: 1 },
      stash: { k: 'v' },
      info: {
        fieldName: 'note',
        parentTypeName: 'Query',
        variables: { v: 1 },
        selectionSetList: ['id'],
        selectionSetGraphQL: '{ id }',
      },
    },
  });

  it('carries every metadata key', async () => {
    const service = createService();
    const seen: Record<string, unknown> = {};
    service.graphql.register('Query', 'note', (ctx) => {
      for (const key of [
        'trigger_type',
        ...[
          'field_name',
          'parent_type_name',
          'arguments',
          'identity',
          'source',
          'variables',
          'prev',
          'stash',
          'request_headers',
          'raw_event',
          'unknown',
          'toString',
        ].map((name) => `appsync.${name}`),
      ]) {
        seen[key] = ctx.get(`framework.${key}`);
      }
      return text(200, '');
    });
    await service.serve(event);
    expect(seen).toEqual({
      trigger_type: 'appsync',
      'appsync.field_name': 'note',
      'appsync.parent_type_name': 'Query',
      'appsync.arguments': { id: '1' },
      'appsync.identity': { sub: 's' },
      'appsync.source': { n: 1 },
      'appsync.variables': { v: 1 },
      'appsync.prev': { result: 1 },
      'appsync.stash': { k: 'v' },
      'appsync.request_headers': { 'X-A': 'b' },
      'appsync.raw_event': event,
      'appsync.unknown': undefined,
      'appsync.toString': undefined,
    });
  });

  it('carries every member of the event', async () => {
    const service = createService();
    service.graphql.register('Query', 'note', (ctx) => {
      const { rawEvent, ...rest } = ctx.asAppSync() ?? {};
      return json(200, [rest, rawEvent === event]);
    });
    expect(await service.serve(event)).toEqual([
      {
        fieldName: 'note',
        parentTypeName: 'Query',
        arguments: { id: '1' },
        identity: { sub: 's' },
        source: { n: 1 },
        variables: { v: 1 },
        prev: { result: 1 },
        stash: { k: 'v' },
        requestHeaders: { 'X-A': 'b' },
        selectionSetList: ['id'],
        selectionSetGraphQL: '{ id }',
      },
      true,
    ]);
  });

  it('has defaults for what is absent or null', async () => {
    const service = createService();
    service.graphql.register('Query', 'note', (ctx) => {
      const { rawEvent, ...rest } = ctx.asAppSync() ?? {};
      return json(200, [rest, ctx.get('framework.appsync.prev'), ctx.asWebSocket()]);
    });
    const bare = {
      ...resolverEvent({ args: null }),
      identity: null,
      source: null,
      prev: null,
      stash: null,
      request: null,
    };
    expect(await service.serve(bare)).toEqual([
      {
        fieldName: 'note',
        parentTypeName: 'Query',
        arguments: {},
        identity: {},
        source: {},
        variables: {},
        prev: null,
        stash: {},
        requestHeaders: {},
        selectionSetList: [],
        selectionSetGraphQL: '',
      },
      null,
      null,
    ]);
  });

  it('returns copies, so that a change in one is visible nowhere else', async () => {
    const service = createService();
    service.use((ctx, next) => {
      const transport = ctx.asAppSync();
      if (transport) {
        transport.arguments.id = 'forged';
        (transport.selectionSetList as string[]).push('forged');
      }
      (ctx.get('framework.appsync.arguments') as Record<string, unknown>).extra = true;
      return next(ctx);
    });
    service.graphql.register('Query', 'note', (ctx) =>
      json(200, [ctx.bodyJson(), ctx.asAppSync()?.arguments, ctx.asAppSync()?.selectionSetList]),
    );
    expect(await service.serve(event)).toEqual([{ id: '1' }, { id: '1' }, ['id']]);
  });

  it('has these keys for GraphQL only, and they cannot be set', async () => {
    const service = createService();
    service.http.register('GET', '/x', (ctx) => json(200, ctx.get('framework.trigger_type') ?? 'none'));
    const answer = await serveDirect(service.http, { method: 'GET', path: '/x' });
    expect(Buffer.from(answer.body).toString()).toBe('"none"');
    service.graphql.register('Query', 'note', (ctx) => {
      ctx.set('framework.appsync.identity', {});
      return text(200, '');
    });
    expect(await service.serve(event)).toMatchObject({
      framework_error: true,
      error_info: { code: 'app.bad_request' },
    });
  });
});
