import { ManualClock } from '@sallyport/core/testing';
import { json } from '@sallyport/http';
import { createMemoryConnectionRegistry } from '@sallyport/http/websocket';
import { Authenticated, firstPrincipal, Public, SecureApp } from '@sallyport/secure';
import { type ConnectionPrincipal, connectionPrincipal } from '@sallyport/secure/authorizers';
import { DIRECT, readHttp, type SocketEvent, send, socketEvent } from './support/operations.js';

function build(connectPosture = Authenticated('chat')) {
  const clock = new ManualClock(5_000);
  const store = createMemoryConnectionRegistry<ConnectionPrincipal>({ clock });
  const resolver = connectionPrincipal({
    store,
    ttlSeconds: 60,
    connect: (ctx) => {
      const identity = ctx.header('x-user') ?? '';
      return identity === ''
        ? null
        : { identity, scopes: identity === 'eve' ? [] : ['chat'], tenantId: 't1', claims: { n: 1 } };
    },
  });
  const show = (ctx: { securePrincipal(): unknown }) => json(200, ctx.securePrincipal());
  const app = new SecureApp({ clock, principalResolver: firstPrincipal(() => null, resolver) })
    .webSocket('$connect', () => json(200, 'connected'), connectPosture)
    .webSocket('$disconnect', show, Authenticated('chat'))
    .webSocket('send', show, Authenticated('chat'))
    .get('/op', show, Authenticated());
  const emit = async (event: SocketEvent) => readHttp(await app.handleLambda(socketEvent(event)));
  const connect = (user: string, event: SocketEvent = {}) =>
    emit({ routeKey: '$connect', headers: user ? { 'x-user': user } : {}, ...event });
  const message = (event: SocketEvent = {}) => emit({ routeKey: 'send', ...event });
  return { app, clock, store, emit, connect, message };
}

const ADA = { identity: 'ada', scopes: ['chat'], kind: 'external', tenantId: 't1', claims: { n: 1 } };

describe('connectionPrincipal', () => {
  it('keeps the caller for the messages of the connection', async () => {
    const { connect, message, emit } = build();
    expect((await connect('ada')).status).toBe(200);
    expect((await message()).body).toEqual(ADA);
    expect((await emit({ routeKey: '$disconnect' })).body).toEqual(ADA);
    // Gone with the connection.
    expect((await message()).status).toBe(401);
  });

  it.each<[string, SocketEvent]>([
    ['another connection', { connectionId: 'conn-2' }],
    ['a connection that uses the id again', { connectedAt: 2_000 }],
    ['another stage', { requestContext: { stage: 'prod' } }],
    ['another API', { requestContext: { apiId: 'api2' } }],
    ['a connection without a time', { requestContext: { connectedAt: undefined } }],
    ['a connection with a text for a time', { requestContext: { connectedAt: '1000' } }],
    [
      'the first one’s id in the body',
      { connectionId: 'conn-2', body: '{"connectionId":"conn-1","requestContext":{"connectionId":"conn-1"}}' },
    ],
    [
      'the first one’s id in headers',
      { connectionId: 'conn-2', headers: { 'x-connection-id': 'conn-1', 'x-user': 'ada' } },
    ],
  ])('is anonymous to %s', async (_, event) => {
    const { connect, message } = build();
    await connect('ada');
    expect((await message(event)).status).toBe(401);
    expect((await message()).status).toBe(200);
  });

  it.each<[string, string, number]>([
    ['without credentials', '', 401],
    ['with too few scopes', 'eve', 403],
  ])('stores nothing for a $connect %s', async (_, user, status) => {
    const { connect, message, store } = build();
    expect((await connect(user)).status).toBe(status);
    expect(await store.get({ apiId: 'api1', stage: 'dev', connectionId: 'conn-1' })).toBeNull();
    expect((await message()).status).toBe(401);
  });

  it('stores nothing for a public $connect: the resolver was not called', async () => {
    const { connect, message } = build(Public());
    expect((await connect('ada')).status).toBe(200);
    expect((await message()).status).toBe(401);
  });

  it('discards when the time is over, even where the store does not', async () => {
    const { connect, message, clock, store } = build();
    await connect('ada');
    const key = { apiId: 'api1', stage: 'dev', connectionId: 'conn-1' };
    const record = await store.get(key);
    await clock.advance(59_999);
    expect((await message()).status).toBe(200);
    await clock.advance(1);
    expect((await message()).status).toBe(401);
    await store.put(key, record as NonNullable<typeof record>, 600);
    expect((await message()).status).toBe(401);
  });

  it('treats a message with the route $connect as a message', async () => {
    const { emit } = build();
    expect((await emit({ routeKey: '$connect', eventType: 'MESSAGE', headers: { 'x-user': 'ada' } })).status).toBe(401);
  });

  it('rejects a connection that cannot be stored', async () => {
    const store = createMemoryConnectionRegistry<ConnectionPrincipal>();
    const broken = {
      ...store,
      get: store.get.bind(store),
      delete: store.delete.bind(store),
      put: async () => {
        throw new Error('secret');
      },
    };
    const principalResolver = connectionPrincipal({
      store: broken,
      ttlSeconds: 60,
      connect: () => ({ identity: 'ada' }),
    });
    let ran = 0;
    const app = new SecureApp({ principalResolver }).webSocket(
      '$connect',
      () => {
        ran += 1;
        return json(200, 1);
      },
      Authenticated(),
    );
    const answer = readHttp(await app.handleLambda(socketEvent({ routeKey: '$connect' })));
    expect([answer.status, answer.code, ran]).toEqual([500, 'app.internal', 0]);
    expect(answer.raw).not.toContain('secret');
  });

  it('identifies no caller over HTTP', async () => {
    const { app, connect } = build();
    await connect('ada');
    expect((await send(app, DIRECT, { headers: { 'x-user': 'ada' } })).status).toBe(401);
  });

  it.each<[string, object, string]>([
    ['nothing', undefined as never, 'options must be an object'],
    ['an unknown option', { ttl: 5 }, 'ttl'],
    ['no store', { connect: () => null, ttlSeconds: 5 }, 'store'],
    ['no connect', { store: createMemoryConnectionRegistry(), ttlSeconds: 5 }, 'connect'],
    ['no time', { store: createMemoryConnectionRegistry(), connect: () => null, ttlSeconds: 0 }, 'ttlSeconds'],
  ])('rejects %s', (_, options, name) => {
    expect(() => connectionPrincipal(options as never)).toThrow(
      expect.failure('app.invalid_configuration', name.includes(' ') ? `framework: ${name}` : `"${name}"`),
    );
  });
});
