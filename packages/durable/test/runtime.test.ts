import { join } from 'node:path';
import { buildQueueEvent } from '@sallyport/testkit';
import { createFileStore } from '@sallyport/testkit/durable';
import { startOwnProcess } from './own-process.js';

const FUNCTION = 'arn:aws:lambda:us-east-1:123456789012:function:test';
const EVENT = buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [
  { messageId: 'm-1', body: 'first' },
  { messageId: 'm-2', body: 'second' },
]);

let own: Awaited<ReturnType<typeof startOwnProcess>>;
beforeAll(async () => {
  own = await startOwnProcess('orders.ts');
});
afterAll(() => own.stop());

test('an execution whose process is killed at every checkpoint, before and after it is stored, ends with the right report', async () => {
  const killed: string[] = [];
  let checkpoints = 0;
  // Two requests for each checkpoint: the first is lost with its process; the second is stored, but its answer is lost.
  own.atCheckpoint = async (when) => {
    if (when === 'before') checkpoints += 1;
    if ((when === 'before') !== (checkpoints % 2 === 1)) return;
    killed.push(when);
    await own.kill();
    throw new Error('the process was killed');
  };
  const engine = own.newEngine({
    store: createFileStore(join(own.folder, 'store')),
    pageSize: 3,
    async invoke({ event }) {
      const { outcome, body } = await own.invoke(event);
      return outcome === 'response'
        ? { answer: JSON.parse(body.toString('utf8')) }
        : { error: new Error(`${outcome} ${body}`) };
    },
  });
  const { arn } = engine.start({ functionArn: FUNCTION, payload: JSON.stringify(EVENT), synchronous: true });
  const ended = await engine.ended(arn);
  expect(ended).toMatchObject({ status: 'SUCCEEDED' });
  expect(JSON.parse(ended.result ?? '')).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-2' }] });
  // Four checkpoints, each killed twice. An effect is repeated only where its record was lost.
  expect([killed.length, own.starts]).toEqual([8, 9]);
  const each = ['charge first', 'charge second'];
  const last = ['mail first', 'mail second'];
  expect(own.effects()).toEqual([...each, ...each, ...last, ...last]);
  expect(own.service.requests.map(({ operation }) => operation)).toContain('GetDurableExecutionState');
});
