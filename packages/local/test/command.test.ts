import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { findRunning, type Running } from '../src/internal/commands/running.js';
import type { SavedRecording } from '../src/internal/console/api.js';
import type { SourceView } from '../src/internal/sources/sources.js';
import { command, run } from './support/command.js';
import { createProject, type Project } from './support/run.js';

const SERVICE = `
export const handler = async (event) => {
  if (event.fail || event.Records?.[0].body.includes('fail')) throw new TypeError('broken');
  const path = event.rawPath ?? event.path;
  return path ? { statusCode: 200, body: JSON.stringify({ path, who: event.headers.authorization ? 'somebody' : 'nobody' }) } : { got: event };
};`;

describe('a command line that is wrong', () => {
  let project: Project;
  beforeAll(() => {
    project = createProject({
      'src/lambda.mjs': SERVICE,
      'src/broken.mjs': 'export const handler =',
      'src/throws.mjs': "throw new Error('no table');",
    });
  });
  afterAll(() => project.remove());

  test.each([
    [['dev', 'src/lambda.mjs', '--timout', '3'], 2, 'unknown flag --timout (did you mean "timeout"?)'],
    [['dev', 'src/lambda.mjs', '--timeout', '3000'], 2, '--timeout must be a number of seconds from 0.1 to 900'],
    [['dev', 'src/lambda.mjs', '--memory', 'much'], 2, '--memory must be a number (got "much")'],
    [['dev', 'src/lambda.mjs', '--memory', '300', '--memory', '400'], 2, '--memory must not be repeated'],
    [['dev', 'src/lambda.mjs', '--env', 'A'], 2, '--env must be NAME=value (got "A")'],
    [['dev', 'src/lambda.mjs', '--port', '70000'], 2, '--port must be a port from 0 to 65525 (got "70000")'],
    [['dev', 'src/lambda.mjs', '--node', '/nowhere/node'], 2, '--node /nowhere/node cannot be run'],
    [['dev', 'src/lambda.mjs', '--authorizer', 'magic'], 2, '--authorizer must be jwt, iam or lambda:<export>'],
    [['dev', 'src/none.ts'], 2, 'name the entry file, as in sallyport dev src/lambda.ts'],
    [['dev', 'a.ts', 'b.ts'], 2, 'name one entry file (got a.ts b.ts)'],
    [['send', 'queue', 'orders'], 2, 'sallyport dev does not run in this project'],
    [['send'], 2, 'name what to send'],
    [['token', '--sub', 'ada'], 2, 'sallyport dev does not run in this project'],
    [['replay', 'package.json'], 2, 'package.json: the recording has no version'],
    [['replay'], 2, 'name the recordings'],
    [['token'], 2, 'name the subject'],
    [['explain', 'nothing.json', '--entry', 'src/lambda.mjs'], 2, 'the file nothing.json does not exist'],
    [['explain', '-', '--entry', 'src/lambda.mjs'], 2, 'standard input is not valid JSON'],
    [['routes', '--entry', 'src/broken.mjs'], 3, 'src/broken.mjs:1:'],
    [['cold', 'src/broken.mjs'], 3, 'the service does not compile'],
    [['cold', 'src/throws.mjs'], 3, 'no table'],
  ])('%j', async (args, code, text) => {
    const result = await run(project, args as string[]);
    expect(result.code).toBe(code);
    expect(result.err).toContain(text);
  });

  test.each([
    ['{ "tiemout": 3 }', 'sallyport.json: unknown key "tiemout" (did you mean "timeout"?)'],
    ['{ "timeout": "3" }', 'sallyport.json: "timeout" must be a number of seconds from 0.1 to 900'],
    ['[]', 'sallyport.json must contain an object'],
    ['{', 'sallyport.json is not valid JSON'],
  ])('sallyport.json with %s', async (text, error) => {
    const other = createProject({ 'src/lambda.mjs': SERVICE, 'sallyport.json': text });
    const { code, err } = await run(other, ['dev', 'src/lambda.mjs', '--check']);
    expect({ code, err: err.trim() }).toEqual({ code: 2, err: expect.stringContaining(error) });
    other.remove();
  });

  test('a port that is taken', async () => {
    const server: Server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    });
    const { code, err } = await run(project, [
      'dev',
      'src/lambda.mjs',
      '--port',
      String(Math.min(port, 65_500)),
      '--no-state',
    ]);
    expect(code).toBe(2);
    expect(err).toMatch(/^sallyport: ports? [\d, ]+ (is|are) already in use: choose another with --port$/m);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('commands without a run', () => {
  let project: Project;
  beforeAll(() => {
    project = createProject({ 'src/lambda.mjs': SERVICE });
  });
  afterAll(() => project.remove());

  test('explain shows the reason for the kind of an event, and exits with 1 for an unknown event', async () => {
    const event = JSON.stringify({ Records: [{ eventSource: 'aws:sqs', eventSourceARN: 'a:b:c:d:e:orders' }] });
    expect(await run(project, ['explain', '-', '--entry', 'src/lambda.mjs'], event)).toMatchObject({
      code: 0,
      out: 'kind    queue\n',
    });
    const unknown = await run(project, ['explain', '-', '--entry', 'src/lambda.mjs', '--json'], '{"a":1}');
    expect(unknown.code).toBe(1);
    expect(JSON.parse(unknown.out)).toMatchObject({ kind: null, error: 'framework: unknown event type' });
  });

  test('routes reports that a foreign handler has no inventory; openapi has no document of it', async () => {
    expect((await run(project, ['routes', '--entry', 'src/lambda.mjs'])).out).toBe(
      'not a Sallyport handler: routes and triggers are unknown\n',
    );
    const { out } = await run(project, ['routes', '--entry', 'src/lambda.mjs', '--json']);
    expect(JSON.parse(out)).toMatchObject({ isOurs: false });
    expect((await run(project, ['openapi', '--entry', 'src/lambda.mjs'])).code).toBe(1);
  });

  test('cold starts the deployed form 20 times and prints how long its init phase took', async () => {
    const { code, out } = await run(project, ['cold', 'src/lambda.mjs', '--json']);
    const { p50, p90, least, most, ...rest } = JSON.parse(out);
    expect({ code, ...rest }).toEqual({ code: 0, type: 'cold', starts: 20 });
    expect([least, p50, p90, most]).toEqual([least, p50, p90, most].sort((a, b) => a - b));
    expect(least).toBeGreaterThan(0);
  });

  test('reset removes the files of a run that is over', async () => {
    const other = createProject({ 'src/lambda.mjs': SERVICE, '.sallyport/s3/notes/1': 'kept' });
    expect(await run(other, ['reset'])).toEqual({ code: 0, out: 'the state is empty\n', err: '' });
    expect(existsSync(join(other.folder, '.sallyport'))).toBe(false);
    expect(await run(other, ['reset', '--json'])).toEqual({
      code: 0,
      out: '{"type":"reset","running":false}\n',
      err: '',
    });
    other.remove();
  });
});

/** A message of this queue that fails once goes to the dead-letter queue at its next delivery. */
const SETTINGS = JSON.stringify({ queues: { orders: { visibilityTimeoutMs: 50, maxReceiveCount: 1 } } });

describe('a run, and the commands that find it', () => {
  let project: Project;
  let running: Running;
  let ended: Promise<number>;
  const end = new AbortController();
  const output = { out: '', err: '' };

  beforeAll(async () => {
    project = createProject({ 'src/lambda.mjs': SERVICE, 'sallyport.json': SETTINGS });
    ended = command(project, ['dev', 'src/lambda.mjs', '--port', '0', '--no-state'], output, '', end);
    while (!output.out.includes('state ')) await new Promise((resolve) => setTimeout(resolve, 10));
    running = (await findRunning(join(project.folder, '.sallyport'))) as Running;
  });
  afterAll(async () => {
    end.abort();
    await ended;
    project.remove();
  });

  test('prints the console’s address, with the token after the number sign', () => {
    expect(output.out).toMatch(/^console {3}http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{32} {3}not a Sallyport handler/m);
  });

  test('its file is for its user alone', () => {
    expect(statSync(join(project.folder, '.sallyport/run.json')).mode & 0o777).toBe(0o600);
  });

  test('a second one in the same folder is rejected', async () => {
    const { code, err } = await run(project, ['dev', 'src/lambda.mjs', '--port', '0']);
    expect({ code, err }).toEqual({
      code: 2,
      err: 'sallyport: sallyport dev already runs in this project: stop it, or use its console\n',
    });
  });

  test('send uses a door, and prints the answer that its client receives', async () => {
    expect(await run(project, ['send', 'http', 'GET /hello'])).toMatchObject({
      code: 0,
      out: 'gateway-v2  200\n{"path":"/hello","who":"nobody"}\n',
    });
    const signed = await run(project, [
      'send',
      'http',
      'GET /hello',
      '--as',
      'ada',
      '--scope',
      'a:b',
      '--door',
      'gateway-v1',
      '--json',
    ]);
    expect(JSON.parse(signed.out)).toMatchObject({
      door: 'gateway-v1',
      client: { status: 200, body: '{"path":"/hello","who":"somebody"}' },
    });
  });

  test('send accepts an event from standard input, and ends with 1 when the function fails', async () => {
    expect(await run(project, ['send', '-'], '{"a":1}')).toMatchObject({
      code: 0,
      out: '{\n  "got": {\n    "a": 1\n  }\n}\n',
    });
    expect(await run(project, ['send', '-'], '{"fail":true}')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^failed\n {2}TypeError: broken\n {2}at src\/lambda\.mjs:\d+:\d+/),
    });
  });

  test('token, env and routes read the run', async () => {
    expect((await run(project, ['token', '--sub', 'ada', '--scope', 'notes:read'])).out).toMatch(
      /^[\w-]+\.[\w-]+\.[\w-]+\n$/,
    );
    expect((await run(project, ['env'])).out).toMatch(/^export AWS_ENDPOINT_URL='http:\/\/127\.0\.0\.1:\d+\/?'$/m);
    expect((await run(project, ['routes'])).code).toBe(0);
  });

  test('send --wait ends when every record is done, and with 1 when one was given up', async () => {
    const done = await run(project, ['send', 'queue', 'orders', '--data', '{"id":1}', '--wait']);
    expect(done).toMatchObject({ code: 0, out: expect.stringMatching(/^sent [\w-]+\ndone\n$/) });
    const failed = await run(project, ['send', 'queue', 'orders', '--data', 'fail', '--wait']);
    expect(failed).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^sent ([\w-]+)\ndead letters: \1\n {2}TypeError: broken\n/),
    });
  });

  test('reset empties the queues too', async () => {
    const given = async () => {
      const sources = (await running.get('/api/sources')) as readonly SourceView[];
      return sources.map(({ name, records, deadLetters }) => [name, records.length, deadLetters.length]);
    };
    expect(await given()).toEqual([['orders', 0, 1]]);
    expect(await run(project, ['reset'])).toEqual({ code: 0, out: 'the state is empty\n', err: '' });
    expect(await given()).toEqual([['orders', 0, 0]]);
  });

  /** Sends an event, and saves its recording; `change` is applied to the file. */
  async function record(args: readonly string[], change: (saved: SavedRecording) => SavedRecording = (saved) => saved) {
    await run(project, ['send', ...args]);
    const id = ((await running.get('/api/invocations')) as readonly { id: number }[]).at(-1)?.id;
    const { file } = (await running.post('/api/recordings', { id, as: 'recording' })) as { file: string };
    const path = join('.sallyport/recordings', file);
    const saved = JSON.parse(readFileSync(join(project.folder, path), 'utf8')) as SavedRecording;
    project.write(path, JSON.stringify(change(saved)));
    return path;
  }

  test('replay compares with the recorded answer, and ends with 1 for another or for a failure', async () => {
    const same = await record(['http', 'GET /hello']);
    expect(await run(project, ['replay', same])).toEqual({ code: 0, out: `${same}  the same response\n`, err: '' });

    const other = await record(['http', 'GET /other'], (saved) => ({ ...saved, answer: { statusCode: 201 } }));
    expect(await run(project, ['replay', same, other])).toMatchObject({
      code: 1,
      out: `${same}  the same response\n${other}  differs: $.statusCode, $.body\n`,
    });

    const failing = await record(['queue', 'orders', '--data', 'fail', '--wait']);
    expect(await run(project, ['replay', failing])).toMatchObject({
      code: 1,
      out: `${failing}  failed: TypeError: broken\n`,
    });
    expect(await run(project, ['replay', 'none.json'])).toMatchObject({ code: 2 });
  });

  test('each sent event is one line without its token', () => {
    const lines = output.out.split('\n').slice(1).join('\n');
    expect(lines).toMatch(/^\d\d:\d\d:\d\d {2}gateway-v2 GET \/hello {2}200 {2}\d+ ms/m);
    expect(lines).toMatch(/^ {10}TypeError: broken\n {10}at src\/lambda\.mjs:\d+:\d+/m);
    expect(lines).not.toMatch(/eyJ|Bearer/);
  });
});
