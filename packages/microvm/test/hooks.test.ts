import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMicrovmHooks, type MicrovmHookContext, type MicrovmHooksOptions } from '@sallyport/microvm/hooks';

const BASE = '/aws/lambda-microvms/runtime/v1';
const IDS = { request_id: 'r', tenant_id: 't', namespace: 'n', session_id: 's' };
const PAYLOAD = { microvmId: 'm1', runHookPayload: JSON.stringify(IDS) };
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function start(options: MicrovmHooksOptions = {}) {
  const server = await createMicrovmHooks(options).listen(0);
  servers.push(server);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async (path: string, body: unknown = {}, method = 'POST') => {
    const init =
      method === 'GET' ? { method } : { method, body: typeof body === 'string' ? body : JSON.stringify(body) };
    const response = await fetch(origin + path, init);
    return [response.status, await response.text()];
  };
}

it('hands each hook the machine and the session, frozen', async () => {
  const seen: MicrovmHookContext[] = [];
  const keep = (context: MicrovmHookContext) => seen.push(context);
  const call = await start({ onReady: keep, onRun: keep, onSuspend: keep, onResume: keep, onTerminate: keep });
  for (const hook of ['ready', 'validate']) expect(await call(`${BASE}/${hook}`)).toEqual([200, '{}']);
  expect(await call(`${BASE}/run`, PAYLOAD)).toEqual([200, '{}']);
  for (const hook of ['suspend', 'resume', 'terminate']) expect(await call(`${BASE}/${hook}`)).toEqual([200, '{}']);
  const none = { request_id: '', tenant_id: '', namespace: '', session_id: '' };
  expect(seen).toEqual([
    { hook: 'ready', microvm_id: '', ...none },
    { hook: 'run', microvm_id: 'm1', ...IDS },
    { hook: 'suspend', microvm_id: 'm1', ...IDS },
    { hook: 'resume', microvm_id: 'm1', ...IDS },
    { hook: 'terminate', microvm_id: 'm1', ...IDS },
  ]);
  expect(seen.every((context) => Object.isFrozen(context))).toBe(true);
});

it('runs once for one payload, and rejects another', async () => {
  let runs = 0;
  const onRun = () => {
    runs += 1;
  };
  const call = await start({ onRun });
  const answers = await Promise.all([call(`${BASE}/run`, PAYLOAD), call(`${BASE}/run`, PAYLOAD)]);
  expect(answers).toEqual([
    [200, '{}'],
    [200, '{}'],
  ]);
  expect(await call(`${BASE}/run`, { ...PAYLOAD, microvmId: 'm2' })).toEqual([409, '{}']);
  expect(runs).toBe(1);
});

it('answers a failure with a code and without its text, and lets the run be tried again', async () => {
  let fails = true;
  const call = await start({
    onRun: () => {
      if (fails) throw new Error('password of the database');
    },
  });
  expect(await call(`${BASE}/run`, PAYLOAD)).toEqual([500, '{"error":{"code":"microvm.lifecycle_hook_failed"}}']);
  fails = false;
  expect(await call(`${BASE}/run`, PAYLOAD)).toEqual([200, '{}']);
});

it.each([
  ['another path', '/run', 'POST', '{}', 404],
  ['an unknown hook', `${BASE}/start`, 'POST', '{}', 404],
  ['a path that goes on', `${BASE}/run/x`, 'POST', '{}', 404],
  ['a query', `${BASE}/run?x=1`, 'POST', '{}', 404],
  ['another method', `${BASE}/run`, 'GET', '', 405],
  ['a body over its limit', `${BASE}/run`, 'POST', 'x'.repeat(128 * 1024 + 1), 413],
])('answers %s with its status', async (_, path, method, body, status) => {
  const call = await start();
  expect((await call(path, body, method))[0]).toBe(status);
});

it('a payload that is not JSON has no ids', async () => {
  const seen: MicrovmHookContext[] = [];
  const call = await start({ onRun: (context) => seen.push(context) });
  await call(`${BASE}/run`, { microvmId: 'm1', runHookPayload: 'text' });
  expect(seen[0]).toMatchObject({ microvm_id: 'm1', session_id: '' });
});

it('listens on the address that the option names', async () => {
  const hooks = createMicrovmHooks();
  const own = await hooks.listen(0, { host: '127.0.0.1' });
  const all = await hooks.listen(0);
  servers.push(own, all);
  expect((own.address() as AddressInfo).address).toBe('127.0.0.1');
  expect(['::', '0.0.0.0']).toContain((all.address() as AddressInfo).address);
  await expect(hooks.listen(0, { address: '127.0.0.1' } as never)).rejects.toMatchObject({
    code: 'microvm.controller_incomplete',
  });
});

it('rejects when the port is taken', async () => {
  const first = await createMicrovmHooks().listen(0, { host: '127.0.0.1' });
  servers.push(first);
  const { port } = first.address() as AddressInfo;
  const second = createMicrovmHooks().listen(port, { host: '127.0.0.1' });
  await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
