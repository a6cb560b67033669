import { AppConfigDataClient } from '@aws-sdk/client-appconfigdata';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { systemClock } from '@sallyport/core';
import { createParameters } from '@sallyport/parameters';
import { createTestEnv } from '@sallyport/testkit';
import { clientConfig } from './support/clients.js';
import { createTestHost } from './support/host.js';
import { startPort } from './support/port.js';

const VALUES = {
  parameters: { '/orders/limit': '5' },
  secrets: { 'orders/key': 'local', 'orders/other': 'local too' },
  flags: { 'new-checkout': { enabled: true, percent: 10 } },
};

it('parameters, secrets and flags of sallyport.json are read through the AWS port, and a changed file is noticed', async () => {
  const host = createTestHost(() => ({}), { config: { values: VALUES }, clock: systemClock });
  const port = await startPort(host);
  const settings = clientConfig(host);
  const clients = {
    ssm: new SSMClient(settings),
    secretsManager: new SecretsManagerClient(settings),
    appConfigData: new AppConfigDataClient(settings),
  };
  const { clock, log } = createTestEnv({ now: 1_000_000 }).options();
  const environment = {
    FRAMEWORK_FLAGS_PROFILE: 'local/local/flags',
    LIMIT_ARN: 'arn:aws:ssm:us-east-1:123456789012:parameter/orders/limit',
  };
  const { parameter, secret, flag, ready } = createParameters({ clients, clock, log, environment });
  const limit = parameter({ variable: 'LIMIT_ARN' });
  const key = secret('orders/key');
  const other = secret('orders/other', undefined, { previous: true });
  const checkout = flag('new-checkout');
  await ready();
  expect(await limit.get()).toBe('5');
  expect([(await key.get()).reveal(), (await other.get()).reveal()]).toEqual(['local', 'local too']);
  expect((await other.get()).previous).toBeUndefined();
  expect(await checkout.get()).toEqual({ enabled: true, percent: 10 });

  // Values of the private file take precedence, and are encrypted ones.
  await clients.ssm.send(
    new PutParameterCommand({ Name: '/orders/limit', Value: '6', Type: 'SecureString', Overwrite: true }),
  );
  const encrypted = parameter('/orders/limit', undefined, { secret: true });
  expect((await encrypted.get()).reveal()).toBe('6');
  (clock as unknown as { tick(ms: number): void }).tick(600_000);
  expect(await checkout.isOn()).toBe(true);
  expect(await limit.get()).toBe('5');
  await port.stop();
  host.remove();
});
