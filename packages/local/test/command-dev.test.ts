import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findRunning } from '../src/internal/commands/running.js';
import type { RunState } from '../src/internal/console/api.js';
import { command, type Output, run } from './support/command.js';
import { createProject, type Project } from './support/run.js';

const FOREIGN = `export const handler = async (event) => ({ statusCode: 200, body: String(process.env.COLOR), got: event });`;

const OURS = `
import { json } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';
import { iotRule, pipe } from '@sallyport/triggers';
const untrusted = [
  iotRule({ key: 'id' }).rule('cellar', (_ctx, { payload }) => { console.log('CELLAR ' + payload.temperature); }),
  pipe().enrich('orders', (_ctx, { payload }) => ({ was: payload.messageId ?? payload })),
];
const app = new SecureApp({ principalResolver: () => null, surfaces: untrusted });
app.get('/health', () => json(200, { ok: true }), Public());
app.queue('orders', () => {});
app.topic('news', (_ctx, { body }) => { console.log('GOT ' + JSON.stringify(body)); });
export const handler = app.handleLambda;
`;

/** Starts `dev` and resolves when it has printed its banner. */
async function dev(project: Project, args: readonly string[]) {
  const end = new AbortController();
  const output: Output = { out: '', err: '' };
  const ended = command(project, ['dev', ...args, '--port', '0', '--no-state'], output, '', end);
  const prints = async (text: string) => {
    while (!output.out.includes(text)) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  await Promise.race([prints(args.includes('--json') ? '"started"' : 'state '), ended]);
  const stop = async () => {
    end.abort();
    const code = await ended;
    project.remove();
    return code;
  };
  const running = async () => {
    const found = await findRunning(join(project.folder, '.sallyport'));
    if (!found) throw new Error(`nothing runs: ${output.err}`);
    return found;
  };
  return { output, prints, stop, running };
}

const ours = () => {
  const project = createProject({
    'src/lambda.ts': OURS,
    'sallyport.json': JSON.stringify({ conditions: ['@sallyport/source'], queues: { nosuch: {} } }),
  });
  symlinkSync(fileURLToPath(new URL('../node_modules', import.meta.url)), join(project.folder, 'node_modules'));
  return project;
};

describe('send to a service that lists its handlers', () => {
  let project: Project;
  let running: Awaited<ReturnType<typeof dev>>;
  beforeAll(async () => {
    project = ours();
    running = await dev(project, []);
  });
  afterAll(() => running.stop());

  test.each([
    [['queue', 'ordrs', '--wait'], 'no handler for the queue "ordrs" (did you mean "orders"?); registered are orders'],
    [['stream', 'clicks'], 'no handler for the stream "clicks"; the service registers no stream'],
    [['http', '/health'], 'an HTTP target must be a method and a path: "GET /health" (got "/health")'],
    [['http', 'GET'], 'an HTTP target must be a method and a path: "GET /notes" (got "GET")'],
    [['table-stream', 'notes', '--data', '{}'], 'an event of the kind table-stream has no payload: use --options'],
    [['queue', 'orders', '--options', '1'], '--options must be a JSON object'],
    [['queue', 'orders', '--options', '{"bdy":1}'], 'unknown option'],
  ])('%j ends with 2', async (args, text) => {
    const { code, err } = await run(project, ['send', ...args]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(text) });
  });

  test.each([
    [['pipe', 'orders'], 0, '"was": "message-1"'],
    [['pipe'], 0, '"was": "message-1"'],
    [['pipe', 'orders', '--data', '[1]'], 0, '"was": 1'],
    [['pipe', 'attic'], 1, 'event must be an object'],
    [['iot-rule', 'cellar'], 0, 'null'],
    [['-', '--alias', 'orders'], 0, '"was": 7'],
    [['-'], 1, 'event must be an object'],
    [['-', '--alias', 'a b'], 2, 'the name of an alias'],
    [['lex'], 1, 'unknown event type'],
  ])('%j sends an event to its alias, and to no other', async (args, status, text) => {
    const { code, out, err } = await run(project, ['send', ...args], '[7]');
    expect({ code, text: out + err }).toEqual({ code: status, text: expect.stringContaining(text) });
  });

  test('a replay invokes the alias of the first invocation', async () => {
    await run(project, ['send', 'pipe', 'orders']);
    const calls = await running.running();
    const all = (await calls.get('/api/invocations')) as readonly { id: number; origin: object }[];
    const replay = await calls.post('/api/replay', { id: all.at(-1)?.id });
    expect(replay).toMatchObject({ outcome: { ok: true }, differences: [] });
    expect(((await calls.get('/api/invocations')) as typeof all).at(-1)?.origin).toEqual({
      ...{ kind: 'replay', target: 'orders', alias: 'orders', replayOf: all.at(-1)?.id },
    });
    const preview = await calls.post('/api/preview', { kind: 'pipe', target: 'orders' });
    expect(preview).toMatchObject({ event: [{ messageId: 'message-1' }], explain: { kind: 'pipe', error: null } });
  });

  test('settings of a queue without a handler are reported', () => {
    expect(running.output.out).toContain(
      'sallyport.json: queues.nosuch: no handler for the queue "nosuch"; registered are orders',
    );
  });

  test('--data is the payload even if it resembles options', async () => {
    const data = '{"message":"hi","from":"ada"}';
    expect(await run(project, ['send', 'topic', 'news', '--data', data, '--wait'])).toMatchObject({ code: 0 });
    const all = (await (await running.running()).get('/api/invocations')) as readonly { id: number }[];
    const { event } = (await (await running.running()).get(`/api/invocations/${all.at(-1)?.id}`)) as {
      event: { Records: { Sns: { Message: string } }[] };
    };
    expect(event.Records[0]?.Sns.Message).toBe(data);
  });
});

test('a waiting command shows the reason', async () => {
  const project = createProject({
    'src/lambda.mjs': `export const handler = async () => { throw new Error('broken'); };`,
    'sallyport.json': '{ "queues": { "orders": { "visibilityTimeoutMs": 3000, "maxReceiveCount": 1 } } }',
  });
  const running = await dev(project, ['src/lambda.mjs']);
  const { out, code } = await run(project, ['send', 'queue', 'orders', '--data', '1', '--wait']);
  expect(code).toBe(1);
  expect(out).toMatch(
    /^sent ([\w-]+)\nwaiting: \1 delayed until \d\d:\d\d:\d\d, delivery 1 of 1\ndead letters: \1\n {2}Error: broken\n/,
  );
  await running.stop();
});

test('a queue that no setting names is one of the mappings of another framework', async () => {
  const project = createProject({ 'src/lambda.mjs': FOREIGN });
  const running = await dev(project, ['src/lambda.mjs']);
  expect(await run(project, ['send', 'queue', 'orders', '--data', '1', '--wait'])).toMatchObject({ code: 0 });
  await running.stop();
});

test('changed settings restart the run with the same token; wrong ones are reported', async () => {
  const project = createProject({ 'src/lambda.mjs': FOREIGN, 'sallyport.json': '{}', '.env.local': 'COLOR=red' });
  const running = await dev(project, ['src/lambda.mjs']);
  const token = /#token=(\S+)/.exec(running.output.out)?.[1];
  expect((await run(project, ['send', 'http', 'GET /'])).out).toContain('red');

  project.write('.env.local', 'COLOR=blue');
  await running.prints('restarted with the new .env.local; queues are empty');
  expect((await run(project, ['send', 'http', 'GET /'])).out).toContain('blue');

  project.write('sallyport.json', '{ "tiemout": 3 }');
  await running.prints('unknown key "tiemout" (did you mean "timeout"?)');
  expect(running.output.out).toContain('sallyport.json changed, and the run continues with the old settings');
  project.write('sallyport.json', '{ "timeout": 3, "env": { "COLOR": "green" } }');
  await running.prints('restarted with the new sallyport.json');
  expect((await (await running.running()).get('/api/state')) as RunState).toMatchObject({ code: { state: 'ready' } });
  expect(await running.stop()).toBe(0);
  expect(token).toMatch(/^[\w-]{32}$/);
});

const DIFFERENT = `export const handler = async ({ path }) =>
  path === '/challenge' ? { statusCode: 401, headers: { 'WWW-Authenticate': 'Bearer' } } : { statusCode: 200 };`;

test.each([
  [[], ['/challenge'], 0, 'state '],
  [['--strict'], ['/fine'], 0, 'state '],
  [['--strict'], ['/challenge', '/fine', '/challenge'], 1, '2 invocations would differ on AWS: header.renamed 2\n'],
  [['--strict', '--json'], ['/challenge'], 1, '{"type":"strict","invocations":1,"topics":{"header.renamed":1}}\n'],
])('dev %j that is stopped after requests to %j exits with %i', async (args, paths, code, text) => {
  const project = createProject({ 'src/lambda.mjs': DIFFERENT });
  const running = await dev(project, ['src/lambda.mjs', ...args]);
  const port = /(?:REST API |"gateway-v1":)(\d+)/.exec(running.output.out)?.[1];
  for (const path of paths) await (await fetch(`http://127.0.0.1:${port}${path}`)).arrayBuffer();
  expect({ code: await running.stop(), out: running.output.out }).toEqual({ code, out: expect.stringContaining(text) });
});

test('the console keeps the token of the last run', async () => {
  const files = { 'src/lambda.mjs': FOREIGN };
  const project = createProject(files);
  const tokens = [];
  for (const _run of [1, 2]) {
    const { out } = await run(project, ['dev', 'src/lambda.mjs', '--check', '--port', '0', '--no-state']);
    tokens.push(/#token=(\S+)/.exec(out)?.[1]);
  }
  expect(tokens[0]).toMatch(/^[\w-]{32}$/);
  expect(tokens[1]).toBe(tokens[0]);
  project.remove();
});

test.each([
  [
    'export const other = 1;',
    'src/lambda.mjs exports no function "handler": export it, or name another export with --handler',
  ],
  ["throw new Error('no table');", 'no table'],
  [
    "import('@aws-sdk/client-sqs');",
    '@aws-sdk/client-sqs": Lambda includes it; install it here with npm install --save-dev @aws-sdk/client-sqs',
  ],
])('--check of a service that does not load ends with 3: %s', async (text, problem) => {
  const project = createProject({ 'src/lambda.mjs': text });
  const { code, out } = await run(project, ['dev', 'src/lambda.mjs', '--check', '--port', '0', '--no-state']);
  expect({ code, out }).toEqual({ code: 3, out: expect.stringContaining(problem) });
  project.remove();
});

test.each([
  [
    '{ "queues": { "orders": { "batchsize": 5 } } }',
    'unknown key "queues.orders.batchsize" (did you mean "batchSize"?)',
  ],
  ['{ "streams": { "clicks": { "bisect": 1 } } }', '"streams.clicks.bisect" must be'],
  [
    '{ "topics": { "news": { "filterPolcy": {} } } }',
    'unknown key "topics.news.filterPolcy" (did you mean "filterPolicy"?)',
  ],
  ['{ "buses": { "default": 1 } }', '"buses.default" must be an object of settings'],
  ['{ "routes": ["/notes"] }', '"routes[0]" must be a route such as GET /notes/{id}'],
])('sallyport.json with %s', async (text, problem) => {
  const project = createProject({ 'src/lambda.mjs': FOREIGN, 'sallyport.json': text });
  const { code, err } = await run(project, ['dev', 'src/lambda.mjs', '--check']);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(problem) });
  project.remove();
});

test('a project that cannot be written names the variable of another folder', async () => {
  const project = createProject({ 'src/lambda.mjs': FOREIGN, '.sallyport': 'a file' });
  const args = ['dev', 'src/lambda.mjs', '--check', '--port', '0', '--no-state'];
  const { code, err } = await run(project, args);
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringMatching(
      /\.sallyport cannot be written \(\w+\): set SALLYPORT_STATE_FOLDER to a folder that can$/m,
    ),
  });
  const other = mkdtempSync(join(tmpdir(), 'sallyport-state-'));
  process.env.SALLYPORT_STATE_FOLDER = other;
  try {
    expect((await run(project, args)).code).toBe(0);
  } finally {
    delete process.env.SALLYPORT_STATE_FOLDER;
    rmSync(other, { recursive: true });
    project.remove();
  }
});
