import { LambdaClient } from '@aws-sdk/client-lambda';
import { type InvokeSelfOptions, invokeSelf } from '../src/tasks.js';
import { startLoopback, toClient } from './support/loopback.js';

const EVENT = { sallyport: 'mcp.task', token: 'v1.sealed' } as const;

/** The Invoke operation of Lambda on the wire. */
async function lambda(status: number) {
  const seen: { url: string | undefined; type: unknown; body: string }[] = [];
  const server = await startLoopback((request, body, response) => {
    seen.push({ url: request.url, type: request.headers['x-amz-invocation-type'], body: body.toString() });
    response.writeHead(status, { 'content-type': 'application/json' }).end(status === 202 ? '' : '{"Message":"no"}');
  });
  const client = new LambdaClient(toClient(server));
  const stop = () => {
    client.destroy();
    server.stop();
  };
  return { client: client as InvokeSelfOptions['client'] & LambdaClient, seen, stop };
}

it.each<[string, InvokeSelfOptions, string]>([
  [
    'this function',
    { environment: { AWS_LAMBDA_FUNCTION_NAME: 'notes', AWS_LAMBDA_FUNCTION_VERSION: '$LATEST' } },
    '/2015-03-31/functions/notes/invocations',
  ],
  [
    'the version that runs',
    { environment: { AWS_LAMBDA_FUNCTION_NAME: 'notes', AWS_LAMBDA_FUNCTION_VERSION: '7' } },
    '/2015-03-31/functions/notes%3A7/invocations',
  ],
  ['the one that is named', { functionName: 'worker' }, '/2015-03-31/functions/worker/invocations'],
])('invokes %s, asynchronously, with the event', async (_, options, url) => {
  const { client, seen, stop } = await lambda(202);
  await invokeSelf({ client, ...options })(EVENT);
  expect(seen).toEqual([{ url, type: 'Event', body: '{"sallyport":"mcp.task","token":"v1.sealed"}' }]);
  stop();
});

it.each([[200], [403], [500]])('rejects when Lambda answers %d', async (status) => {
  const { client, stop } = await lambda(status);
  await expect(invokeSelf({ client, functionName: 'notes' })(EVENT)).rejects.toThrow();
  stop();
});

it('names the missing variable outside Lambda', async () => {
  const { client, stop } = await lambda(202);
  await expect(invokeSelf({ client, environment: {} })(EVENT)).rejects.toThrow(
    expect.failure('app.invalid_configuration', 'option "functionName"'),
  );
  expect(() => invokeSelf({ timeoutMs: 0 })).toThrow(expect.failure('app.invalid_configuration', 'option "timeoutMs"'));
  stop();
});
