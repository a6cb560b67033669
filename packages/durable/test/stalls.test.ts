/** Traps 1, 2 and 5 with AWS's runtime client in processes that Lambda's time-out or a signal kills. */

import { buildQueueEvent } from '@sallyport/testkit';
import { startOwnProcess } from './own-process.js';

const FUNCTION = 'arn:aws:lambda:us-east-1:123456789012:function:test';

let own: Awaited<ReturnType<typeof startOwnProcess>>;
beforeAll(async () => {
  own = await startOwnProcess('stalls.ts');
});
afterAll(() => own.stop());

/** Runs the execution of a batch, with the outcome of each invocation and the effects of all processes. */
async function run(bodies: readonly string[], timeoutMs?: number) {
  const outcomes: string[] = [];
  const engine = own.newEngine({
    async invoke({ event }) {
      const { outcome, body } = await own.invoke(event, timeoutMs);
      outcomes.push(outcome);
      if (outcome === 'response') return { answer: JSON.parse(body.toString('utf8')) };
      await own.kill();
      return { error: new Error(outcome) };
    },
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
    effects: own.effects(),
    log: own.log(),
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
  await own.kill();
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
