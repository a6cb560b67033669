import { cpSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, findViolations, launchBrowser } from '@sallyport/browser';
import { announce } from '../src/internal/commands/running.js';
import type { RunningHost } from '../src/internal/host/create-host.js';
import type { InvocationRecord } from '../src/internal/journal/journal.js';
import type { TraceView } from '../src/internal/traces/trace-view.js';
import { run } from './support/command.js';
import { openPage } from './support/judged.js';
import { createProject, type Project, start } from './support/run.js';

/** A slow machine must not fail a test; a missing span must. */

const HERE = dirname(fileURLToPath(import.meta.url));
const SETTINGS = { queues: { orders: { maxReceiveCount: 1 } }, topics: { news: {} } };

let browser: Browser;
const cleanUps: (() => unknown)[] = [];
beforeAll(async () => {
  browser = await launchBrowser();
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});
afterAll(() => browser?.close());

interface Run {
  readonly host: RunningHost;
  readonly project: Project;
}

async function startTraced(env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const project = createProject({ 'sallyport.json': JSON.stringify({ ...SETTINGS, env }) });
  cleanUps.push(() => project.remove());
  cpSync(join(HERE, 'functions/traced.ts'), join(project.folder, 'src/lambda.ts'));
  symlinkSync(join(HERE, '../node_modules'), join(project.folder, 'node_modules'));
  const host = await start(project, { entry: 'src/lambda.ts', conditions: ['@sallyport/source'] });
  cleanUps.push(() => host.stop());
  announce(host);
  return { host, project };
}

/** Sends an order through the door of the HTTP API, and resolves to its trace when all invocations of the run have ended. */
async function order({ host }: Run, body: object, isDone: (records: readonly InvocationRecord[]) => boolean) {
  const door = `http://127.0.0.1:${host.ports['gateway-v2']}`;
  const done = new Promise<string>((resolve) => {
    const end = host.journal.subscribe(() => {
      const records = host.journal.list();
      if (!isDone(records) || records.some(({ ms }) => ms === null)) return;
      end();
      resolve(records[0]?.traceId ?? '');
    });
  });
  const answer = await fetch(`${door}/orders`, { method: 'POST', body: JSON.stringify({ door, ...body }) });
  expect([answer.status, host.journal.list()[0]?.failures]).toEqual([202, []]);
  return done;
}

/** True if an invocation of this kind has a span with this name. */
const has = (records: readonly InvocationRecord[], trigger: string, name: string) =>
  records.some(({ kind, traced }) => kind === trigger && traced.some((span) => span.name === name));

async function get({ host }: Run, path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${host.ports.console}${path}`, { headers: { authorization: `Bearer ${host.token}` } });
}

/** True if the trace has come from the client to the tool. */
const isWhole = (records: readonly InvocationRecord[]) =>
  has(records, 'queue', 'orders process') &&
  has(records, 'topic', 'news process') &&
  has(records, 'gateway-v2', 'tools/call book') &&
  has(records, 'gateway-v2', 'POST /orders');

/** The picture as lines: depth and name. */
function linesOf({ nodes }: TraceView): readonly string[] {
  return nodes.map(({ depth, name }) => `${'  '.repeat(depth)}${name}`);
}

it.each([
  ['the socket of X-Ray', {}],
  ['OTLP in protobuf', { TRACE_PROTOCOL: 'http/protobuf' }],
  ['OTLP in JSON', { TRACE_PROTOCOL: 'http/json' }],
])('shows one trace through HTTP, a queue, a topic and a tool, over %s', async (_title, env) => {
  const running = await startTraced(env);
  const id = await order(running, {}, isWhole);
  const answer = await get(running, `/api/traces/${id}`);
  expect(answer.status).toBe(200);
  const trace = (await answer.json()) as TraceView;
  expect(linesOf(trace)).toEqual([
    'gateway-v2 POST /orders',
    '  POST /orders',
    '    price the order',
    '    SQS.GetQueueUrl',
    '    SQS.SendMessage',
    '    queue orders',
    '      orders process',
    '        orders process',
    '          SNS.Publish',
    '            topic news',
    '              news process',
    '                POST',
    '                  gateway-v2 POST /mcp',
    '                    POST /mcp',
    '                      tools/call book',
  ]);
  expect(JSON.stringify(trace)).not.toContain('hunter2');
  const queue = trace.nodes.find(({ name }) => name === 'queue orders');
  expect(queue?.lines).toContainEqual(expect.objectContaining({ text: expect.stringContaining('booking') }));
  expect(running.host.journal.list().map(({ causedBy }) => causedBy)).toEqual([null, 1, 2, 3]);
});

it('shows a failed record in the page and in the terminal, from the page of the invocation and by id', async () => {
  const running = await startTraced();
  const id = await order(running, { bad: true }, (records) =>
    records.some(({ kind, traced }) => kind === 'queue' && traced.some(({ error }) => error !== null)),
  );
  const { host, project } = running;
  const printed = await run(project, ['trace', id]);
  expect(printed.code).toBe(1);
  const text = printed.out.replace(/\d+(?:\.\d+)? ms/g, 'N ms').split('\n');
  expect(text.slice(1, 4)).toEqual([
    'failed  #2 queue orders: Error',
    'failed  #2 orders process: app.internal',
    'failed  #2 orders process: app.internal',
  ]);
  expect(text[4]).toBe('#1 gateway-v2 POST /orders  N ms');
  const json = await run(project, ['trace', id, '--json']);
  expect(JSON.parse(json.out)).toMatchObject({ type: 'trace', id: id.slice(2).replace('-', ''), leftOut: 0 });

  const address = `http://127.0.0.1:${host.ports.console}/#token=${host.token}`;
  const { page, problems } = await openPage(browser, address, 'light');
  await page.getByRole('option').filter({ hasText: 'POST /orders' }).click();
  await page.getByRole('link', { name: 'show the waterfall' }).click();
  const bars = page.getByRole('list', { name: 'Waterfall' }).getByRole('button');
  await bars.filter({ hasText: 'orders process' }).first().waitFor();
  expect(await bars.count()).toBe(8);
  await page.keyboard.press('x');
  await page.getByRole('region', { name: 'Selected bar' }).getByText('booking').waitFor();
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 800 },
  ]) {
    await page.setViewportSize(viewport);
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  }
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Invocation 2' }).waitFor();
  await page.evaluate("location.hash = '#/traces'");
  await page.getByRole('link', { name: 'gateway-v2 POST /orders' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type(id);
  await page.keyboard.press('Enter');
  await bars.first().waitFor();
  expect(problems).toEqual([]);
});

it('rejects bytes that are not a trace, and ids that are not of a kept trace', async () => {
  const running = await startTraced({ AWS_XRAY_DAEMON_ADDRESS: '127.0.0.1:9' });
  const variables = (await (await get(running, '/api/env')).json()) as Readonly<Record<string, string>>;
  // The address that the developer set is kept.
  expect(variables.AWS_XRAY_DAEMON_ADDRESS).toBe('127.0.0.1:9');
  const endpoint = String(variables.OTEL_EXPORTER_OTLP_ENDPOINT);
  const post = async (path: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
    (await fetch(endpoint + path, { method: 'POST', body, headers })).status;
  expect(await post('/v1/metrics', '')).toBe(200);
  expect(await post('/v1/traces', '\x07')).toBe(400);
  expect(await post('/v1/traces', 'x'.repeat(5 * 1024 * 1024))).toBe(400);
  expect(await post('/v1/traces', '{}', { 'content-type': 'application/json', 'content-encoding': 'gzip' })).toBe(400);
  expect(await post('/v1/traces', 'not json', { 'content-type': 'application/json' })).toBe(200);
  expect(await post('/v1/traces', '', { origin: 'https://attacker.example' })).toBe(403);
  expect(await post('/other', '')).toBe(404);
  expect((await get(running, '/api/traces/x')).status).toBe(400);
  expect((await get(running, `/api/traces/${'a'.repeat(32)}`)).status).toBe(404);
});
