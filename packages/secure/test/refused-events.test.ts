import type { FrameworkError, Middleware } from '@sallyport/core';
import { createDispatcher } from '@sallyport/dispatch';
import { createApp } from '@sallyport/dispatch/app';
import { createHttpRouter, observe, text } from '@sallyport/http';
import { STREAM_ACCESS } from '@sallyport/http/internal';
import { Authenticated, SecureApp } from '@sallyport/secure';

const ARN = 'arn:aws:execute-api:eu-west-1:123456789012:api1/prod/GET/x';
const V1 = { httpMethod: 'GET', path: '/x', headers: {}, requestContext: { stage: 'prod' } };
const V2 = {
  version: '2.0',
  routeKey: '$default',
  rawPath: '/x',
  requestContext: { stage: '$default', http: { method: 'GET', path: '/x' } },
};
const SOCKET = { requestContext: { connectionId: 'c', routeKey: '$connect', eventType: 'CONNECT' } };

/** Events that only look like requests, with the entrypoint for their shape. */
const CASES = [
  ['http.authorizer_event', 'serveGatewayV2', { ...V2, type: 'REQUEST', routeArn: ARN }],
  ['http.authorizer_event', 'serveLambdaFunctionURL', { ...V2, type: 'REQUEST', routeArn: ARN }],
  ['http.authorizer_event', 'serveGatewayProxy', { ...V1, type: 'REQUEST', methodArn: ARN }],
  ['http.authorizer_event', 'serveLoadBalancer', { ...V1, type: 'TOKEN', methodArn: ARN }],
  ['http.authorizer_event', 'serveWebSocket', { ...SOCKET, type: 'REQUEST', methodArn: ARN }],
  ['http.action_group_event', 'serveGatewayProxy', { ...V1, actionGroup: 'orders', messageVersion: '1.0' }],
  ['http.event_without_path', 'serveGatewayProxy', { httpMethod: 'GET', apiPath: '/x', requestContext: {} }],
] as const;

/** Containers in which each function of the application records its name when it runs. */
function containers() {
  const ran: string[] = [];
  const note =
    <T>(name: string, value: T) =>
    () => {
      ran.push(name);
      return value;
    };
  const handler = note('handler', text(200, 'ran'));
  const middleware: Middleware = (ctx, next) => {
    ran.push('middleware');
    return next(ctx);
  };
  const observability = { log: note('log', undefined), metric: note('metric', undefined) };
  const policyHook = note('policy', null);
  const open = createApp({ authHook: note('auth', 'u'), policyHook, observability })
    .use(middleware)
    .handle('GET', '/{rest+}', handler, { authRequired: true })
    .webSocket('$connect', handler);
  const secure = new SecureApp({ principalResolver: note('resolver', { identity: 'u' }), policyHook, observability })
    .use(middleware)
    .handle('GET', '/{rest+}', handler, Authenticated())
    .webSocket('$connect', handler, Authenticated());
  const router = createHttpRouter({
    observability: observe(observability),
    policyHook,
    authHook: note('auth', 'u'),
  })
    .use(middleware)
    .handle('GET', '/{rest+}', handler, { authRequired: true });
  return { open, secure, router: createDispatcher(router), ran };
}

const failureOf = (answer: Promise<unknown>) =>
  answer.then(
    () => undefined,
    (error: FrameworkError) => error.code,
  );

describe.each(CASES)('%s at %s', (code, entrypoint, event) => {
  it.each(['open', 'secure'] as const)('rejects in the %s container and runs nothing', async (name) => {
    const { ran, [name]: app } = containers();
    expect(await failureOf(app.handleLambda(event))).toBe(code);
    expect(await failureOf(app[entrypoint](event))).toBe(code);
    expect(ran).toEqual([]);
  });

  it('throws before a streaming handler has written anything', () => {
    const { ran, open, secure } = containers();
    for (const app of [open, secure]) {
      const { http } = app[STREAM_ACCESS];
      const kind = entrypoint === 'serveGatewayProxy' ? 'gateway-v1' : 'function-url';
      expect(() => http.serveStream(kind, event, undefined)).toThrow(expect.objectContaining({ code }));
    }
    expect(ran).toEqual([]);
  });

  it('is reported by explain, which shows no target', () => {
    const { open } = containers();
    const { error, target } = open.explain(event);
    expect({ error, target }).toEqual({ error: expect.stringMatching(/^framework: .* is no request; /), target: null });
  });
});

it.each(CASES.filter(([, entrypoint]) => entrypoint !== 'serveWebSocket'))(
  '%s at %s is rejected by a router after a dispatcher and runs nothing',
  async (code, _entrypoint, event) => {
    const { router, ran } = containers();
    expect(await failureOf(router.handleLambda(event))).toBe(code);
    expect(ran).toEqual([]);
  },
);

it('runs all of it for a request', async () => {
  const { open, secure, router, ran } = containers();
  for (const app of [open, secure, router]) await app.handleLambda(V1);
  expect([...new Set(ran)].sort()).toEqual(['auth', 'handler', 'log', 'metric', 'middleware', 'policy', 'resolver']);
});
