import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { HeaderEntry } from '../../provider/transport.js';
import type { Bench, Cases } from './bench.js';

const ROUTE = '/prod/microvms/s1/invoke';

async function run(bench: Bench): Promise<void> {
  await bench.shown(bench.controller.run(bench.caller, { sessionId: 's1' }));
}

const named = (headers: readonly HeaderEntry[], name: string) =>
  headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);

/** Forwarded and removed parts of requests and responses. */
export const PROXY_CASES: Cases = {
  async 'a request arrives unchanged'(bench) {
    await run(bench);
    const body = Buffer.from([0, 255, 10, 13]);
    const seen = await bench.seen('s1', {
      method: 'POST',
      path: '/a%2Fb//c/../d;x=1?q=%20&q=+&=&x',
      headers: [
        ['content-type', 'application/octet-stream'],
        ['X-Own', 'a'],
        ['X-Own', 'b'],
      ],
      body,
    });
    deepEqual([seen.method, seen.path], ['POST', '/a%2Fb//c/../d;x=1?q=%20&q=+&=&x']);
    equal(seen.body, body.toString('base64'));
    equal(seen.port, 8080);
    deepEqual(named(seen.headers, 'x-own').join(', '), 'a, b');
    deepEqual(named(seen.headers, 'x-request-id'), ['request-1']);
  },
  async 'connection headers, credentials and forged names do not reach the program'(bench) {
    await run(bench);
    const forbidden = [
      'authorization',
      'cookie',
      'x-api-key',
      'expect',
      'forwarded',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-amz-security-token',
      'x-amzn-trace-id',
      'x-aws-proxy-auth',
      'x-aws-proxy-port',
      'x-framework-tenant-id',
      'x-framework-microvm-port',
      'x-tenant-id',
      'x-namespace-id',
      'proxy-authorization',
      'keep-alive',
      'te',
      'trailer',
      'x-listed',
    ];
    const headers = forbidden.map((name): HeaderEntry => [name, 'forged-1']);
    const seen = await bench.seen('s1', {
      headers: [...headers, ['Connection', 'close, X-Listed'], ['x-passes', 'yes']],
    });
    ok(!JSON.stringify(seen.headers).includes('forged-1'));
    deepEqual(named(seen.headers, 'x-passes'), ['yes']);
    for (const name of forbidden.filter((header) => !['keep-alive'].includes(header)))
      deepEqual(named(seen.headers, name), []);
  },
  async 'the program receives the caller only with the option identityHeaders'(bench) {
    await run(bench);
    const seen = await bench.seen('s1', {}, bench.create({ invoke: { identityHeaders: true } }));
    deepEqual(named(seen.headers, 'x-framework-tenant-id'), [bench.caller.tenantId]);
    deepEqual(named(seen.headers, 'x-framework-namespace'), ['default']);
    deepEqual(named(seen.headers, 'x-framework-subject'), ['ada']);
  },
  async 'a redirect leads only to the route or to an absolute web address'(bench) {
    await bench.controller.run(bench.caller, { sessionId: 's1' });
    const expected: readonly (readonly [location: string, shown: string | undefined])[] = [
      ['//evil.example/x', 'https://evil.example/x'],
      ['/\\evil.example', 'https://evil.example/'],
      ['https://evil.example', 'https://evil.example/'],
      ['javascript:alert(1)', undefined],
      ['java\tscript:alert(1)', undefined],
      ['data:text/html,x', undefined],
      ['https://', undefined],
      ['next', `${ROUTE}/next`],
      ['/a//evil.example', `${ROUTE}/a//evil.example`],
    ];
    for (const [location, shown] of expected) {
      const path = `/redirect?${encodeURIComponent(location)}`;
      const { status, headers } = await bench.invoke('s1', { path, publicPath: ROUTE });
      deepEqual([location, status, headers.location?.[0]], [location, 302, shown]);
      const direct = await bench.invoke('s1', { path });
      deepEqual(direct.headers.location === undefined, shown === undefined);
    }
  },
  async 'a redirect is forwarded and not followed; a redirect to the program leads to the route'(bench) {
    await run(bench);
    const away = await bench.invoke('s1', { path: '/redirect-away', publicPath: ROUTE });
    deepEqual([away.status, away.headers.location], [302, ['https://evil.example/?x=1']]);
    const home = await bench.invoke('s1', { path: '/redirect-home', publicPath: ROUTE });
    deepEqual([home.status, home.headers.location], [307, [`${ROUTE}/login?next=%2F`]]);
  },
  async 'compressed bytes pass unchanged in both directions'(bench) {
    await run(bench);
    const { headers, body } = await bench.invoke('s1', { path: '/gzip' });
    deepEqual(headers['content-encoding'], ['gzip']);
    equal(gunzipSync(body).toString(), 'x'.repeat(10_000));
    const sent = gzipSync('hello');
    const encoding: HeaderEntry = ['content-encoding', 'gzip'];
    const echoed = await bench.invoke('s1', { path: '/gunzip', method: 'PUT', headers: [encoding], body: sent });
    equal(echoed.body.toString(), 'hello');
  },
  async 'response headers are filtered by name, regardless of their value'(bench) {
    await run(bench);
    const { headers } = await bench.invoke('s1', { path: '/headers' });
    deepEqual(headers.vary, ['Authorization']);
    deepEqual(headers['access-control-allow-headers'], ['authorization']);
    deepEqual(headers['x-own'], ['a', 'b']);
    for (const name of [
      'connection',
      'x-hop',
      'x-aws-proxy-request',
      'x-amzn-trace',
      'content-length',
      'transfer-encoding',
    ]) {
      deepEqual(headers[name], undefined);
    }
    const dropped = await bench.invoke('s1', { path: '/headers', dropCors: true });
    deepEqual(dropped.headers['access-control-allow-headers'], undefined);
  },
  async 'cookies are dropped, or belong to one session'(bench) {
    await run(bench);
    const route = { path: '/cookies', publicPath: '/microvms/s1/invoke' };
    deepEqual((await bench.invoke('s1', route)).cookies, []);
    const scoped = bench.create({ invoke: { cookies: 'scoped' } });
    const { cookies, headers } = await bench.invoke('s1', route, scoped);
    deepEqual(headers['set-cookie'], undefined);
    equal(cookies.length, 2);
    match(cookies[0] ?? '', /^mvm-[0-9a-f]{16}-sid=1; HttpOnly; Path=\/microvms\/s1\/invoke$/);
    match(cookies[1] ?? '', /^mvm-[0-9a-f]{16}-theme=dark; Max-Age=60; Path=\/microvms\/s1\/invoke$/);
    const pair = cookies[0]?.split(';')[0] ?? '';
    const cookie: HeaderEntry = ['cookie', `own=2; ${pair}; mvm-0000000000000000-sid=9`];
    const seen = await bench.seen('s1', { headers: [cookie] }, scoped);
    deepEqual(named(seen.headers, 'cookie'), ['sid=1']);
  },
  async 'no path redirects the request to another host or reaches the hooks'(bench) {
    await run(bench);
    for (const path of ['//evil.example/x', '/@evil.example/', '/\\evil.example']) {
      equal((await bench.seen('s1', { path })).path, path);
    }
    for (const path of [
      'http://evil.example/',
      '@evil.example',
      '',
      '/a b',
      '/a\r\nx: y',
      '/a\u0000',
      '/a#b',
      '/%00',
      '/x%0d%0ay',
      '/aws/lambda-microvms/runtime/v1/run',
      '/aws%2flambda-microvms/runtime/v1/run',
      '/x/..//AWS/./lambda-microvms/runtime/v1/run',
      '/%2561ws/lambda-microvms/runtime',
      '/aws;x/lambda-microvms/runtime',
    ]) {
      await bench.refuses(bench.invoke('s1', { path }), 'microvm.invalid_request');
    }
  },
  async 'other ports and methods, upgrades, and bodies over the limit are rejected'(bench) {
    await run(bench);
    for (const port of [0, 9000, 8081, 65_536, '8080' as never, Number.NaN]) {
      await bench.refuses(bench.invoke('s1', { port }), 'microvm.invalid_request');
    }
    for (const method of ['TRACE', 'CONNECT', 'get', '']) {
      await bench.refuses(bench.invoke('s1', { method }), 'microvm.invalid_request');
    }
    await bench.refuses(bench.invoke('s1', { headers: [['Upgrade', 'websocket']] }), 'microvm.upgrade_unsupported');
    const body = Buffer.alloc(6 * 1024 * 1024 + 1);
    await bench.refuses(bench.invoke('s1', { method: 'POST', body }), 'microvm.body_too_large');
    equal(bench.setup.callCount('authToken'), 0);
    await bench.refuses(bench.invoke('s1', { path: '/gzip', maxResponseBytes: 10 }), 'microvm.response_too_large');
  },
};
