import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Context, LambdaContext, Surface, SurfaceDoor, SurfaceHost } from '@sallyport/core';
import { unknownProvenance } from '@sallyport/core/internal';
import { createApp } from '@sallyport/dispatch/app';
import { createLambdaFunctionURLStreamingHandler, json, type StreamingApp } from '@sallyport/http';
import { createMemoryConnectionRegistry } from '@sallyport/http/websocket';
import { Authenticated, Optional, Public, SecureApp, type SecureOptions } from '@sallyport/secure';
import {
  appSyncIdentityPrincipal,
  type ConnectionPrincipal,
  cognitoAuthorizerPrincipal,
  connectionPrincipal,
  iamPrincipal,
  jwtAuthorizerPrincipal,
  lambdaAuthorizerV1Principal,
  lambdaAuthorizerV2Principal,
} from '@sallyport/secure/authorizers';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildAppSyncBatch,
  buildAppSyncEvent,
  buildEventBusEvent,
  buildKinesisEvent,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  buildQueueEvent,
  buildTableStreamEvent,
  buildTopicEvent,
  buildWebSocketEvent,
} from '@sallyport/testkit/events';
import { DOORS, graphqlEvent, socketEvent } from './support/operations.js';

const AGENT: LambdaContext = { clientContext: { custom: { bedrockAgentCoreToolName: 'notes___add' } } };
const DIRECT: LambdaContext = { clientContext: {} };
const NO_AGENT = 'framework: no adapter for agent invocations';
const REFUSED = 'framework: direct invocation refused';

const ARN = 'arn:aws:sqs:us-east-1:123456789012:orders';
const TABLE = 'arn:aws:dynamodb:us-east-1:123456789012:table/notes/stream/2024-01-01T00:00:00.000';
const admin = { jwt: { claims: { sub: 'root', scope: 'admin' }, scopes: ['admin'] } };

/** One event of every kind of the table, as AWS would send it to the handlers of {@link registerAll}. */
const BUILT: readonly (readonly [string, unknown])[] = [
  ['queue', buildQueueEvent(ARN, [{}])],
  ['table-stream', buildTableStreamEvent(TABLE, [{}])],
  ['stream', buildKinesisEvent('arn:aws:kinesis:us-east-1:123456789012:stream/clicks', [{}])],
  ['topic', buildTopicEvent('arn:aws:sns:us-east-1:123456789012:news', [{}])],
  ['event-bus', buildEventBusEvent({ source: 'billing', detailType: 'Paid' })],
  ['appsync', buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'op' })],
  ['a batch of appsync', buildAppSyncBatch([buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'op' })])],
  ['websocket', buildWebSocketEvent({ routeKey: 'op' })],
  ['gateway-v2', buildAPIGatewayV2Request('GET', '/op', { authorizer: admin })],
  ['function-url', buildLambdaFunctionURLRequest('GET', '/op')],
  ['load-balancer', buildLoadBalancerRequest('GET', '/op')],
  ['gateway-v1', buildAPIGatewayProxyRequest('GET', '/op')],
];

/** Every event that a contract fixture sends. */
function fixtureEvents(): [string, unknown][] {
  const folder = fileURLToPath(new URL('../../../contract-fixtures/', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\/.*\.json$/.test(file));
  return files.flatMap((file) => {
    const { input } = JSON.parse(readFileSync(folder + file, 'utf8')) as { input?: { steps: { event?: unknown }[] } };
    return (input?.steps ?? []).flatMap(({ event }, step): [string, unknown][] =>
      event === undefined ? [] : [[`${file} step ${step}`, event]],
    );
  });
}

/** A service of every kind whose handlers count how often they run. */
function registerAll(open: boolean, surfaces: readonly Surface[] = [], options: SecureOptions = {}) {
  const ran: string[] = [];
  const record = (name: string) => () => void ran.push(name);
  const request = (ctx: Context) => {
    ran.push(ctx.triggerKind);
    return json(200, 1);
  };
  const container = open ? createApp({ surfaces }) : new SecureApp({ ...options, surfaces });
  const app = container as SecureApp;
  const rest = (open ? [] : [Public()]) as unknown as [ReturnType<typeof Public>];
  app
    .get('/op', request, ...rest)
    .webSocket('op', request, ...rest)
    .appSyncField('Query', 'op', request, ...rest);
  app.queue('orders', record('queue')).tableStream('notes', record('table-stream')).kinesis('clicks', record('stream'));
  app.topic('news', record('topic')).eventBus({ source: 'billing', detailType: 'Paid' }, record('event-bus'));
  return { app, ran };
}

const messageOf = (promise: Promise<unknown>) =>
  promise.then(
    (answer) => ({ answer }),
    (error: Error) => error.message,
  );

describe.each([
  ['the open container', true],
  ['the closed container', false],
])('%s', (_name, open) => {
  it.each(BUILT)('runs the handler of %s for a trigger', async (_kind, event) => {
    const { app, ran } = registerAll(open);
    await app.handleLambda(event, {});
    expect(ran).toHaveLength(1);
  });

  it.each(BUILT)('runs nothing for an agent whose arguments are shaped as %s', async (_kind, event) => {
    const { app, ran } = registerAll(open);
    expect(await messageOf(app.handleLambda(event, AGENT))).toBe(NO_AGENT);
    expect(ran).toEqual([]);
  });

  it('runs nothing for an agent whose arguments are the event of any contract fixture', async () => {
    const { app, ran } = registerAll(open);
    const events = fixtureEvents();
    const outcomes = await Promise.all(events.map(([, event]) => messageOf(app.handleLambda(event, AGENT))));
    expect(events.length).toBeGreaterThan(300);
    expect(new Set(outcomes)).toEqual(new Set([NO_AGENT]));
    expect(ran).toEqual([]);
  });

  it('passes all of them to the surface for agents, if present', async () => {
    const seen: unknown[] = [];
    const tools: Surface = { serves: ['tools'], accepts: ['agent'], serve: async (_kind, event) => seen.push(event) };
    const { app, ran } = registerAll(open, [tools]);
    const events = [...BUILT, ...fixtureEvents()].map(([, event]) => event);
    for (const event of events) await app.handleLambda(event, AGENT);
    expect(seen).toEqual(events);
    expect(ran).toEqual([]);
  });
});

describe('direct invocations', () => {
  it.each<readonly [string, unknown]>([...BUILT, ['no event', undefined], ['an unknown event', {}]])(
    'are rejected by SecureApp: %s',
    async (_kind, event) => {
      const { app, ran } = registerAll(false);
      expect(await messageOf(app.handleLambda(event, DIRECT))).toBe(REFUSED);
      expect(await messageOf(app.handleLambda(event, { identity: { cognitoIdentityId: 'eu-west-1:1' } }))).toBe(
        REFUSED,
      );
      expect(ran).toEqual([]);
    },
  );

  it.each(BUILT)('are served by SecureApp with the option, and by the open container: %s', async (_kind, event) => {
    const closed = registerAll(false, [], { directInvocations: 'serve' });
    const open = registerAll(true);
    await closed.app.handleLambda(event, DIRECT);
    await open.app.handleLambda(event, DIRECT);
    expect([closed.ran.length, open.ran.length]).toEqual([1, 1]);
  });

  it('show on the context of requests and records', async () => {
    const seen: unknown[] = [];
    const app = new SecureApp({ directInvocations: 'serve' });
    app.queue('orders', (ctx) => void seen.push(ctx.invocationProvenance));
    app.get('/op', (ctx) => json(200, void seen.push(ctx.invocationProvenance)), Public());
    for (const context of [undefined, {}, DIRECT]) {
      await app.handleLambda(buildQueueEvent(ARN, [{}]), context);
      await app.handleLambda(buildAPIGatewayV2Request('GET', '/op'), context);
    }
    expect(seen).toEqual(['provider', 'provider', 'provider', 'provider', 'direct', 'direct']);
  });

  it.each([
    ['refuse', REFUSED],
    ['serve', { answer: undefined }],
  ] as const)('are under the same rule in a streaming handler: %s', async (directInvocations, expected) => {
    const { app, ran } = registerAll(false, [], { directInvocations });
    expect(await messageOf(streamed(app, buildLambdaFunctionURLRequest('GET', '/op'), DIRECT))).toEqual(expected);
    expect(ran).toEqual(directInvocations === 'serve' ? ['function-url'] : []);
  });

  it('of an agent are rejected in a streaming handler too', async () => {
    const { app, ran } = registerAll(false);
    expect(await messageOf(streamed(app, buildLambdaFunctionURLRequest('GET', '/op'), AGENT))).toBe(NO_AGENT);
    expect(ran).toEqual([]);
  });
});

/** Runs the streaming handler with a runtime's global that discards its output. */
async function streamed(app: StreamingApp, event: unknown, context: LambdaContext): Promise<void> {
  const { PassThrough } = await import('node:stream');
  const scope = globalThis as { awslambda?: unknown };
  scope.awslambda = {
    streamifyResponse: (handler: (...args: unknown[]) => unknown) => (given: unknown, lambda: unknown) =>
      handler(given, new PassThrough().resume(), lambda),
  };
  try {
    await createLambdaFunctionURLStreamingHandler(app)(event, context);
  } finally {
    delete scope.awslambda;
  }
}

describe('a principal of the request context', () => {
  const user = (fields: Readonly<Record<string, unknown>>) => ({ identity: String(fields.user) });
  const clock = { now: () => new Date(0) };
  const [v2, url, v1] = DOORS.map(
    ({ event }) =>
      (requestContext: Readonly<Record<string, unknown>>) =>
        event({ requestContext }),
  );
  const iam = { userArn: 'arn:aws:iam::123456789012:user/root' };
  const connection = connectionPrincipal({
    store: createMemoryConnectionRegistry<ConnectionPrincipal>({ clock }),
    ttlSeconds: 60,
    connect: () => ({ identity: 'root' }),
  });

  it.each<[string, SecureOptions['principalResolver'], unknown]>([
    ['a JWT authorizer', jwtAuthorizerPrincipal, v2?.({ authorizer: admin })],
    ['a Lambda authorizer', lambdaAuthorizerV2Principal(user), v2?.({ authorizer: { lambda: { user: 'root' } } })],
    ['a REST Lambda authorizer', lambdaAuthorizerV1Principal(), v1?.({ authorizer: { principalId: 'root' } })],
    ['a Cognito authorizer', cognitoAuthorizerPrincipal, v1?.({ authorizer: { claims: { sub: 'root' } } })],
    ['IAM at HTTP APIs', iamPrincipal(), v2?.({ authorizer: { iam } })],
    ['IAM at function URLs', iamPrincipal(), url?.({ authorizer: { iam } })],
    ['IAM at REST APIs', iamPrincipal(), v1?.({ identity: iam })],
    [
      'the authorizer of a connection',
      lambdaAuthorizerV1Principal(),
      socketEvent({ requestContext: { authorizer: { principalId: 'root' } } }),
    ],
    ['a connection', connection, socketEvent({ routeKey: '$connect', eventType: 'CONNECT' })],
    ['GraphQL', appSyncIdentityPrincipal(), graphqlEvent({ identity: { sub: 'root', claims: {} } })],
    ['IAM at GraphQL', appSyncIdentityPrincipal(), graphqlEvent({ identity: iam })],
  ])('is accepted of %s only from a trigger', async (_name, principalResolver, event) => {
    const seen: unknown[] = [];
    const app = new SecureApp({ principalResolver, directInvocations: 'serve', clock } as SecureOptions);
    const show = (ctx: Context) => json(200, void seen.push(ctx.securePrincipal()?.identity ?? null));
    app.get('/op', show, Optional()).appSyncField('Query', 'op', show, Optional());
    app.webSocket('op', show, Optional()).webSocket('$connect', show, Optional());
    for (const context of [{}, DIRECT, { identity: { cognitoIdentityId: 'eu-west-1:1' } }]) {
      await app.handleLambda(event, context);
    }
    expect(seen).toEqual([expect.stringMatching(/root$/), null, null]);
  });

  it('keeps a direct invocation from a guarded route', async () => {
    const app = new SecureApp({ principalResolver: jwtAuthorizerPrincipal, directInvocations: 'serve' });
    app.get('/op', () => json(200, 'secret'), Authenticated('admin'));
    expect(await app.handleLambda(v2?.({ authorizer: admin }), DIRECT)).toMatchObject({ statusCode: 401 });
    expect(await app.handleLambda(v2?.({ authorizer: admin }))).toMatchObject({ statusCode: 200 });
  });
});

describe('surfaces of SecureApp', () => {
  function attached(options: SecureOptions = {}) {
    const hosts: SurfaceHost[] = [];
    const surface: Surface = {
      serves: ['tools'],
      accepts: ['agent'],
      attach: (host) => void hosts.push(host),
      triggers: () => [{ kind: 'tools', name: 'add' }],
      serve: async () => null,
    };
    const app = new SecureApp({ ...options, surfaces: [surface] });
    return { app, surface, host: hosts[0] as SurfaceHost };
  }

  it('are listed with the triggers', () => {
    expect(
      attached()
        .app.queue('orders', () => {})
        .triggers(),
    ).toEqual([
      { kind: 'queue', name: 'orders' },
      { kind: 'tools', name: 'add' },
    ]);
  });

  it('are of one container', () => {
    const { surface } = attached();
    expect(() => new SecureApp({ surfaces: [surface] })).toThrow(
      expect.failure('dispatch.invalid_surface', 'the surface of tools', 'container'),
    );
  });

  it('get masking as the container has it, and its gate', () => {
    const { host } = attached();
    expect(host).toMatchObject({ maskErrors: true, failureText: 'framework: event workload failed' });
    expect(() => host.gate?.assertPosture({ kind: 'public' }, 'PUBLISH /news')).toThrow(
      expect.failure('app.bad_request', 'invalid auth posture: PUBLISH /news'),
    );
    expect(() => host.gate?.assertPosture(Public(), 'PUBLISH /news')).not.toThrow();
  });

  it('pass the gate by the container’s resolver', async () => {
    const seen: unknown[] = [];
    const { app, host } = attached({
      principalResolver: (ctx) =>
        ctx.header('authorization') === 'good' ? { identity: 'ada', scopes: ['read'] } : null,
    });
    app.get(
      '/op',
      async (ctx) => {
        seen.push(ctx.securePrincipal());
        await host.gate?.authorize(Authenticated('read'), ctx);
        seen.push(ctx.securePrincipal()?.identity);
        return json(200, 1);
      },
      Public(),
    );
    const get = (authorization: string) => app.serve({ method: 'GET', path: '/op', headers: { authorization } });
    expect([(await get('good')).status, (await get('bad')).status]).toEqual([200, 401]);
    expect(seen).toEqual([null, 'ada', null]);
  });

  it('reach routes only through the gate', async () => {
    const { app, host } = attached();
    app.get('/op', () => json(200, 1), Authenticated());
    const door: SurfaceDoor = {
      kind: 'lattice',
      traits: { maxAnswerBytes: 1_000_000, streams: 'collect', measure: (_response, { body }) => body.length },
      read: () => ({
        method: 'GET',
        path: '/op',
        rawPath: '/op',
        source: {
          headers: () => ({}),
          header: () => [],
          query: () => ({}),
          cookieValues: () => [],
          rawBody: '',
          isBase64: false,
          provenance: unknownProvenance,
        },
      }),
      write: ({ status }) => ({ status }),
    };
    expect(await host.serveHttp(door, {}, { lambdaContext: undefined })).toEqual({ status: 401 });
  });

  it.each([
    ['surfaces', { surfaces: {} }],
    ['directInvocations', { directInvocations: 'maybe' }],
  ])('rejects another value of %s', (name, options) => {
    expect(() => new SecureApp(options as SecureOptions)).toThrow(
      expect.failure('app.invalid_configuration', `invalid secure configuration: option "${name}" must be `),
    );
  });
});
