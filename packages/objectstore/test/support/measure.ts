// Measures one call in a separate process: `node --expose-gc measure.ts <job as JSON>`. Prints one line of JSON.
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { S3Client } from '@aws-sdk/client-s3';
import { artifactDigest, createS3ObjectStore, fetchVersionedArtifact } from '@sallyport/objectstore';
import { S3_CREDENTIALS } from '@sallyport/s3-server';

interface Job {
  readonly kind: 'get' | 'artifact';
  readonly endpoint: string;
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string;
  readonly checksums?: 'WHEN_SUPPORTED' | 'WHEN_REQUIRED';
}

const MIB = 1_048_576;
/** Time after which a socket that is not closed counts as open. */
const CLOSE_MS = 5000;
const job = JSON.parse(process.argv[2] ?? '{}') as Job;
const sockets: Socket[] = [];

/** Keeps the sockets, so that their bytes can be counted. */
class CountingAgent extends Agent {
  override createConnection(...args: Parameters<Agent['createConnection']>) {
    const socket = super.createConnection(...args) as Socket;
    sockets.push(socket);
    return socket;
  }
}

const client = new S3Client({
  endpoint: job.endpoint,
  region: 'us-east-1',
  forcePathStyle: true,
  credentials: S3_CREDENTIALS,
  requestHandler: { httpAgent: new CountingAgent() },
  ...(job.checksums && { responseChecksumValidation: job.checksums }),
});
const store = createS3ObjectStore({ client });
const collect = (globalThis as { gc?: () => void }).gc ?? (() => {});
const inUse = () => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Growth that is not examined. */
const STEP_BYTES = MIB / 2;

/**
 * Bytes that a run needs at most, sampled at every turn of the event loop, over those in use before.
 *
 * @param beforeSample `collect` excludes unreferenced memory. It takes milliseconds each time, so it is called only if the use
 * has grown by more than {@link STEP_BYTES} since the highest sample.
 */
async function peakOf(run: () => Promise<void>, beforeSample: () => void = () => {}): Promise<number> {
  // Buffers of before are given back in the background after the first collection.
  for (let times = 0; times < 2; times += 1) {
    collect();
    await new Promise(setImmediate);
  }
  const before = inUse();
  let peak = before;
  let isOver = false;
  const sample = () => {
    if (inUse() > peak + STEP_BYTES) {
      beforeSample();
      peak = Math.max(peak, inUse());
    }
    if (!isOver) setImmediate(sample);
  };
  sample();
  await run();
  isOver = true;
  return Math.max(peak, inUse()) + STEP_BYTES - before;
}

async function measureGet(): Promise<object> {
  const call = () => store.get({ ref: { bucket: job.bucket, key: job.key }, maxBytes: MIB });
  // The first call loads and compiles the SDK.
  await call().catch(() => {});
  sockets.length = 0;
  let code = 'none';
  const grownBytes = await peakOf(async () => {
    await call().catch((error: { code: string }) => {
      code = error.code;
    });
  });
  const givenUpAtMs = performance.now() + CLOSE_MS;
  while (sockets.some(({ closed }) => !closed) && performance.now() < givenUpAtMs) await new Promise(setImmediate);
  const readBytes = sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  return { code, readBytes, grownBytes, openSockets: sockets.filter(({ closed }) => !closed).length };
}

async function measureArtifact(): Promise<object> {
  const { bucket, key, versionId = '' } = job;
  const expectedDigest = await store
    .get({ ref: { bucket, key, versionId }, maxBytes: 32 * MIB })
    .then(({ payload }) => artifactDigest(payload));
  let state = '';
  const peakBytes = await peakOf(async () => {
    state = (await fetchVersionedArtifact(store, { bucket, key, versionId, expectedDigest })).state;
  }, collect);
  return { state, peakBytes };
}

process.stdout.write(JSON.stringify(job.kind === 'get' ? await measureGet() : await measureArtifact()), () =>
  process.exit(),
);
