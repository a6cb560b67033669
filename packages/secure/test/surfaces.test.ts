import { FrameworkError } from '@sallyport/core';
import { type App, createApp } from '@sallyport/dispatch/app';
import { json, text } from '@sallyport/http';
import { Authenticated, Optional, type Posture, Public, SecureApp } from '@sallyport/secure';
import { DIRECT, DOORS, graphqlEvent, readGraphql, readHttp, send, socketEvent } from './support/operations.js';

const handler = () => json(200, 'in');
const open = Public();

describe('registration', () => {
  it.each<[string, (app: SecureApp) => unknown, string]>([
    ['a blank method', (app) => app.handle(' ', '/a', handler, open), 'route method is empty: /a'],
    ['no method', (app) => app.handle(null as never, '/a', handler, open), 'route method is empty: /a'],
    ['an invalid pattern', (app) => app.get('/a//b', handler, open), 'invalid route pattern: GET /a//b'],
    ['no pattern', (app) => app.get(undefined as never, handler, open), 'invalid route pattern: GET (no text)'],
    ['no handler', (app) => app.get('/a', undefined as never, open), 'route handler must be a function: GET /a'],
    ['an empty pattern', (app) => app.get('', handler, open), 'invalid route pattern: GET (blank)'],
    ['a blank pattern', (app) => app.handle('GET', '   ', handler, open), 'invalid route pattern: GET (blank)'],
    [
      'a wildcard',
      (app) => app.get('/files/*', handler, open),
      'invalid route pattern: use {rest+} for the rest of a path: GET /files/*',
    ],
    [
      'a route twice',
      (app) => app.get('/a/{x}', handler, open).get('/a/{y}', handler, open),
      'duplicate route: GET /a/{y}',
    ],
    [
      'a blank parent',
      (app) => app.appSyncField(' ', 'f', handler, open),
      'appsync parent type and field are required',
    ],
    [
      'a blank field',
      (app) => app.appSyncField('Query', '', handler, open),
      'appsync parent type and field are required',
    ],
    [
      'a blank batch field',
      (app) => app.appSyncBatchField('Query', ' ', () => [], open),
      'appsync parent type and field are required',
    ],
    [
      'no resolver',
      (app) => app.appSyncField('Query', 'f', null as never, open),
      'route handler must be a function: Query.f',
    ],
    [
      'a field twice',
      (app) => app.appSyncField('Query', 'f', handler, open).appSyncField(' Query', 'f ', handler, open),
      'duplicate route: Query.f',
    ],
    [
      'a field and its batch',
      (app) => app.appSyncField('Query', 'f', handler, open).appSyncBatchField('Query', 'f', () => [], open),
      'duplicate route: Query.f',
    ],
    ['a blank route key', (app) => app.webSocket(' ', handler, open), 'invalid websocket route'],
    ['no socket handler', (app) => app.webSocket('a', {} as never, open), 'route handler must be a function: a'],
    ['a key twice', (app) => app.webSocket('a', handler, open).webSocket(' a ', handler, open), 'duplicate route: a'],
    ['a middleware that is none', (app) => app.use({} as never), 'middleware must be a function'],
  ])('%s', (_, register, message) => {
    expect(() => register(new SecureApp())).toThrow(expect.failure('app.bad_request', message));
  });

  it.each<[string, (app: SecureApp, ...args: never[]) => unknown, string]>([
    [
      'a second posture of a field',
      (app, more) => app.appSyncField('Query', 'f', handler, open, more),
      'appSyncField(',
    ],
    [
      'a second posture of a batch field',
      (app, more) => app.appSyncBatchField('Query', 'f', () => [], open, more),
      'appSyncBatchField(',
    ],
    ['a second posture of a socket route', (app, more) => app.webSocket('a', handler, open, more), 'webSocket('],
    ['a second posture behind options', (app, more) => app.get('/a', handler, open, {}, more), 'handle('],
    ['a second posture of post', (app, more) => app.post('/a', handler, open, {}, more), 'handle('],
    ['a second posture of put', (app, more) => app.put('/a', handler, open, {}, more), 'handle('],
    ['a second posture of patch', (app, more) => app.patch('/a', handler, open, {}, more), 'handle('],
    ['a second posture of delete', (app, more) => app.delete('/a', handler, open, {}, more), 'handle('],
    ['a second posture of options', (app, more) => app.options('/a', handler, open, {}, more), 'handle('],
    ['a second posture of head', (app, more) => app.head('/a', handler, open, {}, more), 'handle('],
    ['a second posture of handle', (app, more) => app.handle('GET', '/a', handler, open, {}, more), 'handle('],
    [
      'a second posture of handleStrict',
      (app, more) => app.handleStrict('GET', '/a', handler, open, more),
      'handleStrict(',
    ],
    ['a second posture of getStrict', (app, more) => app.getStrict('/a', handler, open, more), 'getStrict('],
    [
      'a posture behind a group',
      (app, more) => app.group('/a', { posture: open }, (routes) => routes.get('/', handler), more),
      'group(',
    ],
    [
      'a posture behind a group in a group',
      (app, more) => app.group('/a', { posture: open }, (routes) => void routes.group('/b', {}, () => {}, more)),
      'group(',
    ],
    ['a second middleware', (app, more) => app.use((ctx, next) => next(ctx), more), 'use('],
    [
      'a second middleware of events',
      (app, more) => app.useEvents(() => 'x', ...([more] as unknown as [])),
      'useEvents(',
    ],
    ['options of a topic', (app, more) => app.topic('t', async () => {}, ...([more] as unknown as [])), 'topic('],
    [
      'options of an event bus',
      (app, more) => app.eventBus({ source: 's' }, async () => {}, ...([more] as unknown as [])),
      'eventBus(',
    ],
    ['a posture of a queue', (app, more) => app.queue('q', async () => {}, {}, ...([more] as unknown as [])), 'queue('],
    [
      'a posture of a table',
      (app, more) => app.tableStream('t', async () => {}, {}, ...([more] as unknown as [])),
      'tableStream(',
    ],
    [
      'a posture of a stream',
      (app, more) => app.kinesis('k', async () => {}, {}, ...([more] as unknown as [])),
      'kinesis(',
    ],
  ])('rejects %s', (_, register, usage) => {
    for (const more of [Authenticated(), {}, undefined]) {
      const app = new SecureApp();
      expect(() => register(app, more as never)).toThrow(
        expect.failure('app.invalid_configuration', 'too many arguments', usage),
      );
      expect([app.routes(), app.triggers()]).toEqual([[], []]);
    }
  });

  it.each<[string, (app: App, posture: never) => unknown, string]>([
    ['a GraphQL field', (app, posture) => app.appSyncField('Query', 'f', handler, posture), 'too many arguments'],
    ['a batch field', (app, posture) => app.appSyncBatchField('Query', 'f', () => [], posture), 'too many arguments'],
    ['a socket route', (app, posture) => app.webSocket('a', handler, posture), 'too many arguments'],
    ['an HTTP route', (app, posture) => app.get('/a', handler, posture), 'unknown option "kind"'],
    ['an HTTP route behind its options', (app, posture) => app.get('/a', handler, {}, posture), 'too many arguments'],
    ['a middleware', (app, posture) => app.use((ctx, next) => next(ctx), posture), 'too many arguments'],
    [
      'a topic',
      (app, posture) => app.topic('t', async () => {}, ...([posture] as unknown as [])),
      'too many arguments',
    ],
  ])('rejects a posture of %s in the open container, which identifies no callers', (_, register, message) => {
    const app = createApp();
    expect(() => register(app, Authenticated() as never)).toThrow(expect.failure('app.invalid_configuration', message));
    expect([app.routes(), app.triggers()]).toEqual([[], []]);
  });

  it('rejects a second posture in the place of the options', () => {
    expect(() => new SecureApp().get('/a', handler, open, Authenticated() as never)).toThrow(
      expect.failure('app.invalid_configuration', 'unknown option "kind"'),
    );
  });

  it('rejects an unknown route option', () => {
    expect(() => new SecureApp().get('/a', handler, open, { authRequired: true } as never)).toThrow(
      expect.failure('app.invalid_configuration', 'unknown option "authRequired"'),
    );
  });

  it('rejects a route option of the wrong type', () => {
    expect(() => new SecureApp().get('/a', handler, open, { trailingSlash: 'yes' } as never)).toThrow(
      expect.failure('app.invalid_configuration', 'option "trailingSlash"'),
    );
  });

  it('registers nothing when it is rejected', () => {
    const app = new SecureApp();
    expect(() => app.get('/a', handler, undefined as never)).toThrow(
      expect.failure('app.bad_request', 'invalid auth posture'),
    );
    expect(() => app.get('/a', undefined as never, open)).toThrow(
      expect.failure('app.bad_request', 'route handler must be a function'),
    );
    expect(app.get('/a', handler, open).routes()).toHaveLength(1);
  });

  it('has only base classes in common with the open container, and none of its registrations', () => {
    const chain = (value: object): unknown[] => {
      const prototype: object | null = Object.getPrototypeOf(value);
      return prototype === null || prototype === Object.prototype ? [] : [prototype, ...chain(prototype)];
    };
    const app = new SecureApp();
    const shared = chain(createApp()).filter((prototype) => chain(app).includes(prototype));
    expect(shared.map((prototype) => (prototype as object).constructor.name)).toEqual(['Container', 'HttpVerbs']);

    const borrowed = shared[1] as { get(...args: unknown[]): unknown };
    const { handle, webSocket, appSyncField } = createApp();
    const handler = () => json(200, 'in');
    expect(() => borrowed.get.call(app, '/a', handler)).toThrow(
      expect.failure('app.bad_request', 'invalid auth posture: GET /a'),
    );
    expect(() => handle.call(app as never, 'GET', '/a', handler)).toThrow(TypeError);
    expect(() => webSocket.call(app as never, 'a', handler)).toThrow(TypeError);
    expect(() => appSyncField.call(app as never, 'Query', 'a', handler)).toThrow(TypeError);
    expect(app.routes()).toEqual([]);
  });
});

describe('surfaces are apart', () => {
  const app = () =>
    new SecureApp()
      .get('/note', () => json(200, 'http'), open)
      .appSyncField('Query', 'note', () => json(200, 'query'), open)
      .appSyncField('Subscription', 'note', () => json(200, 'subscription'), open)
      .webSocket('note', () => json(200, 'socket'), open);

  it('the same name may be registered with each of them', async () => {
    const it = app();
    expect((await send(it, DIRECT, { path: '/note' })).body).toBe('http');
    expect(await it.handleLambda(graphqlEvent({ field: 'note' }))).toBe('query');
    expect(await it.handleLambda(graphqlEvent({ parentType: 'Subscription', field: 'note' }))).toBe('subscription');
    expect(readHttp(await it.handleLambda(socketEvent({ routeKey: 'note' }))).body).toBe('socket');
  });

  it('a GraphQL event never sees an HTTP route, nor another parent’s field', async () => {
    const onlyHttp = new SecureApp().get('/note', handler, open).post('/note', handler, open);
    for (const parentType of ['Query', 'Mutation', 'Subscription', 'Note']) {
      expect(readGraphql(await onlyHttp.handleLambda(graphqlEvent({ parentType, field: 'note' })))).toMatchObject({
        status: 404,
        code: 'app.not_found',
      });
    }
    const onlyQuery = new SecureApp().appSyncField('Query', 'n', handler, open);
    for (const names of [
      ['Subscription', 'n'],
      ['Mutation', 'n'],
      ['query', 'n'],
      ['Query', 'N'],
    ] as const) {
      const [parentType, field] = names;
      expect(readGraphql(await onlyQuery.handleLambda(graphqlEvent({ parentType, field }))).status).toBe(404);
    }
  });

  it('an HTTP request never sees a field, nor a socket route', async () => {
    const it = new SecureApp()
      .appSyncField('Mutation', 'createNote', handler, open)
      .webSocket('createNote', handler, open);
    for (const door of [...DOORS, DIRECT] as const) {
      expect((await send(it, door, { method: 'POST', path: '/createNote' })).status).toBe(404);
    }
  });

  it('a failure of GraphQL is an error object and is never thrown', async () => {
    const it = new SecureApp({ principalResolver: () => null });
    it.appSyncField('Query', 'op', handler, Authenticated());
    it.appSyncField('Query', 'bad', () => text(403, 'no'), open);
    expect(await it.serveAppSync(graphqlEvent())).toEqual({
      framework_error: true,
      error_message: 'unauthorized',
      error_type: 'CLIENT_ERROR',
      error_data: { status_code: 401, request_id: expect.any(String) },
      error_info: { code: 'app.unauthorized', trigger_type: 'appsync', method: 'GET', path: '/op' },
    });
    expect(readGraphql(await it.serveAppSync(graphqlEvent({ field: 'bad' }))).status).toBe(403);
    expect(readGraphql(await it.serveAppSync({}))).toMatchObject({ status: 400, code: 'app.bad_request' });
  });

  it('gates each element of a batch automatically', async () => {
    const it = new SecureApp({
      principalResolver: (ctx) => (!ctx.header('x-user') ? null : { identity: ctx.header('x-user') ?? '' }),
    });
    const seen: string[][] = [];
    it.appSyncBatchField(
      'Note',
      'author',
      (items) => {
        seen.push(items.map(({ ctx }) => ctx.authIdentity));
        return items.map(({ ctx }) => ctx.authIdentity);
      },
      Authenticated(),
    );
    const element = (user: string) =>
      graphqlEvent({ parentType: 'Note', field: 'author', request: { headers: user ? { 'x-user': user } : {} } });
    const answers = (await it.handleLambda([element('ada'), element(''), element('bob')])) as unknown[];
    expect([answers[0], readGraphql(answers[1]).status, answers[2]]).toEqual(['ada', 401, 'bob']);
    expect(seen).toEqual([['ada', 'bob']]);
  });
});

describe('sockets', () => {
  it.each(['$connect', '$disconnect', '$default', 'send'])('%s is gated automatically', async (routeKey) => {
    let asked = 0;
    const app = new SecureApp({
      principalResolver: (ctx) => {
        asked += 1;
        return !ctx.header('x-user') ? null : { identity: ctx.header('x-user') ?? '', scopes: ['chat'] };
      },
    });
    app.webSocket(
      routeKey,
      (ctx) => json(200, [ctx.authIdentity, ctx.asWebSocket()?.connectionId]),
      Authenticated('chat'),
    );
    const passed = readHttp(await app.handleLambda(socketEvent({ routeKey, headers: { 'x-user': 'ada' } })));
    expect([passed.status, passed.body]).toEqual([200, ['ada', 'conn-1']]);
    // The same connection; the gate stores no principal.
    expect(readHttp(await app.handleLambda(socketEvent({ routeKey }))).status).toBe(401);
    expect(asked).toBe(2);
  });

  it('are not served until a route is registered or support is called for', async () => {
    const none = new SecureApp().get('/op', handler, open);
    await expect(none.handleLambda(socketEvent())).rejects.toMatchObject({
      code: 'dispatch.no_adapter',
      message: 'framework: no adapter for websocket',
    });
    expect(readHttp(await none.webSocket('op', handler, open).handleLambda(socketEvent())).status).toBe(200);
    const asked = new SecureApp({ webSocketSupport: true });
    expect(readHttp(await asked.handleLambda(socketEvent())).status).toBe(404);
  });

  it('answer nested errors with any HTTP format', async () => {
    const app = new SecureApp({ httpErrorFormat: 'flat_legacy' }).webSocket('op', handler, Authenticated());
    app.get('/op', handler, Authenticated());
    expect(readHttp(await app.handleLambda(socketEvent())).code).toBe('app.unauthorized');
    expect((await send(app, DIRECT, {})).body).toEqual({ code: 'app.unauthorized', message: 'unauthorized' });
  });
});

describe('entrypoints', () => {
  it('handleLambda has two parameters and works without the app', async () => {
    const app = new SecureApp({ principalResolver: () => ({ identity: 'ada' }) });
    app.get('/op', (ctx) => json(200, ctx.authIdentity), Authenticated());
    const { handleLambda } = app;
    expect(handleLambda).toHaveLength(2);
    for (const door of DOORS) expect(readHttp(await handleLambda(door.event({}))).body).toBe('ada');
  });

  it('are all there, bound, under the names of the specification', async () => {
    const app = new SecureApp({ principalResolver: () => null });
    app.get('/op', handler, Authenticated()).webSocket('op', handler, Authenticated());
    const { serveGatewayV2, serveLambdaFunctionURL, serveGatewayProxy, serveLoadBalancer, serveWebSocket, serve } = app;
    const [v2, url, v1, alb] = DOORS.map((door) => door.event({}));
    for (const answer of [
      serveGatewayV2(v2),
      serveLambdaFunctionURL(url),
      serveGatewayProxy(v1),
      serveLoadBalancer(alb),
    ]) {
      expect(readHttp(await answer).status).toBe(401);
    }
    expect(readHttp(await serveWebSocket(socketEvent())).status).toBe(401);
    expect((await serve({ method: 'GET', path: '/op' })).status).toBe(401);
    const names = [
      'serveQueueEvent',
      'serveTableStream',
      'serveStreamEvent',
      'serveKinesisEvent',
      'serveTopicEvent',
      'serveEventBus',
      'serveAppSync',
      'explain',
    ];
    for (const name of names) expect(typeof (app as never as Record<string, unknown>)[name]).toBe('function');
  });

  it('explain names the posture and runs nothing', () => {
    let ran = 0;
    const count = () => {
      ran += 1;
      return json(200, 1);
    };
    const app = new SecureApp({
      principalResolver: () => {
        ran += 1;
        return null;
      },
    });
    app
      .get('/op', count, Authenticated('notes:read'))
      .appSyncField('Query', 'op', count, Optional())
      .webSocket('op', count, open);
    const postures = [DOORS[0]?.event({}), graphqlEvent(), socketEvent()].map(
      (event) => (app.explain(event) as { target?: { posture: string } }).target?.posture,
    );
    expect(postures).toEqual(['Authenticated(notes:read)', 'Optional()', 'Public()']);
    expect(ran).toBe(0);
  });
});

describe('events have no posture', () => {
  const failing = () => {
    throw new Error('secret');
  };

  it('and are served with the others', async () => {
    const seen: unknown[] = [];
    const app = new SecureApp();
    app.useEvents((_ctx, _event, next) => {
      seen.push('middleware');
      return next();
    });
    app.queue('orders', (_, message) => void seen.push(message.body));
    const event = {
      Records: [
        {
          messageId: 'm1',
          eventSource: 'aws:sqs',
          eventSourceARN: 'arn:aws:sqs:us-east-1:1:orders',
          body: 'a',
          attributes: {},
        },
      ],
    };
    expect(await app.handleLambda(event)).toEqual({ batchItemFailures: [] });
    expect(seen).toEqual(['middleware', 'a']);
    expect(app.triggers()).toEqual([{ kind: 'queue', name: 'orders' }]);
    expect(app.routes()).toEqual([]);
  });

  it('mask errors of a workload by default', async () => {
    const event = { source: 'billing', 'detail-type': 'Paid', detail: {}, id: 'e1' };
    const masked = new SecureApp().eventBus({ source: 'billing', detailType: 'Paid' }, failing);
    await expect(masked.handleLambda(event)).rejects.toThrow(expect.failure('streams.handler_failed'));
    const plain = new SecureApp({ maskErrors: false }).eventBus({ source: 'billing', detailType: 'Paid' }, failing);
    await expect(plain.handleLambda(event)).rejects.toThrow('secret');
  });

  it('chain like every registration', () => {
    const app = new SecureApp();
    const chained = app
      .tableStream('t', () => {})
      .kinesis('s', () => {})
      .topic('n', () => {})
      .eventBus({ source: 'a', detailType: 'b' }, () => {})
      .use((ctx, next) => next(ctx));
    expect(chained).toBe(app);
    expect(app.triggers().map(({ kind }) => kind)).toEqual(['table-stream', 'stream', 'topic', 'event-bus']);
  });
});

describe('a rejection of the application’s own', () => {
  it('passes through untouched', async () => {
    const app = new SecureApp({ challenge: 'Bearer', principalResolver: () => ({ identity: 'a' }) });
    app.get(
      '/op',
      () => {
        throw new FrameworkError('app.unauthorized', 'step up');
      },
      Authenticated() as Posture,
    );
    const { status, message, headers } = await send(app, DIRECT, {});
    expect([status, message, headers['www-authenticate']]).toEqual([401, 'step up', undefined]);
  });
});
