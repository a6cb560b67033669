import { createApp } from '@sallyport/dispatch/app';
import { assertNothingLost, responseFetch, simulate, type TestEnv, triggers } from '@sallyport/testkit';
import { customResource } from '@sallyport/triggers/custom-resource';
import { s3Trigger } from '@sallyport/triggers/s3';
import { buildCustomResourceEvent, buildS3Event } from '@sallyport/triggers/testing';

const ends = (result: Awaited<ReturnType<typeof simulate>>) =>
  Object.values(result.records).map(({ deliveries, end }) => `${deliveries} ${end}`);

it('objects of S3 come again until they are handled', async () => {
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
