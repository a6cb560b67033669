import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ManualClock } from '@sallyport/core/testing';
import { type S3Sender, type SecretsSender, s3McpSpill, secretFromArn } from '../src/aws.js';
import { createSealer } from '../src/internal/crypto.js';
import { type Loopback, startLoopback, toClient } from './support/loopback.js';
import { Rig } from './support/rig.js';

describe('s3McpSpill', () => {
  const objects = new Map<string, Buffer>();
  let server: Loopback;
  let client: S3Client;
  let isDown = false;

  beforeAll(async () => {
    // PutObject and GetObject with paths as buckets: https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
    server = await startLoopback(({ method, url = '' }, body, response) => {
      const key = decodeURIComponent(url.split('?')[0] ?? '');
      if (isDown) response.writeHead(500).end();
      else if (method === 'PUT') {
        objects.set(key, body);
        response.writeHead(200, { etag: '"1"' }).end();
      } else if (method === 'DELETE') {
        objects.delete(key);
        response.writeHead(204).end();
      } else if (objects.has(key)) response.writeHead(200).end(objects.get(key));
      else response.writeHead(404, { 'content-type': 'application/xml' }).end('<Error><Code>NoSuchKey</Code></Error>');
    });
    client = new S3Client({ ...toClient(server), forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' });
  });
  beforeEach(() => {
    isDown = false;
    objects.clear();
  });
  afterAll(() => {
    client.destroy();
    server.stop();
  });
  const spill = () => s3McpSpill({ bucket: 'large', prefix: 'mcp/', client: client as S3Sender & S3Client });

  it('stores bytes unchanged, and reports an unknown key as absent', async () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 256);
    await spill().put('a b', bytes);
    expect([...objects.keys()]).toEqual(['/large/mcp/a b']);
    expect(Buffer.compare(Buffer.from((await spill().get('a b')) ?? []), Buffer.from(bytes))).toBe(0);
    expect(await spill().get('other')).toBeUndefined();
    await spill().delete?.('other');
    expect(objects.size).toBe(1);
    await spill().delete?.('a b');
    expect(objects.size).toBe(0);
  });

  it('fails as the store does', async () => {
    isDown = true;
    const failure = { code: 'mcp.store', statusCode: 503 };
    await expect(spill().put('a', new Uint8Array(1))).rejects.toMatchObject(failure);
    await expect(spill().get('a')).rejects.toMatchObject(failure);
    await expect(spill().delete?.('a')).rejects.toMatchObject(failure);
  });

  it('carries an event that is too large for a row to a client that reconnects', async () => {
    const large = 'x'.repeat(300_000);
    const rig = new Rig({
      server: { spill: spill() },
      register: (one) =>
        one.tool('t', {}, (_, ctx) => {
          ctx.log('info', large);
          return 'done';
        }),
    });
    const session = await rig.connect();
    const first = await session.call('t');
    const rest = await session.resume(String(first.events[0]?.id));
    expect(rest.events.find(({ data }) => data?.method === 'notifications/message')?.data.params.data).toBe(large);
    expect(objects.size).toBe(1);
  });

  it('needs a bucket', () => {
    expect(() => s3McpSpill({ environment: {} })).toThrow(
      expect.failure('app.invalid_configuration', 'option "bucket"'),
    );
    expect(s3McpSpill({ environment: { FRAMEWORK_MCP_SPILL_BUCKET: 'b' } })).toBeDefined();
  });
});

describe('secretFromArn', () => {
  const ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:mcp-AbCdEf';
  let stages: Record<string, string | undefined> = {};
  let asked: unknown[] = [];
  let server: Loopback;
  let client: SecretsManagerClient;

  beforeAll(async () => {
    // AWS JSON 1.1: https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
    server = await startLoopback((request, body, response) => {
      const { SecretId, VersionStage } = JSON.parse(body.toString()) as { SecretId: string; VersionStage: string };
      asked.push([request.headers['x-amz-target'], SecretId, VersionStage]);
      const SecretString = stages[VersionStage];
      const type = { 'content-type': 'application/x-amz-json-1.1' };
      if (SecretString === undefined) response.writeHead(400, type).end('{"__type":"ResourceNotFoundException"}');
      else response.writeHead(200, type).end(JSON.stringify({ ARN, SecretString }));
    });
    client = new SecretsManagerClient(toClient(server));
  });
  beforeEach(() => {
    stages = { AWSCURRENT: 'a'.repeat(32) };
    asked = [];
  });
  afterAll(() => {
    client.destroy();
    server.stop();
  });
  const secret = () => secretFromArn({ arn: ARN, client: client as SecretsSender & SecretsManagerClient });

  it('seals with the current value, and opens with the previous one', async () => {
    expect(await secret()()).toEqual({ current: 'a'.repeat(32), previous: [] });
    stages = { AWSCURRENT: 'b'.repeat(32), AWSPREVIOUS: 'a'.repeat(32) };
    expect(await secret()()).toEqual({ current: 'b'.repeat(32), previous: ['a'.repeat(32)] });
    expect(asked.slice(0, 2)).toEqual([
      ['secretsmanager.GetSecretValue', ARN, 'AWSCURRENT'],
      ['secretsmanager.GetSecretValue', ARN, 'AWSPREVIOUS'],
    ]);
  });

  it('rejects without a value, and is read again on the next call', async () => {
    stages = {};
    const sealer = createSealer(secret(), 'tested');
    await expect(sealer.seal('state', 'text', '')).rejects.toThrow();
    stages = { AWSCURRENT: 'a'.repeat(32) };
    await expect(sealer.seal('state', 'text', '')).resolves.toMatch(/^v1\./);
  });

  it('a rotation reaches running instances, even without a notification', async () => {
    const clock = new ManualClock(0);
    const now = () => clock.now().getTime();
    const [early, late] = [createSealer(secret(), 'tested', now), createSealer(secret(), 'tested', now)];
    const old = await early.seal('state', 'old', '');
    expect(await late.open('state', old, '')).toBe('old');
    stages = { AWSCURRENT: 'b'.repeat(32), AWSPREVIOUS: 'a'.repeat(32) };
    expect(await early.open('state', old, '')).toBe('old');
    await clock.advance(600_000);
    const reads = asked.length;
    const fresh = await early.seal('state', 'fresh', '');
    expect(asked.length).toBe(reads + 2);
    expect(await late.open('state', fresh, '')).toBe('fresh');
    expect(await late.open('state', old, '')).toBe('old');
    stages = {};
    await clock.advance(600_000);
    expect(await late.open('state', fresh, '')).toBe('fresh');
  });

  it('a token that opens with no key reads the secret again, at most every 30 seconds', async () => {
    const clock = new ManualClock(0);
    const sealer = createSealer(secret(), 'tested', () => clock.now().getTime());
    const token = await createSealer({ current: 'z'.repeat(32) }, 'tested').seal('state', 'x', '');
    for (let turn = 0; turn < 5; turn += 1) expect(await sealer.open('state', token, '')).toBeUndefined();
    expect(asked.length).toBe(2);
    await clock.advance(30_000);
    for (let turn = 0; turn < 5; turn += 1) expect(await sealer.open('state', token, '')).toBeUndefined();
    expect(asked.length).toBe(4);
  });

  it('needs an ARN', () => {
    expect(() => secretFromArn({ environment: {} })).toThrow(
      expect.failure('app.invalid_configuration', 'option "arn"'),
    );
    expect(secretFromArn({ environment: { FRAMEWORK_MCP_SECRET_ARN: ARN } })).toBeDefined();
  });
});
