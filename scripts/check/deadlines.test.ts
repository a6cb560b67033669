/**
 * Calls each package with a client that does not answer, and records the signal that the call has: it must abort at the limit of the
 * row, and with the signal of the application for rows with such a signal.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDynamoConnectionRegistry } from '../../packages/connections/src/index.js';
import { completeCallback } from '../../packages/durable/src/start.js';
import { DynamoTable } from '../../packages/dynamo/src/index.js';
import { createWebSocketClientFactory } from '../../packages/http/src/websocket.js';
import { createJobLedger, idempotentHandler } from '../../packages/jobs/src/index.js';
import { s3McpSpill, secretFromArn } from '../../packages/mcp/src/aws.js';
import { dynamoMcpStore } from '../../packages/mcp/src/index.js';
import { invokeSelf } from '../../packages/mcp/src/tasks.js';
import { createAwsMicrovmProvider } from '../../packages/microvm/src/index.js';
import { assertAccount } from '../../packages/objectstore/src/account.js';
import { createS3ObjectStore, parseObjectRef } from '../../packages/objectstore/src/index.js';
import { createParameters } from '../../packages/parameters/src/index.js';
import { createDynamoRateLimiter, fixedWindow } from '../../packages/ratelimit/src/index.js';
import { createErrorTopicPublish } from '../../packages/streams/src/error-topic.js';
import { createEventRouter } from '../../packages/streams/src/index.js';
import { createSender } from '../../packages/streams/src/send.js';
import { buildQueueEvent, buildWebSocketEvent, createTestEnv, ManualClock } from '../../packages/testkit/src/index.js';
import { Reporter } from '../../packages/triggers/src/internal/sender.js';
import { createS3VectorStore, createTitanEmbedder } from '../../packages/vectors/src/index.js';
import { DEADLINES, type DeadlineRow } from '../docs/deadlines-data.js';
import { ROOT, run } from './command.js';

/** The arguments of a row's call. */
interface Bench {
  readonly clock: ManualClock;
  /** A client that records the signal of each command and never answers. */
  readonly client: never;
  readonly signal: AbortSignal;
}

const JOB = { tenantId: 't', jobId: 'j' };
const KEY = { apiId: 'a', stage: 's', connectionId: 'c' };
const LIMIT_KEY = { policy: 'p', identifier: 'i', resource: 'r', operation: 'o' };

/** One call of each row, by the row's `package: calls`. */
const CALLS: Readonly<Record<string, (bench: Bench) => unknown>> = {
  'dynamo: every call of `DynamoTable`': ({ client, clock, signal }) =>
    new DynamoTable({ tableName: 't', client, clock, timeoutMs: 700, toError: (cause) => cause as Error }).get(
      { pk: 'p', sk: 's' },
      { signal },
    ),
  'ratelimit: the limiter': ({ client, clock, signal }) =>
    createDynamoRateLimiter({
      tableName: 't',
      client,
      clock,
      strategy: fixedWindow({ limit: 1, windowMs: 1000 }),
      onStoreError: 'deny',
      coldTimeoutMs: 300,
    }).consume(LIMIT_KEY, { signal }),
  'jobs: the job ledger, leases, the event store': ({ client, clock, signal }) =>
    createJobLedger({ tableName: 't', client, clock }).getJob(JOB, { signal }),
  'connections: the registry of connections and groups': ({ client, clock, signal }) =>
    createDynamoConnectionRegistry({ tableName: 't', client, clock }).get(KEY, { signal }),
  'durable: starts of executions, answers to callbacks': ({ client, signal }) =>
    completeCallback('id', 1, { client: client as never, signal, timeoutMs: 5000 }),
  'objectstore: the store and its grants': ({ client, clock, signal }) =>
    createS3ObjectStore({ client, clock }).get({ ref: parseObjectRef('s3://notes/a.txt'), maxBytes: 1 }, { signal }),
  'objectstore: `callerIdentity`, `assumeAccount`': ({ client, clock, signal }) => {
    const { send } = client as { send(command: object, options: object): Promise<never> };
    return assertAccount({ getCallerIdentity: send }, '123456789012', { clock, signal });
  },
  'vectors: the vector store': ({ client, clock, signal }) =>
    createS3VectorStore({ vectorBucketName: 'bucket', indexName: 'index', dimension: 3, client, clock }).get(
      { keys: ['a'] },
      { signal },
    ),
  'vectors: the Titan embedder': ({ client, clock, signal }) =>
    createTitanEmbedder({ client, clock, requestTimeoutMs: 30_000 }).embed('milk', { signal }),
  'microvm: the provider of micro-VMs': ({ client, signal }) => createAwsMicrovmProvider({ client }).get('m', signal),
  'mcp: `dynamoMcpStore`': ({ client, clock, signal }) =>
    dynamoMcpStore({ tableName: 't', client, clock }).get({ partition: 'p', sort: 's' }, { signal }),
  'mcp: `s3McpSpill`': ({ client, signal }) => s3McpSpill({ bucket: 'b', client }).get('k', { signal }),
  'mcp: `secretFromArn`': ({ client, signal }) => secretFromArn({ arn: 'a', client })({ signal }),
  'mcp: `invokeSelf`': ({ client, signal }) => invokeSelf({ functionName: 'f', client })({} as never, { signal }),
  'streams: `createErrorTopicPublish`': ({ client }) =>
    createErrorTopicPublish({ client })({ topicArn: 'arn:aws:sns:eu-west-1:1:t', subject: 's', message: 'm' }),
  'streams: the sender of `createSender`': ({ client, signal }) =>
    createSender({
      queues: { orders: 'https://sqs.eu-west-1.amazonaws.com/1/orders' },
      clients: { sqs: client },
    }).send('orders' as never, {} as never, { signal }),
  'parameters: readers of parameters, secrets and flags': ({ client, clock, signal }) =>
    createParameters({ clients: { ssm: client }, clock })
      .parameter('/a')
      .get({ signal }),
};

function recorder() {
  const signals: AbortSignal[] = [];
  let arrived = () => {};
  const first = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const send = (_command: object, { abortSignal }: { readonly abortSignal?: AbortSignal } = {}) => {
    if (abortSignal) signals.push(abortSignal);
    arrived();
    return new Promise<never>((_, reject) => {
      abortSignal?.addEventListener('abort', () => reject(Object.assign(new Error('aborted'), { name: 'AbortError' })));
    });
  };
  return { signals, first, client: { send } as never };
}

/** Replaces `AbortSignal.timeout`, which uses the machine's timers, and records its arguments. */
function recordTimeouts() {
  const { timeout } = AbortSignal;
  const given: number[] = [];
  AbortSignal.timeout = (ms) => {
    given.push(ms);
    return new AbortController().signal;
  };
  const restore = () => {
    AbortSignal.timeout = timeout;
    return given;
  };
  return { restore };
}

const nameOf = ({ package: name, calls }: DeadlineRow) => `${name}: ${calls}`;
const rowsOf = (stops: DeadlineRow['stops']) =>
  DEADLINES.filter((row) => row.stops === stops && nameOf(row) in CALLS).map((row) => [nameOf(row), row] as const);

it('each row has a call in this file', () => {
  const special = [
    'http: `ctx.asWebSocket().sendMessage`',
    'triggers: results of CodePipeline, CodeDeploy, Config and Step Functions',
  ];
  expect(
    DEADLINES.map(nameOf)
      .filter((name) => !special.includes(name))
      .sort(),
  ).toEqual(Object.keys(CALLS).sort());
});

// The signal of a call that ends with its invocation comes from the framework: packages/mcp/test/deadline.test.ts.
it.each([...rowsOf('caller'), ...rowsOf('deadline').filter(([name]) => name.startsWith('mcp: '))])(
  '%s stop with the signal that they receive',
  async (name) => {
    const { signals, first, client } = recorder();
    const caller = new AbortController();
    const call = CALLS[name]?.({ client, clock: new ManualClock(), signal: caller.signal });
    Promise.resolve(call).catch(() => {});
    await first;
    expect(new Set(signals.map(({ aborted }) => aborted))).toEqual(new Set([false]));
    caller.abort(new Error('the client left'));
    // A shared call stops after its last reader has left.
    await new Promise((resolve) => setImmediate(resolve));
    expect(new Set(signals.map(({ aborted }) => aborted))).toEqual(new Set([true]));
  },
);

it.each([...rowsOf('caller'), ...rowsOf('deadline')].filter(([name]) => !/microvm|dynamo: /.test(name)))(
  '%s stop at their limit',
  async (name, { defaultMs = 0 }) => {
    const timeouts = recordTimeouts();
    const { signals, first, client } = recorder();
    const clock = new ManualClock();
    Promise.resolve(CALLS[name]?.({ client, clock, signal: new AbortController().signal })).catch(() => {});
    await first;
    const timed = timeouts.restore();
    // A limit on the machine's timers is passed to `AbortSignal.timeout`; the others are timers of the clock.
    if (timed.length > 0) {
      expect(new Set(timed)).toEqual(new Set([defaultMs]));
    } else {
      await clock.advance(defaultMs - 1);
      expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
      await clock.advance(1);
      expect(signals[0]?.aborted).toBe(true);
    }
  },
);

it('http: a message of a WebSocket handler stops with the signal of its context', async () => {
  const { signals, first, client } = recorder();
  const { send } = client as { readonly send: () => Promise<never> };
  class FakeClient {
    readonly send = send;
  }
  class FakeCommand {}
  const loadSdk = async () =>
    ({ ApiGatewayManagementApiClient: FakeClient, PostToConnectionCommand: FakeCommand }) as never;
  const env = createTestEnv();
  const app = env.app({ webSocketClientFactory: createWebSocketClientFactory({ clock: env.clock, loadSdk }) });
  app.webSocket('$default', async (ctx) => {
    await ctx.asWebSocket()?.sendMessage('hello');
    return { status: 204 };
  });
  const lambda = env.lambdaContext({ remainingMs: 2000 });
  const answer = env.invoke(app, buildWebSocketEvent({ routeKey: '$default' }), lambda);
  await Promise.race([first, answer.then((early) => Promise.reject(new Error(JSON.stringify(early))))]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  await env.clock.advance(2000);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  await answer;
});

it('jobs: a record of an idempotent handler stops its calls with the signal of its context', async () => {
  const { signals, first, client } = recorder();
  const env = createTestEnv();
  const ledger = createJobLedger({ tableName: 't', client, clock: env.clock });
  const { clock, environment, log, ids } = env.options();
  const events = createEventRouter({ clock, environment, log, ids });
  events.queue(
    'orders',
    idempotentHandler(ledger, {}, async () => {}),
  );
  const lambda = env.lambdaContext({ remainingMs: 2000 });
  const batch = events.serveQueueEvent(
    buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [{ body: '{}' }]),
    lambda,
  );
  await first;
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  await env.clock.advance(2000);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  await batch;
});

it.each([
  ['an invocation with much time left', 60_000, 4000],
  ['an invocation with little time left', 1500, 1300],
])('triggers: a result of %s has its limit', async (_, remainingMs, ms) => {
  const timeouts = recordTimeouts();
  const { first, client, signals } = recorder();
  const reporter = new Reporter(
    { client },
    'Step Functions',
    async () => ({}),
    () => client,
  );
  reporter.send(() => ({}), createTestEnv().lambdaContext({ remainingMs })).catch(() => {});
  await first;
  expect([timeouts.restore(), signals.length]).toEqual([[ms], 1]);
});

it('every file that sends a command of the AWS SDK has a row, and every file of a row passes a signal', async () => {
  const folders =
    'core dispatch http streams appsync secure triggers dynamo ratelimit jobs connections durable objectstore vectors microvm mcp parameters';
  const paths = folders.split(' ').map((name) => `packages/${name}/src`);
  const { stdout } = await run('git', [
    'grep',
    '-lE',
    '\\.send\\(.*([cC]ommand|abort)|\\.(assumeRole|getCallerIdentity)\\(',
    '--',
    ...paths,
  ]);
  const sending = stdout.split('\n').filter((file) => !/\/(testing|kinds|left-out|controller|producer)\//.test(file));
  const sources = new Set(DEADLINES.flatMap((row) => row.sources));
  expect(sending.filter((file) => !sources.has(file))).toEqual([]);
  for (const file of sources)
    expect([file, readFileSync(join(ROOT, file), 'utf8')]).toEqual([file, expect.stringMatching(/abort(Signal|able)/)]);
});
