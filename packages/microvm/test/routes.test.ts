import type { RequestInput, Response } from '@sallyport/core';
import { createMicrovmController, mountMicrovmController } from '@sallyport/microvm';
import { createFakeMicrovmProvider, createMemoryMicrovmRegistry } from '@sallyport/microvm/testing';
import { Authenticated, InternalOnly, Optional, Public, SecureApp } from '@sallyport/secure';
import { createTestEnv } from '@sallyport/testkit';
import { watchLeaks } from './support/leaks.js';
import { ADA, createService, type TestService } from './support/service.js';
import { IMAGE } from './support/wire.js';

const watch = watchLeaks();

interface Answer {
  readonly status: number;
  readonly headers: Response['headers'];
  readonly body: Readonly<Record<string, unknown>> & { readonly error?: { readonly code: string } };
}

async function call(
  service: TestService,
  method: string,
  path: string,
  request: Partial<RequestInput> = {},
): Promise<Answer> {
  const { status, headers, body, bodyStream } = await service.app.serve({ method, path, ...request });
  const chunks: Uint8Array[] = [body];
  if (bodyStream) for await (const chunk of bodyStream) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  watch.keep({ headers, text });
  return { status, headers, body: text.startsWith('{') ? JSON.parse(text) : {} };
}

const json = (value: unknown): Partial<RequestInput> => ({ body: JSON.stringify(value) });
const as = (principal: unknown): Partial<RequestInput> => ({
  headers: { 'x-test-principal': JSON.stringify(principal) },
});
const codeOf = ({ status, body }: Answer) => [status, body.error?.code];

describe('the routes', () => {
  it('are the routes of the vocabulary, each with its stated posture', () => {
    const { app } = createService(watch);
    expect(app.routes().map(({ method, path, scopes }) => `${method} ${path} ${scopes?.join()}`)).toEqual([
      'POST /microvms microvm:use',
      'GET /microvms microvm:use',
      'GET /microvms/{session_id} microvm:use',
      'POST /microvms/{session_id}/suspend microvm:use',
      'POST /microvms/{session_id}/resume microvm:use',
      'DELETE /microvms/{session_id} microvm:use',
      'POST /microvms/{session_id}/auth-token microvm:use',
      'POST /microvms/{session_id}/shell-auth-token microvm:shell',
      ...['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'].flatMap((method) => [
        `${method} /microvms/{session_id}/invoke microvm:use`,
        `${method} /microvms/{session_id}/invoke/{path+} microvm:use`,
      ]),
    ]);
  });

  it('carry a session through its life', async () => {
    const service = createService(watch);
    const run = await call(service, 'POST', '/microvms', json({ session_id: 's1', metadata: { a: 'b' } }));
    expect(run).toMatchObject({
      status: 200,
      headers: { 'cache-control': ['no-store'], 'content-type': ['application/json; charset=utf-8'] },
      body: {
        command: 'run',
        tenant_id: 't1',
        namespace: 'default',
        session_id: 's1',
        state: 'running',
        registry_version: 2,
      },
    });
    expect(run.body).not.toHaveProperty('endpoint_host');
    expect(await call(service, 'GET', '/microvms/s1')).toMatchObject({
      status: 200,
      body: { command: 'get', metadata: { a: 'b' } },
    });
    expect(await call(service, 'GET', '/microvms?max_results=1&refresh=true')).toMatchObject({
      body: { command: 'list', sessions: [{ session_id: 's1' }], next_cursor: null },
    });
    expect(await call(service, 'POST', '/microvms/s1/suspend')).toMatchObject({ body: { state: 'suspended' } });
    expect(await call(service, 'POST', '/microvms/s1/resume')).toMatchObject({ body: { state: 'running' } });
    const ports = json({ ports: [{ port: 8080 }], ttl_seconds: 60 });
    expect(await call(service, 'POST', '/microvms/s1/auth-token', ports)).toMatchObject({
      body: { command: 'auth-token', token_type: 'auth', scope: ['ports:8080'] },
    });
    expect(await call(service, 'GET', '/microvms/s1/invoke')).toMatchObject({ status: 200 });
    expect(await call(service, 'DELETE', '/microvms/s1')).toMatchObject({ body: { state: 'terminated' } });
  });

  it('repeat a run by its header', async () => {
    const service = createService(watch);
    const request = { ...json({}), headers: { 'idempotency-key': 'k1' } };
    const first = await call(service, 'POST', '/microvms', request);
    const second = await call(service, 'POST', '/microvms', request);
    expect(second.body).toEqual({ ...first.body, request_id: expect.any(String), replayed: true });
    expect(service.provider.machines).toHaveLength(1);
  });
});

describe('permissions of callers', () => {
  it.each([
    ['nobody', null, 401, 'app.unauthorized'],
    ['without the scope', { ...ADA, scopes: [] }, 403, 'app.forbidden'],
    ['without a tenant', { ...ADA, tenantId: '' }, 403, 'microvm.binding_missing'],
    ['without a namespace', { ...ADA, claims: {} }, 403, 'microvm.binding_missing'],
    ['with a blank namespace', { ...ADA, claims: { namespace: ' ' } }, 403, 'microvm.binding_missing'],
    [
      'with a namespace that is no text',
      { ...ADA, claims: { namespace: ['default'] } },
      403,
      'microvm.binding_missing',
    ],
    [
      'with a namespace that the table cannot hold as it is',
      { ...ADA, claims: { namespace: 'x\ud800' } },
      403,
      'microvm.binding_missing',
    ],
    [
      'with a namespace of 129 bytes',
      { ...ADA, claims: { namespace: 'x'.repeat(129) } },
      403,
      'microvm.binding_missing',
    ],
  ])('%s is rejected on every route', async (_, principal, status, code) => {
    const service = createService(watch);
    for (const { method, path } of service.app.routes()) {
      const place = path.replace('{session_id}', 's1').replace('{path+}', 'x');
      if (method !== 'HEAD') expect(codeOf(await call(service, method, place, as(principal)))).toEqual([status, code]);
    }
    expect(service.provider.calls).toEqual([]);
  });

  it('a token of the shell has a separate posture', async () => {
    const service = createService(watch);
    await call(service, 'POST', '/microvms', json({ session_id: 's1' }));
    const user = as({ ...ADA, scopes: ['microvm:use'] });
    expect(codeOf(await call(service, 'POST', '/microvms/s1/shell-auth-token', user))).toEqual([403, 'app.forbidden']);
  });

  it('forged tenant headers change nothing, trusted or not, and reach no program', async () => {
    const service = createService(watch, {
      secure: { trustTenantHeader: true },
      fake: {
        workload: async ({ headers }) => ({
          status: 200,
          headers: [['x-seen', JSON.stringify(headers)]],
          body: none(),
        }),
      },
    });
    await call(service, 'POST', '/microvms', json({ session_id: 's1' }));
    const forged = { 'x-tenant-id': 't2', 'x-namespace-id': 'other' };
    const nameless = { 'x-test-principal': JSON.stringify({ ...ADA, tenantId: '' }), ...forged };
    expect(codeOf(await call(service, 'GET', '/microvms/s1', { headers: nameless }))).toEqual([
      403,
      'microvm.binding_missing',
    ]);
    expect(await call(service, 'GET', '/microvms/s1', { headers: forged })).toMatchObject({
      body: { tenant_id: 't1' },
    });
    const stranger = { 'x-test-principal': JSON.stringify({ ...ADA, tenantId: 't2' }), 'x-tenant-id': 't1' };
    expect(codeOf(await call(service, 'GET', '/microvms/s1', { headers: stranger }))).toEqual([
      404,
      'microvm.session_not_found',
    ]);
    const { headers } = await call(service, 'GET', '/microvms/s1/invoke', { headers: forged });
    expect(headers['x-seen']?.[0]).not.toMatch(/x-tenant-id|x-namespace-id/);
  });

  it('the tenant of the invocation takes precedence over the tenant of the principal', async () => {
    const { lambdaContext } = createTestEnv();
    const service = createService(watch);
    const { body } = await service.app.serve({ method: 'POST', path: '/microvms' }, lambdaContext({ tenantId: 't1' }));
    expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({ tenant_id: 't1' });
    const other = await service.app.serve({ method: 'POST', path: '/microvms' }, lambdaContext({ tenantId: 't9' }));
    expect(other.status).toBe(403);
  });

  it('another binding reads other claims', async () => {
    const { controller } = createService(watch);
    const app = new SecureApp({
      principalResolver: () => ({ ...ADA, claims: { org: 'o1', project: 'p1' } }),
      log: false,
    });
    mountMicrovmController(app, controller, {
      posture: InternalOnly(),
      shellPosture: InternalOnly(),
      binding: (ctx) => ({ tenantId: 'o1', namespace: String(ctx.securePrincipal()?.claims?.project) }),
    });
    expect((await app.serve({ method: 'GET', path: '/microvms' })).status).toBe(403);
  });

  it.each([
    ['Public()', Public()],
    ['Optional()', Optional()],
    ['nothing', undefined],
    ['a look-alike', { kind: 'authenticated', scopes: [] }],
  ])('%s is not a posture for the routes', (_, posture) => {
    const { controller } = createService(watch);
    const stated = Authenticated();
    for (const options of [
      { posture, shellPosture: stated },
      { posture: stated, shellPosture: posture },
    ]) {
      expect(() => mountMicrovmController(new SecureApp(), controller, options as never)).toThrow(
        /posture|need a caller/,
      );
    }
  });

  it('routes are mounted on a closed container only', () => {
    const { controller } = createService(watch);
    const postures = { posture: Authenticated(), shellPosture: Authenticated() };
    for (const app of [{ handle: () => {} }, undefined, {}]) {
      expect(() => mountMicrovmController(app as never, controller, postures)).toThrow(
        expect.failure('microvm.controller_incomplete', 'SecureApp'),
      );
    }
  });
});

describe('bad input', () => {
  const cases: readonly (readonly [string, string, string, Partial<RequestInput>, number, string])[] = [
    ['no JSON', 'POST', '/microvms', { body: '{' }, 400, 'microvm.invalid_request'],
    ['a list', 'POST', '/microvms', { body: '[]' }, 400, 'microvm.invalid_request'],
    ['an unknown field', 'POST', '/microvms', json({ image: 1 }), 400, 'microvm.invalid_request'],
    ['__proto__', 'POST', '/microvms', { body: '{"__proto__":{"session_id":"x"}}' }, 400, 'microvm.invalid_request'],
    ['the name of a credential', 'POST', '/microvms', json({ Authorization: 'x' }), 400, 'microvm.forbidden_field'],
    ['a credential', 'POST', '/microvms', json({ metadata: { a: 'bearer x' } }), 400, 'microvm.forbidden_field'],
    [
      'a body over 64 KiB',
      'POST',
      '/microvms',
      { body: `{"a":"${'x'.repeat(65_536)}"}` },
      413,
      'microvm.body_too_large',
    ],
    ['another tenant', 'POST', '/microvms', json({ tenant_id: 't2' }), 403, 'microvm.tenant_binding_violation'],
    ['another namespace', 'GET', '/microvms?namespace=other', {}, 403, 'microvm.tenant_binding_violation'],
    ['another tenant in the query', 'GET', '/microvms?tenant_id=t2', {}, 403, 'microvm.tenant_binding_violation'],
    ['a blank tenant in the query', 'GET', '/microvms?tenant_id=', {}, 403, 'microvm.tenant_binding_violation'],
    ['another caller', 'POST', '/microvms', json({ auth_subject: 'bob' }), 403, 'microvm.tenant_binding_violation'],
    [
      'a tenant that is no text',
      'POST',
      '/microvms',
      json({ tenant_id: ['t1'] }),
      403,
      'microvm.tenant_binding_violation',
    ],
    ['another command', 'POST', '/microvms', json({ command: 'get' }), 400, 'microvm.invalid_request'],
    [
      'an id in body and path',
      'POST',
      '/microvms/s1/suspend',
      json({ session_id: 's1' }),
      400,
      'microvm.invalid_request',
    ],
    ['an id that is none', 'GET', '/microvms/a.b', {}, 400, 'microvm.invalid_request'],
    ['an escaped slash in the id', 'GET', '/microvms/a%2Fb', {}, 400, 'microvm.invalid_request'],
    ['a number that is none', 'GET', '/microvms?max_results=0x1f', {}, 400, 'microvm.invalid_request'],
    ['a page of 51', 'GET', '/microvms?max_results=51', {}, 400, 'microvm.invalid_request'],
    ['a parameter twice', 'GET', '/microvms?max_results=1&max_results=2', {}, 400, 'microvm.invalid_request'],
    ['an unknown parameter', 'GET', '/microvms?all=true', {}, 400, 'microvm.invalid_request'],
    ['a refresh that is none', 'GET', '/microvms?refresh=1', {}, 400, 'microvm.invalid_request'],
    ['a name of the typed methods', 'POST', '/microvms', json({ sessionId: 's2' }), 400, 'microvm.invalid_request'],
    ['a key in the body, as typed', 'POST', '/microvms', json({ idempotencyKey: 'k' }), 400, 'microvm.invalid_request'],
    [
      'an inner name of the typed methods',
      'POST',
      '/microvms',
      json({ idle_policy: { autoResumeEnabled: true, max_idle_duration_seconds: 60, suspended_duration_seconds: 0 } }),
      400,
      'microvm.invalid_request',
    ],
    [
      'a body nested too deeply',
      'POST',
      '/microvms',
      { body: `{"metadata":{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}}` },
      400,
      'microvm.invalid_request',
    ],
    ['a key in the body', 'POST', '/microvms', json({ idempotency_key: 'k' }), 400, 'microvm.invalid_request'],
    ['two keys', 'POST', '/microvms', { headers: { 'idempotency-key': ['a', 'b'] } }, 400, 'microvm.invalid_request'],
    [
      'a port out of range',
      'GET',
      '/microvms/s1/invoke',
      { headers: { 'x-framework-microvm-port': '9000' } },
      400,
      'microvm.invalid_request',
    ],
    [
      'a port that is none',
      'GET',
      '/microvms/s1/invoke',
      { headers: { 'x-framework-microvm-port': '0x50' } },
      400,
      'microvm.invalid_request',
    ],
    ['the hooks', 'POST', '/microvms/s1/invoke/aws/lambda-microvms/runtime/v1/run', {}, 400, 'microvm.invalid_request'],
    [
      'an upgrade',
      'GET',
      '/microvms/s1/invoke',
      { headers: { upgrade: 'websocket' } },
      501,
      'microvm.upgrade_unsupported',
    ],
    [
      'a body over 6 MiB',
      'POST',
      '/microvms/s1/invoke',
      { body: new Uint8Array(6_291_457) },
      413,
      'microvm.body_too_large',
    ],
  ];
  it.each(cases)('%s', async (_, method, path, request, status, code) => {
    const service = createService(watch);
    await call(service, 'POST', '/microvms', json({ session_id: 's1' }));
    const before = service.provider.calls.length;
    expect(codeOf(await call(service, method, path, request))).toEqual([status, code]);
    expect(service.provider.calls).toHaveLength(before);
  });

  it('a request id that is a credential is not passed on', async () => {
    // Logs are off, because the framework's log records contain the id that the client chose.
    const { app, provider } = createService(watch, { secure: { log: false, observability: {} } });
    const headers = { 'x-request-id': 'AKIAIOSFODNN7EXAMPLE' };
    const { status } = await app.serve({ method: 'POST', path: '/microvms', headers });
    expect(status).toBe(400);
    expect(provider.calls).toEqual([]);
  });

  it('optional fields of a request are accepted if they match', async () => {
    const service = createService(watch);
    const said = { tenant_id: 't1', namespace: 'default', auth_subject: 'ada', command: 'run', request_id: 'r-1' };
    const answer = await call(service, 'POST', '/microvms', { ...json(said), headers: { 'x-request-id': 'r-1' } });
    expect(answer.status).toBe(200);
    for (const query of ['tenant_id=t1', 'namespace=default', 'tenant_id=t1&namespace=default']) {
      for (const path of ['/microvms', `/microvms/${answer.body.session_id}`]) {
        expect((await call(service, 'GET', `${path}?${query}`)).status).toBe(200);
      }
    }
  });

  it.each([
    ['GET', '/microvms', 'max_results, cursor, refresh, tenant_id, namespace'],
    ['POST', '/microvms', 'tenant_id, namespace'],
    ['DELETE', '/microvms/s1', 'tenant_id, namespace'],
  ])('%s %s names its query parameters', async (method, path, known) => {
    const { body } = await call(createService(watch), method, `${path}?all=true`);
    expect(body.error).toMatchObject({ message: `unknown query parameter; known are ${known}` });
  });
});

describe('what is logged', () => {
  it('a failure of the service is one line, by name and without its text', async () => {
    const service = createService(watch);
    service.provider.fail({ operation: 'run', name: 'AccessDeniedException' });
    const lines = watch.lines.length;
    expect(codeOf(await call(service, 'POST', '/microvms', json({})))).toEqual([502, 'microvm.provider_denied']);
    const written = watch.lines.slice(lines) as readonly { readonly message?: string }[];
    const [line, ...others] = written.filter(({ message }) => message === 'framework: request failed');
    expect(others).toEqual([]);
    expect(JSON.stringify(line)).toContain('AccessDeniedException');
  });

  it('lifecycle events reach the hooks for logs and metrics', async () => {
    const service = createService(watch);
    const lines = watch.lines.length;
    await call(service, 'POST', '/microvms', json({ session_id: 's1' }));
    const told = watch.lines.slice(lines) as readonly Record<string, unknown>[];
    expect(told.find(({ event }) => event === 'microvm.lifecycle')).toMatchObject({
      level: 'info',
      operation: 'run',
      session_id: 's1',
    });
    expect(told.find(({ name }) => name === 'framework.microvm')).toMatchObject({
      tags: { operation: 'run', outcome: 'succeeded' },
    });
  });

  it('a hook that throws changes nothing', async () => {
    const service = createService(watch, {
      controller: {
        onLifecycleEvent: () => {
          throw new Error('hook');
        },
      },
    });
    expect((await call(service, 'POST', '/microvms', json({}))).status).toBe(200);
  });
});

it('a credential in an answer of the controller is withheld', async () => {
  const provider = createFakeMicrovmProvider();
  const registry = createMemoryMicrovmRegistry();
  const controller = createMicrovmController({ provider: { ...wrap(provider) }, registry, images: [{ ref: IMAGE }] });
  const app = new SecureApp({ principalResolver: () => ADA, log: watch.logger });
  mountMicrovmController(app, controller, { posture: Authenticated(), shellPosture: Authenticated() });
  const { status, body } = await app.serve({ method: 'POST', path: '/microvms' });
  expect([status, JSON.parse(Buffer.from(body).toString()).error.code]).toEqual([500, 'microvm.leak_blocked']);
  expect(registry.table.size).toBe(1);
});

/** A provider whose machine ids are credentials. */
function wrap(provider: ReturnType<typeof createFakeMicrovmProvider>) {
  const { transport } = provider;
  const methods = ['get', 'list', 'suspend', 'resume', 'terminate', 'authToken', 'shellAuthToken'] as const;
  const bound = Object.fromEntries(
    methods.map((name) => [name, provider[name].bind(provider)]),
  ) as never as typeof provider;
  const run: typeof provider.run = async (input, signal) => ({
    ...(await provider.run(input, signal)),
    microvmId: 'AKIAIOSFODNN7EXAMPLE',
  });
  return { ...bound, transport, run };
}

async function* none(): AsyncGenerator<Uint8Array> {}
