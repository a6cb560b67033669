import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetQueueAttributesCommand, GetQueueUrlCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { REDRIVE_COMMAND } from '@sallyport/cli/command';
import { type DevRun, runIn, startDev } from './support/dev.js';

// The drill of docs/operations.md ("A drill: a poison message"), step by step, with the commands of that page only.

/** Orders since version 2 have the price as a number of cents; version 1 sent `"12.50"`. */
const entry = (repaired: boolean) => (folder: string) =>
  `
import { appendFileSync } from 'node:fs';
import { createApp } from '@sallyport/dispatch/app';
const app = createApp();
app.queue('orders', (ctx, { body }) => {
  const { id, price } = JSON.parse(body);
  const cents = ${repaired ? "typeof price === 'string' ? Math.round(Number(price) * 100) : price" : 'price'};
  if (!Number.isInteger(cents)) throw new TypeError('price is not a number of cents');
  appendFileSync('${folder}/charged', id + ' ' + cents + '\\n');
});
export const handler = app.handleLambda;
`;

let dev: DevRun;
beforeAll(async () => {
  dev = await startDev(entry(false), {
    queues: { orders: { maxReceiveCount: 2, visibilityTimeoutMs: 1000 } },
    speed: 1000,
  });
}, 120_000);
afterAll(() => dev.stop());

const redrive = (...args: readonly string[]) => runIn(dev.folder, REDRIVE_COMMAND.run, ['orders', '--dev', ...args]);
const urlOf = async (QueueName: string) => (await dev.sqs.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl;
const charged = () =>
  existsSync(join(dev.folder, 'charged')) ? readFileSync(join(dev.folder, 'charged'), 'utf8') : '';

async function order(body: object): Promise<void> {
  const QueueUrl = await urlOf('orders');
  await dev.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body) }));
}

async function deadLetters(count: number): Promise<void> {
  const command = new GetQueueAttributesCommand({
    QueueUrl: await urlOf('orders-dlq'),
    AttributeNames: ['ApproximateNumberOfMessages'],
  });
  while ((await dev.sqs.send(command)).Attributes?.ApproximateNumberOfMessages !== String(count))
    await new Promise((resolve) => setTimeout(resolve, 10));
}

test('a poison message is found, understood, repaired and sent back', async () => {
  await order({ id: 'A-1', price: 990 });
  await order({ id: 'A-2', price: '12.50', card: { number: '4111111111111111' } });
  await deadLetters(1);

  // 1. Found: the alarm "Messages are in a failure queue" links to the page, which names this command.
  const listed = await redrive('--dry-run', '--save', 'incidents');
  expect(listed.code).toBe(0);
  expect(listed.out).toContain('received too often');
  expect(listed.out).toContain('"id":"A-2"');
  expect(listed.out + listed.err).not.toContain('4111111111111111');

  // 2. Understood: the event is sent to the code again; `dev` prints the error and its line, as the log of the function has them.
  const [file = ''] = readdirSync(join(dev.folder, 'incidents'));
  const isHandled = async () => (await dev.local('send', `incidents/${file}`)).out.includes('"batchItemFailures": []');
  expect(await isHandled()).toBe(false);
  // The lines of an invocation are printed when the log of its failure has arrived.
  const failure = /TypeError: price is not a number of cents\n\s+at src\/lambda\.ts:8:/;
  while (!failure.test(dev.printed())) await new Promise((resolve) => setTimeout(resolve, 10));

  // 3. A test that fails: written from the event.
  const made = await dev.local('replay', `incidents/${file}`, '--as-test', 'test/orders-incident.test.mjs');
  expect(made).toEqual({ code: 0, out: 'test/orders-incident.test.mjs\n', err: '' });

  // 4. Repaired: `sallyport dev` builds the saved file, and the event is handled.
  dev.write('src/lambda.ts', entry(true)(dev.folder));
  while (!(await isHandled()));

  // 5. Sent back: one message first, which is watched; nothing returns.
  expect(await redrive('--limit', '1', '--watch', '60')).toMatchObject({ code: 0 });
  await deadLetters(0);
  expect(charged()).toContain('A-2 1250\n');
  expect(await redrive('--dry-run')).toMatchObject({ code: 0, out: 'orders-dlq: no dead letters\n' });
}, 60_000);
