import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  PurgeQueueCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
} from '@aws-sdk/client-sqs';
import { REDRIVE_COMMAND } from '@sallyport/cli/command';
import { type DevRun, runIn, startDev } from './support/dev.js';
import { type Fault, type FaultProxy, startFaultProxy } from './support/killing-proxy.js';
import { writeRedrive } from './support/redrive-main.js';

/** Handlers that write the id of each order that they handle. An order with `poison` fails until the file `fixed` exists. */
const entry = (folder: string) => `
import { appendFileSync, existsSync } from 'node:fs';
import { createApp } from '@sallyport/dispatch/app';
const app = createApp();
const handle = (_ctx, { body }) => {
  const order = JSON.parse(body);
  if (order.poison && !existsSync('${folder}/fixed')) throw new TypeError('no price');
  appendFileSync('${folder}/handled', order.id + '\\n');
};
app.queue('orders', handle);
app.queue('ledger.fifo', handle);
export const handler = app.handleLambda;
`;

let dev: DevRun;
let proxy: FaultProxy;
const main = () => join(dev.folder, 'sallyport.mjs');

beforeAll(async () => {
  const queue = { maxReceiveCount: 1, visibilityTimeoutMs: 1000 };
  // The clock of the queues runs faster: a message that a killed process hides is visible after 0.12 s.
  dev = await startDev(entry, { queues: { orders: queue, 'ledger.fifo': queue }, speed: 1000 });
  proxy = await startFaultProxy(dev.variables.AWS_ENDPOINT_URL ?? '');
  await writeRedrive(main());
});
afterAll(async () => {
  await proxy.close();
  await dev.stop();
});
beforeEach(async () => {
  for (const file of ['fixed', 'handled', '.sallyport/redrive', 'dist/inventory.json']) {
    rmSync(join(dev.folder, file), { recursive: true, force: true });
  }
  for (const queue of ['orders-dlq', 'ledger-dlq.fifo', 'lost-dlq']) await purge(queue);
});

const urlOf = async (QueueName: string) => (await dev.sqs.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl;
const purge = async (queue: string) => dev.sqs.send(new PurgeQueueCommand({ QueueUrl: await urlOf(queue) }));

async function send(queue: string, body: unknown, more: Partial<SendMessageCommandInput> = {}): Promise<void> {
  const MessageBody = JSON.stringify(body);
  // Messages of two tests are equal, and the queue would accept the second only after the deduplication interval.
  const own = queue.endsWith('.fifo') ? { MessageDeduplicationId: randomUUID() } : {};
  await dev.sqs.send(new SendMessageCommand({ QueueUrl: await urlOf(queue), MessageBody, ...own, ...more }));
}

/** Messages of a queue that are visible, and all messages. */
async function counts(queue: string): Promise<readonly [visible: number, all: number]> {
  const QueueUrl = await urlOf(queue);
  const { Attributes = {} } = await dev.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
  const visible = Number(Attributes.ApproximateNumberOfMessages);
  return [visible, visible + Number(Attributes.ApproximateNumberOfMessagesNotVisible)];
}

/** Resolves when this number of messages is visible; the test times out otherwise. */
async function visible(queue: string, count: number): Promise<void> {
  while ((await counts(queue))[0] !== count) await new Promise((resolve) => setTimeout(resolve, 10));
}

const handled = (): readonly string[] => {
  const file = join(dev.folder, 'handled');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};
const repair = () => writeFileSync(join(dev.folder, 'fixed'), '');
const redrive = (...args: readonly string[]) =>
  runIn(dev.folder, REDRIVE_COMMAND.run, [...args, '--dev', '--rate', '1000']);
const jsonOf = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

async function poison(queue: string, ids: readonly string[], more: Partial<SendMessageCommandInput> = {}) {
  const failures = queue.endsWith('.fifo') ? queue.replace('.fifo', '-dlq.fifo') : `${queue}-dlq`;
  for (const [index, id] of ids.entries()) {
    await send(queue, { id, poison: true, password: 'hunter2' }, more);
    await visible(failures, index + 1);
  }
}

test('a dry run lists dead letters without their secrets, and changes nothing', async () => {
  await poison('orders', ['A-1']);
  const { code, out } = await redrive('orders', '--dry-run', '--json');
  const [letter, result] = jsonOf(out);
  expect(code).toBe(0);
  expect(letter).toMatchObject({
    type: 'letter',
    action: 'would-send',
    attempts: 1,
    firstFailure: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    reason: 'received too often',
    source: 'arn:aws:sqs:us-east-1:123456789012:orders',
    body: { id: 'A-1', poison: true, password: '[REDACTED]' },
  });
  expect(result).toMatchObject({ type: 'redriven', end: 'complete', 'would-send': 1, sent: 0, hidden: 0 });
  expect(await counts('orders-dlq')).toEqual([1, 1]);
  expect((await redrive('orders', '--dry-run')).out).not.toContain('hunter2');
});

test('sends all messages back, and the repaired handler receives each once', async () => {
  await poison('orders', ['A-1', 'A-2']);
  repair();
  const { code, out } = await redrive('orders');
  expect(out).toMatch(/^sent .*\n.*\nsent .*\n.*\norders-dlq: 2 sent\n$/);
  expect({ code, handled: handled().toSorted(), left: await counts('orders-dlq') }).toEqual({
    code: 0,
    handled: ['A-1', 'A-2'],
    left: [0, 0],
  });
});

test('stops when a message fails again, and keeps the others', async () => {
  await poison('orders', ['A-1']);
  const { code, out } = await redrive('orders');
  expect(code).toBe(1);
  expect(out).toContain('orders-dlq: 1 sent, 1 returned: a message failed again, so the run stopped');
  expect(await counts('orders-dlq')).toEqual([1, 1]);
  repair();
  expect(await redrive('orders')).toMatchObject({ code: 0 });
  expect(handled()).toEqual(['A-1']);
});

test('sends the messages of a FIFO group in their order', async () => {
  await poison('ledger.fifo', ['L-1', 'L-2', 'L-3'], { MessageGroupId: 'account-7' });
  repair();
  expect(await redrive('ledger.fifo')).toMatchObject({ code: 0 });
  expect(handled()).toEqual(['L-1', 'L-2', 'L-3']);
});

test('a later message of a FIFO group does not overtake an excluded message', async () => {
  await poison('ledger.fifo', ['L-1', 'L-2'], { MessageGroupId: 'account-7' });
  repair();
  const { code, out } = await redrive('ledger.fifo', '--filter', 'body.id=L-2', '--json');
  expect(code).toBe(1);
  expect(jsonOf(out).map(({ action, why }) => [action, why])).toEqual([
    ['excluded', 'the filter does not match'],
    ['excluded', 'an earlier message of its group is kept'],
    [undefined, undefined],
  ]);
  expect(handled()).toEqual([]);
});

test('sends only the messages that a filter selects', async () => {
  await poison('orders', ['A-1', 'B-1']);
  repair();
  expect(await redrive('orders', '--filter', 'body.id=A-*')).toMatchObject({ code: 0 });
  expect(handled()).toEqual(['A-1']);
  expect(await counts('orders-dlq')).toEqual([1, 1]);
});

test('a filter that matches no message sends nothing, and prints why', async () => {
  await poison('orders', ['A-1']);
  const { code, err } = await redrive('orders', '--filter', 'reason=*Timeout*');
  expect({ code, err }).toEqual({ code: 1, err: 'sallyport: the filter matches none of 1 messages\n' });
  expect(await counts('orders-dlq')).toEqual([1, 1]);
});

test('a message whose queue has no handler is kept', async () => {
  const DeadLetterQueueSourceArn = 'arn:aws:sqs:us-east-1:123456789012:nosuch';
  await send('lost-dlq', { id: 'A-1' });
  const { code, out } = await redrive('lost-dlq', '--to', DeadLetterQueueSourceArn);
  expect(code).toBe(1);
  expect(out).toContain('no handler for the queue "nosuch" is registered');
  expect(await counts('lost-dlq')).toEqual([1, 1]);
});

test('a message that does not name its source is kept, and the line names the remedy', async () => {
  await send('lost-dlq', { id: 'A-1' });
  const { code, out } = await redrive('lost-dlq');
  expect(code).toBe(1);
  expect(out).toContain('pass --to with the ARN of a queue or a function');
});

test.each([
  [['orders', 'more'], 'name one queue'],
  [[], 'name one queue'],
  [['orders', '--rte', '3'], 'unknown flag --rte (did you mean "rate"?)'],
  [['orders', '--rate', 'fast'], '--rate must be a number from 0.1 to 1000 (got "fast")'],
  [['orders', '--filter', 'id'], '--filter must be <field>=<value> (got "id")'],
  [['orders', '--filter', 'bodi.id=1'], '--filter has no field "bodi.id"'],
  [['orders', '--to', 'other'], '--to must be the ARN of a queue or a function (got "other")'],
  [['orders', '--inventory', 'nosuch.json'], 'nosuch.json is not an inventory of version 1: run sallyport build'],
])('%j is an invalid command line', async (args, problem) => {
  const { code, err } = await runIn(dev.folder, REDRIVE_COMMAND.run, args);
  expect(code).toBe(2);
  expect(err).toContain(problem);
});

describe('a redrive that does not end', () => {
  /** Runs `sallyport redrive orders` as a process, through the proxy. */
  async function child(fault?: Omit<Fault, 'act'> & Partial<Pick<Fault, 'act'>>) {
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION } = dev.variables;
    const keys = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL: proxy.endpoint };
    // The AWS SDK warns on standard error about versions of Node.js that it will not support.
    const env = { PATH: process.env.PATH, NODE_NO_WARNINGS: '1', ...keys };
    proxy.arm(undefined);
    const running = spawn(process.execPath, [main(), 'orders', '--rate', '1000', '--watch', '0'], {
      cwd: dev.folder,
      env,
    });
    const kill = () => {
      running.kill('SIGKILL');
      return undefined;
    };
    proxy.arm(fault && { act: kill, ...fault });
    const [out, err, [code, signal]] = await Promise.all([
      text(running.stdout),
      text(running.stderr),
      once(running, 'exit') as Promise<[number | null, string | null]>,
    ]);
    return { out, err, code, signal };
  }

  /** Resolves when the handler has received this many orders, and no message is left. */
  async function settled(count: number): Promise<readonly string[]> {
    while (handled().length < count || (await counts('orders'))[1] > 0);
    return handled().toSorted();
  }

  test.each<readonly [operation: string, nth: number, when: Fault['when'], handled: readonly string[]]>([
    ['ReceiveMessage', 1, 'before', ['A-1', 'A-2']],
    ['ReceiveMessage', 1, 'after', ['A-1', 'A-2']],
    ['SendMessage', 1, 'before', ['A-1', 'A-2']],
    // Accepted, and killed before the journal has the line: only here the next run sends a message again.
    ['SendMessage', 1, 'after', ['A-1', 'A-1', 'A-2']],
    ['DeleteMessage', 1, 'before', ['A-1', 'A-2']],
    ['DeleteMessage', 1, 'after', ['A-1', 'A-2']],
    ['SendMessage', 2, 'before', ['A-1', 'A-2']],
    ['SendMessage', 2, 'after', ['A-1', 'A-2', 'A-2']],
    ['DeleteMessage', 2, 'before', ['A-1', 'A-2']],
    ['DeleteMessage', 2, 'after', ['A-1', 'A-2']],
    ['ReceiveMessage', 2, 'before', ['A-1', 'A-2']],
  ])('killed at %s %i, %s the service sees it: the next run loses nothing', async (operation, nth, when, expected) => {
    await poison('orders', ['A-1', 'A-2']);
    repair();
    expect(await child({ operation, nth, when })).toMatchObject({ signal: 'SIGKILL' });
    // The messages that the killed process hid.
    const [, left] = await counts('orders-dlq');
    await visible('orders-dlq', left);
    expect(await child()).toMatchObject({ code: 0, err: 'orders-dlq: continuing a run that did not end\n' });
    expect(await settled(expected.length)).toEqual(expected);
    expect(await counts('orders-dlq')).toEqual([0, 0]);
  });

  test.each(['SendMessage', 'DeleteMessage'])(
    'the session expires at %s: the next run continues',
    async (operation) => {
      await poison('orders', ['A-1', 'A-2']);
      repair();
      const act = () => ({
        status: 400,
        body: { __type: 'com.amazon.coral.service#ExpiredTokenException', message: 'The token FQoG is expired' },
      });
      const first = await child({ operation, nth: 2, when: 'before', act });
      expect(first).toMatchObject({ code: 1 });
      expect(first.err).toContain('ExpiredTokenException: sign in to AWS, then run the same command again');
      expect(first.err).not.toContain('FQoG');
      const [, left] = await counts('orders-dlq');
      await visible('orders-dlq', left);
      expect(await child()).toMatchObject({ code: 0 });
      expect(await settled(2)).toEqual(['A-1', 'A-2']);
      expect(await counts('orders-dlq')).toEqual([0, 0]);
    },
  );
});
