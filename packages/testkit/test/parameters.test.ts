import { createTestEnv, fakeParameters } from '@sallyport/testkit';

class GetParametersCommand {
  constructor(readonly input: object) {}
}
class GetSecretValueCommand {
  constructor(readonly input: object) {}
}
class StartConfigurationSessionCommand {
  constructor(readonly input: object) {}
}
class GetLatestConfigurationCommand {
  constructor(readonly input: object) {}
}

it('counts the calls with their names, and failNext fails one call', async () => {
  const aws = fakeParameters();
  aws.setParameter('/a', '1');
  aws.failNext(new Error('down'));
  const command = new GetParametersCommand({ Names: ['/a', '/b'] });
  await expect(aws.clients.ssm.send(command)).rejects.toThrow('down');
  const { signal } = new AbortController();
  expect(await aws.clients.ssm.send(command, { abortSignal: signal })).toMatchObject({
    Parameters: [{ Name: '/a', Value: '1', Type: 'String', Version: 1 }],
    InvalidParameters: ['/b'],
  });
  expect(aws.calls).toEqual([
    { operation: 'GetParameters', names: ['/a', '/b'], hasSignal: false },
    { operation: 'GetParameters', names: ['/a', '/b'], hasSignal: true },
  ]);
});

it('a parameter that is removed and set again has another date even if the clock of the test does not move', async () => {
  const { clock } = createTestEnv({ now: 1_000_000_000 });
  const aws = fakeParameters({ clock });
  const read = () => aws.clients.ssm.send(new GetParametersCommand({ Names: ['/a'] }));
  aws.setParameter('/a', '1');
  expect(await read()).toMatchObject({ Parameters: [{ Version: 1, LastModifiedDate: new Date(1_000_000_000) }] });
  aws.remove('/a');
  aws.setParameter('/a', '2');
  expect(await read()).toMatchObject({ Parameters: [{ Version: 1, LastModifiedDate: new Date(1_000_000_001) }] });
});

it.each([0, 11])('rejects %i names in one call, as AWS does', async (count) => {
  const Names = Array.from({ length: count }, (_, index) => `/p${index}`);
  const call = fakeParameters().clients.ssm.send(new GetParametersCommand({ Names }));
  await expect(call).rejects.toMatchObject({ name: 'ValidationException', $metadata: { httpStatusCode: 400 } });
});

it('rejects a parameter over 8 KB and a secret over 64 KB', () => {
  const aws = fakeParameters();
  aws.setParameter('/a', 'x'.repeat(8192));
  aws.setSecret('a', 'x'.repeat(65_536));
  expect(() => aws.setParameter('/a', 'x'.repeat(8193))).toThrow('8 KB');
  expect(() => aws.setSecret('a', 'x'.repeat(65_537))).toThrow('64 KB');
});

it('a second value of a secret is a rotation: the first is AWSPREVIOUS', async () => {
  const aws = fakeParameters();
  const read = (VersionStage: string) =>
    aws.clients.secretsManager.send(new GetSecretValueCommand({ SecretId: 'a', VersionStage }));
  aws.setSecret('a', 'first');
  await expect(read('AWSPREVIOUS')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  aws.setSecret('a', 'second');
  expect(await read('AWSCURRENT')).toMatchObject({ SecretString: 'second' });
  expect(await read('AWSPREVIOUS')).toMatchObject({ SecretString: 'first' });
  aws.deny('a');
  await expect(read('AWSCURRENT')).rejects.toMatchObject({ name: 'AccessDeniedException' });
  aws.allow('a');
  aws.remove('a');
  await expect(read('AWSCURRENT')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});

it('a token of flags is valid once, not before its interval, and not after 24 hours', async () => {
  const env = createTestEnv();
  const aws = fakeParameters({ clock: env.clock });
  aws.setFlags({ a: { enabled: true } });
  const { appConfigData } = aws.clients;
  const { InitialConfigurationToken: token } = (await appConfigData.send(new StartConfigurationSessionCommand({}))) as {
    readonly InitialConfigurationToken: string;
  };
  const poll = (ConfigurationToken: string) =>
    appConfigData.send(new GetLatestConfigurationCommand({ ConfigurationToken })) as Promise<{
      readonly NextPollConfigurationToken: string;
      readonly Configuration: Uint8Array;
    }>;
  const first = await poll(token);
  expect(Buffer.from(first.Configuration).toString()).toBe('{"a":{"enabled":true}}');
  const refused = { name: 'BadRequestException' };
  await expect(poll(token)).rejects.toMatchObject(refused);
  await expect(poll(first.NextPollConfigurationToken)).rejects.toMatchObject(refused);
  env.clock.tick(15_000);
  const second = await poll(first.NextPollConfigurationToken);
  expect(second.Configuration.length).toBe(0);
  env.clock.tick(86_400_001);
  await expect(poll(second.NextPollConfigurationToken)).rejects.toMatchObject(refused);
});
