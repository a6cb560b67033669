import { createFlags, createSecrets, createSsmParameters, type ParametersOptions } from '../src/index.js';
import { operations, startWorld, type World } from './support.js';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  world.values.setParameter('/limit', '5');
  world.values.setSecret('key', 'first');
  world.values.setFlags({ checkout: { enabled: true } });
});
afterAll(() => world.stop());

type Read = (options: ParametersOptions) => Promise<unknown>;

const SERVICES: readonly (readonly [string, Read, unknown, readonly string[]])[] = [
  [
    'createSsmParameters',
    async (options) => {
      const { parameter, ready, ...others } = createSsmParameters(options);
      const limit = parameter('/limit');
      await ready();
      return [await limit.get(), Object.keys(others)];
    },
    ['5', []],
    ['GetParameters'],
  ],
  [
    'createSecrets',
    async (options) => {
      const { secret, ready, ...others } = createSecrets(options);
      const key = secret('key');
      await ready();
      return [(await key.get()).reveal(), Object.keys(others)];
    },
    ['first', []],
    ['GetSecretValue'],
  ],
  [
    'createFlags',
    async (options) => {
      const { flag, ready, ...others } = createFlags(options);
      const checkout = flag('checkout');
      await ready();
      return [await checkout.isOn(), Object.keys(others)];
    },
    [true, []],
    ['StartConfigurationSession', 'GetLatestConfiguration'],
  ],
];

it.each(SERVICES)('%s reads one service, with one call until the TTL', async (_, read, value, calls) => {
  const before = operations(world.services).length;
  expect(await read(world.options)).toEqual(value);
  expect(operations(world.services).slice(before)).toEqual(calls);
});

it.each([createSsmParameters, createSecrets, createFlags].map((create) => ({ create })))(
  '$create.name rejects an unknown option',
  ({ create }) => {
    expect(() => create({ ttl: 1 } as ParametersOptions)).toThrow(expect.failure('app.invalid_configuration', '"ttl"'));
  },
);
