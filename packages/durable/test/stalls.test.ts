/** Traps 1, 2 and 5 with AWS's runtime client in processes that Lambda's time-out or a signal kills. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  type DurableEngine,
  type StateRequest,
  toRestJson,
} from '@sallyport/testkit/durable';
import { type Service, startService } from '@sallyport/testkit/services';

const ENTRY = join(dirname(fileURLToPath(import.meta.url)), 'functions', 'stalls.ts');
const FUNCTION = 'arn:aws:lambda:us-east-1:123456789012:function:test';
const folder = mkdtempSync(join(tmpdir(), 'durable-stalls-'));
const file = join(folder, 'effects.txt');

let bundle: Awaited<ReturnType<typeof bundleFunction>>;
let service: Service;
let engine: DurableEngine;
let runtime: Runtime | undefined;
beforeAll(async () => {
  bundle = await bundleFunction(ENTRY, { format: 'cjs' });
  service = await startService({
    sdk,
    handlers: {
      CheckpointDurableExecution: async (input) =>
        toRestJson(await engine.checkpoint(input as unknown as CheckpointRequest)) as object,
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

const start = () =>
  startRuntime({
    bundle: bundle.file,
    handler: 'handler',
    env: {
      FRAMEWORK_DURABLE: '1',
      EFFECTS: file,
      AWS_ENDPOINT_URL_LAMBDA: service.endpoint,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    },
  });

/** Runs the execution of a batch, with the outcome of each invocation and the effects of all processes. */
async function run(bodies: readonly string[], timeoutMs?: number) {
  writeFileSync(file, '');
  const outcomes: string[] = [];
  engine = createDurableEngine({
    clock: systemClock,
    async invoke({ event }) {
      runtime ??= await start();
      const { outcome, body } = await runtime.invoke(event, timeoutMs === undefined ? {} : { timeoutMs });
      outcomes.push(outcome);
      if (outcome === 'response') return { answer: JSON.parse(body.toString('utf8')) };
      await runtime.stop();
      runtime = undefined;
      return { error: new Error(outcome) };
    },
    // Waits and retries end immediately.
    onChange: () => setImmediate(() => engine.skip()),
  });
  const records = bodies.map((body) => ({ messageId: body, body }));
  const event = buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', records);
  const { arn } = engine.start({ functionArn: FUNCTION, payload: JSON.stringify(event), synchronous: true });
  const { status, result = '' } = await engine.ended(arn);
  const failed = (JSON.parse(result) as { batchItemFailures: { itemIdentifier: string }[] }).batchItemFailures;
  return {
    status,
    failed: failed.map(({ itemIdentifier }) => itemIdentifier),
    outcomes,
    effects: readFileSync(file, 'utf8').trim().split('\n'),
    log: runtime?.log ?? '',
  };
}

test('a record that awaits indefinitely ends with the time-out of Lambda, and recorded steps do not run again', async () => {
  const { status, failed, outcomes, effects } = await run(['stalls', 'works'], 1_500);
  expect({ status, failed, outcomes }).toEqual({ status: 'SUCCEEDED', failed: [], outcomes: ['timeout', 'response'] });
  expect(effects).toEqual(['charge stalls', 'charge works', 'stalled', 'pay works', 'pay stalls']);
});

test.each<[string, string, string[], string[]]>([
  ['runs again', 'interrupted', [], ['pay interrupted', 'killed interrupted', 'pay interrupted']],
  [
    'with effect: atMostOnce fails and does not run again',
    'atMostOnce',
    ['atMostOnce'],
    ['pay atMostOnce', 'killed atMostOnce'],
  ],
])('a step that a kill interrupts in the middle %s', async (_name, body, expected, effects) => {
  const ran = await run([body]);
  expect([ran.status, ran.failed, ran.outcomes]).toEqual(['SUCCEEDED', expected, ['exit', 'response']]);
  expect(ran.effects).toEqual([`charge ${body}`, ...effects]);
});

test('a suspended invocation leaves no line, rejection or exception to the next one in its process', async () => {
  await runtime?.stop();
  runtime = undefined;
  const { status, failed, outcomes, effects, log } = await run(['waits', 'retries', 'works']);
  expect([status, failed, outcomes.every((outcome) => outcome === 'response')]).toEqual(['SUCCEEDED', [], true]);
  expect(outcomes.length).toBeGreaterThan(1);
  expect(effects).toEqual([
    'charge waits',
    'charge retries',
    'charge works',
    'pay waits',
    'pay retries',
    'pay works',
    'waited',
  ]);
  const second = await run(['works']);
  expect([second.effects, second.log]).toEqual([['charge works', 'pay works'], log]);
  expect(log).not.toContain('framework:');
});
