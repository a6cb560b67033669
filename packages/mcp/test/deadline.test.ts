/** Services that accept a request on the wire and never answer it: each call ends shortly before its invocation does, with a code. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ManualClock } from '@sallyport/core/testing';
import { SecureApp } from '@sallyport/secure';
import { type S3Sender, type SecretsSender, s3McpSpill, secretFromArn } from '../src/aws.js';
import {
  createMcpServer,
  dynamoMcpStore,
  type McpServer,
  type McpServerOptions,
  memoryMcpStore,
} from '../src/index.js';
import { createSealer } from '../src/internal/crypto.js';
import { type InvokeSelfOptions, invokeSelf, mcpTasks } from '../src/tasks.js';
import { startLoopback, toClient } from './support/loopback.js';
import { Rig, SECRET } from './support/rig.js';

const REMAINING_MS = 4000;
const RESERVE_MS = 200;
const TASKS = 'io.modelcontextprotocol/tasks';
const KEY = 'a'.repeat(32);

/** A service that never answers. `closed` counts the connections that the client gave up. */
async function hangingService() {
  const seen = { requests: 0, closed: 0 };
  let wake = () => {};
  const server = await startLoopback((_, __, response) => {
    seen.requests += 1;
    response.on('close', () => {
      seen.closed += 1;
      wake();
    });
    wake();
  });
  const until = async (isReached: () => boolean) => {
    while (!isReached()) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { server, seen, until };
}

type Hanging = Awaited<ReturnType<typeof hangingService>>;

let hanging: Hanging;
const clients: { destroy(): void }[] = [];

beforeEach(async () => {
  hanging = await hangingService();
});
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  hanging.server.stop();
});

/** A client of the hanging service. */
function toHanging<T extends { destroy(): void }>(create: (options: ReturnType<typeof toClient>) => T): T {
  const client = create(toClient(hanging.server));
  clients.push(client);
  return client;
}

const dynamoDb = () => toHanging((options) => new DynamoDBClient(options));
const secretsManager = () =>
  toHanging((options) => new SecretsManagerClient(options)) as SecretsSender & SecretsManagerClient;
const lambda = () => toHanging((options) => new LambdaClient(options)) as InvokeSelfOptions['client'] & LambdaClient;
const s3 = () => toHanging((options) => new S3Client({ ...options, forcePathStyle: true })) as S3Sender & S3Client;

/** Moves the clock until the work settles; returns its result and the passed milliseconds. */
async function settle<T>(clock: ManualClock, work: Promise<T>) {
  let settled = false;
  const done = work.finally(() => {
    settled = true;
  });
  done.catch(() => {});
  await hanging.until(() => hanging.seen.requests > 0);
  let passedMs = 0;
  for (; !settled && passedMs < 2 * REMAINING_MS; passedMs += 100) {
    await clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { passedMs, done };
}

interface Row {
  readonly server: (clock: ManualClock) => RigOptionsOfServer;
  readonly register?: (server: McpServer) => void;
  readonly send: (rig: Rig) => Promise<{ readonly status: number; readonly text: string }>;
  readonly status: number;
  readonly code: string;
}
type RigOptionsOfServer = NonNullable<ConstructorParameters<typeof Rig>[0]>['server'] & {};

const ROWS: readonly (readonly [string, Row])[] = [
  [
    'the store of a session',
    {
      server: (clock) => ({ store: dynamoMcpStore({ tableName: 't', client: dynamoDb() as never, clock }) }),
      send: async (rig) => {
        const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'n', version: '1' } };
        return rig.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      },
      ...{ status: 503, code: 'mcp.store' },
    },
  ],
  [
    'the secret of a sealed session',
    {
      server: () => ({ store: null, secret: secretFromArn({ arn: 'a', client: secretsManager() }) }),
      send: async (rig) => {
        const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'n', version: '1' } };
        return rig.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      },
      ...{ status: 503, code: 'mcp.secret_unavailable' },
    },
  ],
  [
    'the spill of a large question',
    {
      server: (clock) => ({
        store: memoryMcpStore({ clock }),
        spill: s3McpSpill({ bucket: 'large', client: s3() }),
      }),
      register: (server) =>
        server.tool('t', { asks: ['elicitation'] }, async (_, ctx) => {
          await ctx.step('work', () => 'x'.repeat(300_000));
          await ctx.elicit({ message: 'Name?', requestedSchema: { type: 'object', properties: {} } });
          return 'done';
        }),
      send: (rig) =>
        rig.stateless('tools/call', { name: 't', arguments: {} }, { capabilities: { elicitation: {} }, user: 'ada' }),
      ...{ status: 503, code: 'mcp.store' },
    },
  ],
  [
    'the invocation that starts a task',
    {
      server: (clock) => ({
        store: memoryMcpStore({ clock }),
        tasks: { start: invokeSelf({ functionName: 'f', client: lambda() }) },
      }),
      register: (server) => server.tool('t', { task: {} }, () => 'done'),
      send: (rig) =>
        rig.stateless(
          'tools/call',
          { name: 't', arguments: {} },
          { capabilities: { extensions: { [TASKS]: {} } }, user: 'ada' },
        ),
      ...{ status: 200, code: 'mcp.task_not_started' },
    },
  ],
];

it.each(ROWS)('%s ends shortly before the invocation does, with its code', async (_, row) => {
  const clock = new ManualClock(1_700_000_000_000);
  const rig = new Rig({
    ...{ clock, remainingMs: REMAINING_MS, server: row.server(clock) },
    ...(row.register && { register: row.register }),
  });
  const { passedMs, done } = await settle(clock, row.send(rig));
  const { status, text } = await done;
  expect([status, text]).toEqual([row.status, expect.stringContaining(`"code":"${row.code}"`)]);
  expect(passedMs).toBeLessThanOrEqual(REMAINING_MS - RESERVE_MS);
  // The requests are aborted on the wire, not only abandoned.
  await hanging.until(() => hanging.seen.closed === hanging.seen.requests);
});

it('the run of a task ends shortly before the invocation does, so that Lambda delivers the event again', async () => {
  const clock = new ManualClock(1_700_000_000_000);
  const options: McpServerOptions = {
    ...{ name: 'tested', version: '1.0.0', secret: SECRET, clock, tasks: { start: () => {} } },
    store: dynamoMcpStore({ tableName: 't', client: dynamoDb() as never, clock }),
  };
  const app = new SecureApp({ log: false, clock, surfaces: [mcpTasks(createMcpServer(options))] });
  const token = await createSealer(SECRET, 'tested').seal('task', 'some-id', 'mcp.task');
  const started = clock.now().getTime();
  const getRemainingTimeInMillis = () => REMAINING_MS - (clock.now().getTime() - started);
  const { passedMs, done } = await settle(
    clock,
    app.handleLambda({ sallyport: 'mcp.task', token }, { awsRequestId: 'r', getRemainingTimeInMillis }),
  );
  await expect(done).rejects.toMatchObject({ code: 'mcp.store' });
  expect(passedMs).toBeLessThanOrEqual(REMAINING_MS - RESERVE_MS);
});

describe('requests that share a reading of the secret', () => {
  const limitOf = (clock: ManualClock, ms: number) => ({ clock, deadline: clock.now().getTime() + ms });

  it('each wait until their own deadline, and the reading stops when the last request leaves', async () => {
    const clock = new ManualClock(0);
    const signals: (AbortSignal | undefined)[] = [];
    const secret = ({ signal }: { signal?: AbortSignal | undefined } = {}) => {
      signals.push(signal);
      return new Promise<never>(() => {});
    };
    const sealer = createSealer(secret, 'tested', () => clock.now().getTime());
    const outcome = (ms: number) =>
      sealer
        .within(limitOf(clock, ms))
        .seal('state', 'x', '')
        .catch((error) => error.code);
    const [short, long] = [outcome(1000), outcome(3000)];
    await clock.advance(800);
    expect(await short).toBe('mcp.secret_unavailable');
    expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
    await clock.advance(2000);
    expect(await long).toBe('mcp.secret_unavailable');
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
    // The next request reads again.
    const next = outcome(1000);
    await clock.advance(800);
    expect([await next, signals.length]).toEqual(['mcp.secret_unavailable', 2]);
  });

  it('keep the present keys if a later reading does not end in time', async () => {
    const clock = new ManualClock(0);
    let readings = 0;
    const secret = () => {
      readings += 1;
      return readings === 1 ? { current: KEY } : new Promise<never>(() => {});
    };
    const sealer = createSealer(secret, 'tested', () => clock.now().getTime());
    const sealed = await sealer.seal('state', 'x', '');
    await clock.advance(600_000);
    const opened = sealer.within(limitOf(clock, 1000)).open('state', sealed, '');
    await clock.advance(800);
    expect([await opened, readings]).toEqual(['x', 2]);
  });
});
