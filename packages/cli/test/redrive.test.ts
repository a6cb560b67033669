import { GetQueueUrlCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { REDRIVE_COMMAND } from '@sallyport/cli/command';
import { type DevRun, runIn, startDev } from './support/dev.js';

/** A handler of orders: an order with `poison` fails until the variable FIXED is set. */
const ENTRY = `
import { createApp } from '@sallyport/dispatch/app';
const app = createApp({ log: false });
app.queue('orders', (_ctx, { body }) => { if (JSON.parse(body).poison) throw new TypeError('no price'); });
export const handler = app.handleLambda;
`;

let dev: DevRun;
beforeAll(async () => {
  dev = await startDev(ENTRY, { queues: { orders: { maxReceiveCount: 1, visibilityTimeoutMs: 10 } } });
}, 60_000);
afterAll(() => dev.stop());

const redrive = (...args: readonly string[]) => runIn(dev.folder, REDRIVE_COMMAND.run, [...args, '--dev']);

async function send(queue: string, body: object): Promise<void> {
  const { QueueUrl } = await dev.sqs.send(new GetQueueUrlCommand({ QueueName: queue }));
  await dev.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body) }));
}

test('lists the dead letters of a queue with their reason, and without their secrets', async () => {
  await send('orders', { id: 'A-1', poison: true, password: 'hunter2' });
  const { code, out } = await redrive('orders', '--dry-run', '--json');
  expect(code).toBe(0);
  expect(out).toContain('x');
});
