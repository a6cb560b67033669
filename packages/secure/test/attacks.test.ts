import { createHmac } from 'node:crypto';
import type { LambdaContext, SecurePrincipal } from '@sallyport/core';
import { ManualClock } from '@sallyport/core/testing';
import { json } from '@sallyport/http';
import { createMemoryConnectionRegistry } from '@sallyport/http/websocket';
import {
  Authenticated,
  AuthenticatedAnyOf,
  firstPrincipal,
  InternalOnly,
  Optional,
  Public,
  SecureApp,
  type SecureOptions,
} from '@sallyport/secure';
import {
  type ConnectionPrincipal,
  connectionPrincipal,
  iamPrincipal,
  jwtAuthorizerPrincipal,
  lambdaAuthorizerV1Principal,
} from '@sallyport/secure/authorizers';
import { jwtPrincipalResolver } from '@sallyport/secure/jwt';
import { sharedSecretPrincipalResolver } from '@sallyport/secure/shared-secret';
import {
  type Answer,
  DIRECT,
  DOORS,
  graphqlEvent,
  readGraphql,
  readHttp,
  type Sent,
  send,
  socketEvent,
} from './support/operations.js';
import { AUDIENCE, createKey, GOOD, ISSUER, NOW, rawToken, type SigningKey, sign } from './support/tokens.js';

/**
 * Every attempt ends in the rejection that it states. To add one, add a line to its table; each runs at every door of its
 * surface, and after each the counters of the protected handler and of the middleware are 0.
 */
let key: SigningKey;
let victim: Victim;

interface Victim {
  readonly app: SecureApp;
  /** The number of calls of application code for requests that must be rejected. */
  readonly ran: { handler: number; middleware: number };
}

/** A service whose protected operations require the scope `admin`; no caller below has it. */
async function createVictim(): Promise<Victim> {
  const clock = new ManualClock(NOW * 1000);
  const ran = { handler: 0, middleware: 0 };
  const jwt = jwtPrincipalResolver({ issuer: ISSUER, audience: [AUDIENCE], jwks: { keys: [key.jwk] } });
  const secret = sharedSecretPrincipalResolver({
    header: 'x-api-key',
    secrets: [{ id: 'shop', value: 'correct', scopes: ['read'] }],
  });
  const connection = connectionPrincipal({
    store: createMemoryConnectionRegistry<ConnectionPrincipal>({ clock }),
    ttlSeconds: 60,
    connect: (ctx) => (ctx.header('x-user') === 'root' ? { identity: 'root', scopes: ['admin'] } : null),
  });
  const resolvers = [secret, iamPrincipal(), jwtAuthorizerPrincipal, lambdaAuthorizerV1Principal(), connection, jwt];
  const app = new SecureApp({
    clock,
    cors: { allowedOrigins: ['https://app.example'] },
    principalResolver: firstPrincipal(...resolvers),
  });
  app.use((ctx, next) => {
    if (ctx.route?.pattern !== '/open') ran.middleware += 1;
    return next(ctx);
  });
  const guarded = () => {
    ran.handler += 1;
    return json(200, 'secret of the house');
  };
  const admin = Authenticated('admin');
  app.get('/admin', guarded, admin).post('/admin', guarded, admin).get('/tenants/{id}/x', guarded, admin);
  app.get('/open', (ctx) => json(200, ctx.tenantId), Public());
  app.appSyncField('Query', 'n', guarded, admin).appSyncField('Mutation', 'createNote', guarded, admin);
  app.webSocket('$connect', () => json(200, 1), Authenticated('admin')).webSocket('send', guarded, admin);
  return { app, ran };
}

beforeAll(async () => {
  key = await createKey('k1');
});
beforeEach(async () => {
  victim = await createVictim();
});

async function assertRefused(answers: readonly Answer[], statuses: readonly number[]): Promise<void> {
  for (const answer of answers) {
    expect(statuses).toContain(answer.status);
    expect(answer.raw).not.toContain('secret of the house');
  }
  expect(victim.ran).toEqual({ handler: 0, middleware: 0 });
}

const everyDoor = (sent: Sent) =>
  Promise.all([...DOORS, DIRECT as typeof DIRECT].map((door) => send(victim.app, door, sent)));
const percent = (text: string, at: number) => `%${text.charCodeAt(at).toString(16)}`;

describe('spellings of a protected path are 404, or the same gate', () => {
  const each = [...'admin'].flatMap((letter, index) => [
    `/admin`.replace(letter, percent('admin', index)),
    `/admin`.replace(letter, percent('admin', index).replace('%', '%25')),
    `/admin`.replace(letter, percent('admin', index).toUpperCase()),
  ]);
  it.each([
    '/admin',
    '/admin/',
    '/admin//',
    '//admin',
    '///admin',
    '/./admin',
    '/admin/.',
    '/x/../admin',
    '/admin/..',
    '/../admin',
    '/..%2fadmin',
    '/%2e/admin',
    '/x/%2e%2e/admin',
    '/%2e%2e/admin',
    '/ADMIN',
    '/Admin',
    '/admin%2F',
    '/admin%2f',
    '%2Fadmin',
    '/%2fadmin',
    '/admin;x',
    '/admin;x=1',
    '/;x/admin',
    '/admin?x',
    '/admin?',
    '/admin%3Fx',
    '/admin#x',
    '/admin%23x',
    '/admin%00',
    '/admin\u0000',
    '/%00/admin',
    '/admin%20',
    '/admin ',
    ' /admin',
    '/admin%09',
    '/admin\t',
    '/admin\r\n',
    '/admin%0d%0a',
    '/admin.json',
    '/admin.',
    '/admin~',
    '/admin*',
    '\\admin',
    '/\\admin',
    '/x\\..\\admin',
    '/admin\\',
    'admin',
    'http://host/admin',
    'https://host/admin',
    '//host/admin',
    '//user@host/admin',
    '/http://host/admin',
    '*',
    '',
    '/аdmin',
    '/ａｄｍｉｎ',
    '/ādmin',
    '/admın',
    '/ⓐdmin',
    '/a\u0301dmin',
    '/admin\u200b',
    '/\ufeffadmin',
    '/adm\u00adin',
    '/%ef%bc%8fadmin',
    '/∕admin',
    '/%u0061dmin',
    '/%c0%afadmin',
    '/%c1%a1dmin',
    '/%61%64%6d%69%6e',
    '/%2561dmin',
    '/%25%36%31dmin',
    '/%252e%252e/admin',
    '/%25%32%66admin',
    '/prod/admin',
    '/prod/prod/admin',
    '/$default/admin',
    '/open/../admin',
    '/open/%2e%2e/admin',
    '/open;/../admin',
    '/open%2f..%2fadmin',
    '/open/admin',
    '/tenants//x',
    '/tenants/1/x',
    '/tenants/../x',
    '/tenants/%2e%2e/x',
    '/tenants/a%2fb/x',
    '/tenants/1/x/',
    ...each,
  ])('%j', async (path) => {
    await assertRefused(await everyDoor({ path }), [401, 404]);
    await assertRefused(await everyDoor({ path, method: 'POST' }), [401, 404, 405]);
  });

  it.each(['/prod', '/prod/prod/admin', '/prod//admin', '/prod/admin/', '/prod/admin', '/PROD/admin'])(
    'after a stage: %j',
    async (path) => {
      for (const index of [0, 1]) {
        const event = DOORS[index]?.event({ path, requestContext: { stage: 'prod' } });
        await assertRefused([readHttp(await victim.app.handleLambda(event))], [401, 404]);
      }
    },
  );
});

describe('methods', () => {
  it.each([
    'get',
    ' GET ',
    'GeT',
    'Get\n',
    'HEAD',
    'PUT',
    'TRACE',
    'CONNECT',
    'OPTIONS',
    'PATCH',
    'PROPFIND',
    'get post',
    '*',
    'GET /open HTTP/1.1',
  ])('%j', async (method) => {
    await assertRefused(await everyDoor({ path: '/admin', method }), [401, 404, 405]);
  });

  it.each<[string, Record<string, string>]>([
    ['x-http-method-override', { 'x-http-method-override': 'GET' }],
    ['x-http-method', { 'x-http-method': 'GET' }],
    ['x-method-override', { 'x-method-override': 'GET' }],
    ['_method', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('are not changed by %s', async (_, headers) => {
    for (const method of ['PUT', 'DELETE', 'OPTIONS']) {
      await assertRefused(await everyDoor({ path: '/admin', method, headers, body: '_method=GET' }), [405]);
    }
    await assertRefused(await everyDoor({ path: '/admin', method: 'POST', headers, body: '_method=DELETE' }), [401]);
  });

  it('a preflight with a body runs nothing, and one answer fits all', async () => {
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' };
    const answers = await Promise.all(
      ['/admin', '/open', '/nowhere'].map((path) =>
        send(victim.app, DIRECT, { method: 'OPTIONS', path, headers, body: '{"a":1}' }),
      ),
    );
    for (const { status, body } of answers) expect([status, body]).toEqual([204, null]);
    expect(victim.ran).toEqual({ handler: 0, middleware: 0 });
    await assertRefused(await everyDoor({ method: 'OPTIONS', path: '/admin', body: 'x' }), [405]);
  });
});

describe('events of confused surfaces', () => {
  const v2 = DOORS[0]?.event({ path: '/admin' }) ?? {};
  it.each<[string, unknown, readonly number[]]>([
    ['HTTP that names a field', DOORS[0]?.event({ method: 'POST', path: '/createNote' }), [404]],
    ['HTTP that names a query', DOORS[0]?.event({ path: '/n' }), [404]],
    ['HTTP that names a socket route', DOORS[0]?.event({ path: '/send' }), [404]],
    ['GraphQL that names a route', graphqlEvent({ field: 'admin' }), [404]],
    ['GraphQL with a path for a field', graphqlEvent({ field: '/admin' }), [400]],
    ['GraphQL with a query for a field', graphqlEvent({ field: 'n?x' }), [400]],
    ['a query as a subscription', graphqlEvent({ parentType: 'Subscription', field: 'n' }), [404]],
    ['a query as a mutation', graphqlEvent({ parentType: 'Mutation', field: 'n' }), [404]],
    ['a parent in another case', graphqlEvent({ parentType: 'query', field: 'n' }), [404]],
    ['a padded parent', graphqlEvent({ parentType: ' Query ', field: ' n ' }), [401]],
    ['a pair that joins alike', graphqlEvent({ parentType: 'Quer', field: 'y\nn' }), [400]],
    [
      'GraphQL with a request context',
      graphqlEvent({
        field: 'n',
        requestContext: { http: { method: 'GET', path: '/open' }, authorizer: { principalId: 'root', scope: 'admin' } },
      }),
      [401],
    ],
    [
      'GraphQL with an HTTP authorizer',
      graphqlEvent({
        field: 'n',
        requestContext: { authorizer: { jwt: { claims: { sub: 'root', scope: 'admin' } } } },
      }),
      [401],
    ],
    ['HTTP with a GraphQL shape', { ...v2, info: { fieldName: 'n', parentTypeName: 'Query' }, arguments: {} }, [401]],
    [
      'HTTP with a connection',
      { ...v2, requestContext: { ...(v2.requestContext as object), connectionId: 'c', routeKey: 'send' } },
      [401],
    ],
    [
      'a socket with HTTP beside it',
      { ...socketEvent({ routeKey: 'send' }), rawPath: '/open', httpMethod: 'GET', path: '/open' },
      [401],
    ],
    [
      'a REST authorizer at gateway v2',
      DOORS[0]?.event({ path: '/admin', requestContext: { authorizer: { principalId: 'root', scope: 'admin' } } }),
      [401],
    ],
    [
      'a JWT authorizer at REST',
      DOORS[2]?.event({
        path: '/admin',
        requestContext: { authorizer: { jwt: { claims: { sub: 'root', scope: 'admin' } } } },
      }),
      [401],
    ],
    [
      'a JWT authorizer at a load balancer',
      DOORS[3]?.event({
        path: '/admin',
        requestContext: {
          elb: { targetGroupArn: 'arn' },
          authorizer: { jwt: { claims: { sub: 'root', scope: 'admin' } } },
        },
      }),
      [401],
    ],
    [
      'an IAM identity that the client sends',
      DOORS[0]?.event({
        path: '/admin',
        body: '{"requestContext":{"authorizer":{"iam":{"userArn":"root"}}}}',
        requestContext: { identity: { userArn: 'root' } },
      }),
      [401],
    ],
  ])('%s', async (_, event, statuses) => {
    const result = await victim.app.handleLambda(event);
    const graphql = typeof result === 'object' && result !== null && 'framework_error' in result;
    await assertRefused([graphql ? readGraphql(result) : readHttp(result)], statuses);
  });

  it('serve() is only HTTP', async () => {
    await assertRefused(
      await Promise.all(
        ['/n', '/createNote', '/send', '/Query.n', '/Query/n'].map((path) => send(victim.app, DIRECT, { path })),
      ),
      [404],
    );
  });
});

describe('invocations that no trigger of AWS makes', () => {
  const claims = { authorizer: { jwt: { claims: { sub: 'root', scope: 'admin' }, scopes: ['admin'] } } };
  const rest = { authorizer: { principalId: 'root', scope: 'admin' } };
  const tool = { bedrockAgentCoreToolName: 'notes___add' };
  const events: readonly (readonly [string, unknown])[] = [
    ['gateway v2 with a JWT authorizer', DOORS[0]?.event({ path: '/admin', requestContext: claims })],
    ['a function URL with an IAM caller', DOORS[1]?.event({ path: '/admin', requestContext: claims })],
    ['gateway v1 with a Lambda authorizer', DOORS[2]?.event({ path: '/admin', requestContext: rest })],
    ['a load balancer', DOORS[3]?.event({ path: '/admin' })],
    [
      'GraphQL with a verified identity',
      graphqlEvent({ field: 'n', identity: { sub: 'root', claims: { scope: 'admin' } } }),
    ],
    ['a socket with an authorizer', socketEvent({ routeKey: 'send', requestContext: rest })],
    ['a list', [graphqlEvent({ field: 'n' })]],
    ['nothing', undefined],
  ];
  const contexts: readonly (readonly [string, LambdaContext])[] = [
    ['custom', { clientContext: { custom: tool } }],
    ['Custom', { clientContext: { Custom: tool } }],
    ['another case', { clientContext: { custom: { BEDROCKAGENTCORETOOLNAME: 'x' } } }],
    ['an inherited key', { clientContext: { custom: Object.create(tool) } }],
    ['an empty object', { clientContext: {} }],
    ['an empty text', { clientContext: '' }],
    ['zero', { clientContext: 0 }],
    ['a list', { clientContext: [] }],
    ['a getter that throws', Object.defineProperty({}, 'clientContext', { get: () => JSON.parse('{') })],
    ['a proxy that throws', new Proxy({}, { get: () => JSON.parse('{') })],
    ['a Cognito identity', { identity: { cognitoIdentityId: 'eu-west-1:1' } }],
  ];

  it.each(events.flatMap(([event, data]) => contexts.map(([name, context]) => [event, name, data, context] as const)))(
    'run nothing: %s, client context %s',
    async (_event, _name, data, context) => {
      await expect(victim.app.handleLambda(data, context)).rejects.toThrow(
        /^framework: (?:no adapter for agent invocations|direct invocation refused)$/,
      );
      expect(victim.ran).toEqual({ handler: 0, middleware: 0 });
    },
  );
});

describe('headers that a client sets change nothing', () => {
  it.each([
    { 'x-tenant-id': 'victim' },
    { 'X-Tenant-Id': 'victim' },
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=127.0.0.1' },
    { 'x-real-ip': '127.0.0.1' },
    { 'x-amzn-oidc-data': 'eyJhbGciOiJub25lIn0.e30.' },
    { 'x-amzn-oidc-identity': 'root' },
    { 'x-amzn-oidc-accesstoken': 'x' },
    { 'x-apigateway-authorizer-principalid': 'root' },
    { 'x-amzn-requestcontext': '{"authorizer":{"principalId":"root"}}' },
    { 'x-amz-security-token': 'x' },
    { 'x-user': 'root' },
    { 'x-original-url': '/open' },
    { 'x-rewrite-url': '/open' },
    { 'x-forwarded-path': '/open' },
    { 'x-forwarded-prefix': '/open' },
    { host: 'internal' },
    { 'x-principal': '{"identity":"root","kind":"internal","scopes":["admin"]}' },
    { 'x-framework-auth-posture': 'public' },
    { authorization: 'Basic cm9vdDpyb290' },
  ])('%j', async (headers) => {
    await assertRefused(await everyDoor({ path: '/admin', headers }), [401]);
    for (const { body } of await everyDoor({ path: '/open', headers })) expect(body).toBe('');
  });
});

describe('tokens', () => {
  const hs256 = (secret: string) => {
    const [header, payload] = rawToken({ alg: 'HS256', kid: 'k1' }, { ...GOOD, scope: 'admin' }).split('.');
    return `${header}.${payload}.${createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url')}`;
  };
  const admin = { ...GOOD, scope: 'admin' };
  const tampered = async () => {
    const [header, , signature] = (await sign(key)).split('.');
    return `${header}.${rawToken({}, admin).split('.')[1]}.${signature}`;
  };

  it.each<[string, () => string | Promise<string>, number]>([
    ['alg none', () => rawToken({ alg: 'none' }, admin), 401],
    ['alg None', () => rawToken({ alg: 'None', kid: 'k1' }, admin), 401],
    ['alg none with a signature', () => rawToken({ alg: 'none', kid: 'k1' }, admin, 'AAAA'), 401],
    ['no alg', () => rawToken({ kid: 'k1' }, admin, 'AAAA'), 401],
    ['alg as a list', () => rawToken({ alg: ['RS256'], kid: 'k1' }, admin, 'AAAA'), 401],
    ['HS256 with the public key', () => hs256(key.publicKey.export({ type: 'spki', format: 'pem' }) as string), 401],
    ['HS256 with the modulus', () => hs256(key.jwk.n as string), 401],
    ['HS256 with nothing', () => hs256(''), 401],
    ['other claims under a good signature', tampered, 401],
    ['no signature', async () => (await sign(key, admin)).split('.').slice(0, 2).join('.'), 401],
    ['an empty signature', async () => `${(await sign(key, admin)).split('.').slice(0, 2).join('.')}.`, 401],
    [
      'an embedded key',
      async () => {
        const own = await createKey('own');
        return sign(own, admin, { jwk: own.jwk });
      },
      401,
    ],
    [
      'an embedded key under a known id',
      async () => {
        const own = await createKey('k1');
        return sign(own, admin, { jwk: own.jwk });
      },
      401,
    ],
    ['jku', async () => sign(await createKey('own'), admin, { jku: 'https://evil.example/jwks.json' }), 401],
    ['x5u', async () => sign(await createKey('own'), admin, { x5u: 'https://evil.example/cert.pem' }), 401],
    ['x5c', async () => sign(await createKey('own'), admin, { x5c: ['AAAA'] }), 401],
    ['kid as a path', async () => sign({ ...key, kid: '../../dev/null' }, admin), 401],
    ['kid as an object', () => rawToken({ alg: 'RS256', kid: { $ne: 1 } }, admin, 'AAAA'), 401],
    ['unknown crit', () => rawToken({ alg: 'RS256', kid: 'k1', crit: ['exp'] }, admin, 'AAAA'), 401],
    ['unencoded payload', () => rawToken({ alg: 'RS256', kid: 'k1', b64: false, crit: ['b64'] }, admin, 'AAAA'), 401],
    ['another issuer', () => sign(key, { ...admin, iss: 'https://evil.example' }), 401],
    ['the issuer in another case', () => sign(key, { ...admin, iss: ISSUER.toUpperCase() }), 401],
    ['expired', () => sign(key, { ...admin, exp: NOW - 3600 }), 401],
    ['not yet valid', () => sign(key, { ...admin, nbf: NOW + 3600 }), 401],
    ['no exp', () => sign(key, { ...admin, exp: undefined }), 401],
    ['exp as a text', () => sign(key, { ...admin, exp: '9999999999' as never }), 401],
    ['another audience', () => sign(key, { ...admin, aud: 'https://other.example' }), 403],
    ['a prefix of the audience', () => sign(key, { ...admin, aud: AUDIENCE.slice(0, -1) }), 403],
    ['an encrypted token', () => 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..aaaa.bbbb.cccc', 401],
    ['a huge one', () => `${'A'.repeat(5_000_000)}.A.A`, 401],
    ['dots', () => '.'.repeat(10_000), 401],
    ['__proto__ in the header', () => rawToken(JSON.parse('{"__proto__":{"alg":"none"},"alg":"none"}'), admin), 401],
    ['scopes that nearly fit', () => sign(key, { ...GOOD, scope: 'Admin admin: administrator read,admin' }), 403],
    [
      'scopes beside scope',
      () => sign(key, { ...GOOD, scopes: ['admin'], scp: ['admin'], permissions: ['admin'] }),
      403,
    ],
    ['a token of read', () => sign(key), 403],
  ])('%s', async (_, token, status) => {
    const authorization = `Bearer ${await token()}`;
    await assertRefused(await everyDoor({ path: '/admin', headers: { authorization } }), [status]);
    const event = graphqlEvent({ field: 'n', request: { headers: { authorization } } });
    await assertRefused([readGraphql(await victim.app.handleLambda(event))], [status]);
  });

  it('in two headers, in the query, in the body or in a cookie are ignored', async () => {
    const token = await sign(key, admin);
    const sent = {
      path: `/admin?access_token=${token}`,
      headers: { cookie: `access_token=${token}` },
      body: `access_token=${token}`,
    };
    await assertRefused(await everyDoor({ ...sent, method: 'POST' }), [401, 404]);
    const twice = [`Bearer ${token}`, `Bearer ${token}`];
    const event = { ...DOORS[2]?.event({ path: '/admin' }), multiValueHeaders: { authorization: twice }, headers: {} };
    await assertRefused([readHttp(await victim.app.handleLambda(event))], [401]);
    const spellings = { headers: { authorization: twice[0], Authorization: twice[1] } };
    for (const door of [0, 1, 3])
      await assertRefused(
        [readHttp(await victim.app.handleLambda({ ...DOORS[door]?.event({ path: '/admin' }), ...spellings }))],
        [401],
      );
  });
});

describe('secrets', () => {
  it.each([
    ['a wrong one of equal length', 'corrEct'],
    ['a prefix', 'correc'],
    ['a longer one', 'correct!'],
    ['a blank one', ''],
    ['a list', 'correct,correct'],
  ])('%s', async (_, value) => {
    await assertRefused(await everyDoor({ path: '/admin', headers: { 'x-api-key': value } }), [401]);
  });

  it('the right token without the scope', async () => {
    await assertRefused(await everyDoor({ path: '/admin', headers: { 'x-api-key': 'correct' } }), [403]);
  });
});

describe('sockets', () => {
  const emit = async (event: Parameters<typeof socketEvent>[0]) =>
    readHttp(await victim.app.handleLambda(socketEvent(event)));
  const connectRoot = () => emit({ routeKey: '$connect', connectionId: 'root-1', headers: { 'x-user': 'root' } });

  it.each<[string, Parameters<typeof socketEvent>[0]]>([
    ['another connection’s id in the body', { connectionId: 'eve-1', body: '{"connectionId":"root-1"}' }],
    [
      'another connection’s id in a header',
      { connectionId: 'eve-1', headers: { 'x-connection-id': 'root-1', connectionid: 'root-1' } },
    ],
    [
      'a request context in the body',
      {
        connectionId: 'eve-1',
        body: '{"requestContext":{"connectionId":"root-1","authorizer":{"principalId":"root","scope":"admin"}}}',
      },
    ],
    ['an id that is used again', { connectionId: 'root-1', connectedAt: 999_999 }],
    ['the id on another stage', { connectionId: 'root-1', requestContext: { stage: 'prod' } }],
    ['the id of another API', { connectionId: 'root-1', requestContext: { apiId: 'api2' } }],
    ['an id with a slash', { connectionId: '../dev/root-1' }],
    [
      'a message that says $connect',
      { connectionId: 'eve-1', routeKey: '$connect', eventType: 'MESSAGE', headers: { 'x-user': 'root' } },
    ],
    ['a message that sends root’s header', { connectionId: 'eve-1', headers: { 'x-user': 'root' } }],
  ])('%s', async (_, event) => {
    expect((await connectRoot()).status).toBe(200);
    victim.ran.middleware = 0;
    await assertRefused([await emit({ routeKey: 'send', ...event })], [401]);
  });

  it('a message after $disconnect', async () => {
    await connectRoot();
    await emit({ routeKey: '$disconnect', connectionId: 'root-1' });
    victim.ran.middleware = 0;
    // $disconnect has no route here: no resolver runs, so the record exists until it expires or the id is used again.
    await assertRefused([await emit({ routeKey: 'send', connectionId: 'root-1', connectedAt: 2_000 })], [401]);
  });

  it('a message of a connection that was rejected', async () => {
    await assertRefused(
      [
        await emit({ routeKey: '$connect', connectionId: 'eve-1' }),
        await emit({ routeKey: 'send', connectionId: 'eve-1' }),
      ],
      [401],
    );
  });
});

describe('principals that a resolver should not have given', () => {
  const big = { blob: 'x'.repeat(1_000_000), list: Array.from({ length: 10_000 }, (_, index) => index) };
  const cases: readonly (readonly [string, unknown, number])[] = [
    ['an unknown kind', { identity: 'a', kind: 'root', scopes: ['admin'] }, 401],
    ['a kind as an object', { identity: 'a', kind: { toString: () => 'internal' } }, 401],
    ['a kind as a list', { identity: 'a', kind: ['internal'] }, 401],
    ['an identity as a number', { identity: 1, kind: 'internal' }, 401],
    ['an identity as a list', { identity: ['root'], kind: 'internal' }, 401],
    ['scopes as a text', { identity: 'a', scopes: 'read admin' }, 403],
    ['scopes as a list in a list', { identity: 'a', scopes: [['admin']] }, 403],
    [
      '10,000 scopes but that',
      { identity: 'a', scopes: Array.from({ length: 10_000 }, (_, index) => `admin${index}`) },
      403,
    ],
    ['a kind that turns', { identity: 'a', kind: turning('external', 'internal') }, 401],
    ['1 MB of claims', { identity: 'a', claims: big }, 403],
    ['claims that say internal', { identity: 'a', claims: { kind: 'internal', scopes: ['admin'] } }, 403],
    [
      '__proto__ in claims',
      { identity: 'a', claims: JSON.parse('{"__proto__":{"kind":"internal","scopes":["admin"]}}') },
      403,
    ],
    [
      '__proto__ in the principal',
      JSON.parse('{"identity":"a","__proto__":{"kind":"internal","scopes":["admin"]}}'),
      403,
    ],
  ];

  it.each(cases)('%s', async (_, principal, status) => {
    let ran = 0;
    const app = new SecureApp({ principalResolver: () => principal as SecurePrincipal });
    const handler = () => {
      ran += 1;
      return json(200, 1);
    };
    app
      .get('/scoped', handler, Authenticated('admin'))
      .get('/any', handler, AuthenticatedAnyOf('admin', 'root'))
      .get('/internal', handler, InternalOnly());
    for (const path of ['/scoped', '/any', '/internal'])
      expect((await send(app, DIRECT, { path })).status).toBe(status);
    expect(ran).toBe(0);
  });

  it('do not change Object.prototype', async () => {
    const claims = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"deep":{"__proto__":{"polluted":1}}}',
    );
    const app = new SecureApp({ principalResolver: () => ({ identity: 'a', claims }) });
    app.get(
      '/op',
      (ctx) => {
        const copy = ctx.securePrincipal()?.claims as Record<string, Record<string, unknown>>;
        const merged = { ...copy };
        return json(
          200,
          [
            copy.polluted,
            copy.deep?.polluted,
            Object.getPrototypeOf(copy),
            Object.getPrototypeOf(copy.deep),
            (merged as { polluted?: unknown }).polluted,
            ({} as { polluted?: unknown }).polluted,
          ].map((value) => value ?? null),
        );
      },
      Authenticated(),
    );
    expect((await send(app, DIRECT, {})).body).toEqual([null, null, null, null, null, null]);
  });
});

/** A value whose string differs at each read. */
function turning(...values: readonly string[]): unknown {
  let looks = 0;
  return {
    [Symbol.toPrimitive]: () => values[looks++ % values.length],
    toString: () => values[looks++ % values.length],
  };
}

describe('groups', () => {
  type Loose = { group(...args: unknown[]): Loose; get(...args: unknown[]): Loose };
  const GUARDED = Authenticated('admin');
  const reached = () => json(200, 'secret of the house');

  it.each<[string, (app: Loose) => unknown]>([
    ['a group without a posture', (app) => app.group('/a', {}, (a: Loose) => a.get('/x', reached))],
    [
      'a group in one without',
      (app) => app.group('/a', {}, (a: Loose) => a.group('/b', {}, (b: Loose) => b.get('/x', reached))),
    ],
    ['options without a posture', (app) => app.group('/a', {}, (a: Loose) => a.get('/x', reached, {}))],
    [
      'a posture in the options of a route',
      (app) => app.group('/a', {}, (a: Loose) => a.get('/x', reached, { posture: Public() })),
    ],
    [
      'a posture that is inherited by the options',
      (app) => app.group('/a', Object.create({ posture: Public() }), (a: Loose) => a.get('/x', reached)),
    ],
    [
      'a forged posture',
      (app) => app.group('/a', { posture: { kind: 'public', scopes: [] } }, (a: Loose) => a.get('/x', reached)),
    ],
    ['a posture of null', (app) => app.group('/a', { posture: null }, (a: Loose) => a.get('/x', reached))],
    ['an undefined posture', (app) => app.group('/a', { posture: undefined }, (a: Loose) => a.get('/x', reached))],
    [
      'a module that was mounted in an open group before',
      (app) => {
        const module = (routes: Loose) => routes.get('/x', reached);
        app.group('/open', { posture: Public() }, module).group('/a', {}, module);
      },
    ],
    [
      'a posture after the group has begun',
      (app) => {
        const options: Record<string, unknown> = {};
        app.group('/a', options, (a: Loose) => {
          options.posture = Public();
          a.get('/x', reached);
        });
      },
    ],
  ])('open no route without a stated posture: %s', (_, register) => {
    const app = new SecureApp();
    expect(() => register(app as never)).toThrow();
    expect(app.routes().filter(({ path }) => path.startsWith('/a'))).toEqual([]);
  });

  it.each<[string, (a: Loose) => unknown]>([
    ['a group inside', (a) => a.group('/b', {}, (b: Loose) => b.get('/x', reached))],
    ['two groups inside', (a) => a.group('/b', {}, (b: Loose) => b.group('/', {}, (c: Loose) => c.get('/x', reached)))],
    [
      'a group with options of its own',
      (a) => a.group('/b', { tags: ['b'], use: [] }, (b: Loose) => b.get('/x', reached)),
    ],
    ['a neighbour that is open', (a) => a.group('/o', { posture: Public() }, () => {}).get('/b/x', reached)],
    [
      'a group that is used late',
      (a) => {
        let kept: Loose | undefined;
        a.group('/b', {}, (b: Loose) => {
          kept = b;
        });
        a.group('/o', { posture: Public() }, () => kept?.get('/x', reached));
      },
    ],
    [
      'options that are changed later',
      (a) => {
        const options = { posture: GUARDED as unknown };
        a.group('/b', options, (b: Loose) => {
          options.posture = Public();
          b.get('/x', reached);
        });
      },
    ],
  ])('never lose a posture: %s', async (_, register) => {
    const app = new SecureApp({ principalResolver: () => null });
    app.group('/a', { posture: GUARDED }, register as never);
    expect(app.routes()).toMatchObject([{ path: '/a/b/x', posture: 'authenticated', scopes: ['admin'] }]);
    for (const door of [...DOORS, DIRECT as typeof DIRECT]) {
      const answer = await send(app, door, { path: '/a/b/x' });
      expect([answer.status, answer.raw.includes('secret of the house')]).toEqual([401, false]);
    }
  });

  it.each<[string, (a: Loose) => unknown]>([
    ['an undefined posture of a group inside', (a) => a.group('/b', { posture: undefined }, () => {})],
    ['an undefined posture of a route', (a) => a.get('/b', reached, undefined)],
    ['an undefined posture before options', (a) => a.get('/b', reached, undefined, {})],
    ['a factory', (a) => a.get('/b', reached, Public)],
    ['a forged posture', (a) => a.get('/b', reached, { kind: 'public', scopes: [] })],
    ['an heir of a posture', (a) => a.get('/b', reached, Object.create(Public()))],
  ])('never replace a mistake by the posture of the group: %s', (_, register) => {
    const app = new SecureApp();
    expect(() => app.group('/a', { posture: GUARDED }, register as never)).toThrow();
    expect(app.routes()).toEqual([]);
  });
});

describe('hooks that answer for rejected callers', () => {
  const open = () => json(200, 'secret of the house');

  it.each<[string, SecureOptions]>([
    ['onError with 200', { onError: open }],
    ['onError with 200, later', { onError: async () => open() }],
    ['onError with 204', { onError: () => ({ status: 204 }) }],
    ['onError with the status as text', { onError: () => ({ ...open(), status: '401' as never }) }],
    [
      'onError that throws',
      {
        onError: () => {
          throw new Error('broken');
        },
      },
    ],
    ['notFound with 200', { notFound: open }],
    [
      'onResponse that sets the status',
      {
        onResponse: (_ctx, response) => {
          (response as { status: number }).status = 200;
        },
      },
    ],
    [
      'onResponse that takes the challenge of 401 for a body',
      {
        onResponse: (_ctx, response) => {
          (response as unknown as { body: string }).body = 'secret of the house';
        },
      },
    ],
  ])('%s', async (_, hooks) => {
    const app = new SecureApp({ log: false, ...hooks });
    app.get('/admin', open, Authenticated('admin'));
    for (const door of [...DOORS, DIRECT as typeof DIRECT]) {
      for (const [path, status] of [
        ['/admin', 401],
        ['/admin/', 404],
      ] as const) {
        const answer = await send(app, door, { path });
        expect([answer.status, answer.raw.includes('secret of the house')]).toEqual([status, false]);
      }
    }
  });

  it('a resolver that fails does not count as success', async () => {
    const app = new SecureApp({
      log: false,
      onError: open,
      principalResolver: () => {
        throw new Error('broken');
      },
    });
    app.get('/admin', open, Authenticated('admin'));
    expect((await send(app, DIRECT, { path: '/admin' })).status).toBe(500);
  });
});

describe('changes of returned values have no effect', () => {
  const principal = () => ({ identity: 'ada', scopes: ['read'], claims: { role: { name: 'user' }, list: [1] } });
  const spoil = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const name of Object.keys(value)) {
      spoil((value as Record<string, unknown>)[name]);
      Reflect.set(value, name, 'spoilt');
      Reflect.deleteProperty(value, name);
    }
    Reflect.set(value, 'added', true);
    Reflect.setPrototypeOf(value, { polluted: true });
  };
  const NORMAL = {
    identity: 'ada',
    scopes: ['read'],
    claims: { role: { name: 'user' }, list: [1] },
    kind: 'external',
    tenantId: '',
  };

  it('a principal, and what the resolver keeps of it', async () => {
    const own = principal();
    const seen: unknown[] = [];
    const app = new SecureApp({ principalResolver: () => own });
    app.use((ctx, next) => {
      own.scopes.push('admin');
      own.claims.role.name = 'root';
      own.claims.list.push(2);
      spoil(ctx.securePrincipal());
      return next(ctx);
    });
    app.get(
      '/op',
      (ctx) => {
        seen.push(ctx.securePrincipal());
        return json(200, ctx.securePrincipal());
      },
      Authenticated('read'),
    );
    expect((await send(app, DIRECT, {})).body).toEqual(NORMAL);
    expect(seen).toEqual([NORMAL]);
  });

  it('the resolver’s own object while it is awaited', async () => {
    const own = principal();
    const app = new SecureApp({
      principalResolver: async () => {
        setImmediate(() => own.scopes.push('admin'));
        return own;
      },
    });
    app.get(
      '/op',
      async (ctx) => {
        await new Promise((resolve) => setImmediate(resolve));
        return json(200, ctx.securePrincipal()?.scopes);
      },
      Authenticated(),
    );
    expect((await send(app, DIRECT, {})).body).toEqual(['read']);
  });

  it('the inventory, the triggers and the trace', async () => {
    const { app } = victim;
    const before = JSON.stringify(app.routes());
    const first = app.routes();
    expect(
      Object.isFrozen(first) &&
        first.every(
          (record) => Object.isFrozen(record) && (record.scopes === undefined || Object.isFrozen(record.scopes)),
        ),
    ).toBe(true);
    expect(app.routes()).not.toBe(first);
    expect(() => (first as unknown[]).push({})).toThrow(TypeError);
    expect(() => Object.assign(first[0] as object, { posture: 'public' })).toThrow(TypeError);
    spoil(app.routes());
    expect(JSON.stringify(app.routes())).toBe(before);
    await assertRefused(await everyDoor({ path: '/admin' }), [401]);
  });

  it('a posture after registration', async () => {
    const posture = Authenticated('admin');
    expect(() => Object.assign(posture, { kind: 'public' })).toThrow(TypeError);
    expect(() => (posture.scopes as string[]).splice(0)).toThrow(TypeError);
    expect(Reflect.setPrototypeOf(posture, { kind: 'public' })).toBe(false);
  });

  it('an entrypoint of the app', async () => {
    const { app } = victim;
    expect(() => {
      (app as { routes: unknown }).routes = () => [];
      (app as { get: unknown }).get = () => app;
    }).not.toThrow();
    await assertRefused(await everyDoor({ path: '/admin' }), [401]);
  });

  it('a context passed on with another principal', async () => {
    const app = new SecureApp({ principalResolver: principal });
    app.use((ctx, next) => next(Object.create(ctx, { securePrincipal: { value: () => ({ identity: 'root' }) } })));
    app.use((ctx, next) => next({ ...ctx } as never));
    app.get('/op', (ctx) => json(200, ctx.securePrincipal()), Optional());
    expect((await send(app, DIRECT, {})).status).toBe(500);
  });
});
