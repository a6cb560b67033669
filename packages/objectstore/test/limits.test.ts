import { spawnSync } from 'node:child_process';
import { bundleProgram, type Program } from '@sallyport/dynamodb-local';
import { createS3ObjectStore, type ObjectStore } from '@sallyport/objectstore';
import { s3Endpoint } from '@sallyport/s3-server';
import { archive, member } from './support/archive.js';
import { startTestS3, type TestS3 } from './support/s3.js';

const MIB = 1_048_576;
const LARGE = 'large.bin';
const ARTIFACT = 'artifact.tar';

let s3: TestS3;
let store: ObjectStore;
let versionId: string;
let program: Program;

beforeAll(async () => {
  program = bundleProgram(new URL('./support/measure.ts', import.meta.url));
  s3 = await startTestS3();
  store = createS3ObjectStore({ client: s3.client });
  await store.put({ ref: { bucket: s3.bucket, key: LARGE }, payload: Buffer.alloc(100 * MIB, 'x') });
  const half = 16 * MIB - 4096;
  const tar = archive(
    member({ name: 'a.bin', data: Buffer.alloc(half) }),
    member({ name: 'b.bin', data: Buffer.alloc(half) }),
  );
  ({ versionId = '' } = await store.put({ ref: { bucket: s3.versionedBucket, key: ARTIFACT }, payload: tar }));
});

afterAll(async () => {
  program.remove();
  await s3.stop();
});

/** Result of a measurement in a separate process: see `support/measure.ts`. */
async function measure(task: object): Promise<Record<string, number | string>> {
  const job = JSON.stringify({ endpoint: await s3Endpoint(), ...task });
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', program.file, job], { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, number | string>;
}

describe.each([
  ['', { checksums: 'WHEN_SUPPORTED' }],
  [' by a client that compares no checksums', { checksums: 'WHEN_REQUIRED' }],
])('a get of 100 MiB with a limit of 1 MiB%s', (_name, options) => {
  it('reads at most 2 MiB from the socket, closes it, and grows by at most 4 MiB', async () => {
    const { code, readBytes, grownBytes, openSockets } = await measure({
      kind: 'get',
      bucket: s3.bucket,
      key: LARGE,
      ...options,
    });
    expect(code).toBe('objectstore.object_too_large');
    expect(readBytes).toBeGreaterThan(0);
    expect(readBytes).toBeLessThanOrEqual(2 * MIB);
    expect(grownBytes).toBeLessThanOrEqual(4 * MIB);
    expect(openSockets).toBe(0);
  });
});

it('an artifact of 32 MiB is verified with at most two copies of it in memory', async () => {
  const { state, peakBytes } = await measure({
    kind: 'artifact',
    bucket: s3.versionedBucket,
    key: ARTIFACT,
    versionId,
  });
  expect(state).toBe('verified');
  // The measured peak includes the artifact.
  expect(peakBytes).toBeGreaterThan(31 * MIB);
  expect(peakBytes).toBeLessThanOrEqual(64 * MIB);
});

describe('an answer without a length', () => {
  beforeEach(() => s3.proxy.clear());

  it('is read up to the limit, then its connection is closed', async () => {
    s3.proxy.inject({ kind: 'chunked' });
    const call = store.get({ ref: { bucket: s3.bucket, key: LARGE }, maxBytes: MIB });
    await expect(call).rejects.toMatchObject({ code: 'objectstore.object_too_large' });
    const [request] = s3.proxy.requests;
    expect(await request?.closed).toBe('cut');
    // The limit plus the buffers of both ends.
    expect(request?.sentBytes).toBeLessThan(20 * MIB);
  });

  it('is read whole when it fits', async () => {
    await store.put({ ref: { bucket: s3.bucket, key: 'small' }, payload: Buffer.alloc(200_000, 'y') });
    s3.proxy.inject({ kind: 'chunked' });
    const { payload } = await store.get({ ref: { bucket: s3.bucket, key: 'small' }, maxBytes: 200_000 });
    expect(Buffer.from(payload).equals(Buffer.alloc(200_000, 'y'))).toBe(true);
    await expect(store.get({ ref: { bucket: s3.bucket, key: 'small' }, maxBytes: 199_999 })).rejects.toMatchObject({
      code: 'objectstore.object_too_large',
    });
  });
});

it('a get of a large object closes the connection before the body is sent', async () => {
  s3.proxy.clear();
  const call = store.get({ ref: { bucket: s3.bucket, key: LARGE }, maxBytes: MIB });
  await expect(call).rejects.toMatchObject({ code: 'objectstore.object_too_large' });
  expect(await s3.proxy.requests[0]?.closed).toBe('cut');
  expect(s3.proxy.requests).toHaveLength(1);
});
