import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  createLocalClient,
  createTable,
  dynamodbEndpoint,
  type FaultProxy,
  retryAtOnce,
  STORE_FAULTS,
  startFaultProxy,
  TableClock,
} from '@sallyport/dynamodb-local';
import {
  createDynamoMicrovmRegistry,
  createMicrovmController,
  internalCaller,
  type MicrovmRegistry,
  type SessionRecord,
} from '@sallyport/microvm';
import { MICROVM_TABLE_SCHEMA } from '@sallyport/microvm/schema';
import { createFakeMicrovmProvider } from '@sallyport/microvm/testing';
import { watchLeaks } from './support/leaks.js';
import { IMAGE } from './support/wire.js';

const watch = watchLeaks();
let proxy: FaultProxy;
let client: DynamoDBClient;
/** Waits and deadlines of the registry need no real time. */
let clock: TableClock;
let tableName: string;
let count = 0;

beforeAll(async () => {
  proxy = await startFaultProxy(await dynamodbEndpoint());
  const direct = await createLocalClient();
  tableName = await createTable(direct, MICROVM_TABLE_SCHEMA);
  direct.destroy();
});

beforeEach(async () => {
  proxy.clear();
  count += 1;
  const faulty = await createLocalClient({ endpoint: proxy.endpoint, retryStrategy: retryAtOnce(2) });
  clock = new TableClock(NOW);
  clock.watch(faulty, proxy);
  client = watch.client(faulty);
});
afterEach(() => {
  clock.stop();
  client.destroy();
});
afterAll(() => proxy.stop());

const open = () => createDynamoMicrovmRegistry({ client, tableName, clock, log: watch.logger });

const BINDING = { tenantId: 't1', namespace: 'n' };
const NOW = Date.now();

function record(sessionId = `s${count}`): SessionRecord {
  return {
    ...BINDING,
    sessionId,
    version: 1,
    state: 'requested',
    desiredState: 'running',
    authSubject: 'ada',
    imageRef: IMAGE,
    maximumDurationSeconds: 60,
    reservationId: 'r1',
    requestHash: 'h',
    createdAt: NOW,
    updatedAt: NOW,
    expiresAt: Math.ceil(NOW / 1000) + 3600,
    lastAction: 'run',
    lastRequestId: 'q',
  };
}

function operations(registry: MicrovmRegistry): readonly Promise<unknown>[] {
  const one = record();
  return [
    registry.reserve(one),
    registry.get(one),
    registry.confirm(one, { state: 'running' }),
    registry.change(one, { state: 'failed' }),
    registry.list(BINDING, { limit: 5 }),
    registry.listPending({ kind: 'requested', from: 0, to: NOW, limit: 5 }),
    registry.findByMicrovmId('microvm-1'),
  ];
}

describe('a table that fails', () => {
  it.each(STORE_FAULTS)('rejects every operation in time: $name', async ({ fault, transient }) => {
    proxy.inject(fault);
    const outcomes = await Promise.allSettled(operations(open()));
    const reason = transient
      ? { code: 'microvm.registry_unavailable', status: 503, headers: { 'retry-after': '5' } }
      : { code: 'microvm.registry_failed', status: 500 };
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason });
    expect((outcomes[0] as PromiseRejectedResult).reason.cause).toBeDefined();
  });

  it.each(STORE_FAULTS)('is never a 404 of a session: $name', async ({ fault, transient }) => {
    const provider = createFakeMicrovmProvider();
    const images = [{ ref: IMAGE }];
    const controller = createMicrovmController({
      ...{ provider, registry: open(), images, clock },
      onLifecycleEvent: watch.event,
    });
    const caller = internalCaller({ identity: 'ada', tenantId: 't2', namespace: 'n' });
    await watch.shown(controller.run(caller, { sessionId: `f${count}` }));
    proxy.inject(fault);
    const code = transient ? 'microvm.registry_unavailable' : 'microvm.registry_failed';
    const session = { sessionId: `f${count}` };
    const request = { ...session, method: 'GET', path: '/' };
    await expect(watch.shown(controller.invoke(caller, request))).rejects.toMatchObject({ code });
    await expect(watch.shown(controller.terminate(caller, session))).rejects.toMatchObject({ code });
    // The row matches the machine.
    expect(provider.machines.map(({ state }) => state)).toEqual(['RUNNING']);
  });

  it('hides messages of AWS from clients', async () => {
    proxy.inject({ kind: 'error', status: 400, type: 'AccessDeniedException', body: { message: 'arn:aws:secret' } });
    const error: unknown = await open()
      .get(record())
      .catch((thrown: unknown) => thrown);
    expect(String(error)).toBe('MicrovmError: session table unavailable');
    expect(JSON.stringify(error)).not.toContain('secret');
  });
});

describe('an answer that is lost once', () => {
  it.each([
    ['reserve', 'PutItem'],
    ['confirm', 'UpdateItem'],
    ['change', 'UpdateItem'],
  ] as const)('is known as the write of before: %s', async (operation, request) => {
    const registry = open();
    const one = record();
    if (operation !== 'reserve') await registry.reserve(one);
    proxy.inject({ kind: 'lost-answer' }, { operation: request, times: 1 });
    if (operation === 'reserve') expect(await registry.reserve(one)).toEqual({ reserved: true });
    else expect(await registry[operation](one, { state: 'starting' })).toMatchObject({ version: 2, state: 'starting' });
    expect((await registry.get(one))?.version).toBe(operation === 'reserve' ? 1 : 2);
  });
});

describe('a row that cannot be read', () => {
  it.each([
    ['without a state', { state: undefined }],
    ['with an unknown state', { state: 'ready' }],
    ['of another key', { session_id: 'another' }],
    ['whose two expiries disagree', { expires_at: 1 }],
    ['with a time that is none', { created_at: 'yesterday' }],
  ])(
    'is absent, and logged by its key alone: %s',
    async (_, changes: Readonly<Record<string, string | number | undefined>>) => {
      const registry = open();
      const one = record(`bad${count}`);
      await registry.reserve(one);
      const sdk = await import('@aws-sdk/client-dynamodb');
      const Key = { pk: { S: 'TENANT#t1#NAMESPACE#n' }, sk: { S: `SESSION#bad${count}` } };
      for (const [name, value] of Object.entries(changes)) {
        const set = { '#a': name };
        const action = value === undefined ? 'REMOVE #a' : 'SET #a = :v';
        const values =
          value === undefined
            ? {}
            : { ExpressionAttributeValues: { ':v': typeof value === 'number' ? { N: String(value) } : { S: value } } };
        await client.send(
          new sdk.UpdateItemCommand({
            TableName: tableName,
            Key,
            UpdateExpression: action,
            ExpressionAttributeNames: set,
            ...values,
          }),
        );
      }
      const lines = watch.lines.length;
      expect(await registry.get(one)).toBeUndefined();
      expect(watch.lines.slice(lines)).toMatchObject([
        { message: 'framework: a row of the session table cannot be read', pk: Key.pk.S, sk: Key.sk.S },
      ]);
      expect(await registry.reserve(one)).toEqual({ reserved: false, taken: undefined });
    },
  );
});
