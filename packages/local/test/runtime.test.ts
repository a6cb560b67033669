import type { RunningHost } from '../src/internal/host/create-host.js';
import { answerOf, invoke, type Project, projectOf, start } from './support/run.js';
import { isStopped, shows } from './support/shows.js';

describe('a function with AWS’s runtime client', () => {
  let project: Project;
  let host: RunningHost;

  beforeAll(async () => {
    project = projectOf('mixed.mjs');
    host = await start(project, { memory: 160 });
  });
  afterAll(async () => {
    await host.stop();
    project.remove();
  });

  test('answers events, one environment after the other', async () => {
    expect(await answerOf(host, { do: 'echo', value: { a: [1, 'ä'] } })).toEqual({ a: [1, 'ä'] });
    expect(host.invoker.environments()).toMatchObject([{ state: 'running', invocations: 1 }]);
  });

  test('the context and the variables are the same as in Lambda', async () => {
    const traceId = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
    expect(await answerOf(host, { do: 'context' }, { traceId, clientContext: { custom: { who: 'ä' } } })).toEqual({
      name: 'service',
      arn: 'arn:aws:lambda:us-east-1:123456789012:function:service',
      remaining: true,
      trace: expect.stringMatching(/^Root=1-5759e988-bd862e3fe1be46a994272793;Parent=[0-9a-f]{16};Sampled=1$/),
      client: { custom: { who: 'ä' } },
    });
    const variables = (await answerOf(host, { do: 'variables' })) as Record<string, string>;
    expect(Object.keys(variables).filter((name) => name.startsWith('SALLYPORT'))).toEqual([]);
    expect(variables).toMatchObject({
      _HANDLER: 'index.handler',
      AWS_REGION: 'us-east-1',
      LAMBDA_TASK_ROOT: project.folder,
    });
    expect(variables.HOME).toBeUndefined();
  });

  test.each([
    ['a handler that throws', { do: 'fail' }, 'handler', 'TypeError', /^broken$/],
    ['a promise that never settles', { do: 'never' }, 'exit', 'Runtime.ExitError', /nothing was left to wait for$/],
    ['process.exit', { do: 'leave' }, 'exit', 'Runtime.ExitError', /process\.exit\(0\) was called/],
    [
      'an error that nothing catches',
      { do: 'crash' },
      'exit',
      'Runtime.ExitError',
      /exit status 1 \(nothing caught Error: nobody catches this\)$/,
    ],
    [
      'a rejection that nothing catches',
      { do: 'reject' },
      'exit',
      'Runtime.ExitError',
      /exit status 1 \(nothing caught RangeError: a promise that nothing awaits\)$/,
    ],
    ['an abort of native code', { do: 'abort' }, 'exit', 'Runtime.ExitError', /exited with error: signal: aborted$/],
    ['a full heap', { do: 'heap' }, 'memory', 'Runtime.OutOfMemory', /more than 160 MB$/],
    ['an answer of 7 MiB', { do: 'large' }, 'size', 'Function.ResponseSizeTooLarge', /6291556 bytes/],
    ['a leak', { do: 'leak' }, 'memory', 'Runtime.OutOfMemory', /more than 160 MB$/],
  ])('%s', async (_name, event, reason, errorType, message) => {
    expect(await answerOf(host, event)).toMatchObject({
      reason,
      errorType,
      errorMessage: expect.stringMatching(message),
    });
    expect(await answerOf(host, { do: 'echo', value: 'next' })).toBe('next');
  });

  test('a handler that prints 20,000 lines ends in its time although every change is shown', async () => {
    const end = host.journal.subscribe((change) => change.type === 'record' && host.journal.idOf(String(change.id)));
    const outcome = await invoke(host, { do: 'chat', lines: 20_000 });
    end();
    expect(outcome).toMatchObject({ ok: true, answer: 'printed' });
  });

  test('an event that is too large never reaches the function', async () => {
    const value = 'x'.repeat(1_100_000);
    expect(await answerOf(host, { do: 'echo', value })).toHaveLength(1_100_000);
    expect(await answerOf(host, { do: 'echo', value }, { asynchronous: true })).toMatchObject({
      reason: 'size',
      errorMessage: 'Request must be smaller than 1048576 bytes for the InvokeFunction operation',
    });
    expect(await answerOf(host, { do: 'echo', value: 'x'.repeat(8 * 1024 * 1024) })).toMatchObject({ reason: 'size' });
  });

  test('between two invocations the process is frozen: a timer fires in the next invocation, and is named', async () => {
    const { id, requestId } = await invoke(host, { do: 'later' });
    const { environment } = await shows(host, id, ({ leftovers }) => leftovers.includes('Timeout'));
    const { pid = 0 } = host.invoker.environments().find((one) => one.id === environment?.id) ?? {};
    await isStopped(pid);
    const next = await invoke(host, { do: 'wait', ms: 100 });
    expect(next).toMatchObject({ ok: true });
    const { ticks } = (await answerOf(host, { do: 'state' })) as { ticks: readonly string[] };
    expect(ticks).toContain(next.requestId);
    expect(new Set(ticks.filter((id) => id !== requestId))).toEqual(new Set([next.requestId]));
  });

  test('log lines of any length have their level and their invocation', async () => {
    const { id } = await invoke(host, { do: 'log', bytes: 10 * 1024 * 1024 });
    const { logs } = await shows(host, id, (record) => record.logs.length === 3);
    const byLevel = new Map(logs.map(({ level, text }) => [level, text]));
    expect(byLevel.get('info')).toBe('first\nsecond');
    expect(byLevel.get('stdout')).toBe('plain');
    expect(byLevel.get('error')).toMatch(/^z+ … and 10420\d{3} further bytes$/);
  });

  test('AWS host names do not resolve', async () => {
    for (const name of [
      'sqs.us-east-1.amazonaws.com',
      'x.lambda-url.us-east-1.on.aws',
      's3.cn-north-1.amazonaws.com.cn',
    ]) {
      expect(await answerOf(host, { do: 'lookup', name })).toMatch(/is an AWS host, and calls to AWS are blocked/);
    }
  });

  test('an event that is not an object is passed unchanged', async () => {
    expect(await answerOf(host, [1])).toMatchObject({ reason: 'handler', errorType: 'TypeError' });
    expect(await answerOf(host, null)).toMatchObject({ reason: 'handler', errorType: 'TypeError' });
  });
});

test('a handler that blocks its process is stopped at its limit', async () => {
  const project = projectOf('mixed.mjs');
  const host = await start(project, { timeout: 1 });
  try {
    expect(await answerOf(host, { do: 'loop' })).toMatchObject({
      reason: 'timeout',
      errorType: 'Sandbox.Timedout',
      errorMessage: expect.stringMatching(/Task timed out after 1\.00 seconds$/),
    });
    expect(await answerOf(host, { do: 'echo', value: 'next' })).toBe('next');
  } finally {
    await host.stop();
    project.remove();
  }
});
