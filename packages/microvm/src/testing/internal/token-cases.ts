import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { inspect } from 'node:util';
import type { Bench, Cases } from './bench.js';

const SESSION = { sessionId: 's1' };
const PORT = { ...SESSION, ports: [{ port: 8080 }] };

async function run(bench: Bench): Promise<void> {
  await bench.shown(bench.controller.run(bench.caller, SESSION));
}

/** Tokens and their cache. */
export const TOKEN_CASES: Cases = {
  async 'a token operation returns the scope of the token, never its value'(bench) {
    const { controller, caller } = bench;
    await run(bench);
    const { tokenId, ...token } = await bench.shown(controller.authToken(caller, PORT));
    match(tokenId, /^auth-[0-9a-f]{16}$/);
    deepEqual(token, {
      command: 'auth-token',
      requestId: 'request-1',
      tenantId: caller.tenantId,
      namespace: 'default',
      sessionId: 's1',
      tokenType: 'auth',
      scope: ['ports:8080'],
      expiresAt: '2026-11-22T00:05:00.000Z',
    });
    const shell = await bench.shown(controller.shellAuthToken(caller, { ...SESSION, ttlSeconds: 61 }));
    deepEqual([shell.tokenType, shell.scope, shell.expiresAt], ['shell', ['shell'], '2026-11-22T00:02:00.000Z']);
    equal(bench.events.at(-1)?.token_id, shell.tokenId);
    await bench.shown(
      Promise.resolve([inspect(controller, { depth: 9, showHidden: true }), JSON.stringify(controller)]),
    );
  },
  async 'a shell token requires the shell connector'(bench) {
    const controller = bench.create({ ingressConnectors: [] });
    await bench.shown(controller.run(bench.caller, SESSION));
    await bench.refuses(controller.shellAuthToken(bench.caller, SESSION), 'microvm.shell_not_enabled');
  },
  async 'a session keeps the connectors of its start after a deployment'(bench) {
    await run(bench);
    const later = bench.create({ ingressConnectors: [] });
    equal((await bench.shown(later.shellAuthToken(bench.caller, SESSION))).tokenType, 'shell');
    await later.suspend(bench.caller, SESSION);
    equal((await bench.row('s1')).ingressConnectors?.length, 1);
  },
  async 'invoke creates one token for many requests, even concurrent requests'(bench) {
    await run(bench);
    const count = () => bench.setup.callCount('authToken');
    await Promise.all(Array.from({ length: 10 }, () => bench.invoke('s1')));
    equal(count(), 1);
    bench.pass(270_000);
    await bench.invoke('s1');
    equal(count(), 1);
    bench.pass(1000);
    await bench.invoke('s1');
    equal(count(), 2);
  },
  async 'an existing token is used, and returned again while half of its lifetime remains'(bench) {
    const { controller, caller, setup } = bench;
    await run(bench);
    const first = await controller.authToken(caller, PORT);
    await bench.invoke('s1');
    bench.pass(150_000);
    equal((await controller.authToken(caller, PORT)).tokenId, first.tokenId);
    equal(setup.callCount('authToken'), 1);
    bench.pass(1000);
    notEqual((await controller.authToken(caller, PORT)).tokenId, first.tokenId);
    equal(setup.callCount('authToken'), 2);
  },
  async 'suspend and terminate discard the tokens of a session'(bench) {
    const { controller, caller, setup } = bench;
    await run(bench);
    await bench.invoke('s1');
    await controller.suspend(caller, SESSION);
    await controller.resume(caller, SESSION);
    await bench.invoke('s1');
    equal(setup.callCount('authToken'), 2);
  },
  async 'a failure to create a token is not cached'(bench) {
    await run(bench);
    bench.setup.fail({ operation: 'authToken', error: 'ThrottlingException', times: 1, retryAfterSeconds: 7 });
    deepEqual(await bench.refusal(bench.invoke('s1')), { code: 'microvm.rate_limited', status: 429, retryAfter: '7' });
    equal((await bench.invoke('s1')).status, 200);
  },
  async 'ports and lifetimes out of range are rejected'(bench) {
    const controller = bench.create({ invoke: { ports: [8080, { start: 3000, end: 3010 }] } });
    const { caller } = bench;
    await run(bench);
    const ports = [
      [],
      'all',
      [8080],
      [{}],
      [{ port: 0 }],
      [{ port: 65_536 }],
      [{ port: '8080' }],
      [{ port: 8081 }],
      [{ start: 3000, end: 3011 }],
      [{ start: 3005, end: 3000 }],
      [{ start: 1, end: 65_535 }],
      [{ start: 8999, end: 9001 }],
      [{ port: 9000 }],
      [{ allPorts: {} }],
      [{ port: 8080, start: 1, end: 2 }],
      Array.from({ length: 17 }, () => ({ port: 8080 })),
    ];
    for (const one of ports) {
      await bench.refuses(controller.authToken(caller, { ...SESSION, ports: one as never }), 'microvm.invalid_request');
    }
    for (const ttlSeconds of [59, 901, 60.5, '300', null]) {
      const input = { ...PORT, ttlSeconds: ttlSeconds as never };
      await bench.refuses(controller.authToken(caller, input), 'microvm.invalid_request');
    }
    const scopes = [{ start: 3000, end: 3010 }, { port: 8080 }, { port: 8080 }];
    const { scope } = await bench.shown(controller.authToken(caller, { ...SESSION, ports: scopes }));
    deepEqual(scope, ['ports:3000-3010', 'ports:8080']);
  },
};
