/** A message is hidden for two minutes at a time while its function runs, on a clock that the test moves. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@sallyport/core/testing';
import { Journal } from '../src/redrive/internal/journal.js';
import type { QueueMessage } from '../src/redrive/internal/letters.js';
import type { FailureQueue, Queues } from '../src/redrive/internal/queues.js';
import { Redrive } from '../src/redrive/internal/run.js';

const START = Date.parse('2026-11-14T00:00:00Z');
const ARN = 'arn:aws:sqs:us-east-1:123456789012:bus-failed';
const MESSAGE: QueueMessage = {
  MessageId: 'm-1',
  ReceiptHandle: 'r-1',
  Body: JSON.stringify({
    requestContext: {
      functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:service',
      condition: 'RetriesExhausted',
    },
    requestPayload: { id: 'e-1' },
  }),
};

/** The calls of a redrive on a queue with one message. */
function recordedQueue(clock: ManualClock) {
  const calls: string[] = [];
  let isReceived = false;
  const note = (what: string) => calls.push(`${(clock.now().getTime() - START) / 1000} s: ${what}`);
  const queue: FailureQueue = {
    ...{ name: 'bus-failed', arn: ARN },
    async receive(seconds) {
      if (isReceived) return [];
      isReceived = true;
      note(`receive, hidden for ${seconds} s`);
      return [MESSAGE];
    },
    async hide(_message, seconds) {
      note(`hide for ${seconds} s`);
    },
    async delete() {
      note('delete');
    },
    counts: async () => ({ visible: 0, hidden: 0 }),
  };
  return { calls, queue };
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-hidden-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a message remains hidden while its function runs, and the journal names the end of the time', async () => {
  const clock = new ManualClock(START);
  const { calls, queue } = recordedQueue(clock);
  const path = join(folder, 'journal.jsonl');
  const journal = new Journal(path, ARN, clock.now());
  const settings = {
    ...{ filter: () => true, rate: 1000, limit: 1, watchSeconds: 0, unhandled: () => undefined, report: () => {} },
    ...{ signal: new AbortController().signal, clock },
  };
  let handled = () => {};
  const deliver = () =>
    new Promise<{ readonly kind: 'accepted' }>((resolve) => {
      handled = () => resolve({ kind: 'accepted' });
    });
  const run = new Redrive(queue, {} as Queues, deliver, journal, settings).run();
  await clock.advance(100_000);
  expect(calls).toEqual([
    '0 s: receive, hidden for 120 s',
    '0 s: hide for 120 s',
    '40 s: hide for 120 s',
    '80 s: hide for 120 s',
  ]);
  // A process that is killed here leaves this journal.
  const left = readFileSync(path, 'utf8');
  handled();
  await run;
  expect([calls.at(-1), clock.pendingTimers]).toEqual(['100 s: delete', 0]);
  journal.close();

  const killed = join(folder, 'killed.jsonl');
  writeFileSync(killed, left);
  const next = new Journal(killed, ARN, clock.now());
  expect([next.isResumed, next.interrupted()]).toEqual([
    true,
    [{ id: 'm-1', hiddenUntil: '2026-11-14T00:03:20.000Z' }],
  ]);
  next.close();
});
