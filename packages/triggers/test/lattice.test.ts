import type { Context } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { json, text } from '@sallyport/http';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { latticeIdentityPrincipal } from '@sallyport/secure/authorizers';
import { latticeDoor } from '@sallyport/triggers';
import { buildLatticeRequest } from '@sallyport/triggers/testing';
import { AGENT } from './support.js';

const CALLER = 'arn:aws:sts::123456789012:assumed-role/billing/session';
const IAM = { type: 'AWS_IAM', principal: CALLER, principalOrgID: 'o-1', sessionName: 'session' };

interface Answer {
  readonly statusCode: number;
  readonly isBase64Encoded: boolean;
  readonly headers: Record<string, string>;
  readonly body: string;
}

function open(handler: (ctx: Context) => unknown) {
  const app = createApp({ log: false, surfaces: [latticeDoor()] });
  app.handle('POST', '/orders/{id}', handler as never);
  return (event: unknown) => app.handleLambda(event) as Promise<Answer>;
}

const view = (ctx: Context) =>
  json(200, {
    id: ctx.param('id'),
    tags: ctx.queryAll('tag'),
    accept: ctx.headerAll('accept'),
    body: ctx.bodyText(),
    ip: ctx.sourceProvenance(),
    kind: ctx.triggerKind,
  });

it.each([
  [1, ['b'], ['a/b,c/d']],
  [2, ['a', 'b'], ['a/b', 'c/d']],
])('a request of version %i reaches its route', async (version, tags, accept) => {
  const event = buildLatticeRequest('POST', '/orders/7', {
    version,
    query: { tag: ['a', 'b'] },
    headers: { Accept: ['a/b', 'c/d'], 'x-forwarded-for': '203.0.113.9' },
    body: Uint8Array.from(Buffer.from('ä')),
  });
  const { statusCode, isBase64Encoded, body } = await open(view)(event);
  expect([statusCode, isBase64Encoded]).toEqual([200, false]);
  expect(JSON.parse(body)).toEqual({
    id: '7',
    tags,
    accept,
    body: 'ä',
    ip: { sourceIP: '', provider: 'unknown', source: 'unknown', valid: false },
    kind: 'lattice',
  });
});

it.each([1, 2])('version %i may come without headers, query and body', async (version) => {
  const {
    headers: _h,
    query_string_parameters: _q,
    body: _b,
    ...event
  } = buildLatticeRequest('POST', '/orders/7', { version });
  await expect(open(() => text(200, 'ok'))(event)).resolves.toMatchObject({ statusCode: 200, body: 'ok' });
});

it('the answer has one value a header, each cookie, and bytes as base64', async () => {
  const answer = await open(() => ({
    status: 200,
    headers: { 'content-type': 'application/octet-stream', vary: ['a', 'b'] },
    cookies: ['a=1', 'b=2', 'c=3'],
    body: Uint8Array.from([255]),
  }))(buildLatticeRequest('POST', '/orders/7'));
  expect(answer).toMatchObject({ statusCode: 200, isBase64Encoded: true, body: '/w==' });
  expect(answer.headers).toMatchObject({ vary: 'a,b', 'set-cookie': 'a=1', 'Set-cookie': 'b=2', 'sEt-cookie': 'c=3' });
});

it.each([
  ['GET', '/orders/7', 405],
  ['POST', '/nothing', 404],
])('%s %s is answered %i', async (method, path, statusCode) => {
  await expect(open(view)(buildLatticeRequest(method, path))).resolves.toMatchObject({ statusCode });
});

it('a body that is not a string is answered 400', async () => {
  const event = { ...buildLatticeRequest('POST', '/orders/7'), body: 5 };
  await expect(open(view)(event)).resolves.toMatchObject({ statusCode: 400 });
});

describe('in SecureApp', () => {
  const app = new SecureApp({
    log: false,
    principalResolver: latticeIdentityPrincipal({ internalRoles: ['arn:aws:iam::123456789012:role/billing'] }),
    surfaces: [latticeDoor()],
  });
  app.get('/open', () => text(200, 'open'), Public());
  app.get('/closed', (ctx) => json(200, ctx.securePrincipal()), Authenticated());
  const call = (path: string, options: object = {}, lambda?: object) =>
    app.handleLambda(buildLatticeRequest('GET', path, options), lambda) as Promise<Answer>;

  it('Public and Authenticated can be combined', async () => {
    await expect(call('/open')).resolves.toMatchObject({ statusCode: 200 });
    await expect(call('/closed')).resolves.toMatchObject({ statusCode: 401 });
    const { statusCode, body } = await call('/closed', { identity: IAM });
    expect([statusCode, JSON.parse(body)]).toMatchObject([200, { identity: CALLER, kind: 'internal' }]);
  });

  it.each<[string, object]>([
    ['no type', { identity: { principal: CALLER } }],
    ['another type', { identity: { ...IAM, type: 'NONE' } }],
    ['the type without a principal', { identity: { type: 'AWS_IAM' } }],
    [
      'version 1, whose headers say it',
      { version: 1, headers: { 'x-amzn-lattice-identity': `Principal=${CALLER}; Type=AWS_IAM` } },
    ],
  ])('the principal is anonymous with %s', async (_what, options) => {
    await expect(call('/closed', options)).resolves.toMatchObject({ statusCode: 401 });
  });

  it('claims of a direct invocation are not read, and an agent reaches no route', async () => {
    await expect(call('/open', {}, { clientContext: {} })).rejects.toMatchObject({ code: 'dispatch.direct_refused' });
    await expect(call('/open', {}, AGENT)).rejects.toMatchObject({ code: 'dispatch.no_adapter' });
  });

  it('the door adds nothing to the inventories', () => {
    expect(app.triggers()).toEqual([]);
    expect(app.routes()).toHaveLength(2);
  });
});

it('without a container the door reports this', async () => {
  await expect(latticeDoor().serve('lattice', {}, { lambdaContext: undefined })).rejects.toThrow(
    expect.failure('app.invalid_configuration', 'latticeDoor', 'surfaces'),
  );
});

it.each([
  ['GET', '/orders/7?full=yes', 'GET /orders/{id}', 'getOrder', 'Authenticated(orders:read)', 'handled'],
  ['POST', '/orders/7', undefined, null, null, 'method_not_allowed'],
  ['GET', '/bills', undefined, null, null, 'not_found'],
])('explain shows the route for %s %s', (method, path, route, handler, posture, outcome) => {
  const app = new SecureApp({ surfaces: [latticeDoor()] });
  app.get(
    '/orders/{id}',
    function getOrder() {
      return text(200, '');
    },
    Authenticated('orders:read'),
  );
  for (const version of [1, 2] as const) {
    const { kind, target } = app.explain(buildLatticeRequest(method, path, { version }));
    expect(kind).toBe('lattice');
    expect(target).toEqual({ ...(route && { route }), handler, posture, outcome, projection: 'lattice response' });
  }
});
