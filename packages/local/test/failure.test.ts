import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAPIGatewayV2Request, buildQueueEvent } from '@sallyport/testkit/events';
import { failureText } from '../src/internal/commands/failure-lines.js';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { createFailures } from '../src/internal/journal/failure.js';
import type { InvocationRecord } from '../src/internal/journal/journal.js';
import { createProject, invoke, type Project, start } from './support/run.js';
import { shows } from './support/shows.js';

const FOREIGN = `
class OrderError extends Error {}
export const handler = async (event) => {
  if (event.do === 'throw') throw new OrderError('order 7', { cause: new TypeError('no price', { cause: 'the list' }) });
  setImmediate(() => { throw new RangeError('late'); });
  return new Promise(() => {});
};
`;

const OURS = `
import { json } from '@sallyport/http';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
const app = new SecureApp({ principalResolver: () => null });
app.get('/fail', async () => { throw new TypeError('broken here', { cause: new Error('inner cause') }); }, Public());
app.get('/closed', () => json(200, {}), Authenticated('notes:read'));
app.queue('orders', async () => { throw new RangeError('queue broken'); });
export const handler = app.handleLambda;
`;

describe('one object describes a failure', () => {
  let project: Project;
  let host: RunningHost;
  const run = async (entry: string, text: string, event: unknown) => {
    project = createProject({ [entry]: text });
    symlinkSync(fileURLToPath(new URL('../node_modules', import.meta.url)), join(project.folder, 'node_modules'));
    host = await start(project, { entry, conditions: ['@sallyport/source'] });
    const { id } = await invoke(host, event);
    // A message of the process can arrive after the error.
    const isWhole = ({ failures, thrown, error }: InvocationRecord) =>
      failures.length > 0 && (error?.errorType !== 'Error' || thrown.length > 0);
    const { failures } = await shows(host, id, isWhole);
    return failures;
  };
  afterEach(async () => {
    await host.stop();
    project.remove();
  });

  test('an error of another handler, with its causes', async () => {
    expect(await run('src/lambda.mjs', FOREIGN, { do: 'throw' })).toMatchObject([
      {
        kind: 'function',
        type: 'Error',
        message: 'order 7',
        causes: [
          { type: 'TypeError', message: 'no price' },
          { type: 'string', message: 'the list' },
        ],
        frames: [{ file: 'src/lambda.mjs', line: 4, column: 35 }],
        code: [{ line: 3 }, { line: 4, isHere: true }, { line: 5, isHere: false }],
      },
    ]);
  });

  test('an error that nothing caught', async () => {
    expect(await run('src/lambda.mjs', FOREIGN, {})).toMatchObject([
      {
        kind: 'function',
        type: 'Runtime.ExitError',
        message: 'Runtime exited with error: exit status 1 (nothing caught RangeError: late)',
        frames: [{ file: 'src/lambda.mjs', line: 5, column: 30 }],
        stderr: expect.arrayContaining(['RangeError: late']),
      },
    ]);
  });

  test('an error of a route, which its client does not see', async () => {
    expect(await run('src/lambda.ts', OURS, buildAPIGatewayV2Request('GET', '/fail'))).toMatchObject([
      {
        kind: 'request',
        type: 'TypeError',
        message: 'broken here',
        causes: [{ type: 'Error', message: 'inner cause' }],
        frames: [{ file: 'src/lambda.ts', line: 5 }],
      },
    ]);
  });

  test('a caller that the route does not accept', async () => {
    expect(await run('src/lambda.ts', OURS, buildAPIGatewayV2Request('GET', '/closed'))).toMatchObject([
      {
        kind: 'access',
        message:
          'GET /closed accepts authenticated with notes:read; the caller is anonymous: the principal resolver found no valid credentials',
        hint: 'send a token of the local issuer: sallyport send … --as ada --scope notes:read',
      },
    ]);
  });

  test('a failed record of a batch', async () => {
    const event = buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [{ messageId: 'm-1', body: '{}' }]);
    expect(await run('src/lambda.ts', OURS, event)).toMatchObject([
      { kind: 'record', record: 'm-1', type: 'RangeError', message: 'queue broken' },
    ]);
  });
});

describe('the failures of a record', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-failure-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const record = (members: object) =>
    ({
      status: 'ok',
      summary: '200',
      error: null,
      thrown: [],
      logs: [],
      gate: [],
      ...members,
    }) as never as InvocationRecord;
  const failures = createFailures(folder);

  it.each([
    ['a success', {}],
    ['a 404', { summary: '404' }],
    ['a running one', { status: 'running', summary: '500' }],
    ['a log line that is no error', { summary: '500', logs: [{ text: '{"level":"INFO","error":{"name":"E"}}' }] }],
    ['an error that was logged but answered', { logs: [{ text: '{"level":"ERROR","error":{"name":"E"}}' }] }],
  ])('%s has no failure', (_name, members) => {
    expect(failures(record(members))).toEqual([]);
  });

  it.each([
    ['.env.local', 'at x (/etc/passwd:1:1)'],
    ['a file that is not a source', `at x (${folder}/.env.local:1:1)`],
    ['a dependency', `at x (${folder}/node_modules/a/index.js:1:1)`],
    ['a build', `at x (${folder}/.sallyport/build/1-1/index.mjs:1:1)`],
    ['Node itself', 'at process.processTicksAndRejections (node:internal/process/task_queues:95:5)'],
  ])('no lines of %s are read', (_name, line) => {
    const error = { errorType: 'Error', errorMessage: 'x', trace: ['Error: x', `    ${line}`] };
    const [failure] = failures(record({ status: 'failed', error }));
    expect(failure?.code).toEqual([]);
  });

  it('a time limit has a hint, and no request id', () => {
    const error = {
      errorType: 'Sandbox.Timedout',
      errorMessage: 'RequestId: r-1 Error: Task timed out after 3.00 seconds',
    };
    expect(failures(record({ status: 'failed', error }))).toMatchObject([
      { message: 'Task timed out after 3.00 seconds', hint: expect.stringContaining('--timeout') },
    ]);
  });
});

it('the terminal shows message, frame, lines, causes, stderr and a hint', () => {
  const text = failureText(
    {
      kind: 'record',
      type: 'TypeError',
      message: 'broken',
      record: 'm-1',
      causes: [{ type: 'Error', message: 'inner' }],
      frames: [{ file: 'src/a.ts', line: 10, column: 3, name: 'handle' }],
      otherFrames: 4,
      code: [
        { line: 9, text: 'a', isHere: false },
        { line: 10, text: 'b', isHere: true },
      ],
      hint: 'do this',
      stderr: ['last words'],
    },
    '  ',
  );
  expect(text).toBe(`  m-1: TypeError: broken
  at src/a.ts:10:3  handle
     9 | a
  > 10 | b
  caused by Error: inner
  stderr: last words
  hint: do this
`);
});
