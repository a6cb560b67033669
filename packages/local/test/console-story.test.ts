import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { type Browser, launchBrowser, type Page } from '@sallyport/browser';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { expectAccessible, openPage, type WatchedPage } from './support/judged.js';
import { createProject, type Project, start } from './support/run.js';

/** A slow machine must not fail a test; a missing element must. */

const SERVICE = `export const handler = async (event) => {
  const [record] = event.Records ?? [];
  throw new TypeError(\`a record of \${record?.eventSource ?? 'invoke'} fails\`);
};
`;
const SETTINGS = {
  queues: { orders: { maxReceiveCount: 2 } },
  streams: { clicks: { maximumRetryAttempts: 1 } },
};

let browser: Browser;
let project: Project;
let host: RunningHost;
let opened: WatchedPage;
let page: Page;
let editor: Server;
/** The arguments with which the editor was started. */
let started: Promise<readonly string[]>;

beforeAll(async () => {
  project = createProject({ 'src/lambda.mjs': SERVICE, 'sallyport.json': JSON.stringify(SETTINGS) });
  started = new Promise((resolve) => {
    editor = createServer((request, response) => {
      resolve(JSON.parse(decodeURIComponent(request.url?.slice(1) ?? '')) as readonly string[]);
      response.end();
    }).listen(0, '127.0.0.1');
  });
  await new Promise((resolve) => editor.once('listening', resolve));
  const { port } = editor.address() as AddressInfo;
  // A program with the name of an editor, which reports its arguments to this test.
  const program = join(project.folder, 'code');
  const send =
    "import('node:http').then(({ get }) => get(address + encodeURIComponent(JSON.stringify(process.argv.slice(2)))));";
  const report = `const address = 'http://127.0.0.1:${port}/';\n${send}`;
  writeFileSync(program, `#!${process.execPath}\n${report}\n`);
  chmodSync(program, 0o700);
  [browser, host] = await Promise.all([launchBrowser(), start(project, { speed: 1000, editor: program })]);
  opened = await openPage(browser, `http://127.0.0.1:${host.ports.console}/#token=${host.token}`, 'light');
  ({ page } = opened);
});

afterAll(async () => {
  await browser?.close();
  await host?.stop();
  editor?.close();
  editor?.closeAllConnections();
  project?.remove();
});

/** Invokes the function as the SDK does, without waiting for it. */
async function invokeLater(): Promise<void> {
  const client = new LambdaClient({
    endpoint: `http://127.0.0.1:${host.ports.aws}`,
    region: 'us-east-1',
    credentials: { accessKeyId: host.keys.accessKeyId, secretAccessKey: host.keys.secretAccessKey },
  });
  await client.send(new InvokeCommand({ FunctionName: host.config.name, InvocationType: 'Event', Payload: '{}' }));
  client.destroy();
}

describe('retries and the dead letter are one story, with links both ways', () => {
  const send = (kind: string, name: string, record: Record<string, unknown>) => async () =>
    void host.sources.send({ kind, name, records: [record] });

  it.each<[string, string, () => Promise<void>, number, string, string]>([
    ['queue', 'orders', send('queue', 'orders', { body: 'bad' }), 2, 'orders-dlq', 'aws:sqs'],
    ['stream', 'clicks', send('stream', 'clicks', { json: {} }), 2, 'clicks-failed', 'aws:kinesis'],
    ['invoke', '', invokeLater, 3, '-failed', 'invoke'],
  ])('%s %s', async (kind, name, cause, deliveries, destination, from) => {
    await page.evaluate(`location.hash = '#/queues'`);
    await cause();
    const source = page.getByRole('region', { name: new RegExp(`^${kind} ${name}`) });
    const dead = source.getByRole('listitem').filter({ hasText: `dead letter after ${deliveries} deliveries` });
    await dead.getByText(`TypeError: a record of ${from} fails`).waitFor();
    await dead.getByRole('link', { name: /^#/ }).click();
    const story = page.getByRole('region', { name: 'Deliveries' });
    await story.getByText(`delivery ${deliveries},`).waitFor();
    expect(await story.getByText(`TypeError: a record of ${from} fails`).count()).toBe(deliveries);
    await story.getByText(`then a dead letter in`).filter({ hasText: destination }).waitFor();
    await expectAccessible(page);
    await story.getByRole('link', { name: 'dead letter' }).click();
    await page
      .locator('li[aria-current="true"]')
      .filter({ hasText: `a record of ${from} fails` })
      .waitFor();
    await expectAccessible(page);
  });
});

describe('a frame', () => {
  const open = (body: object, headers: Record<string, string> = { authorization: `Bearer ${host.token}` }) =>
    fetch(`http://127.0.0.1:${host.ports.console}/api/open`, { method: 'POST', headers, body: JSON.stringify(body) });

  it('opens the editor at its line by a button', async () => {
    const { id } = host.journal.list().at(-1) ?? { id: 0 };
    await page.evaluate(`location.hash = '#/invocations/${id}'`);
    const failure = page.getByRole('region', { name: 'Failure' });
    await failure.getByRole('button', { name: /^src\/lambda\.mjs:3:9 ?: open in code/ }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /Opened src\/lambda\.mjs:3:9 in code/ })
      .waitFor();
    expect(await started).toEqual(['--goto', `${join(project.folder, 'src', 'lambda.mjs')}:3:9`]);
  });

  it('opens nothing without the token, and no file outside the project', async () => {
    const place = { file: 'src/lambda.mjs', line: 3, column: 9 };
    expect((await open(place, {})).status).toBe(401);
    expect((await open({ ...place, file: '../secret.ts' })).status).toBe(404);
    expect((await open({ ...place, file: '/etc/hostname' })).status).toBe(404);
  });
});

it('the browser reported no error and no warning', () => {
  expect(opened.problems).toEqual([]);
});
