import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { GetQueueAttributesCommand, GetQueueUrlCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { REDRIVE_COMMAND, RUNBOOK_COMMAND } from '@sallyport/cli/command';
import { type DevRun, runIn, startDev } from './support/dev.js';
import { healthy, TEMPLATE } from './support/orders-stack.js';
import { commandIn, runLine, section } from './support/page.js';
import { writeRedriveAsNpx } from './support/redrive-main.js';
import { startStandIn } from './support/stand-in.js';

// The drill of docs/operations.md ("A drill: a poison message"), step by step, with the commands of that page only.

/** Orders since version 2 have the price as a number of cents; version 1 sent `"12.50"`. */
const entry = (repaired: boolean) => (folder: string) =>
  `
import { appendFileSync, existsSync } from 'node:fs';
import { createApp } from '@sallyport/dispatch/app';
const app = createApp();
app.queue('orders', (ctx, { body }) => {
  const { id, price } = JSON.parse(body);
  const cents = ${repaired ? "typeof price === 'string' ? Math.round(Number(price) * 100) : price" : 'price'};
  if (existsSync('${folder}/bank-is-down')) throw new Error('the bank does not answer');
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
});
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
  const failure = /TypeError: price is not a number of cents\n\s+at src\/lambda\.ts:9:/;
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
});

/** The runbook of a stack whose failure queue is the local one, and a shell in which `npx sallyport redrive` runs. */
async function runbook() {
  const state = healthy();
  const url = (await urlOf('orders-dlq')) ?? '';
  const resources = state.resources.map((one) => (one.id === 'OrdersFailures' ? { ...one, physical: url } : one));
  const standIn = await startStandIn({ ...state, resources });
  dev.write('Orders.template.json', JSON.stringify(TEMPLATE));
  const inventory = { version: 1, routes: [], triggers: [{ kind: 'queue', name: 'orders' }] };
  dev.write('inventory.json', JSON.stringify(inventory));
  const args = ['Orders.template.json', '--inventory', 'inventory.json', '--stack', 'Orders'];
  const { out: page } = await runIn(dev.folder, RUNBOOK_COMMAND.run, args, {
    ...dev.variables,
    AWS_ENDPOINT_URL: standIn.endpoint,
  });
  await standIn.close();
  await writeRedriveAsNpx(dev.folder);
  const env = { ...dev.variables, NODE_NO_WARNINGS: '1', PATH: `${join(dev.folder, 'bin')}:${process.env.PATH}` };
  return { page, shell: (line: string) => runLine(page, line, env) };
}

// The third planted fault of runbook.test.ts, without a look into the code of the service.
test('messages that were given up are found and sent back with the runbook alone', async () => {
  dev.write('bank-is-down', '');
  await order({ id: 'B-1', price: 100 });
  await order({ id: 'B-2', price: 200 });
  await deadLetters(2);
  const { page, shell } = await runbook();

  // 1. The table of alarms leads from the alarm to the section of the queue.
  expect(section(page, 'Alarms')).toMatch(/Messages are in a failure queue.*\[Queue orders\]\(#queue-orders\)/);
  const part = section(page, 'Queue orders');

  // 2. The first look is a query for the error lines of the queue. The line names the cause: another service.
  expect(part).toContain('| filter level = "ERROR"\n| filter source = "orders"');
  while (!dev.printed().includes('the bank does not answer')) await new Promise((resolve) => setTimeout(resolve, 10));

  // 3. What is lost: the page has the time until the messages are deleted.
  expect(part).toContain('14 days');

  // 4. The service answers again. The three lines of "Redrive" list the messages, send one and then the others.
  rmSync(join(dev.folder, 'bank-is-down'));
  const lines = [/--dry-run/, /--limit 1 --watch 300/, /redrive "\$\(name OrdersFailures\)"$/].map((line) =>
    commandIn(part, line),
  );
  expect(await shell(lines[0] ?? '')).toContain('"id":"B-1"');
  await shell(lines[1] ?? '');
  await deadLetters(1);
  await shell(lines[2] ?? '');
  await deadLetters(0);
  expect(charged()).toContain('B-1 100\n');
  expect(charged()).toContain('B-2 200\n');
  expect(await shell(lines[0] ?? '')).toBe('orders-dlq: no dead letters');
});
