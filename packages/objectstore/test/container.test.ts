import { json } from '@sallyport/http';
import { createS3ObjectStore, parseObjectRef } from '@sallyport/objectstore';
import type { S3Fault } from '@sallyport/s3-server';
import { Public, SecureApp } from '@sallyport/secure';
import { buildAPIGatewayV2Request, createTestEnv } from '@sallyport/testkit';
import { startTestS3, type TestS3 } from './support/s3.js';

const SECRET = 'a text of the provider';
let s3: TestS3;

beforeAll(async () => {
  s3 = await startTestS3();
});

afterAll(() => s3.stop());

beforeEach(() => s3.proxy.clear());

it.each<[string, S3Fault, string, number]>([
  ['SlowDown', { kind: 'error', status: 503, code: 'SlowDown', message: SECRET }, 'objectstore.unavailable', 503],
  ['no permission', { kind: 'error', status: 403, code: 'AccessDenied', message: SECRET }, 'objectstore.denied', 500],
  ['a lost answer', { kind: 'lost-answer' }, 'objectstore.unavailable', 503],
  ['a body that is cut', { kind: 'cut', after: 2 }, 'objectstore.unavailable', 503],
])(
  'a handler that meets %s leaves one line in the log, and its client reads a code',
  async (_name, fault, code, status) => {
    const env = createTestEnv();
    const app = new SecureApp({ ...env.options(), principalResolver: () => undefined });
    const store = createS3ObjectStore({ client: s3.client });
    const ref = parseObjectRef(`s3://${s3.bucket}/private-key`);
    await store.put({ ref, payload: Buffer.from('hello') });
    app.get('/file', async () => json(200, await store.get({ ref, maxBytes: 10 })), Public());
    s3.proxy.inject(fault);
    const answer = (await env.invoke(app, buildAPIGatewayV2Request('GET', '/file'))) as {
      statusCode: number;
      body: string;
    };
    expect(answer.statusCode).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code } });
    expect(answer.body).not.toMatch(/a text of the provider|private-key/);
    const errors = env.records.logs.filter(({ level }) => level === 'error');
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors)).toContain(code);
    expect(JSON.stringify(errors)).not.toMatch(/private-key|Signature=|testsecret/);
  },
);
