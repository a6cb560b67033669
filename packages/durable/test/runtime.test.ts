import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as sdk from '@aws-sdk/client-lambda';
import { systemClock } from '@sallyport/core';
import { bundleFunction, type Runtime, startRuntime } from '@sallyport/lambda-runtime';
import { buildQueueEvent } from '@sallyport/testkit';
import {
  type CheckpointRequest,
  createDurableEngine,
  createFileStore,
  type DurableEngine,
  type StateRequest,
  toRestJson,
} from '@sallyport/testkit/durable';
import { type Service, startService } from '@sallyport/testkit/services';

const ENTRY = join(dirname(fileURLToPath(import.meta.url)), 'functions', 'orders.ts');
const FUNCTION = 'arn:aws:lambda:us-east-1:123456789012:function:test';
const EVENT = buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [
  { messageId: 'm-1', body: 'first' },
  { messageId: 'm-2', body: 'second' },
]);

const folder = mkdtempSync(join(tmpdir(), 'durable-runtime-'));
const effects = join(folder, 'effects.txt');
let bundle: Awaited<ReturnType<typeof bundleFunction>>;
let service: Service;
let runtime: Runtime | undefined;
let engine: DurableEngine;
/** Called for each checkpoint, before it is stored and before it is answered. */
let atCheckpoint: (when: 'before' | 'after', count: number) => Promise<void> = async () => {};
let checkpoints = 0;
let starts = 0;

beforeAll(async () => {
  bundle = await bundleFunction(ENTRY, { format: 'cjs' });
  service = await startService({
    sdk,
    handlers: {
      async CheckpointDurableExecution(input) {
        checkpoints += 1;
        const count = checkpoints;
        await atCheckpoint('before', count);
        const answer = await engine.checkpoint(input as unknown as CheckpointRequest);
        await atCheckpoint('after', count);
        return toRestJson(answer) as object;
      },
      GetDurableExecutionState: async (input) =>
        toRestJson(await engine.getExecutionState(input as unknown as StateRequest)) as object,
    },
  });
});
afterAll(async () => {
  engine.close();
  await runtime?.stop();
  await service.stop();
  bundle.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function kill(): Promise<never> {
  await runtime?.stop();
  runtime = undefined;
  throw new Error('the process was killed');
}

/** AWS's runtime client in a separate process; a new process after a kill, as a new environment. */
async function start(): Promise<Runtime> {
  starts += 1;
  return startRuntime({
    bundle: bundle.file,
    handler: 'handler',
    env: {
      FRAMEWORK_DURABLE: '1',
      EFFECTS: effects,
      AWS_ENDPOINT_URL_LAMBDA: service.endpoint,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    },
  });
}

test('an execution whose process is killed at every checkpoint, before and after it is stored, ends with the right report', async () => {
  const killed: string[] = [];
  // Two requests for each checkpoint: the first is lost with its process; the second is stored, but its answer is lost.
  atCheckpoint = async (when, count) => {
    if ((when === 'before') === (count % 2 === 1)) {
      killed.push(when);
      await kill();
    }
  };
  engine = createDurableEngine({
    clock: systemClock,
    store: createFileStore(join(folder, 'store')),
    pageSize: 3,
    async invoke({ event }) {
      runtime ??= await start();
      const { outcome, body } = await runtime.invoke(event);
      return outcome === 'response'
        ? { answer: JSON.parse(body.toString('utf8')) }
        : { error: new Error(`${outcome} ${body}`) };
    },
    // Waits and retries end immediately.
    onChange: () => setImmediate(() => engine.skip()),
  });
  const { arn } = engine.start({ functionArn: FUNCTION, payload: JSON.stringify(EVENT), synchronous: true });
  const ended = await engine.ended(arn);
  expect(ended).toMatchObject({ status: 'SUCCEEDED' });
  expect(JSON.parse(ended.result ?? '')).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-2' }] });
  const lines = readFileSync(effects, 'utf8').trim().split('\n');
  // Four checkpoints, each killed twice. An effect is repeated only where its record was lost.
  expect([killed.length, starts]).toEqual([8, 9]);
  const each = ['charge first', 'charge second'];
  const last = ['mail first', 'mail second'];
  expect(lines).toEqual([...each, ...each, ...last, ...last]);
  expect(service.requests.map(({ operation }) => operation)).toContain('GetDurableExecutionState');
}, 120_000);
