import { json } from '@sallyport/http';
import { Authenticated, firstPrincipal, Optional, SecureApp, type SecurePrincipalResolver } from '@sallyport/secure';
import {
  appSyncIdentityPrincipal,
  cognitoAuthorizerPrincipal,
  type IamPrincipalOptions,
  iamPrincipal,
  jwtAuthorizerPrincipal,
  lambdaAuthorizerV1Principal,
  lambdaAuthorizerV2Principal,
} from '@sallyport/secure/authorizers';
import { type Answer, DOORS, graphqlEvent, readGraphql, readHttp, socketEvent } from './support/operations.js';

type Kind = 'v2' | 'url' | 'v1' | 'v1.0' | 'alb' | 'graphql' | 'socket';

/** The result of a resolver for an event: the principal, `null` for an anonymous caller, or the status of a rejection. */
async function resolve(resolver: SecurePrincipalResolver, kind: Kind, place: unknown): Promise<unknown> {
  const show = (ctx: { securePrincipal(): unknown }) => json(200, ctx.securePrincipal());
  const app = new SecureApp({ principalResolver: resolver });
  app.get('/op', show, Optional()).appSyncField('Query', 'op', show, Optional()).webSocket('op', show, Optional());
  const answer = read(kind, await app.handleLambda(eventOf(kind, place)));
  return answer.status === 200 ? answer.body : answer.status;
}

function eventOf(kind: Kind, place: unknown): unknown {
  const requestContext = place as Record<string, unknown>;
  if (kind === 'graphql') return graphqlEvent(place as Record<string, unknown>);
  if (kind === 'socket') return socketEvent({ requestContext });
  const doors: Partial<Record<Kind, number>> = { v2: 0, url: 1, v1: 2, 'v1.0': 2, alb: 3 };
  const event = DOORS[doors[kind] ?? 0]?.event({ requestContext }) ?? {};
  return kind === 'v1.0' ? { ...event, version: '1.0' } : event;
}

function read(kind: Kind, result: unknown): Answer {
  return kind === 'graphql' ? readGraphql(result) : readHttp(result);
}

const ALL: readonly Kind[] = ['v2', 'url', 'v1', 'v1.0', 'alb', 'graphql', 'socket'];
const base = { scopes: [], claims: {}, kind: 'external', tenantId: '' };
const ROLE = 'arn:aws:sts::123456789012:assumed-role/billing/session-1';
const roles = { internalRoles: ['arn:aws:iam::123456789012:role/service/billing'] };
const byUser = (context: Readonly<Record<string, unknown>>) => ({
  identity: String(context.user),
  claims: { ...context },
});

describe.each<[string, SecurePrincipalResolver, readonly Kind[], (authorizer: unknown) => unknown]>([
  ['jwtAuthorizerPrincipal', jwtAuthorizerPrincipal, ['v2'], (jwt) => ({ authorizer: { jwt } })],
  ['jwtAuthorizerPrincipal, format 1.0', jwtAuthorizerPrincipal, ['v1.0'], (authorizer) => ({ authorizer })],
  [
    'lambdaAuthorizerV2Principal',
    lambdaAuthorizerV2Principal(byUser),
    ['v2'],
    (lambda) => ({ authorizer: { lambda } }),
  ],
  [
    'lambdaAuthorizerV1Principal',
    lambdaAuthorizerV1Principal(),
    ['v1', 'v1.0', 'socket'],
    (authorizer) => ({ authorizer }),
  ],
  ['cognitoAuthorizerPrincipal', cognitoAuthorizerPrincipal, ['v1', 'v1.0'], (authorizer) => ({ authorizer })],
  ['iamPrincipal', iamPrincipal(roles), ['v2', 'url'], (iam) => ({ authorizer: { iam } })],
  ['iamPrincipal, REST and WebSocket', iamPrincipal(roles), ['v1', 'v1.0', 'socket'], (identity) => ({ identity })],
  [
    'appSyncIdentityPrincipal',
    appSyncIdentityPrincipal({ ...roles, map: byUser }),
    ['graphql'],
    (identity) => ({ identity }),
  ],
])('%s', (name, resolver, kinds, place) => {
  const good: Readonly<Record<string, unknown>> = {
    principalId: 'u1',
    user: 'u1',
    claims: { sub: 'u1', scope: 'a b' },
    sub: 'u1',
    userArn: ROLE,
  };

  it('reads its place only at its kinds', async () => {
    for (const kind of ALL) {
      const principal = await resolve(resolver, kind, place(good));
      if (kinds.includes(kind))
        expect([kind, principal]).toEqual([kind, expect.objectContaining({ identity: expect.any(String) })]);
      else expect([name, kind, principal]).toEqual([name, kind, null]);
    }
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
  ])('treats %s as anonymous', async (_, absent) => {
    for (const kind of kinds) expect([kind, await resolve(resolver, kind, place(absent))]).toEqual([kind, null]);
  });

  it.each([
    ['a text', 'ada'],
    ['a list', [good]],
    ['a number', 7],
    ['true', true],
  ])('rejects %s in its place', async (_, bad) => {
    for (const kind of kinds) expect([kind, await resolve(resolver, kind, place(bad))]).toEqual([kind, 401]);
  });

  it('ignores members of a prototype', async () => {
    const heirs = Object.fromEntries(
      Object.entries(place(good) as Record<string, object>).map(([key, value]) => [key, Object.create(value)]),
    );
    for (const kind of kinds)
      expect([kind, [null, 401]]).toEqual([kind, expect.arrayContaining([await resolve(resolver, kind, heirs)])]);
  });
});

describe('what is made of a verified caller', () => {
  it.each<[string, SecurePrincipalResolver, Kind, unknown, unknown]>([
    [
      'JWT',
      jwtAuthorizerPrincipal,
      'v2',
      { authorizer: { jwt: { claims: { sub: 'u', scope: 'x', n: 5, aud: '[a b]' }, scopes: ['a', 'b'] } } },
      { ...base, identity: 'u', scopes: ['a', 'b'], claims: { sub: 'u', scope: 'x', n: '5', aud: '[a b]' } },
    ],
    [
      'JWT without scopes',
      jwtAuthorizerPrincipal,
      'v2',
      { authorizer: { jwt: { claims: { sub: 'u', scope: 'x  y' }, scopes: null } } },
      { ...base, identity: 'u', scopes: ['x', 'y'], claims: { sub: 'u', scope: 'x  y' } },
    ],
    ['JWT without claims', jwtAuthorizerPrincipal, 'v2', { authorizer: { jwt: { scopes: ['a'] } } }, 401],
    ['JWT without sub', jwtAuthorizerPrincipal, 'v2', { authorizer: { jwt: { claims: { scope: 'a' } } } }, 401],
    [
      'JWT with scopes as a text',
      jwtAuthorizerPrincipal,
      'v2',
      { authorizer: { jwt: { claims: { sub: 'u' }, scopes: 'a b' } } },
      401,
    ],
    [
      'JWT, format 1.0',
      jwtAuthorizerPrincipal,
      'v1.0',
      { authorizer: { claims: { sub: 'u' }, scopes: ['a'] } },
      { ...base, identity: 'u', scopes: ['a'], claims: { sub: 'u' } },
    ],
    [
      'a Lambda context where format 1.0 has the JWT',
      jwtAuthorizerPrincipal,
      'v1.0',
      { authorizer: { principalId: 'u' } },
      null,
    ],
    [
      'a Lambda context',
      lambdaAuthorizerV2Principal(byUser),
      'v2',
      { authorizer: { lambda: { user: 'u', deep: { a: [1] } } } },
      { ...base, identity: 'u', claims: { user: 'u', deep: { a: [1] } } },
    ],
    [
      'a Lambda context that the map drops',
      lambdaAuthorizerV2Principal(() => null),
      'v2',
      { authorizer: { lambda: { user: 'u' } } },
      null,
    ],
    [
      'a Lambda context of REST',
      lambdaAuthorizerV1Principal(),
      'v1',
      { authorizer: { principalId: 'u', scope: 'a b', org: 'o', n: 5, yes: true, integrationLatency: 12, deep: {} } },
      { ...base, identity: 'u', scopes: ['a', 'b'], claims: { scope: 'a b', org: 'o', n: '5', yes: 'true' } },
    ],
    [
      'a Lambda context of a socket',
      lambdaAuthorizerV1Principal(byUser),
      'socket',
      { authorizer: { principalId: 'p', user: 'u' } },
      { ...base, identity: 'u', claims: { principalId: 'p', user: 'u' } },
    ],
    ['a blank principalId', lambdaAuthorizerV1Principal(), 'v1', { authorizer: { principalId: ' ' } }, 401],
    [
      'a principalId of another type',
      lambdaAuthorizerV1Principal(),
      'v1',
      { authorizer: { principalId: { toString: 'u' } } },
      401,
    ],
    [
      'Cognito',
      cognitoAuthorizerPrincipal,
      'v1',
      { authorizer: { claims: { sub: 'u', scope: 'a', email: 'e' } } },
      { ...base, identity: 'u', scopes: ['a'], claims: { sub: 'u', scope: 'a', email: 'e' } },
    ],
    ['Cognito without sub', cognitoAuthorizerPrincipal, 'v1', { authorizer: { claims: {} } }, 401],
    [
      'IAM',
      iamPrincipal(),
      'url',
      { authorizer: { iam: { userArn: ROLE, accountId: '123456789012', callerId: 'AROA:s', cognitoIdentity: null } } },
      { ...base, identity: ROLE, claims: { userArn: ROLE, accountId: '123456789012', callerId: 'AROA:s' } },
    ],
    [
      'IAM of REST',
      iamPrincipal(roles),
      'v1',
      { identity: { userArn: ROLE, accountId: '1', caller: 'c', cognitoIdentityId: null, sourceIp: '1.2.3.4' } },
      { ...base, kind: 'internal', identity: ROLE, claims: { userArn: ROLE, accountId: '1', callerId: 'c' } },
    ],
    [
      'IAM of a WebSocket API',
      iamPrincipal(roles),
      'socket',
      { eventType: 'CONNECT', identity: { userArn: ROLE, accountId: '1', caller: 'c', sourceIp: '1.2.3.4' } },
      { ...base, kind: 'internal', identity: ROLE, claims: { userArn: ROLE, accountId: '1', callerId: 'c' } },
    ],
    ['nobody in REST’s identity', iamPrincipal(), 'v1', { identity: { userArn: null, sourceIp: '1.2.3.4' } }, null],
    ['an ARN that is no text', iamPrincipal(), 'v1', { identity: { userArn: 5 } }, 401],
    [
      'a Cognito user in GraphQL',
      appSyncIdentityPrincipal(),
      'graphql',
      { identity: { sub: 'u', issuer: 'i', username: 'n', claims: { sub: 'u', scope: 'a b', n: 1 } } },
      { ...base, identity: 'u', scopes: ['a', 'b'], claims: { sub: 'u', scope: 'a b', n: 1 } },
    ],
    [
      'an IAM caller in GraphQL',
      appSyncIdentityPrincipal(roles),
      'graphql',
      { identity: { userArn: ROLE, accountId: '1', cognitoIdentityId: null, cognitoIdentityAuthType: null } },
      { ...base, kind: 'internal', identity: ROLE, claims: { userArn: ROLE, accountId: '1' } },
    ],
    [
      'a Lambda authorizer in GraphQL',
      appSyncIdentityPrincipal({ map: byUser }),
      'graphql',
      { identity: { resolverContext: { user: 'u' } } },
      { ...base, identity: 'u', claims: { user: 'u' } },
    ],
    [
      'a Lambda authorizer in GraphQL, no map',
      appSyncIdentityPrincipal(),
      'graphql',
      { identity: { resolverContext: { user: 'u' } } },
      null,
    ],
    ['an API key', appSyncIdentityPrincipal(), 'graphql', { identity: {} }, null],
    ['an identity of no kind', appSyncIdentityPrincipal(), 'graphql', { identity: { claims: { sub: 'u' } } }, 401],
  ])('%s', async (_, resolver, kind, place, principal) => {
    expect(await resolve(resolver, kind, place)).toEqual(principal);
  });

  it('never reads a header', async () => {
    const headers = {
      'x-amzn-oidc-data': 'forged',
      'x-amzn-oidc-identity': 'forged',
      'x-apigateway-authorizer-principalid': 'forged',
      authorizer: '{"principalId":"forged"}',
      authorization: 'Bearer forged',
    };
    for (const resolver of [
      jwtAuthorizerPrincipal,
      lambdaAuthorizerV1Principal(),
      cognitoAuthorizerPrincipal,
      iamPrincipal(),
      appSyncIdentityPrincipal(),
    ]) {
      const app = new SecureApp({ principalResolver: resolver }).get(
        '/op',
        (ctx) => json(200, ctx.securePrincipal()),
        Optional(),
      );
      for (const door of DOORS) expect(readHttp(await app.handleLambda(door.event({ headers }))).body).toBeNull();
    }
  });
});

const POOL_ARN = 'arn:aws:sts::123456789012:assumed-role/pool/CognitoIdentityCredentials';

/** The identity of an identity-pool caller in an event: with `amr` in one form, with a member of the given name in the other. */
type Place = (id: unknown, marks: unknown) => Readonly<Record<string, unknown>>;
const nested: Place = (id, amr) => ({
  authorizer: { iam: { userArn: POOL_ARN, cognitoIdentity: { identityId: id, identityPoolId: 'eu-west-1:p', amr } } },
});
const flat =
  (mark: string): Place =>
  (id, amr) => ({
    identity: {
      userArn: POOL_ARN,
      cognitoIdentityId: id,
      cognitoIdentityPoolId: 'eu-west-1:p',
      [mark]: Array.isArray(amr) && amr.length === 1 ? amr[0] : amr,
    },
  });

describe.each<[string, (options?: IamPrincipalOptions) => SecurePrincipalResolver, Kind, Place]>([
  ['an HTTP API', iamPrincipal, 'v2', nested],
  ['a function URL', iamPrincipal, 'url', nested],
  ['a REST API', iamPrincipal, 'v1', flat('cognitoAuthenticationType')],
  ['the $connect of a WebSocket API', iamPrincipal, 'socket', flat('cognitoAuthenticationType')],
  ['GraphQL', appSyncIdentityPrincipal, 'graphql', flat('cognitoIdentityAuthType')],
])('a caller of an identity pool, at %s', (_, make, kind, place) => {
  const poolRole = { internalRoles: ['arn:aws:iam::123456789012:role/pool'] };
  const claims = { userArn: POOL_ARN, cognitoIdentityPoolId: 'eu-west-1:p' };

  it('is identified by the identity id', async () => {
    for (const id of ['eu-west-1:ada', 'eu-west-1:bob']) {
      expect(await resolve(make(), kind, place(id, ['authenticated']))).toEqual({
        ...base,
        identity: id,
        claims: { ...claims, cognitoIdentityId: id },
      });
    }
  });

  it('is internal when the role is', async () => {
    const principal = await resolve(make(poolRole), kind, place('eu-west-1:ada', ['authenticated']));
    expect(principal).toMatchObject({ identity: 'eu-west-1:ada', kind: 'internal' });
  });

  it('is not a principal as a guest', async () => {
    for (const options of [{}, { allowGuests: false }, poolRole]) {
      expect(await resolve(make(options), kind, place('eu-west-1:g', ['unauthenticated']))).toBeNull();
    }
  });

  it('is an external principal as a guest where guests are allowed', async () => {
    const resolver = make({ ...poolRole, allowGuests: true });
    expect(await resolve(resolver, kind, place('eu-west-1:g', ['unauthenticated']))).toEqual({
      ...base,
      identity: 'eu-west-1:g',
      claims: { ...claims, cognitoIdentityId: 'eu-west-1:g', guest: true },
    });
  });

  it.each<[string, unknown, unknown]>([
    ['no mark', 'eu-west-1:ada', undefined],
    ['a mark of null', 'eu-west-1:ada', null],
    ['an empty mark', 'eu-west-1:ada', ''],
    ['an empty list', 'eu-west-1:ada', []],
    ['both marks', 'eu-west-1:ada', ['authenticated', 'unauthenticated']],
    ['a mark in other letters', 'eu-west-1:ada', ['Authenticated']],
    ['a mark that nobody knows', 'eu-west-1:ada', ['cognito-idp.eu-west-1.amazonaws.com/eu-west-1_p']],
    ['a mark that is true', 'eu-west-1:ada', true],
    ['a list with another type', 'eu-west-1:ada', ['authenticated', 5]],
    ['no identity id', undefined, ['authenticated']],
    ['a blank identity id', ' ', ['authenticated']],
    ['an identity id of another type', 5, ['unauthenticated']],
  ])('is rejected with %s', async (_name, id, marks) => {
    for (const options of [{}, { allowGuests: true }]) {
      expect(await resolve(make(options), kind, place(id, marks))).toBe(401);
    }
  });
});

it('accepts providers with the mark of a signed-in caller', async () => {
  const amr = ['authenticated', 'cognito-idp.eu-west-1.amazonaws.com/eu-west-1_p'];
  expect(await resolve(iamPrincipal(), 'v2', nested('eu-west-1:ada', amr))).toMatchObject({
    identity: 'eu-west-1:ada',
  });
});

it('rejects a guest with Authenticated', async () => {
  const app = new SecureApp({ principalResolver: iamPrincipal() }).get('/op', () => json(200, {}), Authenticated());
  const event = DOORS[0]?.event({ requestContext: nested('eu-west-1:g', ['unauthenticated']) });
  expect(readHttp(await app.handleLambda(event)).status).toBe(401);
});

describe('internalRoles', () => {
  it.each<[string, string]>([
    ['arn:aws:sts::123456789012:assumed-role/billing/session-1', 'internal'],
    ['arn:aws:sts::123456789012:assumed-role/billing/other@session', 'internal'],
    ['arn:aws:sts::123456789012:assumed-role/billing-admin/session-1', 'external'],
    ['arn:aws:sts::123456789012:assumed-role/bill/ing', 'external'],
    ['arn:aws:sts::123456789012:assumed-role/Billing/session-1', 'external'],
    ['arn:aws:sts::999999999999:assumed-role/billing/session-1', 'external'],
    ['arn:aws-cn:sts::123456789012:assumed-role/billing/session-1', 'external'],
    ['arn:aws:sts::123456789012:assumed-role/x/billing/session-1', 'external'],
    ['arn:aws:sts::123456789012:federated-user/billing', 'external'],
    ['arn:aws:iam::123456789012:user/billing', 'external'],
  ])('%s is %s', async (userArn, kind) => {
    expect(await resolve(iamPrincipal(roles), 'v2', { authorizer: { iam: { userArn } } })).toMatchObject({ kind });
  });

  it.each([['billing'], ['arn:aws:iam::123456789012:role/*'], ['arn:aws:iam::*:role/billing'], [ROLE], [5], ['']])(
    'rejects %j',
    (arn) => {
      for (const make of [iamPrincipal, appSyncIdentityPrincipal]) {
        expect(() => make({ internalRoles: [arn as string] })).toThrow(
          expect.failure('app.invalid_configuration', 'option "internalRoles[0]"'),
        );
      }
    },
  );

  it('and what else does not fit', () => {
    expect(() => iamPrincipal({ internalRoles: 'x' as never })).toThrow(
      expect.failure('app.invalid_configuration', '"internalRoles"'),
    );
    expect(() => iamPrincipal({ roles: [] } as never)).toThrow(
      expect.failure('app.invalid_configuration', 'unknown option "roles"'),
    );
    expect(() => iamPrincipal({ allowGuests: 'yes' as never })).toThrow(
      expect.failure('app.invalid_configuration', '"allowGuests"'),
    );
    expect(() => appSyncIdentityPrincipal({ allowGuests: 1 as never })).toThrow(
      expect.failure('app.invalid_configuration', '"allowGuests"'),
    );
    expect(() => lambdaAuthorizerV2Principal(undefined as never)).toThrow(
      expect.failure('app.invalid_configuration', '"map"'),
    );
    expect(() => lambdaAuthorizerV1Principal('x' as never)).toThrow(
      expect.failure('app.invalid_configuration', '"map"'),
    );
    expect(() => appSyncIdentityPrincipal({ map: 5 as never })).toThrow(
      expect.failure('app.invalid_configuration', '"map"'),
    );
  });
});

describe('the authorizers that a resolver reads, for infrastructure code', () => {
  const own: SecurePrincipalResolver = () => null;
  it.each([
    ['jwtAuthorizerPrincipal', jwtAuthorizerPrincipal, ['jwt']],
    ['cognitoAuthorizerPrincipal', cognitoAuthorizerPrincipal, ['cognito']],
    ['lambdaAuthorizerV1Principal', lambdaAuthorizerV1Principal(), ['lambda']],
    ['lambdaAuthorizerV2Principal', lambdaAuthorizerV2Principal(() => null), ['lambda']],
    ['iamPrincipal', iamPrincipal(), ['iam']],
    ['several', firstPrincipal(jwtAuthorizerPrincipal, iamPrincipal()), ['jwt', 'iam']],
    ['one that needs none', firstPrincipal(jwtAuthorizerPrincipal, own), undefined],
    ['none', own, undefined],
  ] as const)('%s', (_name, principalResolver, authorizers) => {
    const { handleLambda } = new SecureApp({ principalResolver });
    const inspection = (handleLambda as unknown as Record<symbol, unknown>)[Symbol.for('framework.inspect')];
    expect(inspection).toMatchObject({ deployment: { cors: false, autoHead: false, authorizers } });
  });
});
