import { createLambdaFunctionURLStreamingHandler, json } from '@sallyport/http';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { buildAPIGatewayV2Request } from '@sallyport/testkit';
import { durable, durableExecutions } from '../src/index.js';
import { type App, runExecution } from './run.js';

const POST = buildAPIGatewayV2Request('POST', '/orders', { headers: { authorization: 'Bearer secret-token' } });
const principalResolver = () => ({ identity: 'ada', scopes: [] });
/** The keys of a streaming handler: its function without the runtime's global. */
const STREAMS = Symbol.for('sallyport.http.streaming-handler/1');

test.each<[string, number, (app: App, called: () => object) => unknown]>([
  [
    'a durable handler of a route with streaming: true is rejected before it runs',
    0,
    (app, called) => app.post('/orders', durable(called) as never, { streaming: true }),
  ],
  [
    'a streamed answer of another route is rejected when it is returned',
    1,
    (app, called) => app.post('/orders', durable(() => ({ ...called(), body: new ReadableStream() })) as never),
  ],
])('%s', async (_title, calls, register) => {
  let count = 0;
  const called = () => {
    count += 1;
    return json(200, {});
  };
  const ran = await runExecution((app) => register(app, called), POST);
  expect([JSON.parse(ran.result ?? '').statusCode, count]).toEqual([500, calls]);
  expect(JSON.stringify(ran.lines)).toContain('durable.streaming_refused');
});

test('the gate rejects a route with streaming: true, even if its handler is not durable', async () => {
  let count = 0;
  const ran = await runExecution<SecureApp>(
    (app) =>
      app.post(
        '/orders',
        () => {
          count += 1;
          return json(200, {});
        },
        Authenticated(),
        { streaming: true },
      ),
    POST,
    { create: (options) => new SecureApp({ principalResolver, ...options }) },
  );
  expect([JSON.parse(ran.result ?? '').statusCode, count]).toEqual([500, 0]);
  expect(JSON.stringify(ran.lines)).toContain('durable.streaming_refused');
});

test('a streaming handler rejects an execution before anything runs', async () => {
  const refuse = () => Promise.reject(new Error('called'));
  const app = new SecureApp({
    principalResolver,
    log: false,
    surfaces: [durableExecutions({ client: { getExecutionState: refuse, checkpoint: refuse } })],
  });
  let count = 0;
  app.get('/health', () => json(200, {}), Public());
  app.eventBus(
    { source: 'shop' },
    durable(() => (count += 1)),
  );
  const handler = createLambdaFunctionURLStreamingHandler(app) as unknown as Record<
    symbol,
    (event: unknown, stream: unknown, context: object) => Promise<void>
  >;
  const event = {
    DurableExecutionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:orders:1/durable-execution/order-1/0',
    CheckpointToken: 'token',
    InitialExecutionState: {
      Operations: [
        {
          Id: '0',
          Type: 'EXECUTION',
          Status: 'STARTED',
          StartTimestamp: 1,
          ExecutionDetails: { InputPayload: '{"source":"shop","detail-type":"a","detail":{}}' },
        },
      ],
    },
  };
  await expect(handler[STREAMS]?.(event, {}, {})).rejects.toMatchObject({ code: 'durable.streaming_refused' });
  expect(count).toBe(0);
});
