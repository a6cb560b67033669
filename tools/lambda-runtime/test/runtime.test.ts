import { buildAPIGatewayV2Request, buildLambdaFunctionURLRequest } from '@sallyport/testkit/events';
import { createGate, serve, splitStream } from './support/functions.js';

test('an invocation that is out of time ends as a timeout, and the process ends', async () => {
  const runtime = await serve('hand-written.mjs', 'buffered');
  const results = await Promise.all([
    runtime.invoke(buildAPIGatewayV2Request('GET', '/never'), { timeoutMs: 200 }),
    runtime.invoke(buildAPIGatewayV2Request('GET', '/hello')),
  ]);
  expect(results.map(({ outcome }) => outcome)).toEqual(['timeout', 'exit']);
  expect([await runtime.exited, runtime.running]).toEqual(['SIGKILL', false]);
  await expect(async () => runtime.invoke({})).rejects.toThrow('the runtime has ended');
});

test('one invocation is delivered at a time', async () => {
  const gate = await createGate();
  const runtime = await serve('hand-written.mjs', 'functionUrl', { env: { GATE_URL: gate.url } });
  const order: string[] = [];
  const first = runtime.invoke(buildLambdaFunctionURLRequest('GET', '/two-chunks'), {
    onChunk: (chunk) => {
      order.push(chunk.toString('latin1').slice(-4));
      gate.open();
    },
  });
  const second = runtime.invoke(buildLambdaFunctionURLRequest('GET', '/hello'), { onChunk: () => order.push('hello') });
  expect(splitStream(await first).payload.toString('latin1')).toBe('one;two;');
  expect(splitStream(await second).payload.toString('latin1')).toBe('{"hello":"world"}');
  expect(order.slice(0, order.indexOf('hello'))).toContain('two;');
});

test('what the process writes is kept, and invocations that it will not answer end with it', async () => {
  const runtime = await serve('throws-at-import.mjs', 'buffered');
  expect((await runtime.invoke({})).outcome).toBe('exit');
  await runtime.logged(/no table name/);
  await expect(runtime.logged(/a table name/)).rejects.toThrow('the runtime has ended without writing /a table name/');
});

test('an error whose text is beyond Latin-1 is reported, and the process lives on', async () => {
  const runtime = await serve('fails-beyond-latin1.mjs', 'buffered');
  const { outcome, body, headers } = await runtime.invoke({});
  expect([outcome, JSON.parse(body.toString('utf8'))]).toEqual([
    'error',
    expect.objectContaining({ errorMessage: '漢字' }),
  ]);
  const cause = Buffer.from(String(headers['lambda-runtime-function-xray-error-cause']), 'latin1').toString('utf8');
  expect(JSON.parse(cause)).toMatchObject({ exceptions: [{ message: '漢字' }] });
  expect((await runtime.invoke({})).outcome).toBe('error');
});
