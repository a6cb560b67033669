import { FrameworkError } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { createTestEnv } from '@sallyport/testkit';
import { type S3BatchTask, s3Batch } from '@sallyport/triggers';
import { buildS3BatchEvent } from '@sallyport/triggers/testing';
import { HOSTS } from './support.js';

const answer = (resultCode: string, resultString: string, invocationSchemaVersion = '1.0') => ({
  invocationSchemaVersion,
  treatMissingKeysAs: 'TemporaryFailure',
  invocationId: 'invocation-1',
  results: [{ taskId: 'task-1', resultCode, resultString }],
});

describe.each(HOSTS)('a job in %s', (_name, host) => {
  it.each<[string, unknown, string, string]>([
    ['text', 'done', 'Succeeded', 'done'],
    ['nothing', undefined, 'Succeeded', ''],
    ['a number', 5, 'PermanentFailure', 'triggers.invalid_answer'],
    ['an error', new Error('the database is at 10.0.0.1'), 'PermanentFailure', 'app.internal'],
    ['a conflict', new FrameworkError('app.conflict', 'taken by bob'), 'PermanentFailure', 'app.conflict'],
    ['a timeout', new FrameworkError('app.timeout'), 'TemporaryFailure', 'app.timeout'],
    ['an overload', new FrameworkError('app.overloaded'), 'TemporaryFailure', 'app.overloaded'],
    ['a rate limit', new FrameworkError('app.rate_limited'), 'TemporaryFailure', 'app.rate_limited'],
  ])('receives a result for %s, without the message of its cause', async (_what, result, code, text) => {
    const { handleLambda } = host(() =>
      s3Batch(() => {
        if (result instanceof Error) throw result;
        return result as string;
      }),
    );
    await expect(handleLambda(buildS3BatchEvent('uploads'))).resolves.toEqual(answer(code, text));
  });

  it.each(['1.0', '2.0'] as const)('has the object of schema %s, its key decoded', async (schema) => {
    const seen: S3BatchTask[] = [];
    const { handleLambda } = host(() => s3Batch((_ctx, task) => void seen.push(task)));
    const event = buildS3BatchEvent('uploads', {
      schema,
      key: 'a b+c/ä',
      versionId: 'v1',
      userArguments: { size: '5' },
    });
    await expect(handleLambda(event)).resolves.toEqual(answer('Succeeded', '', schema));
    expect(seen).toEqual([
      {
        taskId: 'task-1',
        jobId: 'job-1',
        bucket: 'uploads',
        key: 'a b+c/ä',
        versionId: 'v1',
        userArguments: schema === '2.0' ? { size: '5' } : {},
      },
    ]);
  });

  it.each<[string, readonly unknown[]]>([
    [
      'a repeated taskId',
      [
        { taskId: 't', s3Key: 'a', s3Bucket: 'b' },
        { taskId: 't', s3Key: 'b', s3Bucket: 'b' },
      ],
    ],
    ['no key', [{ taskId: 't', s3Bucket: 'b' }]],
    ['no bucket', [{ taskId: 't', s3Key: 'k' }]],
  ])('an event with %s runs nothing', async (_what, tasks) => {
    const { handleLambda } = host(() =>
      s3Batch(() => {
        throw new Error('ran');
      }),
    );
    await expect(handleLambda({ ...buildS3BatchEvent('b'), tasks })).rejects.toMatchObject({
      code: 'triggers.invalid_event',
    });
  });
});

it('tasks that the deadline ends, or that do not start before it, are tried again', async () => {
  const env = createTestEnv();
  const app = createApp({ ...env.options(), surfaces: [s3Batch(() => new Promise(() => {}))] });
  const tasks = ['t1', 't2'].map((taskId) => ({ taskId, s3Key: 'k', s3Bucket: 'b' }));
  const pending = app.handleLambda({ ...buildS3BatchEvent('b'), tasks }, env.lambdaContext({ remainingMs: 3_000 }));
  await env.clock.advance(3_000);
  const { results } = (await pending) as { results: { resultCode: string }[] };
  expect(results.map(({ resultCode }) => resultCode)).toEqual(['TemporaryFailure', 'TemporaryFailure']);
  expect(app.triggers()).toEqual([{ kind: 's3-batch' }]);
});

it('a handler that is not a function is rejected', () => {
  expect(() => s3Batch(5 as never)).toThrow(expect.failure('app.invalid_configuration', 'handler'));
});

it.each([
  ['my+object%2B.jpg', 'my object+.jpg'],
  ['a%20b', 'a b'],
  ['a%2Bb', 'a+b'],
  ['100%25', '100%'],
  ['%E4%BD%A0+%2F', '你 /'],
])('the key %s of a manifest is %s', async (s3Key, key) => {
  const keys: string[] = [];
  const { handleLambda } = s3Batch((_ctx, task) => void keys.push(task.key));
  const tasks = [{ taskId: 't', s3Key, s3Bucket: 'b' }];
  await handleLambda({ ...buildS3BatchEvent('b'), tasks });
  expect(keys).toEqual([key]);
});
