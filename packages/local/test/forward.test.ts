import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListSecretsCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { createForward } from '../src/internal/aws/forward.js';
import { createAwsServer } from '../src/internal/aws/server.js';
import type { AwsService } from '../src/internal/aws/service.js';
import { POLICIES } from '../src/internal/guard/policies.js';
import { KEYS } from './support/host.js';

const OWN = { accessKeyId: 'THE-DEVELOPERS-KEY', secretAccessKey: "the developer's own" };
const home = mkdtempSync(join(tmpdir(), 'sallyport-home-'));
/** Replaces AWS: one of our ports, which accepts only the developer's keys. */
const seen: string[] = [];
const there: AwsService = {
  protocol: 'json-1.1',
  serve({ operation, request }) {
    seen.push(`${operation} ${request.headers['x-amz-security-token'] ?? 'no token'}`);
    return { SecretList: [{ Name: 'of AWS' }] };
  },
};
const guard = { policy: POLICIES.aws, allowHosts: [], onFault: (error: unknown) => expect(error).toBeUndefined() };
const serverOf = (keys: typeof KEYS, service: AwsService) =>
  createAwsServer({ guard, keys, services: { secretsmanager: service }, now: Date.now, onCall: () => () => {} });
const aws = serverOf(OWN, there);
let awsPort: number;

beforeAll(async () => {
  awsPort = await aws.listen(0);
});

afterAll(async () => {
  await aws.close();
  rmSync(home, { recursive: true, force: true });
});

async function callThrough(environment: Record<string, string>): Promise<unknown> {
  const forward = createForward('secretsmanager', { environment, home, endpoint: `http://127.0.0.1:${awsPort}` });
  const port = serverOf(KEYS, forward);
  const endpoint = `http://127.0.0.1:${await port.listen(0)}`;
  const client = new SecretsManagerClient({ endpoint, region: 'us-east-1', credentials: KEYS, maxAttempts: 1 });
  try {
    return (await client.send(new ListSecretsCommand({}))).SecretList;
  } finally {
    client.destroy();
    await port.close();
  }
}

it.each<[string, Record<string, string>]>([
  [
    'the shell',
    { AWS_ACCESS_KEY_ID: OWN.accessKeyId, AWS_SECRET_ACCESS_KEY: OWN.secretAccessKey, AWS_SESSION_TOKEN: 'mine' },
  ],
  ['a profile', { AWS_PROFILE: 'dev' }],
])('an allowed service is called with the keys of %s', async (_name, environment) => {
  mkdirSync(join(home, '.aws'), { recursive: true });
  const profiles = `[default]\naws_access_key_id = x\naws_secret_access_key = y\n\n[dev]\naws_access_key_id = ${OWN.accessKeyId}\naws_secret_access_key=${OWN.secretAccessKey}\naws_session_token = mine\n`;
  writeFileSync(join(home, '.aws/credentials'), profiles);
  expect(await callThrough(environment)).toEqual([{ Name: 'of AWS' }]);
  expect(seen.pop()).toBe('ListSecrets mine');
});

it('without keys it lists the places of keys', async () => {
  await expect(callThrough({ AWS_PROFILE: 'none' })).rejects.toMatchObject({
    message: expect.stringContaining('set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile none'),
  });
});
