import type { ServiceFault } from '@sallyport/testkit/services';
import { z } from 'zod';
import { operations, startWorld, until, type World } from './support.js';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.stop());

const THROTTLED: ServiceFault = { kind: 'error', name: 'ThrottlingException', status: 400 };
const BROKEN: ServiceFault = { kind: 'error', name: 'InternalServerError', status: 500 };
const RESET: ServiceFault = { kind: 'reset' };
const EMPTY: ServiceFault = { kind: 'answer', status: 200, body: '' };

const FAULTS: readonly (readonly [string, ServiceFault, string])[] = [
  ['throttled', THROTTLED, 'parameters.unavailable'],
  ['answered with 500', BROKEN, 'parameters.unavailable'],
  ['disconnected', RESET, 'parameters.unavailable'],
  ['answered without a body', EMPTY, 'parameters.not_found'],
];

it.each(FAULTS)(
  'without an earlier value a read that is %s rejects, and waits before the next call',
  async (_, fault, code) => {
    world.values.setParameter('/a', '1');
    world.services.ssm.inject(fault, { times: 1 });
    const a = world.parameters().parameter('/a');
    await expect(a.get()).rejects.toMatchObject({ code });
    world.env.clock.tick(999);
    await expect(a.get()).rejects.toMatchObject({ code });
    expect(operations(world.services)).toEqual(['GetParameters']);
    world.env.clock.tick(1);
    expect(await a.get()).toBe('1');
  },
);

it.each(FAULTS)(
  'a refresh that is %s keeps the last good value, with one error line and a metric',
  async (_, fault, code) => {
    world.values.setParameter('/a', '1');
    const a = world.parameters().parameter('/a');
    await a.get();
    world.services.ssm.inject(fault);
    for (let failures = 1; failures <= 3; failures += 1) {
      world.env.clock.tick(600_000);
      expect(await a.get()).toBe('1');
      expect(world.env.records.metrics).toHaveLength(failures);
    }
    expect(world.env.records.metrics[0]).toEqual({
      name: 'ParameterFailures',
      value: 1,
      unit: 'Count',
      tags: { source: 'ssm', error_code: code, outcome: 'last_good' },
    });
    expect(world.env.records.logs).toMatchObject([
      {
        level: 'ERROR',
        message: 'framework: a parameter was not refreshed, its last good value is used',
        parameter: '/a',
        age_ms: 600_000,
        error: { code },
      },
    ]);
  },
);

it('waits between failed calls double up to the TTL', async () => {
  const a = world.parameters({ ttlMs: 5000 }).parameter('/a');
  world.services.ssm.inject(THROTTLED);
  const waits: number[] = [];
  for (const ms of [0, 999, 1, 1999, 1, 3999, 1, 4999, 1, 4999, 1]) {
    world.env.clock.tick(ms);
    await expect(a.get()).rejects.toMatchObject({ code: 'parameters.unavailable' });
    waits.push(operations(world.services).length);
  }
  expect(waits).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]);
});

it('a value that its schema never settles does not fail the other values of the call', async () => {
  world.values.setParameter('/quick', '1');
  world.values.setParameter('/stuck', '2');
  const { parameter } = world.parameters({ timeoutMs: 3000 });
  const quick = parameter('/quick');
  let isChecking = false;
  const never = () => {
    isChecking = true;
    return new Promise<boolean>(() => {});
  };
  const stuck = parameter('/stuck', z.string().refine(never));
  const reads = Promise.allSettled([quick.get(), stuck.get()]);
  await until(() => isChecking);
  await world.env.clock.advance(3000);
  expect(await reads).toMatchObject([
    { status: 'fulfilled', value: '1' },
    { status: 'rejected', reason: { code: 'parameters.unavailable' } },
  ]);
  expect(world.env.records.metrics).toHaveLength(1);
});

it('a slow call ends at its deadline, and its late answer does not replace a newer value', async () => {
  world.values.setParameter('/a', '1');
  const a = world.parameters().parameter('/a');
  const release = world.services.ssm.hold();
  const read = a.get();
  read.catch(() => {});
  await until(() => world.services.ssm.requests.length === 1);
  await world.env.clock.advance(3000);
  await expect(read).rejects.toMatchObject({ code: 'parameters.unavailable', status: 503 });
  expect(world.env.clock.pendingTimers).toBe(0);
  release();
  world.env.clock.tick(1000);
  expect(await a.get()).toBe('1');
});

it('the signal of a reader ends its wait, and stops a call that no other reader waits for', async () => {
  world.values.setParameter('/a', '1');
  const a = world.parameters().parameter('/a');
  const release = world.services.ssm.hold();
  const [one, two] = [new AbortController(), new AbortController()];
  const reads = [a.get(one), a.get(two)];
  for (const read of reads) read.catch(() => {});
  await until(() => world.services.ssm.requests.length === 1);
  one.abort(new Error('first'));
  await expect(reads[0]).rejects.toThrow('first');
  expect(world.env.clock.pendingTimers).toBe(1);
  two.abort(new Error('second'));
  await expect(reads[1]).rejects.toThrow('second');
  await until(() => world.env.clock.pendingTimers === 0);
  release();
  // A stopped call does not count as a failure: the next reader does not wait.
  expect(await a.get()).toBe('1');
  expect(world.env.records.metrics).toEqual([]);
});

it('a reader that leaves does not stop the call of another reader', async () => {
  world.values.setParameter('/a', '1');
  const a = world.parameters().parameter('/a');
  const release = world.services.ssm.hold();
  const one = new AbortController();
  const reads = [a.get(one), a.get()];
  for (const read of reads) read.catch(() => {});
  await until(() => world.services.ssm.requests.length === 1);
  one.abort(new Error('first'));
  await expect(reads[0]).rejects.toThrow('first');
  release();
  expect(await reads[1]).toBe('1');
  expect(operations(world.services)).toEqual(['GetParameters']);
});

it('an aborted signal rejects a cached value too', async () => {
  world.values.setParameter('/a', '1');
  const a = world.parameters().parameter('/a');
  expect(await a.get()).toBe('1');
  await expect(a.get({ signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
});

it('an aborted signal rejects before a call', async () => {
  const a = world.parameters().parameter('/a');
  await expect(a.get({ signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
  expect(operations(world.services)).toEqual([]);
});

it.each(['AccessDeniedException', 'InvalidKeyId'])('%s for one parameter does not fail the others', async (error) => {
  for (const name of ['/a', '/b', '/c']) world.values.setParameter(name, name);
  world.values.deny('/b', error);
  const { parameter } = world.parameters();
  const [a, b, c] = [parameter('/a'), parameter('/b'), parameter('/c')];
  expect(await a.get()).toBe('/a');
  expect(await c.get()).toBe('/c');
  await expect(b.get()).rejects.toMatchObject({ code: 'parameters.denied' });
  expect(operations(world.services)).toHaveLength(4);
});

it.each(['AccessDeniedException', 'DecryptionFailure'])('%s for one secret does not fail the others', async (error) => {
  for (const name of ['a', 'b', 'c']) world.values.setSecret(name, name);
  world.values.deny('b', error);
  const { secret } = world.parameters();
  const [a, b, c] = [secret('a'), secret('b'), secret('c')];
  expect((await a.get()).reveal()).toBe('a');
  expect((await c.get()).reveal()).toBe('c');
  await expect(b.get()).rejects.toMatchObject({ code: 'parameters.denied' });
  expect(operations(world.services)).toEqual(['BatchGetSecretValue']);
});

it('a value that was deleted keeps its last good value', async () => {
  world.values.setParameter('/a', '1');
  world.values.setSecret('s', 'x');
  const { parameter, secret, ready } = world.parameters();
  const [a, s] = [parameter('/a'), secret('s')];
  await ready();
  world.values.remove('/a');
  world.values.remove('s');
  world.env.clock.tick(600_000);
  expect(await a.get()).toBe('1');
  expect((await s.get()).reveal()).toBe('x');
  expect(world.env.records.logs.map((line) => (line as { error?: { code?: string } }).error?.code)).toEqual([
    'parameters.not_found',
    'parameters.not_found',
  ]);
});

it('a parameter that was deleted and created again has its new value, although its version is 1 again', async () => {
  world.values.setParameter('/a', 'old');
  const a = world.parameters().parameter('/a');
  await a.get();
  world.values.remove('/a');
  world.env.clock.tick(600_000);
  world.values.setParameter('/a', 'new');
  expect(await a.get()).toBe('new');
});

it('a value that does not fit its schema keeps the last good value, with one error line that does not contain it', async () => {
  world.values.setParameter('/orders/limit', '5');
  const limit = world.parameters().parameter('/orders/limit', z.coerce.number());
  await limit.get();
  world.values.setParameter('/orders/limit', 'sk_live_not_a_number');
  for (let turn = 0; turn < 3; turn += 1) {
    world.env.clock.tick(600_000);
    expect(await limit.get()).toBe(5);
  }
  expect(world.env.records.logs).toMatchObject([{ level: 'ERROR', error: { code: 'parameters.invalid_value' } }]);
  expect(JSON.stringify(world.env.records.logs)).not.toContain('sk_live');
});

it('ready rejects with one error that names every wrong value and no value', async () => {
  world.values.setParameter('/orders/limit', 'sk_live_not_a_number');
  world.values.setParameter('/orders/settings', '{"currency":"sk_live_2"}');
  world.values.setParameter('/orders/broken', '{sk_live_3');
  world.values.setSecret('fine', 'x');
  const { parameter, secret, flag, ready } = world.parameters();
  parameter('/orders/limit', z.coerce.number());
  parameter('/orders/settings', z.object({ currency: z.number() }), { json: true });
  parameter('/orders/broken', z.object({}), { json: true });
  parameter('/orders/missing');
  secret('fine');
  flag('gone');
  const error: unknown = await ready().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'parameters.invalid_value' });
  expect((error as Error).message).toBe(
    'framework: 5 values could not be read: /orders/limit does not fit its schema; /orders/settings does not fit its schema: currency; ' +
      '/orders/broken is not JSON; /orders/missing does not exist; the flag gone does not exist',
  );
  expect(JSON.stringify([error, (error as Error).stack, String((error as Error).cause)])).not.toContain('sk_live');
});

it('ready rejects with the error of a single value', async () => {
  const { parameter, ready } = world.parameters();
  parameter('/missing');
  await expect(ready()).rejects.toMatchObject({
    code: 'parameters.not_found',
    message: 'framework: /missing does not exist',
  });
});
