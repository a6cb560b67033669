import { createApp } from '@sallyport/dispatch/app';
import { createTestEnv } from '@sallyport/testkit';
import { appSyncEvents, s3Trigger } from '@sallyport/triggers';
import { buildAppSyncEventsEvent, buildS3Event } from '@sallyport/triggers/testing';
import { errorsIn } from './support.js';

it('a trigger without any handler names what it received, and that nothing is registered', async () => {
  await expect(s3Trigger().handleLambda(buildS3Event('uploads', [{ key: 'a' }]))).rejects.toMatchObject({
    code: 'triggers.no_handler',
    cause: { message: 'the bucket is "uploads"; no handler is registered' },
  });
});

it('a handler of publications that returns nothing gets a log line that explains how to drop an event', async () => {
  const env = createTestEnv();
  const channels = appSyncEvents().publish('/news/*', () => undefined);
  const app = createApp({ ...env.options(), surfaces: [channels] });
  await app.handleLambda(buildAppSyncEventsEvent('/news/sport'));
  expect(JSON.stringify(errorsIn(env))).toContain('must be a payload or drop(), not undefined');
});
