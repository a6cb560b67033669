import { createApp } from '@sallyport/dispatch/app';
import { assertNothingLost, responseFetch, simulate, type TestEnv, triggers } from '@sallyport/testkit';
import {
  customResource,
  documentDb,
  firehoseTransform,
  kafkaTrigger,
  mqTrigger,
  s3Batch,
  s3Trigger,
  secretRotation,
  type TriggerSurface,
} from '@sallyport/triggers';
import { CATALOGUE, type CatalogueEntry, type SampleRegistration } from '@sallyport/triggers/catalogue';
import {
  buildCustomResourceEvent,
  buildDocumentDbEvent,
  buildFirehoseEvent,
  buildKafkaEvent,
  buildMqEvent,
  buildS3BatchEvent,
  buildS3Event,
  buildSecretRotationEvent,
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
};

it.each(
  Object.values<CatalogueEntry>(CATALOGUE).flatMap(({ kind, sample, simulate: name }) =>
    name === null ? [] : [[kind, sample, name] as const],
  ),
)('the source that the catalogue names delivers the sample of %s', async (_kind, sample, name) => {
  const handler = (async () => sample.result) as () => Promise<never>;
  const build = (env: TestEnv) => {
    const options = name === 'customResource' ? { fetch: responseFetch(env) } : undefined;
    const handlers = sample.names.map((one): SampleRegistration => [one, handler]);
    return createApp({ ...env.options(), surfaces: [sample.register(handlers, options as never)] });
  };
  const options = sample.alias === undefined ? undefined : { alias: sample.alias };
  const result = await simulate(build, SOURCES[name](sample.events[0]?.[0] ?? {}), options as never);
  expect(result.violations).toEqual([]);
  expect(ends(result).map((end) => end.split(' ')[1])).toEqual(name === 'rotation' ? Array(4).fill('done') : ['done']);
});
