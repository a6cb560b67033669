import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  createLocalClient,
  createTable,
  dynamodbEndpoint,
  type FaultProxy,
  STORE_FAULTS,
  startFaultProxy,
} from '@sallyport/dynamodb-local';
import { dynamoMcpStore, memoryMcpStore } from '../src/index.js';
import { MCP_TABLE_NAME_ENV, MCP_TABLE_SCHEMA } from '../src/schema.js';
import { mcpStoreConformance } from '../src/testing.js';
import { Rig } from './support/rig.js';
import { registerAll } from './support/server.js';

let client: DynamoDBClient;
let tableName: string;

beforeAll(async () => {
  client = await createLocalClient();
  tableName = await createTable(client, MCP_TABLE_SCHEMA);
});

afterAll(() => client.destroy());

it('the DynamoDB store reads consistently, always', async () => {
  // DynamoDB Local is always consistent, so the requests are compared.
  const inputs: { readonly ConsistentRead?: boolean }[] = [];
  const recording = {
    send: (command: { readonly input: object }, options: never) => {
      inputs.push(command.input);
      return client.send(command as never, options);
    },
  };
  const store = dynamoMcpStore({ client: recording as never, tableName });
  await store.get({ partition: 'p', sort: 'a' });
  await store.list('p', '', 10);
  await store.list('p', 'a', 10);
  expect(inputs.map(({ ConsistentRead }) => ConsistentRead)).toEqual([true, true, true]);
});

describe('the memory store', () => {
  it.each(mcpStoreConformance({ create: async (clock) => memoryMcpStore({ clock }) }))('$name', ({ run }) => run());

  it('drops the oldest row when it is full, regardless of reads', async () => {
    const store = memoryMcpStore({ maxRows: 3 });
    const row = (sort: string) => ({ partition: 'p', sort, version: 1, ttl: 9e9, data: new Uint8Array() });
    for (const sort of ['a', 'b', 'c']) await store.put(row(sort));
    await store.get({ partition: 'p', sort: 'a' });
    await store.put(row('b'));
    await store.put(row('d'));
    expect((await store.list('p', '', 10)).map(({ sort }) => sort)).toEqual(['b', 'c', 'd']);
  });

  it('holds ten thousand rows', async () => {
    const store = memoryMcpStore();
    for (let index = 0; index <= 10_000; index += 1) {
      await store.put({ partition: `p${index}`, sort: 'a', version: 1, ttl: 9e9, data: new Uint8Array() });
    }
    expect(await store.get({ partition: 'p0', sort: 'a' })).toBeUndefined();
    expect(await store.get({ partition: 'p1', sort: 'a' })).toBeDefined();
  });

  it('still serves when it is full: a session that was removed is not found', async () => {
    const rig = new Rig({ register: registerAll, server: { store: memoryMcpStore({ maxRows: 2 }) } });
    const first = await rig.connect();
    await rig.connect();
    const last = await rig.connect();
    expect((await first.request('ping')).status).toBe(404);
    expect((await last.request('ping')).status).toBe(200);
  });

  it.each([{ maxRows: 0 }, { maxRows: 1.5 }, { rows: 5 }])('rejects the options %j', (options) => {
    expect(() => memoryMcpStore(options as never)).toThrow(/^framework: /);
  });
});

describe('the DynamoDB store', () => {
  it.each(mcpStoreConformance({ create: async (clock) => dynamoMcpStore({ client, tableName, clock }) }))(
    '$name',
    ({ run }) => run(),
  );

  it('reads its table from the environment, and requires it', () => {
    expect(() => dynamoMcpStore({ environment: {} })).toThrow(
      expect.failure('app.invalid_configuration', 'option "tableName"'),
    );
    expect(() => dynamoMcpStore({ environment: { [MCP_TABLE_NAME_ENV]: 'table' } })).not.toThrow();
    expect(() => dynamoMcpStore({ table: 'x' } as never)).toThrow(
      expect.failure('app.invalid_configuration', 'unknown option "table"'),
    );
  });

  it('carries a parked call from one instance to the next', async () => {
    const rig = new Rig({ register: registerAll, server: { store: dynamoMcpStore({ client, tableName }) } });
    const session = await rig.connect({ user: 'ada' });
    const sent = { user: 'ada' };
    const first = await session.call('ask', {}, sent);
    const id = first.events[1]?.data.id;
    expect((await session.answer(id, { action: 'accept', content: { name: 'Ada' } }, sent)).status).toBe(202);
    const rest = await session.resume(first.events[1]?.id ?? '', sent);
    expect(rest.events[0]?.data.result.content[0].text).toBe('accept {"name":"Ada"}');
    expect((await session.delete(sent)).status).toBe(200);
    expect((await session.request('ping', {}, sent)).status).toBe(404);
    expect(rig.violations).toEqual([]);
  });

  it('answers 503 without any detail when the table does not exist', async () => {
    const rig = new Rig({
      register: registerAll,
      server: { store: dynamoMcpStore({ client, tableName: 'not-there' }) },
    });
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
    const answer = await rig.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    expect([answer.status, answer.json.error.code]).toEqual([503, 'mcp.store']);
    expect(answer.text).not.toContain('ResourceNotFound');
  });
});

describe('a DynamoDB store that fails', () => {
  const key = { partition: 'faults', sort: 'a' };
  const row = { ...key, version: 1, ttl: 9e9, data: new Uint8Array() };
  let proxy: FaultProxy;

  beforeAll(async () => {
    proxy = await startFaultProxy(await dynamodbEndpoint());
  });

  afterAll(() => proxy.stop());

  it.each(STORE_FAULTS)('rejects every call in time, without the cause in the message: $name', async (given) => {
    const brittle = await createLocalClient({ endpoint: proxy.endpoint, maxAttempts: 1 });
    const store = dynamoMcpStore({ client: brittle, tableName, storeTimeoutMs: given.hangs ? 60 : 10_000 });
    proxy.clear();
    proxy.inject(given.fault);
    const calls = [
      store.get(key),
      store.put(row),
      store.put(row, 'absent'),
      store.take(key),
      store.list('faults', '', 9),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: 'mcp.store', status: 503, message: 'framework: the MCP store failed' },
      });
    }
    brittle.destroy();
  });
});
