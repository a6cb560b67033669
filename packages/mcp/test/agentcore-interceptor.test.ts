import { FrameworkError, type Surface } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { SecureApp } from '@sallyport/secure';
import { createTestEnv } from '@sallyport/testkit';
import {
  type AgentCoreInterceptorOptions,
  agentCoreInterceptor,
  pass,
  type RequestInterceptor,
  reject,
  rewrite,
} from '../src/agentcore.js';
import { buildAgentCoreCall, buildInterceptorEvent } from '../src/testing.js';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const RESULT = { jsonrpc: '2.0', id: 1, result: {} };
const base64 = (text: string) => Buffer.from(text).toString('base64');

const CONTAINERS: readonly (readonly [
  string,
  (surface: Surface, env: ReturnType<typeof createTestEnv>) => SecureApp | ReturnType<typeof createApp>,
])[] = [
  ['open', (surface, env) => createApp({ ...env.options(), surfaces: [surface] })],
  ['closed', (surface, env) => new SecureApp({ ...env.options(), surfaces: [surface] })],
];

function serve(options: AgentCoreInterceptorOptions, event: unknown, env = createTestEnv()) {
  return createApp({ ...env.options(), surfaces: [agentCoreInterceptor(options)] }).handleLambda(event);
}

describe.each(CONTAINERS)('in the %s container', (_name, contain) => {
  it.each([
    ['without a client context', undefined, false],
    ['with one of the gateway, without its keys', { custom: { other: 1 } }, true],
  ])('%s', async (_what, clientContext, direct) => {
    const env = createTestEnv();
    const app = contain(agentCoreInterceptor({ request: () => pass() }), env);
    await expect(
      app.handleLambda(buildInterceptorEvent(), direct ? env.lambdaContext({ clientContext }) : undefined),
    ).resolves.toEqual({ interceptorOutputVersion: '1.0', mcp: { transformedGatewayRequest: { body: LIST } } });
  });

  it('is not reached by the arguments of a tool', async () => {
    const env = createTestEnv();
    let ran = 0;
    const app = contain(
      agentCoreInterceptor({
        request: () => {
          ran += 1;
          return pass();
        },
      }),
      env,
    );
    const { event, clientContext } = buildAgentCoreCall('add', buildInterceptorEvent());
    await expect(app.handleLambda(event, env.lambdaContext({ clientContext }))).rejects.toMatchObject({
      code: 'dispatch.no_adapter',
    });
    expect(ran).toBe(0);
  });
});

const HEADERS = { 'X-Team': 'blue' };

describe('a request', () => {
  it.each<[string, RequestInterceptor, object]>([
    ['passes with its headers', () => pass(), { transformedGatewayRequest: { headers: HEADERS, body: LIST } }],
    [
      'gets other headers',
      (_ctx, { headers }) => rewrite({ headers: { ...headers, 'x-more': '1' } }),
      { transformedGatewayRequest: { headers: { 'x-team': 'blue', 'x-more': '1' }, body: LIST } },
    ],
    [
      'gets another body',
      () => rewrite({ body: { a: 1 } }),
      { transformedGatewayRequest: { headers: HEADERS, body: { a: 1 } } },
    ],
    [
      'is rejected',
      () => reject(403, 'no team'),
      {
        transformedGatewayResponse: {
          statusCode: 403,
          body: { jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'no team' } },
        },
      },
    ],
  ])('%s', async (_what, request, mcp) => {
    const event = buildInterceptorEvent({ headers: HEADERS });
    await expect(serve({ request }, event)).resolves.toEqual({ interceptorOutputVersion: '1.0', mcp });
  });

  it.each<[string, RequestInterceptor, object]>([
    ['passes', () => pass(), { transformedGatewayRequest: { body: base64('hello') } }],
    [
      'gets another body',
      (_ctx, { body }) => rewrite({ body: `${Buffer.from(body as Uint8Array)} world` }),
      { transformedGatewayRequest: { body: base64('hello world') } },
    ],
    ['gets bytes', () => rewrite({ body: new Uint8Array([0, 255]) }), { transformedGatewayRequest: { body: 'AP8=' } }],
    [
      'is rejected',
      () => reject(401, 'who?'),
      {
        transformedGatewayResponse: {
          statusCode: 401,
          headers: { 'content-type': 'text/plain; charset=utf-8' },
          body: base64('who?'),
        },
      },
    ],
  ])('for another target %s', async (_what, request, http) => {
    const event = buildInterceptorEvent({ form: 'http', body: 'hello' });
    await expect(serve({ request }, event)).resolves.toEqual({ interceptorOutputVersion: '1.0', http });
  });

  it('is shown with its parts', async () => {
    const seen: unknown[] = [];
    const request: RequestInterceptor = (ctx, { form, method, path, headers, body }) => {
      seen.push([form, method, path, headers, body, ctx.header('x-team'), ctx.request.path, ctx.triggerKind]);
      return pass();
    };
    await serve({ request }, buildInterceptorEvent({ headers: HEADERS }));
    expect(seen).toEqual([
      ['mcp', 'POST', '/mcp', { 'x-team': 'blue' }, LIST, 'blue', '/mcp', 'agentcore-interceptor'],
    ]);
  });
});

describe('an answer', () => {
  const event = buildInterceptorEvent({ responseStatus: 200 });
  it.each<[string, NonNullable<AgentCoreInterceptorOptions['response']>, object]>([
    ['passes', () => pass(), { statusCode: 200, body: RESULT }],
    ['gets another body', () => rewrite({ body: { a: 1 } }), { statusCode: 200, body: { a: 1 } }],
    [
      'gets headers and a status',
      () => rewrite({ status: 202, headers: HEADERS }),
      { statusCode: 202, headers: HEADERS, body: RESULT },
    ],
    [
      'is rejected',
      (_ctx, { status }, { body }) => reject(502, `${status} ${(body as typeof LIST).method}`),
      { statusCode: 502, body: { jsonrpc: '2.0', id: 1, error: { code: -32603, message: '200 tools/list' } } },
    ],
  ])('%s', async (_what, response, transformedGatewayResponse) => {
    await expect(serve({ response }, event)).resolves.toEqual({
      interceptorOutputVersion: '1.0',
      mcp: { transformedGatewayResponse },
    });
  });

  it('whose body the gateway left out keeps its body', async () => {
    const filtered = buildInterceptorEvent({ form: 'http', responseStatus: 200 });
    (filtered.http as { gatewayResponse: { body: unknown } }).gatewayResponse.body = null;
    const bodies: unknown[] = [];
    const response: AgentCoreInterceptorOptions['response'] = (_ctx, { body }) => {
      bodies.push(body);
      return pass();
    };
    await expect(serve({ response }, filtered)).resolves.toMatchObject({
      http: { transformedGatewayResponse: { statusCode: 200, body: null } },
    });
    expect(bodies).toEqual([null]);
  });
});

const internal = (status: number, message = 'Internal error') => ({
  mcp: { transformedGatewayResponse: { statusCode: status, body: { error: { message } } } },
});

it.each<[string, AgentCoreInterceptorOptions, object, object]>([
  [
    'throws',
    {
      request: () => {
        throw new Error('secret');
      },
    },
    {},
    internal(500),
  ],
  [
    'rejects',
    {
      request: async () => {
        throw new Error('secret');
      },
    },
    {},
    internal(500),
  ],
  [
    'throws undefined',
    {
      request: () => {
        throw undefined;
      },
    },
    {},
    internal(500),
  ],
  [
    'throws an error for the client',
    {
      request: () => {
        throw new FrameworkError('app.forbidden', 'not you');
      },
    },
    {},
    internal(403, 'not you'),
  ],
  [
    'throws an error of its own',
    {
      request: () => {
        throw new FrameworkError('app.broken', 'secret', { statusCode: 503 });
      },
    },
    {},
    internal(503),
  ],
  ['returns nothing', { request: (() => undefined) as never }, {}, internal(500)],
  [
    'returns what a client may send',
    { request: (() => ({ pass: true, transformedGatewayRequest: {} })) as never },
    {},
    internal(500),
  ],
  ['has no handler for requests', { response: () => pass() }, {}, internal(500)],
  ['has no handler for answers', { request: () => pass() }, { responseStatus: 200 }, internal(500)],
])('an interceptor that %s rejects, and leaves no text', async (_what, options, event, answer) => {
  const env = createTestEnv();
  const result = await serve(options, buildInterceptorEvent(event), env);
  expect(result).toMatchObject(answer);
  expect(JSON.stringify(result)).not.toContain('secret');
  expect(env.records.logs.map(({ message }) => message)).toEqual(['mcp.interceptor_failed']);
});

it('an event of another version is rejected before any handler', async () => {
  let ran = 0;
  const request = () => {
    ran += 1;
    return pass();
  };
  const event = { ...buildInterceptorEvent(), interceptorInputVersion: '2.0' };
  await expect(serve({ request }, event)).resolves.toMatchObject(internal(500));
  expect(ran).toBe(0);
});

it('rejects half a second before the end of the invocation, and aborts the signal', async () => {
  const env = createTestEnv();
  let signal: AbortSignal | undefined;
  const request: RequestInterceptor = (ctx) => {
    signal = ctx.signal;
    return new Promise(() => {});
  };
  const app = createApp({ ...env.options(), surfaces: [agentCoreInterceptor({ request })] });
  const running = app.handleLambda(buildInterceptorEvent(), env.lambdaContext({ remainingMs: 3000 }));
  await env.clock.advance(2500);
  await expect(running).resolves.toMatchObject(internal(408, 'request timeout'));
  expect(signal?.aborted).toBe(true);
});

it.each<[string, () => unknown, string]>([
  ['no interceptor', () => agentCoreInterceptor({}), 'option "request"'],
  ['an unknown option', () => agentCoreInterceptor({ request: () => pass(), other: 1 } as never), 'other'],
  ['a status that is none', () => reject(200, 'x'), 'option "status"'],
  ['a text that is none', () => reject(400, 5 as never), 'option "text"'],
  ['headers that are none', () => rewrite({ headers: { a: 1 } as never }), 'option "headers"'],
  ...[null, 'x-team', { 'x-team': 1 }].flatMap((headers): [string, () => unknown, string][] => [
    [
      `a built call with the headers ${JSON.stringify(headers)}`,
      () => buildAgentCoreCall('add', {}, { headers: headers as never }),
      'option "headers"',
    ],
    [
      `a built event with the headers ${JSON.stringify(headers)}`,
      () => buildInterceptorEvent({ headers: headers as never }),
      'option "headers"',
    ],
  ]),
])('%s is rejected', (_what, make, text) => {
  expect(make).toThrow(expect.failure('app.invalid_configuration', text));
});

it('is in the inventory with its points', () => {
  const app = createApp({ log: false, surfaces: [agentCoreInterceptor({ request: () => pass() })] });
  expect(app.triggers()).toEqual([{ kind: 'agentcore-interceptor', options: { points: ['request'] } }]);
  expect(app.explain(buildInterceptorEvent())).toMatchObject({
    kind: 'agentcore-interceptor',
    target: { handler: 'request' },
  });
});
