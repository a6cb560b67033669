import type { Context, DoorsOptions, LambdaContext } from '@sallyport/core';
import { createLogger } from '@sallyport/core/observability';
import { createApp } from '@sallyport/dispatch/app';
import { createLambdaFunctionURLStreamingHandler, json, type StreamingApp } from '@sallyport/http';
import { Authenticated, type Public, SecureApp, type SecureOptions } from '@sallyport/secure';
import {
  appSyncIdentityPrincipal,
  cognitoAuthorizerPrincipal,
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
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  buildQueueEvent,
  buildWebSocketEvent,
} from '@sallyport/testkit/events';
import fc from 'fast-check';

const ARN = 'arn:aws:lambda:eu-west-1:123456789012:function:notes';
const FOREIGN = 'framework: the event did not come through a named front door';
const TARGET_GROUP = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/notes/1';

const field = () => ({
  ...(buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'op' }) as object),
  request: { headers: { host: 'abc.appsync-api.eu-west-1.amazonaws.com' }, domainName: null },
});

/** One event of every kind that doors send, with the option that names its door. */
const THROUGH_DOORS: readonly (readonly [string, unknown, DoorsOptions])[] = [
  ['gateway-v2', withApi(buildAPIGatewayV2Request('GET', '/op')), { httpApi: 'api1' }],
  ['function-url', withApi(buildLambdaFunctionURLRequest('GET', '/op')), { functionUrl: 'api1' }],
  ['gateway-v1', withApi(buildAPIGatewayProxyRequest('GET', '/op')), { restApi: 'api1' }],
  [
    'gateway-v1 of an HTTP API',
    { ...withApi(buildAPIGatewayProxyRequest('GET', '/op')), version: '1.0' },
    { httpApi: ['other', 'api1'] },
  ],
  [
    'load-balancer',
    {
      ...(buildLoadBalancerRequest('GET', '/op') as object),
      requestContext: { elb: { targetGroupArn: TARGET_GROUP } },
    },
    { loadBalancer: TARGET_GROUP },
  ],
  ['websocket', withApi(buildWebSocketEvent({ routeKey: 'op' })), { webSocketApi: 'api1' }],
  ['appsync', field(), { graphQLApi: 'abc.appsync-api.eu-west-1.amazonaws.com' }],
  [
    'appsync in a batch',
    buildAppSyncBatch([field() as never]),
    { graphQLApi: 'abc.appsync-api.eu-west-1.amazonaws.com' },
  ],
];

const FROM_SOURCES: readonly (readonly [string, unknown])[] = [
  ['queue', buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders', [{}])],
  ['event-bus', buildEventBusEvent({ source: 'billing', detailType: 'Paid' })],
];

const ENTRYPOINTS = [
  'serveGatewayV2',
  'serveLambdaFunctionURL',
  'serveGatewayProxy',
  'serveLoadBalancer',
  'serveWebSocket',
  'serveAppSync',
] as const;

function withApi(event: unknown): Record<string, unknown> & { requestContext: object } {
  const { requestContext, ...rest } = event as { requestContext: object };
  return { ...rest, requestContext: { ...requestContext, apiId: 'api1' } };
}

/** A service of every kind; handlers and the resolver write down that they ran. */
function service(open: boolean, options: SecureOptions = {}) {
  const ran: string[] = [];
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    environment: {},
    write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  const principalResolver = () => {
    ran.push('resolver');
    return { identity: 'user-1' };
  };
  const app = (open
    ? createApp({ log, ...options })
    : new SecureApp({ log, principalResolver, ...options })) as unknown as SecureApp;
  const rest = (open ? [] : [Authenticated()]) as unknown as [ReturnType<typeof Public>];
  const handler = (ctx: Context) => {
    ran.push(ctx.triggerKind);
    return json(200, 1);
  };
  app
    .get('/op', handler, ...rest)
    .webSocket('op', handler, ...rest)
    .appSyncField('Query', 'op', handler, ...rest)
    .queue('orders', () => void ran.push('queue'))
    .eventBus({ source: 'billing', detailType: 'Paid' }, () => void ran.push('event-bus'));
  return { app, ran, lines };
}

const at = (qualifier: string, arn = ARN): LambdaContext => ({ invokedFunctionArn: `${arn}:${qualifier}` });
const messageOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: Error) => error.message,
  );

describe.each([
  ['the open container', true],
  ['the closed container', false],
])('%s with doors named by their alias', (_name, open) => {
  it.each(THROUGH_DOORS)('serves %s that was invoked through the alias', async (_kind, event) => {
    const { app, ran, lines } = service(open, { doors: { qualifier: 'doors' } });
    expect(await messageOf(app.handleLambda(event, at('doors')))).toBe('answered');
    expect(ran.at(-1)).not.toBe('resolver');
    expect(ran).not.toEqual([]);
    expect(lines).toEqual([]);
  });

  it.each(THROUGH_DOORS)(
    'rejects %s of another alias before resolver and handler, with one line',
    async (_kind, event) => {
      const { app, ran, lines } = service(open, { doors: { qualifier: 'doors' } });
      await expect(app.handleLambda(event, at('events'))).rejects.toMatchObject({ code: 'dispatch.foreign_door' });
      expect(ran).toEqual([]);
      expect(lines).toMatchObject([
        {
          level: 'ERROR',
          message: FOREIGN,
          event: 'dispatch.foreign_door',
          expected: 'qualifier doors',
          got: 'qualifier events',
        },
      ]);
    },
  );

  it.each(FROM_SOURCES)('serves %s through any alias', async (kind, event) => {
    const { app, ran } = service(open, { doors: { qualifier: 'doors' } });
    await app.handleLambda(event, at('events'));
    await app.handleLambda(event, { invokedFunctionArn: ARN });
    expect(ran).toEqual([kind, kind]);
  });

  it.each([
    ['no ARN', {}],
    ['no context', undefined],
    ['an ARN without a qualifier', { invokedFunctionArn: ARN }],
    ['an empty qualifier', { invokedFunctionArn: `${ARN}:` }],
    ['$LATEST', at('$LATEST')],
    ['a version', at('7')],
    ['the alias in other letters', at('Doors')],
    ['an alias that begins like it', at('doors-2')],
    ['an alias that ends like it', at('my-doors')],
    ['a function that is called like it', { invokedFunctionArn: ARN.replace('notes', 'doors') }],
    ['a durable execution', at('doors/durable-execution/name/id')],
    ['a part behind the alias', at('doors:7')],
    ['another service', { invokedFunctionArn: 'arn:aws:states:eu-west-1:123456789012:function:notes:doors' }],
    ['blanks', { invokedFunctionArn: ` ${ARN}:doors` }],
    ['a line feed', { invokedFunctionArn: `${ARN}:doors\n` }],
    ['an object', { invokedFunctionArn: { toString: () => `${ARN}:doors` } as never }],
  ])('rejects %s', async (_name, context) => {
    const { app, ran, lines } = service(open, { doors: { qualifier: 'doors' } });
    expect(await messageOf(app.handleLambda(THROUGH_DOORS[0]?.[1], context))).toBe(FOREIGN);
    expect(ran).toEqual([]);
    expect(lines).toHaveLength(1);
  });

  it.each(['aws', 'aws-cn', 'aws-us-gov', 'aws-eusc', 'aws-iso-b'])('accepts the partition %s', async (partition) => {
    const { app } = service(open, { doors: { qualifier: 'doors' } });
    const arn = ARN.replace('aws', partition).replace('eu-west-1', 'us-gov-west-1');
    expect(await messageOf(app.handleLambda(THROUGH_DOORS[0]?.[1], at('doors', arn)))).toBe('answered');
  });

  it('checks every invocation again after a valid invocation', async () => {
    const { app, ran } = service(open, { doors: { qualifier: 'doors' } });
    const [, event] = THROUGH_DOORS[0] as (typeof THROUGH_DOORS)[number];
    await app.handleLambda(event, at('doors'));
    const before = ran.length;
    for (const context of [at('events'), {}, undefined, { invokedFunctionArn: ARN }]) {
      expect(await messageOf(app.handleLambda(event, context))).toBe(FOREIGN);
    }
    expect(ran).toHaveLength(before);
    expect(await messageOf(app.handleLambda(event, at('doors')))).toBe('answered');
  });

  it.each(ENTRYPOINTS)('rejects in the direct entrypoint %s for any event', async (entrypoint) => {
    const { app, ran } = service(open, { doors: { qualifier: 'doors' } });
    for (const event of [...THROUGH_DOORS.map(([, one]) => one), null, undefined, 1, {}]) {
      expect(await messageOf(app[entrypoint](event, at('events')))).toBe(FOREIGN);
    }
    expect(ran).toEqual([]);
  });

  it('rejects in the streaming handler', async () => {
    const { app, ran } = service(open, { doors: { qualifier: 'doors' } });
    const handler = createLambdaFunctionURLStreamingHandler(app as unknown as StreamingApp);
    const streams = (handler as unknown as Record<symbol, (...args: unknown[]) => Promise<unknown>>)[
      Symbol.for('sallyport.http.streaming-handler/1')
    ] as (...args: unknown[]) => Promise<unknown>;
    for (const [, event] of THROUGH_DOORS) {
      expect(await messageOf(streams(event, {}, at('events')))).toBe(FOREIGN);
    }
    expect(ran).toEqual([]);
  });

  it('is reported by explain, if the context is known', () => {
    const { app } = service(open, { doors: { qualifier: 'doors' } });
    const [kind, event] = THROUGH_DOORS[0] as (typeof THROUGH_DOORS)[number];
    expect(app.explain(event, at('events'))).toMatchObject({ kind, error: FOREIGN, target: null });
    expect(app.explain(event, at('doors'))).toMatchObject({ kind, error: null });
    expect(app.explain(event)).toMatchObject({ kind, error: null });
  });

  it('reads the doors from the variable, and prefers the option', async () => {
    const environment = { FRAMEWORK_DOORS: '{"qualifier":"doors"}' };
    const event = THROUGH_DOORS[0]?.[1];
    expect(await messageOf(service(open, { environment }).app.handleLambda(event, at('live')))).toBe(FOREIGN);
    expect(await messageOf(service(open, { environment }).app.handleLambda(event, at('doors')))).toBe('answered');
    const both = { environment, doors: { qualifier: 'live' } };
    expect(await messageOf(service(open, both).app.handleLambda(event, at('live')))).toBe('answered');
  });

  it('never runs a resolver or a handler for a foreign qualifier', async () => {
    const { app, ran } = service(open, { doors: { qualifier: 'doors' } });
    const arns = fc.oneof(
      fc.string(),
      fc.constant(undefined),
      fc.string({ unit: 'grapheme-ascii' }).map((text) => `${ARN}:${text}`),
      fc.constantFrom(ARN, `${ARN}:1`, `${ARN}:$LATEST`, `${ARN}:doors:doors`, `${ARN}:events`),
    );
    const events = fc.oneof(
      fc.constantFrom(...THROUGH_DOORS.map(([, event]) => event)),
      fc
        .tuple(fc.constantFrom(...THROUGH_DOORS.map(([, event]) => event)), fc.object())
        .map(([event, more]) => ({ ...more, ...(event as object) })),
    );
    await fc.assert(
      fc.asyncProperty(
        events,
        arns,
        fc.constantFrom('handleLambda' as const, ...ENTRYPOINTS),
        async (event, arn, name) => {
          fc.pre(arn !== `${ARN}:doors`);
          await messageOf(app[name](event, { invokedFunctionArn: arn }));
          expect(ran).toEqual([]);
        },
      ),
      { numRuns: 2000, seed: 28 },
    );
  });
});

describe('doors named by their ids', () => {
  it.each(THROUGH_DOORS)('serve %s with its id', async (_kind, event, doors) => {
    const { app } = service(false, { doors });
    expect(await messageOf(app.handleLambda(event, {}))).toBe('answered');
  });

  it.each(THROUGH_DOORS)('reject %s with another id', async (_kind, event, doors) => {
    const { app, ran, lines } = service(false, {
      doors: Object.fromEntries(Object.keys(doors).map((name) => [name, 'other'])),
    });
    expect(await messageOf(app.handleLambda(event, {}))).toBe(FOREIGN);
    expect(ran).toEqual([]);
    const [name, came] = Object.entries(doors)[0] as [string, string | readonly string[]];
    const id = Array.isArray(came) ? 'api1' : String(came);
    expect(lines).toMatchObject([{ expected: `${name} other`, got: `${name} ${id}` }]);
  });

  it('reject a door that is not named', async () => {
    const { app, lines } = service(false, { doors: { httpApi: 'api1' } });
    expect(await messageOf(app.handleLambda(THROUGH_DOORS[2]?.[1], {}))).toBe(FOREIGN);
    expect(lines).toMatchObject([{ expected: 'no restApi', got: 'restApi api1' }]);
  });

  it('reject an event without an id, and show no claims', async () => {
    const { app, lines } = service(false, { doors: { httpApi: 'api1' } });
    const { requestContext, ...rest } = withApi(
      buildAPIGatewayV2Request('GET', '/op', { authorizer: { jwt: { claims: { sub: 'root' }, scopes: [] } } }),
    );
    const event = { ...rest, requestContext: { ...requestContext, apiId: undefined } };
    expect(await messageOf(app.handleLambda(event, {}))).toBe(FOREIGN);
    expect(lines).toMatchObject([{ expected: 'httpApi api1', got: 'httpApi without an id' }]);
    expect(JSON.stringify(lines)).not.toContain('root');
  });

  it('show an invented id without control characters, and cut', async () => {
    const { app, lines } = service(false, { doors: { httpApi: 'api1' } });
    const event = withApi(buildAPIGatewayV2Request('GET', '/op'));
    const forged = { ...event, requestContext: { ...event.requestContext, apiId: `x\n\u202e${'y'.repeat(1000)}` } };
    expect(await messageOf(app.handleLambda(forged, {}))).toBe(FOREIGN);
    expect(lines[0]?.got).toBe(`httpApi x${'y'.repeat(127)}`);
  });

  it('reject a batch with one field of another API', async () => {
    const { app, ran } = service(false, { doors: { graphQLApi: 'abc.appsync-api.eu-west-1.amazonaws.com' } });
    const other = { ...field(), request: { headers: { host: 'other.example' } } };
    expect(await messageOf(app.handleLambda([field(), other], {}))).toBe(FOREIGN);
    expect(ran).toEqual([]);
  });

  it('accept a custom domain of AppSync', async () => {
    const { app } = service(false, { doors: { graphQLApi: 'graph.example' } });
    const event = { ...field(), request: { headers: { host: 'other.example' }, domainName: 'graph.example' } };
    expect(await messageOf(app.handleLambda(event, {}))).toBe('answered');
  });

  it('accept the right id in a forged payload, which only the alias rejects', async () => {
    const forged = withApi(buildAPIGatewayV2Request('GET', '/op'));
    const byId = service(false, { doors: { httpApi: 'api1' } });
    expect(await messageOf(byId.app.handleLambda(forged, at('events')))).toBe('answered');
    const byBoth = service(false, { doors: { httpApi: 'api1', qualifier: 'doors' } });
    expect(await messageOf(byBoth.app.handleLambda(forged, at('events')))).toBe(FOREIGN);
    expect(byBoth.ran).toEqual([]);
  });
});

describe('malformed doors', () => {
  const wanted = 'app.invalid_configuration';

  it.each([
    ['nothing named', {}],
    ['only undefined', { qualifier: undefined }],
    ['an unknown door', { gateway: 'api1' }],
    ['a blank qualifier', { qualifier: '' }],
    ['a whole ARN', { qualifier: `${ARN}:doors` }],
    ['a number', { qualifier: 7 }],
    ['an empty list', { httpApi: [] }],
    ['a blank id', { httpApi: ' ' }],
    ['a list with a number', { httpApi: ['a', 1] }],
    ['a text', 'doors'],
    ['null', null],
    ['a list', ['doors']],
  ])('are rejected at construction: %s', (_name, doors) => {
    expect(() => new SecureApp({ doors: doors as never })).toThrow(expect.objectContaining({ code: wanted }));
    expect(() => createApp({ doors: doors as never })).toThrow(expect.objectContaining({ code: wanted }));
    const environment = { FRAMEWORK_DOORS: JSON.stringify(doors) };
    expect(() => new SecureApp({ environment })).toThrow(expect.objectContaining({ code: wanted }));
  });

  it.each(['', ' ', 'doors', '{"qualifier":"doors"', '{"qualifier":"doors"}x'])(
    'are rejected in the variable, without its value: %j',
    (text) => {
      const build = () => createApp({ environment: { FRAMEWORK_DOORS: text } });
      expect(build).toThrow(expect.failure(wanted, 'FRAMEWORK_DOORS'));
    },
  );
});

describe('a resolver that reads claims of a door on Lambda', () => {
  const onLambda = { AWS_LAMBDA_FUNCTION_NAME: 'notes' };
  const WARNING = 'secure.unnamed_doors';
  const map = () => ({ identity: 'user-1' });
  const resolvers = [
    ['iamPrincipal', iamPrincipal(), 0],
    ['jwtAuthorizerPrincipal', jwtAuthorizerPrincipal, 0],
    ['lambdaAuthorizerV2Principal', lambdaAuthorizerV2Principal(map), 0],
    ['lambdaAuthorizerV1Principal', lambdaAuthorizerV1Principal(), 2],
    ['cognitoAuthorizerPrincipal', cognitoAuthorizerPrincipal, 2],
    ['appSyncIdentityPrincipal', appSyncIdentityPrincipal(), 6],
  ] as const;

  it.each(resolvers)('is warned of once without doors: %s', async (_name, principalResolver, index) => {
    const { app, lines } = service(false, { principalResolver, environment: onLambda });
    for (let times = 0; times < 3; times += 1) await messageOf(app.handleLambda(THROUGH_DOORS[index]?.[1], {}));
    expect(lines.filter(({ event }) => event === WARNING)).toHaveLength(1);
  });

  it.each(resolvers)('is not warned of with doors, nor elsewhere: %s', async (_name, principalResolver, index) => {
    const named = service(false, { principalResolver, environment: onLambda, doors: { qualifier: 'doors' } });
    await messageOf(named.app.handleLambda(THROUGH_DOORS[index]?.[1], at('doors')));
    const elsewhere = service(false, { principalResolver, environment: {} });
    await messageOf(elsewhere.app.handleLambda(THROUGH_DOORS[index]?.[1], {}));
    expect([...named.lines, ...elsewhere.lines].filter(({ event }) => event === WARNING)).toEqual([]);
  });
});
