import { createApp } from '@sallyport/dispatch/app';
import {
  assertCompletedOnce,
  assertNothingLost,
  jobClient,
  responseFetch,
  simulate,
  type TestEnv,
  triggers,
} from '@sallyport/testkit';
import {
  codePipelineJob,
  customResource,
  documentDb,
  firehoseTransform,
  kafkaTrigger,
  mqTrigger,
  type PipelineJob,
  type PipelineResult,
  pipe,
  s3Batch,
  s3Trigger,
  secretRotation,
  type TriggerSurface,
  tumblingWindow,
} from '@sallyport/triggers';
import { CATALOGUE, type CatalogueEntry, type SampleRegistration } from '@sallyport/triggers/catalogue';
import {
  buildCodePipelineEvent,
  buildCustomResourceEvent,
  buildDocumentDbEvent,
  buildFirehoseEvent,
  buildKafkaEvent,
  buildMqEvent,
  buildPipeEvent,
  buildS3BatchEvent,
  buildS3Event,
  buildSecretRotationEvent,
  buildWindowEvent,
} from '@sallyport/triggers/testing';

const ends = (result: Awaited<ReturnType<typeof simulate>>) =>
  Object.values(result.records).map(({ deliveries, end }) => `${deliveries} ${end}`);

it('objects of S3 are delivered again until their handler completes', async () => {
  let failures = 1;
  const build = (env: TestEnv) =>
    createApp({
      ...env.options(),
      surfaces: [
        s3Trigger().bucket('uploads', () => {
          failures -= 1;
          if (failures >= 0) throw new Error('no');
        }),
      ],
    });
  const result = await simulate(build, triggers.asynchronous([buildS3Event('uploads', [{ key: 'a' }])]));
  expect(ends(result)).toEqual(['2 done']);
  assertNothingLost(result);
});

describe('a custom resource', () => {
  const events = [
    buildCustomResourceEvent(),
    buildCustomResourceEvent({ requestType: 'Update' }),
    buildCustomResourceEvent({ requestType: 'Delete' }),
  ];
  const build = (create: () => unknown) => (env: TestEnv) =>
    createApp({
      ...env.options(),
      surfaces: [
        customResource(
          { create: create as () => undefined, update: () => undefined, delete: () => undefined },
          { fetch: responseFetch(env) },
        ),
      ],
    });

  it.each<[string, () => unknown, object, readonly string[]]>([
    ['that works', () => undefined, {}, ['1 done', '1 done', '1 done']],
    ['whose handler throws', () => Promise.reject(new Error('no')), {}, ['1 dead-letter', '1 done', '1 done']],
    ['whose handler never ends', () => new Promise(() => {}), {}, ['1 dead-letter', '1 done', '1 done']],
    ['with a slow place for answers', () => undefined, { delayMs: 1500 }, ['1 done', '1 done', '1 done']],
    ['whose answers are refused at first', () => undefined, { refuse: 2 }, ['1 done', '1 done', '1 done']],
    ['whose answers are refused for longer', () => undefined, { refuse: 4 }, ['2 done', '1 done', '1 done']],
  ])('%s is answered once', async (_what, create, options, expected) => {
    const result = await simulate(build(create), triggers.customResource(events), options);
    expect(result.violations).toEqual([]);
    expect(ends(result)).toEqual(expected);
  });
});

/** Fails the second call, once. */
function flaky(): () => undefined {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls === 2) throw new Error('no');
    return undefined;
  };
}

const containing = (make: (handler: () => undefined) => TriggerSurface) => (env: TestEnv) =>
  createApp({ ...env.options(), surfaces: [make(flaky())] });

it.each<[string, (env: TestEnv) => ReturnType<typeof createApp>, Parameters<typeof simulate>[1], readonly string[]]>([
  [
    'Kafka',
    containing((handler) => kafkaTrigger({ onFailure: 'report' }).topic('orders', handler)),
    triggers.kafka(buildKafkaEvent('orders', [{}, {}, {}, { partition: 1 }])),
    ['1 done', '2 done', '2 done', '1 done'],
  ],
  [
    'a broker',
    containing((handler) => mqTrigger().queue('orders', handler)),
    triggers.blocking(buildMqEvent('orders', [{}, {}, {}])),
    ['2 done', '2 done', '2 done'],
  ],
  [
    'DocumentDB',
    containing((handler) => documentDb().collection('shop.orders', handler)),
    triggers.blocking(buildDocumentDbEvent('shop.orders', [{}, {}])),
    ['2 done', '2 done'],
  ],
  [
    'Firehose',
    containing((handler) => firehoseTransform((_ctx, { data }) => handler() ?? data)),
    triggers.firehose(buildFirehoseEvent('clicks', [{}, {}, {}])),
    ['1 done', '1 dead-letter', '1 done'],
  ],
  [
    'a batch job',
    containing((handler) => s3Batch(handler)),
    triggers.batchJob([buildS3BatchEvent('uploads'), buildS3BatchEvent('uploads')]),
    ['1 done', '1 dead-letter'],
  ],
  [
    'a rotation',
    containing((handler) =>
      secretRotation().secret('database', {
        ...{ createSecret: handler, setSecret: handler, testSecret: handler, finishSecret: handler },
      }),
    ),
    triggers.rotation(buildSecretRotationEvent('database')),
    ['3 done', '2 done', '2 done', '2 done'],
  ],
])('%s is answered as its service requires, even after a failure', async (_what, build, source, expected) => {
  const result = await simulate(build, source);
  expect(result.violations).toEqual([]);
  expect(ends(result)).toEqual(expected);
});

describe.each([true, false])('a topic of Kafka whose mapping is in provisioned mode: %s', (provisioned) => {
  const source = () => triggers.kafka(buildKafkaEvent('orders', [{}, {}, { partition: 1 }]));

  it('loses nothing when failures are thrown', async () => {
    const build = containing((handler) => kafkaTrigger().topic('orders', handler));
    const result = await simulate(build, source(), { provisioned });
    expect(ends(result)).toEqual(['2 done', '2 done', '2 done']);
    assertNothingLost(result);
  });

  it('loses reported records only where AWS does not read the report', async () => {
    const build = containing((handler) => kafkaTrigger({ onFailure: 'report' }).topic('orders', handler));
    const result = await simulate(build, source(), { provisioned });
    expect(ends(result)).toEqual(['1 done', provisioned ? '2 done' : '1 lost', '1 done']);
    expect(result.violations.map(({ kind }) => kind)).toEqual(provisioned ? [] : ['lost']);
  });
});

/** One event as each source of the test kit. */
const SOURCES: Readonly<Record<keyof typeof triggers, (event: object) => Parameters<typeof simulate>[1]>> = {
  ...triggers,
  asynchronous: (event) => triggers.asynchronous([event]),
  batchJob: (event) => triggers.batchJob([event]),
  customResource: (event) => triggers.customResource([event]),
  pipe: (event) => triggers.pipe(event as readonly object[]),
  pipelineJob: (event) => triggers.pipelineJob([event]),
};

it.each(
  Object.values<CatalogueEntry>(CATALOGUE).flatMap(({ kind, sample, simulate: name }) =>
    name === null ? [] : [[kind, sample, name] as const],
  ),
)('the source that the catalogue names delivers the sample of %s', async (_kind, sample, name) => {
  const handler = (async () => sample.result) as () => Promise<never>;
  const build = (env: TestEnv) => {
    const options =
      name === 'customResource'
        ? { fetch: responseFetch(env) }
        : name === 'pipelineJob'
          ? { client: jobClient(env) }
          : undefined;
    const handlers = sample.names.map((one): SampleRegistration => [one, handler]);
    return createApp({ ...env.options(), surfaces: [sample.register(handlers, options as never)] });
  };
  const options = sample.alias === undefined ? undefined : { alias: sample.alias };
  const result = await simulate(build, SOURCES[name](sample.events[0]?.[0] ?? {}), options as never);
  expect(result.violations).toEqual([]);
  expect(ends(result).map((end) => end.split(' ')[1])).toEqual(name === 'rotation' ? Array(4).fill('done') : ['done']);
});

describe('a pipe', () => {
  const source = () => triggers.pipe(buildPipeEvent(['1', '2', '3']));
  const build = (handler: () => unknown) => (env: TestEnv) =>
    createApp({ ...env.options(), surfaces: [pipe().enrich('orders', handler)] });

  it('delivers the whole batch again after one failed record, because an enrichment has no partial failures', async () => {
    const handler = flaky();
    const result = await simulate(
      build(() => handler() ?? 1),
      source(),
      { alias: 'orders' },
    );
    expect(ends(result)).toEqual(['2 done', '2 done', '2 done']);
    assertNothingLost(result);
  });

  it('enriches the batch again after a failure of its target', async () => {
    const result = await simulate(
      build(() => 1),
      source(),
      { alias: 'orders', targetFailures: 2 },
    );
    expect(ends(result)).toEqual(['3 done', '3 done', '3 done']);
    expect(() => assertCompletedOnce(result)).toThrow('completed 3 times');
  });

  it('stops retrying a batch after its maximum retry attempts', async () => {
    const failing = build(() => Promise.reject(new Error('no')));
    const options = { alias: 'orders', maximumRetryAttempts: 1, batchSize: 2 };
    expect(ends(await simulate(failing, source(), options))).toEqual(Array(3).fill('2 dead-letter'));
    const lost = await simulate(failing, source(), { ...options, deadLetter: false });
    expect(lost.violations.map(({ kind }) => kind)).toEqual(['lost', 'lost', 'lost']);
  });

  it('an answer that is not a list is a violation', async () => {
    const result = await simulate(() => ({ handleLambda: async () => ({ a: 1 }) }), source());
    expect(result.violations.map(({ kind }) => kind)).toContain('missing-record');
  });
});

describe('a tumbling window', () => {
  const sums = (ended: [number, boolean][], handler = flaky()) =>
    tumblingWindow().stream('clicks', {
      initial: () => ({ sum: 0 }),
      add: (_ctx, { sum }, { kinesis }) => handler() ?? { sum: sum + Number(Buffer.from(kinesis.data, 'base64')) },
      final: (_ctx, { sum }, { isTerminatedEarly }) => void ended.push([sum, isTerminatedEarly]),
    });
  const source = () => triggers.window(buildWindowEvent('clicks', { data: ['1', '2', '4', '8'] }));

  it.each<[string, object, readonly string[]]>([
    ['batches of two', { batchSize: 2 }, ['2 done', '2 done', '1 done', '1 done', '1 done']],
    ['one batch with its end', { batchSize: 10 }, ['2 done', '2 done', '2 done', '2 done', '2 done']],
    [
      'halved batches',
      { batchSize: 4, bisectBatchOnFunctionError: true },
      ['2 done', '2 done', '2 done', '2 done', '1 done'],
    ],
  ])('of %s counts each record once, even after a failure', async (_what, options, expected) => {
    const ended: [number, boolean][] = [];
    const build = (env: TestEnv) => createApp({ ...env.options(), surfaces: [sums(ended)] });
    const result = await simulate(build, source(), options);
    expect(ends(result)).toEqual(expected);
    expect(ended).toEqual([[15, false]]);
    expect(result.violations).toEqual([]);
  });

  it('ends early after a state of more than 1 MB, and begins again', async () => {
    const ended: [number, boolean][] = [];
    const large = tumblingWindow().stream('clicks', {
      initial: () => ({ n: 0, text: '' }),
      add: (_ctx, { n }) => ({ n: n + 1, text: n === 0 ? 'x'.repeat(1_100_000) : '' }),
      final: (_ctx, { n }, { isTerminatedEarly }) => void ended.push([n, isTerminatedEarly]),
    });
    const build = (env: TestEnv) => createApp({ ...env.options(), surfaces: [large] });
    const result = await simulate(build, source(), { batchSize: 1 });
    expect(ended).toEqual([
      [2, true],
      [2, true],
      [0, false],
    ]);
    expect(result.violations).toEqual([]);
  });

  it('an answer without a state is retried', async () => {
    const result = await simulate(() => ({ handleLambda: async () => ({}) }), source(), { maximumRetryAttempts: 1 });
    expect(result.violations.map(({ kind }) => kind)).toContain('missing-record');
    expect(ends(result)).toEqual(Array(5).fill('2 dead-letter'));
  });
});

describe('a job of CodePipeline', () => {
  const build = (handler: (job: PipelineJob) => PipelineResult | undefined) => (env: TestEnv) =>
    createApp({
      ...env.options(),
      surfaces: [codePipelineJob((_ctx, job) => handler(job), { client: jobClient(env) })],
    });
  const source = () => triggers.pipelineJob([buildCodePipelineEvent()]);

  it('continues with its token until it has a result', async () => {
    const tokens: string[] = [];
    const handler = ({ continuationToken }: PipelineJob) => {
      tokens.push(continuationToken);
      return tokens.length < 3 ? { continuationToken: `t-${tokens.length}` } : undefined;
    };
    const result = await simulate(build(handler), source());
    expect([tokens, ends(result), result.violations]).toEqual([['', 't-1', 't-2'], ['3 done'], []]);
  });

  it('fails after a day without success', async () => {
    const result = await simulate(
      build(() => ({ continuationToken: 't' })),
      source(),
      { continueMs: 8 * 3_600_000 },
    );
    expect(ends(result)).toEqual(['4 dead-letter']);
  });

  it('that throws has a result', async () => {
    const handler = () => {
      throw new Error('no');
    };
    const result = await simulate(build(handler), source());
    expect([ends(result), result.violations]).toEqual([['1 dead-letter'], []]);
  });

  it.each<[string, (env: TestEnv) => () => Promise<unknown>, string, number]>([
    ['never reported', () => async () => null, 'never-answered', 1],
    ['only thrown', () => () => Promise.reject(new Error('no')), 'never-answered', 3],
    [
      'reported twice',
      (env) => async () => {
        const client = jobClient(env);
        class PutJobSuccessResultCommand {
          readonly input = { jobId: 'job-1' };
        }
        await client.send(new PutJobSuccessResultCommand());
        await client.send(new PutJobSuccessResultCommand()).catch(() => undefined);
      },
      'answered-twice',
      1,
    ],
  ])('that is %s is a violation', async (_what, make, kind, deliveries) => {
    const result = await simulate((env) => ({ handleLambda: make(env) }), source());
    expect(result.violations.map((one) => one.kind)).toContain(kind);
    expect(Object.values(result.records)[0]?.deliveries).toBe(deliveries);
  });
});
