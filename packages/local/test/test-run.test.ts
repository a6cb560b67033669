import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAPIGatewayV2Request } from '@sallyport/testkit/events';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { createRecordings } from '../src/internal/recordings/recordings.js';
import { run } from './support/command.js';
import { createProject, invoke, type Project, start } from './support/run.js';

const SERVICE = `
export const handler = async (event) => {
  if (event.Records) {
    const failed = event.Records.filter((one) => one.body.includes('bad'));
    return { batchItemFailures: failed.map((one) => ({ itemIdentifier: one.messageId })) };
  }
  if (event.rawPath === '/throws') throw new TypeError('no');
  const mail = 'ada@example.com';
  if (event.rawPath === '/login') return { statusCode: event.headers.authorization ? 200 : 401, body: '' };
  if (event.rawPath === '/notes/7') return { statusCode: 200, headers: { 'x-own': '1' }, body: JSON.stringify({ id: '7', tags: ['a', 'b'], mail }) };
  return { answered: event.rawPath ?? event.path ?? event };
};`;

const TESTS = {
  version: 1,
  tests: [
    {
      name: 'a note is read',
      send: { kind: 'http', target: 'GET /notes/7' },
      expect: { status: 200, headers: { 'X-Own': '1' }, body: { id: { $match: '^\\d$' }, mail: 'ada@example.com' } },
    },
    { name: 'a type of error', send: { kind: 'http', target: 'GET /throws' }, expect: { error: 'TypeError' } },
    { name: 'an event', event: { path: '/direct' }, expect: { answer: { answered: '/direct' }, differences: [] } },
    {
      name: 'a good message',
      send: { kind: 'queue', target: 'orders', options: { body: 'good' } },
      expect: { records: 'done' },
    },
    {
      name: 'a bad message',
      send: { kind: 'queue', target: 'orders', options: { body: 'bad' } },
      expect: { records: 'dead-letter' },
    },
  ],
};

let project: Project;
beforeEach(() => {
  project = createProject({ 'src/lambda.mjs': SERVICE, 'sallyport.json': '{ "state": false, "timeout": 55 }' });
});
afterEach(() => project.remove());

const write = (file: string, content: unknown) => project.write(file, JSON.stringify(content));
const testRun = (...args: string[]) => run(project, ['test-run', ...args, '--entry', 'src/lambda.mjs']);

test('a file of tests passes, and the report has each of them', async () => {
  write('tests.json', TESTS);
  const { code, out, err } = await testRun('tests.json', '--junit', 'reports/junit.xml');
  expect([code, err]).toEqual([0, '']);
  expect(out.replaceAll(/\d+ ms/g, 'n ms')).toBe(
    [
      'passed   a note is read  n ms',
      'passed   a type of error  n ms',
      'passed   an event  n ms',
      'passed   a good message  n ms',
      'passed   a bad message  n ms',
      '5 passed, 0 failed\n',
    ].join('\n'),
  );
  const report = readFileSync(join(project.folder, 'reports/junit.xml'), 'utf8').replaceAll(
    /time="[\d.]+"/g,
    'time="n"',
  );
  expect(report).toContain('<testsuites tests="5" failures="0" skipped="0" time="n">');
  expect(report).toContain('<testcase classname="tests.json" name="a bad message" time="n"/>');
});

test.each<[string, object, object, string]>([
  ['another status', { kind: 'http', target: 'GET /notes/7' }, { status: 201 }, 'status: expected 201, got 200'],
  [
    'another header',
    { kind: 'http', target: 'GET /notes/7' },
    { headers: { a: '1' } },
    'headers.a: expected "1", got nothing',
  ],
  [
    'a longer list',
    { kind: 'http', target: 'GET /notes/7' },
    { body: { tags: ['a'] } },
    'body.tags: expected a list of 1, got "a list of 2"',
  ],
  [
    'a pattern',
    { kind: 'http', target: 'GET /notes/7' },
    { body: { id: { $match: '^n' } } },
    'body.id: expected a string that matches ^n, got "7"',
  ],
  ['an unexpected error', { kind: 'http', target: 'GET /throws' }, {}, 'the function failed'],
  [
    'another fate',
    { kind: 'queue', target: 'orders', options: { body: 'bad' } },
    { records: 'done' },
    'records: expected "done", got "dead-letter"',
  ],
  [
    'a difference',
    { kind: 'queue', target: 'orders', options: { body: 'bad' } },
    { differences: [] },
    'differences: expected "[]", got "[\\"batch.lost\\"]"',
  ],
])('a test that fails prints the expected value: %s', async (name, send, expected, problem) => {
  write('tests.json', { version: 1, tests: [{ name, send, expect: expected }] });
  const { code, out } = await testRun('tests.json', '--junit', 'junit.xml');
  expect([code, out.split('\n')[1]]).toEqual([1, `         ${problem}`]);
  expect(readFileSync(join(project.folder, 'junit.xml'), 'utf8')).toContain('failures="1"');
});

test('the report is valid XML for any text', async () => {
  write('tests.json', { version: 1, tests: [{ name: 'a <b> & "c" \u0000', event: {}, expect: { answer: '<x>' } }] });
  await testRun('tests.json', '--junit', 'junit.xml');
  const report = readFileSync(join(project.folder, 'junit.xml'), 'utf8');
  expect(report).toContain('name="a &lt;b&gt; &amp; &quot;c&quot; \u{fffd}"');
  expect(report).toContain('expected &quot;&lt;x&gt;&quot;');
});

const recordingFile = async (host: RunningHost) => {
  await invoke(host, buildAPIGatewayV2Request('GET', '/notes/7'));
  return createRecordings(host, join(project.folder, 'recordings')).save(1, 'recording');
};

describe('a recording is a test', () => {
  let file: string;
  beforeEach(async () => {
    const host = await start(project);
    file = join('recordings', await recordingFile(host));
    await host.stop();
  });

  it('passes if the response is the same, and fails if it differs', async () => {
    expect((await testRun(file)).code).toBe(0);
    project.write('src/lambda.mjs', SERVICE.replace("id: '7'", "id: '8'"));
    const { code, out } = await testRun(file);
    expect([code, out]).toEqual([1, expect.stringContaining('$.body.id differs from the recorded response')]);
  });

  it('can have more expectations in a file of tests', async () => {
    write('tests.json', {
      version: 1,
      tests: [{ name: 'as recorded', recording: file, expect: { answer: { statusCode: 200 } } }],
    });
    expect((await testRun('tests.json')).code).toBe(0);
  });

  it('of another version is rejected with what to do', async () => {
    const saved = JSON.parse(readFileSync(join(project.folder, file), 'utf8'));
    write('old.json', { ...saved, recording: { ...saved.recording, schema: 'framework.recorded-event/v0' } });
    const { code, err } = await testRun('old.json');
    expect([code, err]).toEqual([
      2,
      'sallyport: old.json: the recording has framework.recorded-event/v0, and this version of sallyport reads framework.recorded-event/v1: record the event again, or use the version that recorded it\n',
    ]);
  });
});

describe('the same file runs against a deployed stack', () => {
  let host: RunningHost;
  let stack: Project;
  beforeEach(async () => {
    stack = createProject({ 'src/lambda.mjs': SERVICE });
    host = await start(stack);
    const aws = {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${host.ports.aws}`,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: host.keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: host.keys.secretAccessKey,
    };
    for (const [name, value] of Object.entries(aws)) process.env[name] = value;
    symlinkSync(fileURLToPath(new URL('../node_modules', import.meta.url)), join(project.folder, 'node_modules'));
    write('tests.json', TESTS);
  });
  afterEach(async () => {
    for (const name of ['AWS_ENDPOINT_URL', 'AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
      delete process.env[name];
    await host.stop();
    stack.remove();
  });

  it('by the name of its function, with the SDK of the project', async () => {
    const { code, out, err } = await testRun('tests.json', '--function', host.config.name);
    expect([code, err, out.split('\n').at(-2)]).toEqual([0, '', '5 passed, 0 failed']);
  });

  it('by its URL, where only HTTP tests can be sent', async () => {
    const { code, out } = await testRun('tests.json', '--url', `http://127.0.0.1:${host.ports['gateway-v2']}/`);
    expect([code, out.split('\n').at(-2)]).toEqual([0, '1 passed, 0 failed, 4 skipped']);
    expect(out).toContain('skipped  a type of error: the expectation "error" needs --function\n');
    expect(out).toContain('skipped  a good message: an event of the kind queue needs --function\n');
  });

  it('skips a test with a caller without a token, and sends the token of the named variable', async () => {
    write('tests.json', {
      version: 1,
      tests: [
        { name: 'ada', send: { kind: 'http', target: 'GET /login', as: { sub: 'ada' } }, expect: { status: 200 } },
      ],
    });
    const url = `http://127.0.0.1:${host.ports['gateway-v2']}`;
    expect((await testRun('tests.json', '--url', url)).out).toContain(
      'skipped  ada: a test with "as" needs --token-env',
    );
    expect((await testRun('tests.json', '--url', url, '--token-env', 'TOKEN')).err).toContain(
      'the variable TOKEN of --token-env is not set',
    );
  });
});

test.each<[string, string, string[], string]>([
  ['no file', '{}', [], 'name the files of tests'],
  ['no such file', '{}', ['nosuch.json'], 'nosuch.json: the file'],
  ['no JSON', '{', ['tests.json'], 'tests.json must contain a JSON object with "version" and "tests"'],
  ['another version', '{ "version": 2, "tests": [] }', ['tests.json'], 'tests.json: "version" must be 1'],
  [
    'an unknown member',
    '{ "version": 1, "tests": [{ "name": "a", "evnt": 1 }] }',
    ['tests.json'],
    'tests[0]: unknown option "evnt"',
  ],
  [
    'two events',
    '{ "version": 1, "tests": [{ "name": "a", "event": 1, "recording": "a.json" }] }',
    ['tests.json'],
    'tests[0] must have exactly one of',
  ],
  [
    'an unknown expectation',
    '{ "version": 1, "tests": [{ "name": "a", "event": 1, "expect": { "stats": 1 } }] }',
    ['tests.json'],
    'tests[0].expect: unknown option "stats"',
  ],
  [
    'a URL that is none',
    '{ "version": 1, "tests": [] }',
    ['tests.json', '--url', 'x'],
    '--url must be an http or https URL',
  ],
  [
    'two stacks',
    '{ "version": 1, "tests": [] }',
    ['tests.json', '--url', 'http://a', '--function', 'b'],
    'pass --url or --function',
  ],
])('the command line and the file are checked: %s', async (_title, text, args, message) => {
  project.write('tests.json', text);
  const { code, err } = await testRun(...args);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

test('a service that does not compile ends with exit code 3', async () => {
  project.write('src/lambda.mjs', 'export const handler = (');
  write('tests.json', TESTS);
  expect((await testRun('tests.json')).code).toBe(3);
});
