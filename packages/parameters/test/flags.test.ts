import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { operations, startWorld, until, type World } from './support.js';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.stop());

it('a basic flag is read with its attributes', async () => {
  world.values.setFlags({ checkout: { enabled: true, limit: 5 }, old: { enabled: false } });
  const { flag } = world.parameters();
  const checkout = flag('checkout', z.object({ enabled: z.boolean(), limit: z.number() }));
  expect(await checkout.get()).toEqual({ enabled: true, limit: 5 });
  expect(await checkout.isOn()).toBe(true);
  expect(await flag('old').isOn()).toBe(false);
});

it('a deployment is noticed at the next poll, and an empty answer keeps the flags', async () => {
  world.values.setFlags({ checkout: { enabled: false } });
  const checkout = world.parameters().flag('checkout');
  expect(await checkout.isOn()).toBe(false);
  world.env.clock.tick(600_000);
  expect(await checkout.isOn()).toBe(false);
  world.values.setFlags({ checkout: { enabled: true } });
  world.env.clock.tick(600_000);
  expect(await checkout.isOn()).toBe(true);
  expect(operations(world.services)).toEqual([
    'StartConfigurationSession',
    'GetLatestConfiguration',
    'GetLatestConfiguration',
    'GetLatestConfiguration',
  ]);
});

it('flags are polled at the interval of AppConfig even if the TTL is shorter', async () => {
  world.values.setFlags({ checkout: { enabled: true } });
  const checkout = world.parameters({ ttlMs: 1000, maxAgeMs: 1000 }).flag('checkout');
  await checkout.isOn();
  world.env.clock.tick(14_999);
  await checkout.isOn();
  expect(operations(world.services)).toHaveLength(2);
  world.env.clock.tick(1);
  await checkout.isOn();
  expect(operations(world.services)).toHaveLength(3);
  expect(world.env.records.metrics).toEqual([]);
});

it('a token that expired while the environment was frozen is replaced by a new session', async () => {
  world.values.setFlags({ checkout: { enabled: false } });
  const checkout = world.parameters().flag('checkout');
  await checkout.isOn();
  world.values.setFlags({ checkout: { enabled: true } });
  world.env.clock.tick(86_400_001);
  expect(await checkout.isOn()).toBe(true);
  expect(operations(world.services).slice(2)).toEqual([
    'GetLatestConfiguration',
    'StartConfigurationSession',
    'GetLatestConfiguration',
  ]);
});

it.each(['lost-answer', 'reset'] as const)('a poll with the fault %s does not use its token again', async (kind) => {
  world.values.setFlags({ checkout: { enabled: false } });
  const checkout = world.parameters().flag('checkout');
  await checkout.isOn();
  world.values.setFlags({ checkout: { enabled: true } });
  world.services.appConfigData.inject({ kind }, { operation: 'GetLatestConfiguration', times: 1 });
  world.env.clock.tick(600_000);
  expect(await checkout.isOn()).toBe(false);
  world.env.clock.tick(1000);
  await checkout.isOn();
  await until(() => operations(world.services).length === 5);
  world.env.clock.tick(600_000);
  expect(await checkout.isOn()).toBe(true);
});

it('a flag that is gone keeps its last good value, and a flag that was never there is an error', async () => {
  world.values.setFlags({ checkout: { enabled: true } });
  const { flag } = world.parameters();
  const checkout = flag('checkout');
  expect(await checkout.isOn()).toBe(true);
  world.values.setFlags({ other: { enabled: true } });
  world.env.clock.tick(600_000);
  expect(await checkout.isOn()).toBe(true);
  expect(world.env.records.logs).toMatchObject([{ level: 'ERROR', error: { code: 'parameters.not_found' } }]);
  await expect(world.parameters().flag('checkout').isOn()).rejects.toMatchObject({
    code: 'parameters.not_found',
    message: 'framework: the flag checkout does not exist',
  });
});

it.each([
  ['is not an object', { checkout: [] }],
  ['has no state', { checkout: {} }],
])('a flag that %s is an error', async (_, flags) => {
  world.values.setFlags(flags);
  await expect(world.parameters().flag('checkout').get()).rejects.toMatchObject({ code: 'parameters.invalid_value' });
});

it.each(['', '[]', 'not JSON'])('a profile with the content %j is an error', async (body) => {
  world.services.appConfigData.inject({ kind: 'answer', status: 200, body }, { operation: 'GetLatestConfiguration' });
  await expect(world.parameters().flag('checkout').get()).rejects.toMatchObject({ code: 'parameters.invalid_value' });
});

it('without a profile the first read names the variable', async () => {
  const { flag } = world.parametersWithoutProfile();
  await expect(flag('checkout').get()).rejects.toThrow(
    expect.failure('app.invalid_configuration', 'FRAMEWORK_FLAGS_PROFILE'),
  );
});

it('the variable names application, environment and profile', async () => {
  world.values.setFlags({ checkout: { enabled: true } });
  const environment = { FRAMEWORK_FLAGS_PROFILE: 'shop/live/flags' };
  expect(await world.parametersWithoutProfile(environment).flag('checkout').isOn()).toBe(true);
  expect(world.services.appConfigData.requests[0]?.input).toEqual({
    ApplicationIdentifier: 'shop',
    EnvironmentIdentifier: 'live',
    ConfigurationProfileIdentifier: 'flags',
  });
});

it.each(['shop', 'shop/live', 'shop/live/', 'shop//flags', '/live/flags', 'shop/live/flags/2'])(
  'the variable with the value %j is an error',
  async (profile) => {
    const environment = { FRAMEWORK_FLAGS_PROFILE: profile };
    await expect(world.parametersWithoutProfile(environment).flag('checkout').get()).rejects.toThrow(
      expect.failure('app.invalid_configuration', 'application/environment/profile'),
    );
    expect(operations(world.services)).toEqual([]);
  },
);

describe('flags with variants', () => {
  /** AppConfig Agent on this machine, which returns the flag for the tenant `t1`. */
  async function startAgent() {
    const requests: { url: string | undefined; context: string | undefined }[] = [];
    let status = 200;
    let isNamed = false;
    const agent = createServer((request, response) => {
      const { context } = request.headers;
      requests.push({ url: request.url, context: context as string | undefined });
      response.writeHead(status, { 'content-type': 'application/json' });
      const flag = { enabled: context === 'tenant=t1,plan=gold', _variant: 'a' };
      response.end(JSON.stringify(isNamed ? { checkout: flag } : flag));
    });
    await new Promise<void>((resolve) => agent.listen(0, 'localhost', resolve));
    const port = String((agent.address() as AddressInfo).port);
    const stop = () => new Promise((resolve) => agent.close(resolve)).then(() => agent.closeAllConnections());
    return { port, requests, stop, answerWith: (next: number) => (status = next), nameFlags: () => (isNamed = true) };
  }

  it('are evaluated by the Agent for the context', async () => {
    world.values.setFlags({ checkout: {} }, { variants: true });
    const agent = await startAgent();
    const environment = { AWS_APPCONFIG_EXTENSION_HTTP_PORT: agent.port };
    const checkout = world.parameters({ environment }).flag('checkout');
    expect(await checkout.isOn({}, { tenant: 't1', plan: 'gold' })).toBe(true);
    expect(await checkout.isOn({}, { tenant: 't2', plan: 'gold' })).toBe(false);
    expect(await checkout.get({}, {})).toEqual({ enabled: false, _variant: 'a' });
    expect(agent.requests[0]).toEqual({
      url: '/applications/shop/environments/live/configurations/flags?flag=checkout',
      context: 'tenant=t1,plan=gold',
    });
    agent.nameFlags();
    expect(await checkout.get({}, {})).toEqual({ enabled: false, _variant: 'a' });
    agent.answerWith(404);
    await expect(checkout.get()).rejects.toMatchObject({ code: 'parameters.not_found' });
    agent.answerWith(500);
    await expect(checkout.get()).rejects.toMatchObject({ code: 'parameters.unavailable' });
    await agent.stop();
  });

  it('need the Agent', async () => {
    world.values.setFlags({ checkout: {} }, { variants: true });
    const agent = await startAgent();
    await agent.stop();
    const checkout = world
      .parameters({ environment: { AWS_APPCONFIG_EXTENSION_HTTP_PORT: agent.port } })
      .flag('checkout');
    await expect(checkout.isOn()).rejects.toMatchObject({ code: 'parameters.agent_required', status: 500 });
  });

  it.each([
    ['a value with a comma', { tenant: 't1,plan=gold' }],
    ['a value with a line break', { tenant: 't1\r\nx: y' }],
    ['a value that is not ASCII', { tenant: 'é' }],
    ['a key with an equals sign', { 'a=b': 'c' }],
  ])('reject %s, which the Agent would read as something else', async (_, context) => {
    world.values.setFlags({ checkout: {} }, { variants: true });
    const checkout = world.parameters().flag('checkout');
    await expect(checkout.isOn({}, context)).rejects.toMatchObject({ code: 'parameters.invalid_input' });
  });
});
