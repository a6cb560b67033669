import { SFNClient } from '@aws-sdk/client-sfn';
import { FrameworkError } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { payload } from '@sallyport/streams';
import { createTestEnv } from '@sallyport/testkit';
import { apiIntegration, drop, iotRule, pipe, stateTask, type TriggerSurface } from '@sallyport/triggers';
import { CATALOGUE, type CatalogueEntry, type SampleHandler } from '@sallyport/triggers/catalogue';
import { buildPipeEvent, buildTaskEvent } from '@sallyport/triggers/testing';
import { z } from 'zod';
import { AwsServer } from './aws-server.js';
import { EVENTS, SURFACES } from './kinds.js';
import { viaAlias } from './support.js';

/** Triggers whose events a device, a client or a producer writes. */
const MAKERS: readonly [string, (handler: () => unknown) => TriggerSurface][] = [
  ['iot-rule', (handler) => iotRule({ key: 'id' }).rule('untrusted', handler as () => undefined)],
  ['pipe', (handler) => pipe().enrich('untrusted', handler)],
  ['task', (handler) => stateTask().task('untrusted', handler)],
  ['integration', (handler) => apiIntegration().operation('untrusted', handler)],
];

describe.each(MAKERS)('events of %s', (kind, make) => {
  it.each(EVENTS.map(([shape, event]) => [shape, event] as const))(
    'in the shape of %s run no other handler by their alias, and not their own without it',
    async (_shape, event) => {
      const ran: string[] = [];
      const own = make(() => ran.push('own'));
      const others = Object.entries(SURFACES)
        .filter(([other]) => !['integration', 'iot-rule', 'pipe', 'task'].includes(other))
        .map(([, surface]) => surface(() => void ran.push('other') as undefined));
      const app = createApp({ log: false, surfaces: [...others, own] });
      app.get('/{path+}', () => ({ status: 200, headers: {}, body: String(ran.push('route')) }));
      const received = kind === 'pipe' ? [event] : event;
      await app.handleLambda(structuredClone(received), viaAlias('untrusted'));
      expect(ran).toEqual(['own']);
      await app.handleLambda(structuredClone(received), viaAlias('live')).catch(() => undefined);
      await app.handleLambda(structuredClone(received)).catch(() => undefined);
      expect(ran.filter((one) => one === 'own')).toHaveLength(1);
    },
  );

  it('are recognized only by the alias: the kind has no row', () => {
    expect(make(() => undefined).rows).toEqual([]);
    const entry = (CATALOGUE as Readonly<Record<string, CatalogueEntry>>)[kind];
    expect(entry?.sample.alias).toEqual(expect.any(String));
  });
});

it('two triggers of a container cannot have the same alias', () => {
  const surfaces = () => [iotRule({ key: 'id' }).rule('a', () => undefined), pipe().enrich('a', () => 1)];
  expect(() => createApp({ log: false, surfaces: surfaces() })).toThrow(
    expect.failure('app.invalid_configuration', 'pipe', 'alias "a"'),
  );
  for (const surface of surfaces()) createApp({ log: false, surfaces: [surface] });
});

describe('a pipe', () => {
  const batch = buildPipeEvent(['{"n":1}', '{"n":2}', '{"n":3}']);
  const numberOf = (record: unknown) => (JSON.parse((record as { body: string }).body) as { n: number }).n;

  it('answers one result for each record that is kept, in order', async () => {
    const keys: unknown[] = [];
    const trigger = pipe().enrich('orders', (ctx, { payload: record, index }) => {
      keys.push(ctx.eventKey);
      return numberOf(record) === 2 ? drop() : { n: numberOf(record), index };
    });
    await expect(trigger.handleLambda(batch, viaAlias('orders'))).resolves.toEqual([
      { n: 1, index: 0 },
      { n: 3, index: 2 },
    ]);
    await expect(trigger.handleLambda([], viaAlias('orders'))).resolves.toEqual([]);
    expect(keys[0]).toBe('orders|arn:aws:sqs:us-east-1:123456789012:orders|message-1');
  });

  it.each<[string, unknown, string]>([
    ['a batch that is no list', { messageId: 'm' }, 'the batch must be a list'],
    ['more than 10,000 records', Array(10_001).fill({}), 'more than 10000 entries'],
  ])('rejects %s', async (_what, event, message) => {
    const trigger = pipe().enrich('orders', () => 1);
    await expect(trigger.handleLambda(event, viaAlias('orders'))).rejects.toThrow(
      expect.failure('triggers.invalid_event', message),
    );
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a BigInt', 5n],
    ['an error', new Error('secret')],
  ])('fails the batch for %s, and runs no later record', async (_what, result) => {
    let ran = 0;
    const trigger = pipe().enrich('orders', () => {
      ran += 1;
      if (result instanceof Error) throw result;
      return result;
    });
    await expect(trigger.handleLambda(batch, viaAlias('orders'))).rejects.toThrow();
    expect(ran).toBe(1);
  });

  it('answers at most 6 MB', async () => {
    const trigger = pipe().enrich('orders', () => 'x'.repeat(3_000_000));
    await expect(trigger.handleLambda(batch, viaAlias('orders'))).rejects.toThrow(
      expect.failure('triggers.invalid_answer', 'more than 6 MB'),
    );
  });
});

describe('a task', () => {
  let server: AwsServer;
  beforeEach(() => {
    server = new AwsServer();
  });
  afterEach(() => server.close());
  const client = async () => new SFNClient(await server.options());
  const CHARGE = viaAlias('charge');

  it('has its whole input as payload, and its result is the output', async () => {
    const Charge = z.object({ amount: z.number() });
    const tasks = stateTask().task(
      'charge',
      payload(Charge, (_ctx, { amount }) => ({ charged: amount })),
    );
    await expect(tasks.handleLambda(buildTaskEvent({ amount: 5 }), CHARGE)).resolves.toEqual({ charged: 5 });
    await expect(tasks.handleLambda({ amount: 'five' }, CHARGE)).rejects.toMatchObject({
      name: 'streams.payload_invalid',
    });
    const echo = stateTask().task('charge', (_ctx, { payload: input }) => input);
    await expect(echo.handleLambda(null, CHARGE)).resolves.toBeNull();
  });

  it.each<[string, unknown, object]>([
    [
      'a FrameworkError',
      new FrameworkError('app.conflict', 'charged before'),
      { name: 'app.conflict', message: 'charged before' },
    ],
    ['any other error', new Error('secret'), { message: 'secret' }],
  ])('throws %s for the state machine', async (_what, thrown, expected) => {
    const tasks = stateTask().task('charge', () => Promise.reject(thrown));
    await expect(tasks.handleLambda({}, CHARGE)).rejects.toMatchObject(expected);
  });

  it('an output of more than 256 KB fails', async () => {
    const tasks = stateTask().task('charge', () => 'x'.repeat(262_143));
    await expect(tasks.handleLambda({}, CHARGE)).rejects.toMatchObject({
      name: 'triggers.invalid_answer',
      cause: expect.objectContaining({ message: 'framework: the output is more than 256 KB' }),
    });
  });

  it.each<[string, () => unknown, object]>([
    ['a result', () => ({ n: 1 }), { operation: 'SendTaskSuccess', input: { taskToken: 't-1', output: '{"n":1}' } }],
    ['nothing', () => undefined, { operation: 'SendTaskSuccess', input: { taskToken: 't-1', output: 'null' } }],
    [
      'a FrameworkError',
      () => Promise.reject(new FrameworkError('app.conflict', 'approved before')),
      { operation: 'SendTaskFailure', input: { taskToken: 't-1', error: 'app.conflict', cause: 'approved before' } },
    ],
    [
      'an error',
      () => Promise.reject(new Error('secret')),
      { operation: 'SendTaskFailure', input: { taskToken: 't-1', error: 'app.internal', cause: 'internal error' } },
    ],
  ])('with a token is completed with %s, once', async (_what, handler, expected) => {
    const seen: unknown[] = [];
    const tasks = stateTask({ client: await client() }).callback('charge', (_ctx, task) => {
      seen.push(task.payload);
      return handler();
    });
    await expect(tasks.handleLambda(buildTaskEvent({ amount: 5 }, 't-1'), CHARGE)).resolves.toBeNull();
    expect(server.received).toEqual([expected]);
    expect(seen).toEqual([{ amount: 5 }]);
  });

  it('sends heartbeats while the handler runs, and a failure at the deadline', async () => {
    const env = createTestEnv();
    const tasks = stateTask({ client: await client() }).callback('charge', () => new Promise(() => {}), {
      token: 'token',
      heartbeatMs: 2_000,
    });
    const app = createApp({ ...env.options(), log: false, surfaces: [tasks] });
    const context = env.lambdaContext({ remainingMs: 15_000, ...CHARGE });
    let isSettled = false;
    const running = app.handleLambda({ token: 't-1' }, context).finally(() => {
      isSettled = true;
    });
    for (let spent = 0; spent < 14_000 && !isSettled; spent += 500) await env.clock.advance(500);
    await running;
    const operations = server.received.map(({ operation }) => operation);
    expect(operations.filter((one) => one === 'SendTaskHeartbeat').length).toBeGreaterThanOrEqual(3);
    expect(operations.filter((one) => one === 'SendTaskFailure')).toHaveLength(1);
  });

  it('a result that cannot be reported fails the invocation', async () => {
    server.statuses.push(400);
    const tasks = stateTask({ client: await client() }).callback('charge', () => 1);
    await expect(tasks.handleLambda({ taskToken: 't' }, CHARGE)).rejects.toMatchObject({
      code: 'triggers.response_failed',
    });
  });

  it.each<[string, unknown]>([
    ['no token', {}],
    ['a blank token', { taskToken: ' ' }],
    ['a token that is no text', { taskToken: { a: 1 } }],
    ['no object', 'text'],
  ])('with a token rejects %s', async (_what, event) => {
    const tasks = stateTask({ client: await client() }).callback('charge', () => 1);
    await expect(tasks.handleLambda(event, CHARGE)).rejects.toThrow(
      expect.failure('triggers.invalid_event', 'taskToken'),
    );
    expect(server.received).toEqual([]);
  });

  it('rejects wrong options', () => {
    const none: SampleHandler = () => Promise.reject(new Error('no handler runs'));
    expect(() => stateTask().callback('charge', none, { heartbeatMs: 10 })).toThrow(
      expect.failure('app.invalid_configuration', 'option "heartbeatMs"'),
    );
    expect(() => stateTask().callback('charge', none, { token: 'a.b' })).toThrow(
      expect.failure('app.invalid_configuration', 'option "token"'),
    );
  });
});

describe('a non-proxy integration', () => {
  const QUOTES = viaAlias('quotes');
  /** API Gateway's choice of an integration response: the first pattern that matches the whole message, else the default. */
  const statusOf = (error: Error) =>
    [
      [/^app\.not_found:.*$/, 404],
      [/^auth\.forbidden:.*$/, 403],
      [/^auth\.unauthorized:.*$/, 401],
    ].find(([pattern]) => (pattern as RegExp).test(error.message))?.[1] ?? 200;

  it.each<[string, unknown, unknown]>([
    ['an object', { amount: 5 }, { amount: 5 }],
    ['text', 'plain', 'plain'],
    ['nothing', undefined, null],
  ])('answers %s as the body', async (_what, result, expected) => {
    const api = apiIntegration().operation('quotes', () => result);
    await expect(api.handleLambda({ body: {} }, QUOTES)).resolves.toEqual(expected);
  });

  it.each<[string, unknown, number, string]>([
    ['a FrameworkError', new FrameworkError('app.not_found', 'no\nquote'), 404, 'app.not_found: no quote'],
    ['any other error', new Error('secret'), 200, 'app.internal: internal error'],
  ])('an error message selects the response for %s', async (_what, thrown, status, message) => {
    const api = apiIntegration().operation('quotes', () => Promise.reject(thrown));
    const app = createApp({ log: false, surfaces: [api] });
    const error = await app.handleLambda({}, QUOTES).then(
      () => new Error('no error'),
      (rejected: unknown) => rejected as Error,
    );
    expect([statusOf(error), error.message]).toEqual([status, message]);
    // Without a matching pattern, the client receives the stack.
    expect(error.stack).not.toContain('secret');
    expect(error.stack).not.toContain('.ts');
  });

  it.each<[string, unknown]>([
    ['a cycle', Object.assign([], [[]]).concat([5n as never])],
    ['more than 6 MB', 'x'.repeat(6_291_557)],
  ])('fails for %s', async (_what, result) => {
    const api = apiIntegration().operation('quotes', () => result);
    await expect(api.handleLambda({}, QUOTES)).rejects.toMatchObject({ code: 'triggers.invalid_answer' });
  });

  it('has a posture in SecureApp, and the resolver reads what the template wrote', async () => {
    const make = (posture?: object) =>
      new SecureApp({
        log: false,
        principalResolver: (ctx) => {
          const { caller } = ctx.event as { caller?: string };
          return caller === undefined ? null : { identity: caller };
        },
        surfaces: [apiIntegration().operation('quotes', (_ctx, { principal }) => principal?.identity ?? null, posture)],
      });
    expect(() => make()).toThrow('invalid auth posture');
    await expect(make(Public()).handleLambda({}, QUOTES)).resolves.toBeNull();
    await expect(make(Authenticated()).handleLambda({ caller: 'ada' }, QUOTES)).resolves.toBe('ada');
    const refusal = await make(Authenticated())
      .handleLambda({}, QUOTES)
      .then(
        () => new Error('no error'),
        (rejected: unknown) => rejected as Error,
      );
    expect(refusal).toMatchObject({ name: expect.any(String), message: expect.stringMatching(/^[a-z]+\.[a-z_]+: /) });
  });
});
