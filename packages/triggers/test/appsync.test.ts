import { FrameworkError } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { appSyncIdentityPrincipal } from '@sallyport/secure/authorizers';
import { createTestEnv } from '@sallyport/testkit';
import { AppSyncDecision, type AppSyncEvents, appSyncAuthorizer, appSyncEvents, drop } from '@sallyport/triggers';
import { buildAppSyncAuthorizerEvent, buildAppSyncEventsEvent } from '@sallyport/triggers/testing';
import { AGENT, errorsIn, HOSTS, type Invokes } from './support.js';

const USER = {
  sub: 'u1',
  issuer: 'i',
  username: 'ann',
  claims: { scope: 'news:write' },
  sourceIp: ['203.0.113.1'],
  defaultAuthStrategy: 'ALLOW',
};
const subscribe = (path: string, identity: object | null = null) =>
  buildAppSyncEventsEvent(path, { operation: 'SUBSCRIBE', identity: identity as never });

/** The ways in which channels can be served; a posture is stated only where there are some. */
const CHANNEL_HOSTS: readonly [string, (make: (posture?: object) => AppSyncEvents) => Invokes][] = [
  ['the open container', (make) => createApp({ log: false, surfaces: [make()] })],
  ['the secure container', (make) => new SecureApp({ log: false, surfaces: [make(Public())] })],
  ['its own handler', (make) => make()],
];

describe.each(CHANNEL_HOSTS)('channels in %s', (_name, host) => {
  it('a publication keeps ids and order; each event receives its result', async () => {
    const { handleLambda } = host((posture) =>
      appSyncEvents().publish(
        '/news/*',
        (_ctx, { payload, channel }) => {
          if (payload === 'drop') return drop();
          if (payload === 'bad') throw new Error('row 7 of the table');
          if (payload === 'no') throw new FrameworkError('app.forbidden', 'Not in this channel.');
          if (payload === 'dev') throw new FrameworkError('app.internal', 'framework: the pool is empty');
          if (payload === 'nothing') return undefined;
          return { seen: payload, channel };
        },
        posture,
      ),
    );
    const payloads = [{ n: 1 }, 'drop', 'bad', 'no', 'dev', 'nothing', 'text'];
    await expect(handleLambda(buildAppSyncEventsEvent('/news/sport', { payloads }))).resolves.toEqual({
      events: [
        { id: 'event-1', payload: { seen: { n: 1 }, channel: '/news/sport' } },
        { id: 'event-3', error: 'internal error' },
        { id: 'event-4', error: 'Not in this channel.' },
        { id: 'event-5', error: 'internal error' },
        { id: 'event-6', error: 'internal error' },
        { id: 'event-7', payload: { seen: 'text', channel: '/news/sport' } },
      ],
    });
  });

  it.each<[string, () => unknown, object | null]>([
    ['nothing', () => undefined, null],
    ['a promise of nothing', async () => undefined, null],
    ['true', () => true, { error: 'internal error' }],
    ['false', () => false, { error: 'internal error' }],
    ['an error', () => fail(new Error('secret')), { error: 'internal error' }],
    ['a FrameworkError', () => fail(new FrameworkError('app.forbidden', 'Members only.')), { error: 'Members only.' }],
  ])('a subscription whose handler returns %s', async (_what, result, answer) => {
    const { handleLambda } = host((posture) => appSyncEvents().subscribe('/news/*', result as never, posture));
    await expect(handleLambda(subscribe('/news/sport'))).resolves.toEqual(answer);
  });

  it('a channel without handler is rejected, for each event by its id', async () => {
    const { handleLambda } = host((posture) =>
      appSyncEvents()
        .publish('/news/sport', () => fail(new Error('ran')), posture)
        .subscribe('/chat/*', () => fail(new Error('ran')), posture),
    );
    await expect(handleLambda(subscribe('/news/sport'))).resolves.toEqual({ error: 'forbidden' });
    await expect(handleLambda(subscribe('/chat'))).resolves.toEqual({ error: 'forbidden' });
    await expect(handleLambda(buildAppSyncEventsEvent('/chat/a', { payloads: [1, 2] }))).resolves.toEqual({
      events: [
        { id: 'event-1', error: 'forbidden' },
        { id: 'event-2', error: 'forbidden' },
      ],
    });
  });

  it.each<[string, string]>([
    ['/news/sport', 'exact'],
    ['/news/sport/live', 'below sport'],
    ['/news/art', 'below news'],
    ['/chat', 'all'],
  ])('the channel %s is the pattern %s', async (channel, expected) => {
    const named = (name: string) => () => ({ name });
    const { handleLambda } = host((posture) =>
      appSyncEvents()
        .publish('/*', named('all'), posture)
        .publish('/news/*', named('below news'), posture)
        .publish('/news/sport/*', named('below sport'), posture)
        .publish('/news/sport', named('exact'), posture),
    );
    await expect(handleLambda(buildAppSyncEventsEvent(channel))).resolves.toEqual({
      events: [{ id: 'event-1', payload: { name: expected } }],
    });
  });

  it.each<[string, object | null]>([
    ['/news/art', null],
    ['/news/art/*', null],
    ['/news/vip', { error: 'internal error' }],
    ['/news/*', { error: 'forbidden' }],
    ['/*', { error: 'forbidden' }],
    ['/news/vip/', { error: 'forbidden' }],
    ['/news//vip', { error: 'forbidden' }],
    ['news/art', null],
    ['news/vip', { error: 'internal error' }],
  ])('a subscription to %s is answered by the handler of the whole channel', async (channel, answer) => {
    const { handleLambda } = host((posture) =>
      appSyncEvents()
        .subscribe('/news/*', () => undefined, posture)
        .subscribe('/news/vip', () => fail(new Error('members only')), posture),
    );
    await expect(handleLambda(subscribe(channel))).resolves.toEqual(answer);
  });

  it.each<[string, object]>([
    ['an event without id', { events: [{ payload: 1 }] }],
    ['events that are none', { events: 5 }],
    ['10,001 events', { events: Array.from({ length: 10_001 }, () => ({ id: 'a' })) }],
  ])('%s is rejected', async (_what, members) => {
    const { handleLambda } = host((posture) => appSyncEvents().publish('/*', () => fail(new Error('ran')), posture));
    await expect(handleLambda({ ...buildAppSyncEventsEvent('/a'), ...members })).rejects.toMatchObject({
      code: 'triggers.invalid_event',
    });
  });

  it('an invocation by an agent reaches no event handler', async () => {
    const { handleLambda } = host((posture) => appSyncEvents().publish('/*', () => 1, posture));
    await expect(handleLambda(buildAppSyncEventsEvent('/a'), AGENT)).rejects.toMatchObject({
      code: 'dispatch.no_adapter',
    });
  });
});

describe('postures of channels', () => {
  const serve = (make: (asked: unknown[]) => AppSyncEvents) => {
    const env = createTestEnv();
    const asked: unknown[] = [];
    const resolver = appSyncIdentityPrincipal({
      map: ({ user }) => ({ identity: String(user), scopes: ['news:write'] }),
    });
    const app = new SecureApp({
      ...env.options(),
      principalResolver: (ctx) => {
        asked.push([ctx.triggerKind, ctx.request.path, ctx.header('Authorization'), ctx.bodyText()]);
        return resolver(ctx);
      },
      surfaces: [make(asked)],
    });
    return { app, asked, env };
  };
  const news = () =>
    appSyncEvents()
      .publish('/news/*', (_ctx, { principal }) => ({ by: principal?.identity }), Authenticated('news:write'))
      .subscribe('/news/*', () => undefined, Authenticated('news:read'));

  it('the gate runs before the handlers, once an event, and the handler sees the caller', async () => {
    const { app, asked } = serve(news);
    const event = buildAppSyncEventsEvent('/news/a', {
      payloads: [1, 2],
      identity: USER,
      headers: { authorization: 'A' },
    });
    await expect(app.handleLambda(event)).resolves.toEqual({
      events: [
        { id: 'event-1', payload: { by: 'u1' } },
        { id: 'event-2', payload: { by: 'u1' } },
      ],
    });
    expect(asked).toEqual([['appsync-events', '/news/a', 'A', '']]);
  });

  it('a caller of a Lambda authorizer is known by its handlerContext', async () => {
    const { app } = serve(news);
    const event = buildAppSyncEventsEvent('/news/a', { identity: { handlerContext: { user: 'u2' } } });
    await expect(app.handleLambda(event)).resolves.toEqual({ events: [{ id: 'event-1', payload: { by: 'u2' } }] });
  });

  it('an anonymous caller and a caller without the scope are rejected', async () => {
    const { app, env } = serve(news);
    await expect(app.handleLambda(buildAppSyncEventsEvent('/news/a', { payloads: [1, 2] }))).resolves.toEqual({
      events: [
        { id: 'event-1', error: 'unauthorized' },
        { id: 'event-2', error: 'unauthorized' },
      ],
    });
    await expect(app.handleLambda(subscribe('/news/a', USER))).resolves.toEqual({ error: 'forbidden' });
    expect(env.records.logs).toEqual([]);
  });

  it('a resolver that fails rejects without its message, and is logged', async () => {
    const env = createTestEnv();
    const principalResolver = () => fail(new Error('the database is at 10.0.0.1'));
    const app = new SecureApp({ ...env.options(), principalResolver, surfaces: [news()] });
    await expect(app.handleLambda(buildAppSyncEventsEvent('/news/a'))).resolves.toEqual({
      events: [{ id: 'event-1', error: 'internal error' }],
    });
    expect(env.records.logs.map(({ level }) => level)).toEqual(['ERROR']);
  });

  it('claims of a direct invocation are not read', async () => {
    const env = createTestEnv();
    const app = new SecureApp({
      ...env.options(),
      principalResolver: appSyncIdentityPrincipal(),
      directInvocations: 'serve',
      surfaces: [news()],
    });
    const event = buildAppSyncEventsEvent('/news/a', { identity: USER });
    await expect(app.handleLambda(event, { clientContext: {} })).resolves.toEqual({
      events: [{ id: 'event-1', error: 'unauthorized' }],
    });
  });

  it('each registration in SecureApp has a posture, before and after the container is made', () => {
    const bare = appSyncEvents().publish('/news/*', () => 1);
    expect(() => new SecureApp({ surfaces: [bare] })).toThrow(
      expect.failure('app.bad_request', 'invalid auth posture: PUBLISH /news/*'),
    );
    const attached = news();
    new SecureApp({ surfaces: [attached] });
    expect(() => attached.subscribe('/chat/*', () => undefined)).toThrow(
      expect.failure('app.bad_request', 'invalid auth posture: SUBSCRIBE /chat/*'),
    );
  });

  it('is rejected in a container without a gate', async () => {
    expect(() => createApp({ surfaces: [news()] })).toThrow(
      expect.failure('app.invalid_configuration', 'invalid auth posture: PUBLISH /news/*'),
    );
    await expect(news().handleLambda(buildAppSyncEventsEvent('/news/a'))).rejects.toThrow(
      expect.failure('app.invalid_configuration', 'postures need SecureApp'),
    );
  });

  it('are in the inventory with operation and pattern', () => {
    expect(new SecureApp({ surfaces: [news()] }).triggers()).toEqual([
      { kind: 'appsync-events', name: '/news/*', options: { operation: 'PUBLISH' } },
      { kind: 'appsync-events', name: '/news/*', options: { operation: 'SUBSCRIBE' } },
    ]);
  });
});

it.each(['', 'news', '/news/', '/news/*/a', '/ne*', '/a b', '/-a', '*'])('the pattern %j is rejected', (pattern) => {
  expect(() => appSyncEvents().publish(pattern, () => 1)).toThrow(
    expect.failure('app.invalid_configuration', 'channel pattern'),
  );
});

it.each<[string, () => unknown]>([
  [
    'twice',
    () =>
      appSyncEvents()
        .publish('/a', () => 1)
        .publish('/a', () => 1),
  ],
  ['no function', () => appSyncEvents().subscribe('/a', 5 as never)],
])('a registration is rejected: %s', (_what, register) => {
  expect(register).toThrow(expect.failure('app.invalid_configuration'));
});

describe.each(HOSTS)('an authorizer of AppSync in %s', (_name, host) => {
  it.each([
    ['graphql', 'resolverContext'],
    ['events', 'handlerContext'],
  ] as const)('of the API %s allows with %s', async (api, member) => {
    const { handleLambda } = host(() =>
      appSyncAuthorizer((_ctx, { token, request }) =>
        AppSyncDecision.allow({
          context: { token, api: String(request.apiId) },
          deniedFields: ['Query.secret'],
          ttlSeconds: 60,
        }),
      ),
    );
    await expect(handleLambda(buildAppSyncAuthorizerEvent({ api }))).resolves.toEqual({
      isAuthorized: true,
      [member]: { token: 'token', api: 'api-1' },
      deniedFields: ['Query.secret'],
      ttlOverride: 60,
    });
  });

  it.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['true', () => true],
    ['an answer of its own', () => ({ isAuthorized: true })],
    ['a copy of AppSyncDecision.allow()', () => ({ ...AppSyncDecision.allow() })],
    ['deny()', () => AppSyncDecision.deny()],
    ['an error', () => fail(new Error('secret'))],
    ['a nested context', () => AppSyncDecision.allow({ context: { roles: ['a'] } as never })],
  ])('rejects for %s, and the rejection is not cached', async (_what, result) => {
    const { handleLambda } = host(() => appSyncAuthorizer(result as never));
    await expect(handleLambda(buildAppSyncAuthorizerEvent())).resolves.toEqual({ isAuthorized: false, ttlOverride: 0 });
  });

  it('allows without further members', async () => {
    const { handleLambda } = host(() => appSyncAuthorizer(() => AppSyncDecision.allow()));
    await expect(handleLambda(buildAppSyncAuthorizerEvent())).resolves.toEqual({ isAuthorized: true });
  });
});

it.each([-1, 1.5, 3_601, Number.NaN])('ttlSeconds of %p is rejected', (ttlSeconds) => {
  expect(() => AppSyncDecision.allow({ ttlSeconds })).toThrow(
    expect.failure('app.invalid_configuration', 'ttlSeconds'),
  );
});

it.each([0, 1, 3_600])('ttlSeconds of %p reaches AppSync', async (ttlSeconds) => {
  const { handleLambda } = appSyncAuthorizer(() => AppSyncDecision.allow({ ttlSeconds }));
  await expect(handleLambda(buildAppSyncAuthorizerEvent())).resolves.toEqual({
    isAuthorized: true,
    ttlOverride: ttlSeconds,
  });
});

it.each<[string, () => unknown, readonly string[]]>([
  ['allow()', () => AppSyncDecision.allow(), []],
  ['deny()', () => AppSyncDecision.deny(), []],
  ['undefined', () => undefined, []],
  ['null', () => null, []],
  ['true', () => true, []],
  ['an answer of its own', () => ({ isAuthorized: true }), []],
  ['an error', () => fail(new Error('the database is away')), ['the database is away']],
  [
    'a nested context',
    () => AppSyncDecision.allow({ context: { roles: ['a'] } as never }),
    ['framework: context.roles must be a string, a finite number or a boolean'],
  ],
])('only a failure of an authorizer is logged as an error, not its decision: %s', async (_what, result, expected) => {
  const env = createTestEnv();
  const app = createApp({ ...env.options(), surfaces: [appSyncAuthorizer(result as never)] });
  await app.handleLambda(buildAppSyncAuthorizerEvent());
  expect(errorsIn(env)).toEqual(expected);
});

it('an authorizer whose handler is not a function is rejected, and the inventory has one line', () => {
  expect(() => appSyncAuthorizer(5 as never)).toThrow(expect.failure('app.invalid_configuration', 'handler'));
  expect(appSyncAuthorizer(() => AppSyncDecision.deny()).triggers()).toEqual([{ kind: 'appsync-authorizer' }]);
});

function fail(error: Error): never {
  throw error;
}

it('an event whose payload JSON cannot write, or that does not fit, fails alone', async () => {
  const results: Readonly<Record<string, unknown>> = {
    bigint: { n: 10n },
    function: () => undefined,
    symbol: Symbol('s'),
    large: 'x'.repeat(6_300_000),
    fits: { n: 1 },
  };
  const surface = appSyncEvents().publish('/a', (_ctx, { id }) => results[id]);
  const events = Object.keys(results).map((id) => ({ id, payload: null }));
  const answer = await surface.handleLambda({ ...buildAppSyncEventsEvent('/a'), events });
  expect(JSON.parse(JSON.stringify(answer))).toEqual({
    events: [
      { id: 'bigint', error: 'internal error' },
      { id: 'function', error: 'internal error' },
      { id: 'symbol', error: 'internal error' },
      { id: 'large', error: 'internal error' },
      { id: 'fits', payload: { n: 1 } },
    ],
  });
});

it('a payload that does not fit with the others fails alone, with one warning', async () => {
  const env = createTestEnv();
  const sizes = [10, 4_000_000, 4_000_000, 10];
  const surface = appSyncEvents().publish('/a', (ctx) => 'x'.repeat(sizes[ctx.batch.index] ?? 0));
  const app = createApp({ ...env.options(), surfaces: [surface] });
  const events = sizes.map((_size, index) => ({ id: String(index), payload: null }));
  const answer = (await app.handleLambda({ ...buildAppSyncEventsEvent('/a'), events })) as { events: object[] };
  expect(answer.events.map((event) => Object.keys(event))).toEqual([
    ['id', 'payload'],
    ['id', 'payload'],
    ['id', 'error'],
    ['id', 'payload'],
  ]);
  expect(answer.events[2]).toEqual({ id: '2', error: 'too large' });
  const warnings = env.records.logs.filter(({ level }) => level === 'warn');
  expect(warnings).toMatchObject([{ event: 'triggers.answer_too_large', records: 4, failed: 1 }]);
});
