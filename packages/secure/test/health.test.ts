import { FrameworkError } from '@sallyport/core';
import { createLogger } from '@sallyport/core/observability';
import { ManualClock } from '@sallyport/core/testing';
import { type HealthOptions, health } from '@sallyport/http';
import { buildAPIGatewayV2Request } from '@sallyport/testkit/events';
import { Authenticated, Public, SecureApp } from '../src/index.js';

/** A service with a public probe and one for operators, which share their checks. */
function start(options: HealthOptions) {
  const clock = new ManualClock();
  const app = new SecureApp({
    clock,
    log: false,
    principalResolver: async (ctx) => {
      const scopes = ctx.header('x-scopes');
      return scopes === undefined ? null : { identity: 'ada', scopes: scopes.split(' ') };
    },
  });
  const probe = health(options);
  app.get('/health', probe, Public());
  app.get('/health/details', probe, Authenticated('ops:read'));
  const get = async (path: string, scopes?: string) => {
    const headers = scopes === undefined ? {} : { headers: { 'x-scopes': scopes } };
    const {
      statusCode,
      body,
      headers: out,
    } = (await app.handleLambda(buildAPIGatewayV2Request('GET', path, headers))) as {
      readonly statusCode: number;
      readonly body: string;
      readonly headers: Readonly<Record<string, string>>;
    };
    return { status: statusCode, body: JSON.parse(body) as unknown, cache: out['cache-control'] };
  };
  return { clock, get };
}

test('a probe without checks shows that the function runs', async () => {
  const { get } = start({});
  expect(await get('/health')).toEqual({ status: 200, body: { status: 'ok' }, cache: 'no-store' });
});

test.each<readonly [what: string, check: () => unknown, code: string]>([
  [
    'throws',
    () => {
      throw new Error('password hunter2 at 10.0.0.7');
    },
    'app.internal',
  ],
  ['rejects with a code', () => Promise.reject(new FrameworkError('app.overloaded')), 'app.overloaded'],
  ['resolves to false', () => Promise.resolve(false), 'app.overloaded'],
])('a check that %s answers 503, and only an authorized caller receives its code', async (_what, check, code) => {
  const { get } = start({ checks: { notes: () => 'fine', mail: check } });
  expect(await get('/health')).toEqual({ status: 503, body: { status: 'failed' }, cache: 'no-store' });
  // A public route never identifies its caller.
  expect((await get('/health', 'ops:read')).body).toEqual({ status: 'failed' });
  expect(await get('/health/details', 'ops:read')).toEqual({
    status: 503,
    body: {
      status: 'failed',
      checks: { notes: { status: 'ok', durationMs: 0 }, mail: { status: 'failed', durationMs: 0, code } },
    },
    cache: 'no-store',
  });
  expect((await get('/health/details')).status).toBe(401);
});

test('a check that does not end fails at the deadline, and its signal aborts', async () => {
  const signals: AbortSignal[] = [];
  const check = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise(() => {});
  };
  const { clock, get } = start({ checks: { notes: check }, timeoutMs: 500 });
  const answer = get('/health/details', 'ops:read');
  while (signals.length === 0) await new Promise(setImmediate);
  await clock.advance(500);
  expect(await answer).toMatchObject({
    status: 503,
    body: { checks: { notes: { status: 'failed', durationMs: 500, code: 'app.timeout' } } },
  });
  expect(signals[0]?.aborted).toBe(true);
});

test('a result is answered again until its time has passed, even if it is a failure', async () => {
  let calls = 0;
  const check = () => {
    calls += 1;
    return calls !== 1;
  };
  const { clock, get } = start({ checks: { notes: check }, cacheMs: 1_000 });
  expect([(await get('/health')).status, (await get('/health')).status, calls]).toEqual([503, 503, 1]);
  await clock.advance(1_000);
  expect([(await get('/health')).status, calls]).toEqual([200, 2]);
});

test('probes at the same time share one run of the checks', async () => {
  let calls = 0;
  const check = async () => {
    calls += 1;
    await new Promise(setImmediate);
  };
  const { get } = start({ checks: { notes: check }, cacheMs: 0 });
  await Promise.all([get('/health'), get('/health'), get('/health')]);
  expect(calls).toBe(1);
});

test('the error of a check is logged, and its secret is not', async () => {
  const lines: string[] = [];
  const log = createLogger({ write: (line) => lines.push(line) });
  const app = new SecureApp({ log, principalResolver: async () => null });
  const check = () => Promise.reject(new Error('no route; password=hunter2'));
  app.get('/health', health({ checks: { notes: check } }), Public());
  await app.handleLambda(buildAPIGatewayV2Request('GET', '/health', {}));
  const text = lines.join('');
  expect(text).toContain('"check":"notes"');
  expect(text).toContain('no route');
  expect(text).not.toContain('hunter2');
});

test.each<readonly [options: object, problem: string]>([
  [{ check: {} }, 'unknown option "check"'],
  [{ checks: { notes: true } }, 'option "checks"'],
  [{ timeoutMs: 0 }, 'option "timeoutMs"'],
  [{ cacheMs: -1 }, 'option "cacheMs"'],
])('rejects %j', (options, problem) => {
  expect(() => health(options)).toThrow(expect.failure('app.invalid_configuration', problem));
});
