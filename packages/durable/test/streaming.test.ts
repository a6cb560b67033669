import type { Context } from '@sallyport/core';
import {
  createGatewayRestStreamingHandler,
  createLambdaFunctionURLStreamingHandler,
  json,
  text,
} from '@sallyport/http';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { type Durable, durable, durableExecutions } from '../src/index.js';
import { DOORS, HTTP_DOORS } from './doors.js';
import { runExecution } from './run.js';

const principalResolver = () => ({ identity: 'ada', scopes: [] });
/** The keys of a streaming handler: its function without the runtime's global. */
const STREAMS = Symbol.for('sallyport.http.streaming-handler/1');

const POSTURES = { public: Public(), closed: Authenticated() };
type Posture = keyof typeof POSTURES;

/** Runs an operation of a secure container, and returns its calls, its answer, and the end of its stream. */
async function run(event: object, posture: Posture, kind: 'plain' | 'durable' | 'middleware', streaming: boolean) {
  let calls = 0;
  let isClosed = false;
  const rows: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false, value: Buffer.from('secret row') }),
      return: async () => {
        isClosed = true;
        return { done: true, value: undefined };
      },
    }),
  };
  const streamed = () => ({ ...text(200, ''), bodyStream: rows });
  const called = () => {
    calls += 1;
    return kind === 'middleware' || streaming ? json(200, {}) : streamed();
  };
  const ran = await runExecution<SecureApp>(
    (app) => {
      const handler = kind === 'durable' ? durable(async (_ctx: Context & Durable) => called()) : called;
      if (kind === 'middleware') app.use(streamed);
      app.post('/orders', handler, POSTURES[posture], { streaming });
      app.appSyncField('Query', 'order', handler, POSTURES[posture]);
      app.webSocket('order', handler, POSTURES[posture]);
    },
    event,
    { create: (options) => new SecureApp({ principalResolver, ...options }) },
  );
  const lines = ran.lines.filter((line) => JSON.stringify(line).includes('durable.streaming_refused'));
  return { calls, isClosed, refused: lines.length, ran };
}

const each = (doors: typeof DOORS, kinds: readonly ('plain' | 'durable' | 'middleware')[]) =>
  doors.flatMap(([door, event]) =>
    (['public', 'closed'] as const).flatMap((posture) => kinds.map((kind) => [door, posture, kind, event] as const)),
  );

test.each(each(HTTP_DOORS, ['plain', 'durable']))(
  '%s, %s: a %s handler of a route with streaming: true is rejected before it runs',
  async (_door, posture, kind, event) => {
    const { calls, refused, ran } = await run(event, posture, kind, true);
    expect([ran.status, JSON.parse(ran.result ?? '').statusCode, calls, refused]).toEqual(['SUCCEEDED', 500, 0, 1]);
  },
);

test.each(each(DOORS, ['plain', 'durable', 'middleware']))(
  '%s, %s: the streamed answer of a %s is rejected, and its stream is closed',
  async (_door, posture, kind, event) => {
    const { calls, isClosed, refused, ran } = await run(event, posture, kind, false);
    expect([ran.status, calls, refused, isClosed]).toEqual(['SUCCEEDED', kind === 'middleware' ? 0 : 1, 1, true]);
    expect(ran.result).toMatch(/"(?:status_code|statusCode)":500|internal error/);
    expect(ran.result).not.toContain('secret row');
  },
);

test.each([
  ['a function URL', createLambdaFunctionURLStreamingHandler],
  ['a REST API', createGatewayRestStreamingHandler],
])('a streaming handler of %s rejects an execution before anything runs', async (_door, createHandler) => {
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
  const handler = createHandler(app) as unknown as Record<
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
