import { inspect } from 'node:util';
import { json } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';
import { buildAPIGatewayV2Request } from '@sallyport/testkit';
import { z } from 'zod';
import { Secret } from '../src/index.js';
import { operations, startWorld, type World } from './support.js';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.stop());

const VALUE = 'correct-horse-battery';
const WAYS: readonly (readonly [string, (secret: Secret) => string])[] = [
  ['String()', (secret) => String(secret)],
  ['a template', (secret) => `${secret}`],
  ['JSON', (secret) => JSON.stringify({ secret })],
  ['util.inspect', (secret) => inspect({ secret }, { depth: 9, showHidden: true })],
  ['its keys', (secret) => JSON.stringify(Object.entries(secret))],
  ['a copy', (secret) => inspect({ ...secret })],
  ['structuredClone', (secret) => inspect(structuredClone(secret))],
];

it.each(WAYS)('a secret does not show its value through %s', (_, show) => {
  expect(show(new Secret(VALUE, 'v1', new Secret(`${VALUE}-old`)))).not.toContain(VALUE);
});

it('a secret in a log line, a span, an error and an answer shows no value', async () => {
  world.values.setSecret('orders/key', VALUE);
  const key = world.parameters().secret('orders/key');
  const app = new SecureApp({ ...world.env.options(), principalResolver: async () => null });
  app.get(
    '/health',
    async (ctx) => {
      const secret = await key.get(ctx);
      ctx.log.info('read', { secret, nested: { list: [secret] }, text: `${secret}` });
      ctx.log.error('failed', { error: Object.assign(new Error(`failed with ${secret}`), { secret }) });
      return json(200, { secret });
    },
    Public(),
  );
  const answer = await world.env.invoke(app, buildAPIGatewayV2Request('GET', '/health'));
  expect(answer).toMatchObject({ statusCode: 200, body: '{"secret":"[REDACTED]"}' });
  const { logs, spans, metrics } = world.env.records;
  expect(logs.length).toBeGreaterThan(1);
  expect(JSON.stringify([logs, metrics]) + inspect(spans, { depth: 9 })).not.toContain(VALUE);
});

it('a SecureString must be read as a secret', async () => {
  world.values.setParameter('/orders/key', VALUE, { secure: true });
  const { parameter } = world.parameters();
  const plain = parameter('/orders/key');
  const branded = parameter('/orders/key', undefined, { secret: true });
  await expect(plain.get()).rejects.toMatchObject({ code: 'parameters.secure_string' });
  const secret = await branded.get();
  expect(secret.reveal()).toBe(VALUE);
  expect(operations(world.services)).toEqual(['GetParameters']);
});

it('the members of a secret are read together, so that user and password are of one version', async () => {
  const Database = z.object({ user: z.string(), password: z.string() });
  world.values.setSecret('orders/database', '{"user":"a","password":"1"}');
  const database = world.parameters().secret('orders/database', Database, { json: true });
  expect((await database.get()).reveal()).toEqual({ user: 'a', password: '1' });
});

it('a rotation in the middle of a request does not change the secret that the request has', async () => {
  world.values.setSecret('orders/key', 'first');
  const key = world.parameters().secret('orders/key');
  const before = await key.get();
  world.values.setSecret('orders/key', 'second');
  world.env.clock.tick(1000);
  const after = await key.refresh();
  expect([before.reveal(), before.version, after.reveal(), after.version]).toEqual([
    'first',
    'version-1',
    'second',
    'version-2',
  ]);
  expect(world.env.records.logs).toMatchObject([
    { level: 'INFO', message: 'framework: a parameter has a new version', parameter: 'orders/key' },
  ]);
});

it('many refreshes at the same time are one call, and one a second at most', async () => {
  world.values.setSecret('orders/key', 'first');
  const key = world.parameters().secret('orders/key');
  await key.get();
  world.env.clock.tick(999);
  await Promise.all(Array.from({ length: 50 }, () => key.refresh()));
  expect(operations(world.services)).toHaveLength(1);
  world.env.clock.tick(1);
  await Promise.all(Array.from({ length: 50 }, () => key.refresh()));
  expect(operations(world.services)).toHaveLength(2);
});

it('a refresh that fails returns the last good value', async () => {
  world.values.setSecret('orders/key', 'first');
  const key = world.parameters().secret('orders/key');
  await key.get();
  world.values.deny('orders/key');
  world.env.clock.tick(1000);
  expect((await key.refresh()).reveal()).toBe('first');
  expect(world.env.records.logs).toMatchObject([{ level: 'ERROR', error: { code: 'parameters.denied' } }]);
});

it('with previous, both versions of a rotation are valid, at the cost of one call for each rotation', async () => {
  world.values.setSecret('orders/key', 'first');
  const key = world.parameters().secret('orders/key', undefined, { previous: true });
  expect((await key.get()).previous).toBeUndefined();
  world.values.setSecret('orders/key', 'second');
  world.env.clock.tick(600_000);
  const secret = await key.get();
  expect([secret.reveal(), secret.previous?.reveal()]).toEqual(['second', 'first']);
  world.env.clock.tick(600_000);
  expect(await key.get()).toBe(secret);
  expect(operations(world.services)).toHaveLength(5);
});

it('a secret whose current version is denied keeps its last good value and its previous one', async () => {
  world.values.setSecret('orders/key', 'first');
  world.values.setSecret('orders/key', 'second');
  const key = world.parameters().secret('orders/key', undefined, { previous: true });
  await key.get();
  world.values.deny('orders/key', 'DecryptionFailure');
  world.env.clock.tick(600_000);
  const secret = await key.get();
  expect([secret.reveal(), secret.previous?.reveal()]).toEqual(['second', 'first']);
});

it('a secret is recognized across two copies of the package', async () => {
  import.meta.jest.resetModules();
  const copy = await import('../src/secret.js');
  expect(copy.Secret).not.toBe(Secret);
  expect(new copy.Secret('a') instanceof Secret).toBe(true);
  expect(new Secret('a') instanceof copy.Secret).toBe(true);
  expect({ reveal: () => 'a' } instanceof Secret).toBe(false);
});
