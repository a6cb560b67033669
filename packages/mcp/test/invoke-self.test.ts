import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { type InvokeSelfOptions, invokeSelf } from '../src/tasks.js';

const EVENT = { sallyport: 'mcp.task', token: 'v1.sealed' } as const;

/** What the Invoke operation of Lambda is on the wire. */
async function lambda(status: number) {
  const seen: { url: string | undefined; type: unknown; body: string }[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    seen.push({ url: request.url, type: request.headers['x-amz-invocation-type'], body });
    response.writeHead(status, { 'content-type': 'application/json' }).end(status === 202 ? '' : '{"Message":"no"}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new LambdaClient({
    region: 'eu-west-1',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  });
  const stop = () => {
    client.destroy();
    server.close();
    server.closeAllConnections();
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

it('says what is missing outside of Lambda', async () => {
  const { client, stop } = await lambda(202);
  await expect(invokeSelf({ client, environment: {} })(EVENT)).rejects.toThrow(
    'option "functionName" must be set outside of Lambda',
  );
  expect(() => invokeSelf({ timeoutMs: 0 })).toThrow('option "timeoutMs"');
  stop();
});
