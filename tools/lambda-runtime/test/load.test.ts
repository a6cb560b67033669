import { buildAPIGatewayV2Request, buildLambdaFunctionURLRequest } from '@sallyport/testkit/events';
import { KINDS, serve, splitStream } from './support/functions.js';

const FORMATS = [
  ['an ES module', { format: 'esm' }],
  ['a CommonJS module', { format: 'cjs' }],
  ['a minified ES module', { format: 'esm', minify: true }],
  ['a minified CommonJS module', { format: 'cjs', minify: true }],
] as const;

describe.each(KINDS)('%s', (_kind, file) => {
  test.each(FORMATS)('loads as %s, buffered', async (_format, bundle) => {
    const runtime = await serve(file, 'buffered', { bundle });
    const { body } = await runtime.invoke(buildAPIGatewayV2Request('GET', '/hello'));
    await runtime.stop();
    expect(JSON.parse(body.toString('utf8'))).toMatchObject({ statusCode: 200, body: '{"hello":"world"}' });
  });

  test.each(FORMATS)('loads as %s, streamed', async (_format, bundle) => {
    const runtime = await serve(file, 'functionUrl', { bundle });
    const result = await runtime.invoke(buildLambdaFunctionURLRequest('GET', '/hello'));
    await runtime.stop();
    expect([result.streaming, splitStream(result).payload.toString('utf8')]).toEqual([true, '{"hello":"world"}']);
  });
});

test.each([
  ['a module that throws', 'throws-at-import.mjs', 'buffered', 'Error', 'no table name'],
  [
    'an export that is not there',
    'open.ts',
    'handler',
    'Runtime.HandlerNotFound',
    'index.handler is undefined or not exported',
  ],
  [
    'an option that the container does not know',
    'misconfigured.ts',
    'buffered',
    'FrameworkError',
    'framework: unknown option "basePaths"',
  ],
])('%s is an init error, and the process ends', async (_name, file, handler, errorType, errorMessage) => {
  const runtime = await serve(file, handler);
  const pending = runtime.invoke(buildAPIGatewayV2Request('GET', '/hello'));
  expect(await runtime.exited).not.toBe(0);
  expect((await pending).outcome).toBe('exit');
  expect(runtime.initErrors).toMatchObject([{ errorType, errorMessage: expect.stringContaining(errorMessage) }]);
});
