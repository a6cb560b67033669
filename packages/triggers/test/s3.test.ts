import { createApp } from '@sallyport/dispatch/app';
import { createTestEnv } from '@sallyport/testkit';
import { compareSequencers, type S3Object, s3Trigger } from '@sallyport/triggers';
import { buildS3Event } from '@sallyport/triggers/testing';
import { HOSTS } from './support.js';

describe.each(HOSTS)('S3 notifications in %s', (name, host) => {
  it('reach the handler of their bucket with the key decoded', async () => {
    const seen: S3Object[] = [];
    const { handleLambda } = host(() => s3Trigger().bucket('uploads', (_ctx, object) => void seen.push(object)));

    await expect(handleLambda(buildS3Event('uploads', [{ key: 'a b/c', size: 5 }]))).resolves.toBeNull();

    expect(seen).toEqual([
      {
        bucket: 'uploads',
        key: 'a b/c',
        size: 5,
        eTag: 'd41d8cd98f00b204e9800998ecf8427e',
        sequencer: '000000000000000001',
        event: 'ObjectCreated:Put',
      },
    ]);
  });

  it('of a bucket without a handler are rejected', async () => {
    let calls = 0;
    const { handleLambda } = host(() =>
      s3Trigger().bucket('uploads', () => {
        calls += 1;
      }),
    );
    const event = {
      Records: [...buildS3Event('uploads', [{ key: 'a' }]).Records, ...buildS3Event('x', [{ key: 'b' }]).Records],
    };

    await expect(handleLambda(event)).rejects.toMatchObject({ code: 'triggers.no_handler' });
    expect(calls).toBe(0);
  });

  it('are thrown to Lambda at the first failure, and later records are not run', async () => {
    const keys: string[] = [];
    const { handleLambda } = host(() =>
      s3Trigger().bucket('uploads', (_ctx, { key }) => {
        keys.push(key);
        throw new Error('disk full');
      }),
    );

    await expect(handleLambda(buildS3Event('uploads', [{ key: '1' }, { key: '2' }]))).rejects.toThrow(
      // The closed container masks all errors.
      name === 'the secure container' ? 'framework: event workload failed' : 'disk full',
    );
    expect(keys).toEqual(['1']);
  });
});

it.each<[string, string]>([
  ['a+b%2Fc', 'a b/c'],
  ['50%25+off', '50% off'],
  ['100%', '100%'],
  ['%zz+%20', '%zz  '],
  ['%C3%A4', 'ä'],
])('the key %s is %j', async (encoded, key) => {
  let seen = '';
  const { handleLambda } = s3Trigger().bucket('b', (_ctx, object) => {
    seen = object.key;
  });
  await handleLambda({ Records: [{ eventSource: 'aws:s3', s3: { bucket: { name: 'b' }, object: { key: encoded } } }] });
  expect(seen).toBe(key);
});

it('a deleted object has no size', async () => {
  const seen: S3Object[] = [];
  const { handleLambda } = s3Trigger().bucket('b', (_ctx, object) => void seen.push(object));
  await handleLambda(buildS3Event('b', [{ key: 'k', event: 'ObjectRemoved:Delete' }]));
  expect(seen[0]).toEqual({ bucket: 'b', key: 'k', sequencer: '000000000000000001', event: 'ObjectRemoved:Delete' });
});

it.each([
  ['0055AED6DCD90281E5', '0055AED6DCD90281E6', -1],
  ['0055AED6DCD90281E5', '0055aed6dcd90281e5', 0],
  ['A1', 'A10000', 0],
  ['B', 'A9999', 1],
])('sequencer %s against %s is %i', (a, b, order) => {
  expect(compareSequencers(a, b)).toBe(order);
});

it.each<[string, unknown, string]>([
  ['no list', { Records: {} }, 'Records must be a list'],
  ['a record without bucket', { Records: [{ s3: {} }] }, 'Records[0].s3.bucket.name must be text'],
  ['a record that is a text', { Records: ['x'] }, 'Records[0] must be an object'],
  ['10,001 records', { Records: Array.from({ length: 10_001 }, () => ({})) }, 'Records has more than 10000 entries'],
])('an event with %s runs nothing and is not quoted', async (_what, event, text) => {
  const { handleLambda } = s3Trigger().bucket('b', () => {
    throw new Error('ran');
  });
  await expect(handleLambda(event)).rejects.toMatchObject({
    code: 'triggers.invalid_event',
    message: `framework: s3 event: ${text}`,
  });
});

it.each<[string, () => unknown, string]>([
  ['a blank name', () => s3Trigger().bucket(' ', () => {}), 'bucket name is empty'],
  ['no function', () => s3Trigger().bucket('b', 5 as never), 'must be a function'],
  [
    'a name twice',
    () =>
      s3Trigger()
        .bucket('b', () => {})
        .bucket('b', () => {}),
    'duplicate handler for bucket "b"',
  ],
])('registration rejects %s', (_what, register, text) => {
  expect(register).toThrow(expect.failure('app.invalid_configuration', text));
});

it('names are mapped by FRAMEWORK_EVENT_SOURCES, ARNs are used unchanged', async () => {
  const env = createTestEnv({ environment: { FRAMEWORK_EVENT_SOURCES: '{"s3":{"uploads":"stack-uploads-1"}}' } });
  const seen: string[] = [];
  const surface = s3Trigger()
    .bucket('uploads', (ctx) => void seen.push(`uploads ${ctx.source.name}`))
    .bucket('arn:aws:s3:::exact', (ctx) => void seen.push(`exact ${ctx.source.arn}`));
  const app = createApp({ ...env.options(), surfaces: [surface] });

  await app.handleLambda(buildS3Event('stack-uploads-1', [{ key: 'k' }]));
  await app.handleLambda(buildS3Event('exact', [{ key: 'k' }]));

  expect(seen).toEqual(['uploads stack-uploads-1', 'exact arn:aws:s3:::exact']);
});

it('the container’s middlewares, hooks, limits and log lines equal those of built-in kinds', async () => {
  const env = createTestEnv();
  const trail: string[] = [];
  const surface = s3Trigger().bucket('uploads', (ctx) => {
    trail.push(`${ctx.triggerKind} ${ctx.recordId} ${ctx.batch.index}/${ctx.batch.size}`);
    ctx.log.info('indexed');
    throw new Error('no');
  });
  const app = createApp({ ...env.options(), maskErrors: true, surfaces: [surface] });
  app.useEvents(async (_ctx, _event, next) => {
    trail.push('before');
    return next();
  });

  await expect(app.handleLambda(buildS3Event('uploads', [{ key: 'k' }]))).rejects.toMatchObject({
    code: 'streams.handler_failed',
    message: 'framework: event handler failed',
  });

  expect(trail).toEqual(['before', 's3 s3-1 0/1']);
  expect(env.records.logs.map(({ trigger, source }) => `${trigger} ${source}`)).toContain('s3 uploads');
  expect(env.records.metrics.length).toBeGreaterThan(0);
  expect(app.triggers()).toEqual([{ kind: 's3', name: 'uploads' }]);
  expect(app.explain(buildS3Event('uploads', [{ key: 'k' }]))).toMatchObject({
    kind: 's3',
    error: null,
    target: { sources: [{ name: 'uploads', records: 1 }], outcome: 'handled', projection: 'null' },
  });
  expect(app.explain(buildS3Event('other', [{ key: 'k' }])).error).toBe('framework: no handler for s3');
});
