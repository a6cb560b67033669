import { z } from 'zod';
import { operations, startWorld, until, type World } from './support.js';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.stop());

const NAMES = Array.from({ length: 20 }, (_, index) => `name-${index}`);

it('20 secrets are read with one call, and with no call within the TTL', async () => {
  for (const name of NAMES) world.values.setSecret(name, `value of ${name}`);
  const { secret } = world.parameters();
  const readers = NAMES.map((name) => secret(name));
  const values = await Promise.all(readers.map(async (reader) => (await reader.get()).reveal()));
  expect(values).toEqual(NAMES.map((name) => `value of ${name}`));
  world.env.clock.tick(59_999);
  await Promise.all(readers.map((reader) => reader.get()));
  expect(operations(world.services)).toEqual(['BatchGetSecretValue']);
});

it('20 flags are read with one call of the profile, and with no call within the TTL', async () => {
  world.values.setFlags(Object.fromEntries(NAMES.map((name) => [name, { enabled: true }])));
  const { flag, ready } = world.parameters();
  const readers = NAMES.map((name) => flag(name));
  await ready();
  world.env.clock.tick(59_999);
  expect(await Promise.all(readers.map((reader) => reader.isOn()))).toEqual(NAMES.map(() => true));
  expect(operations(world.services)).toEqual(['StartConfigurationSession', 'GetLatestConfiguration']);
});

it('20 parameters are read with two calls, because a call of Parameter Store accepts at most 10 names', async () => {
  for (const name of NAMES) world.values.setParameter(`/${name}`, name);
  const { parameter } = world.parameters();
  const readers = NAMES.map((name) => parameter(`/${name}`));
  expect(await readers[19]?.get()).toBe('name-19');
  expect(await Promise.all(readers.map((reader) => reader.get()))).toEqual(NAMES);
  world.env.clock.tick(59_999);
  expect(await readers[0]?.get()).toBe('name-0');
  expect(world.services.ssm.requests.map(({ input }) => (input.Names as string[]).length)).toEqual([10, 10]);
});

it('a call has only names of its service', async () => {
  world.values.setParameter('/a', '1');
  world.values.setSecret('key', 'first');
  const { parameter, secret } = world.parameters();
  const [a] = [parameter('/a'), secret('key')];
  expect(await a.get()).toBe('1');
  expect(world.services.ssm.requests.map(({ input }) => input.Names)).toEqual([['/a']]);
  expect(operations(world.services)).toEqual(['GetParameters']);
});

it('one parameter with 20 members is read with one call', async () => {
  world.values.setParameter('/orders/settings', JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, 1]))));
  const settings = world.parameters().parameter('/orders/settings', z.record(z.string(), z.number()), { json: true });
  expect(Object.keys(await settings.get())).toEqual(NAMES);
  expect(operations(world.services)).toEqual(['GetParameters']);
});

it('no client and no call is made before the first read', async () => {
  world.parameters().parameter('/a');
  await new Promise((resolve) => setImmediate(resolve));
  expect(operations(world.services)).toEqual([]);
});

it('after the TTL the cached value is returned, and one call in the background reads the next', async () => {
  world.values.setParameter('/orders/limit', '1');
  const limit = world.parameters().parameter('/orders/limit', z.coerce.number());
  expect(await limit.get()).toBe(1);
  world.values.setParameter('/orders/limit', '2');
  world.env.clock.tick(60_000);
  expect(await Promise.all([limit.get(), limit.get(), limit.get()])).toEqual([1, 1, 1]);
  await until(() => world.env.records.logs.length > 0);
  expect(await limit.get()).toBe(2);
  expect(operations(world.services)).toEqual(['GetParameters', 'GetParameters']);
  expect(world.env.records.logs).toMatchObject([
    { level: 'INFO', message: 'framework: a parameter has a new version', parameter: '/orders/limit' },
  ]);
});

it('after the maximum age the next value is awaited', async () => {
  world.values.setParameter('/orders/limit', '1');
  const limit = world.parameters().parameter('/orders/limit');
  expect(await limit.get()).toBe('1');
  world.values.setParameter('/orders/limit', '2');
  world.env.clock.tick(600_000);
  expect(await limit.get()).toBe('2');
});

it('a single secret is read with GetSecretValue, which needs no further permission', async () => {
  world.values.setSecret('orders/key', 'k');
  expect((await world.parameters().secret('orders/key').get()).reveal()).toBe('k');
  expect(operations(world.services)).toEqual(['GetSecretValue']);
});

it.each([
  ['a name', 'orders/limit', {}],
  ['an ARN', 'arn:aws:ssm:us-east-1:123456789012:parameter/orders/limit', {}],
  ['a variable', { variable: 'LIMIT_ARN' }, { LIMIT_ARN: 'arn:aws:ssm:us-east-1:123456789012:parameter/orders/limit' }],
])('a parameter is found by %s', async (_, name, environment) => {
  world.values.setParameter('/orders/limit', '5');
  expect(await world.parameters({ environment }).parameter(name).get()).toBe('5');
});

it.each([
  ['names', 'a', 'b'],
  [
    'ARNs',
    'arn:aws:secretsmanager:us-east-1:123456789012:secret:a-AbCdEf',
    'arn:aws:secretsmanager:us-east-1:123456789012:secret:b-AbCdEf',
  ],
  [
    'ARNs without their last characters',
    'arn:aws:secretsmanager:us-east-1:123456789012:secret:a',
    'arn:aws:secretsmanager:us-east-1:123456789012:secret:b',
  ],
])('secrets are found by %s', async (_, a, b) => {
  world.values.setSecret('a', 'first');
  world.values.setSecret('b', 'second');
  const { secret } = world.parameters();
  const readers = [secret(a), secret(b)];
  expect(await Promise.all(readers.map(async (reader) => (await reader.get()).reveal()))).toEqual(['first', 'second']);
});

it('a variable that is not set is named, and does not stop other values', async () => {
  world.values.setParameter('/a', '1');
  const { parameter } = world.parameters();
  const a = parameter('/a');
  const missing = parameter({ variable: 'LIMIT_ARN' });
  await expect(missing.get()).rejects.toThrow(expect.failure('app.invalid_configuration', 'LIMIT_ARN'));
  expect(await a.get()).toBe('1');
  expect(world.env.records.metrics).toMatchObject([
    {
      name: 'ParameterFailures',
      tags: { source: 'ssm', error_code: 'app.invalid_configuration', outcome: 'no_value' },
    },
  ]);
});

it('a parameter of 4 KB and a secret of 64 KB are read whole', async () => {
  world.values.setParameter('/large', 'p'.repeat(4096));
  world.values.setSecret('large', 's'.repeat(65_536));
  const { parameter, secret } = world.parameters();
  expect(await parameter('/large').get()).toBe('p'.repeat(4096));
  expect((await secret('large').get()).reveal()).toBe('s'.repeat(65_536));
});

it('a binary secret is its bytes', async () => {
  world.values.setSecret('bytes', Uint8Array.of(0, 255, 1));
  expect((await world.parameters().secret('bytes').get()).reveal()).toEqual(Uint8Array.of(0, 255, 1));
});
