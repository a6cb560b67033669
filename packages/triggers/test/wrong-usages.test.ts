/** Messages for mistakes: each names the handler or the source, and the remedy. */
import { SecureApp } from '@sallyport/secure';
import { createTestEnv } from '@sallyport/testkit';
import { directInvoke, s3Trigger } from '@sallyport/triggers';
import { buildS3Event } from '@sallyport/triggers/testing';

const env = createTestEnv();
const nothing = () => undefined;
const withSurfaces = (...surfaces: unknown[]) => new SecureApp({ ...env.options(), surfaces: surfaces as never });

it.each<[what: string, code: string, text: string, run: () => unknown]>([
  [
    'two surfaces of one kind',
    'dispatch.duplicate_surface',
    'two surfaces serve s3: register all its handlers with one surface',
    () => withSurfaces(s3Trigger().bucket('a', nothing), s3Trigger().bucket('b', nothing)),
  ],
  [
    'a surface that is not called',
    'dispatch.invalid_surface',
    'surface must have serves and serve(): call the function that makes it',
    () => withSurfaces(s3Trigger),
  ],
  [
    'an operation without a handler',
    'app.invalid_configuration',
    'the handler of "charge" must be a function',
    () => directInvoke().invoke('charge', schema(), undefined as never),
  ],
  [
    'an operation without a schema',
    'app.invalid_configuration',
    'invoke "charge" needs a Standard Schema (version 1)',
    () => directInvoke().invoke('charge', nothing as never, nothing),
  ],
  [
    'a bucket without a handler',
    'app.invalid_configuration',
    'the handler of bucket "uploads" must be a function',
    () => s3Trigger().bucket('uploads', undefined as never),
  ],
])('%s', (_what, code, text, run) => {
  expect(run).toThrow(expect.failure(code, text));
});

it('a bucket can be registered by its ARN', async () => {
  const keys: string[] = [];
  const app = withSurfaces(s3Trigger().bucket('arn:aws:s3:::uploads', (_ctx, { key }) => void keys.push(key)));
  await app.handleLambda(buildS3Event('uploads', [{ key: 'a.txt' }]), env.lambdaContext());
  expect(keys).toEqual(['a.txt']);
});

function schema(): never {
  return { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as never;
}
