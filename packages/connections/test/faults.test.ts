import { createDynamoConnectionRegistry, type GroupedConnectionRegistry } from '@sallyport/connections';
import { WEBSOCKET_CONNECTIONS_TABLE_SCHEMA } from '@sallyport/connections/schema';
import { FaultyTable, STORE_FAULTS } from '@sallyport/dynamodb-local';

const API = { apiId: 'api1', stage: 'live' };
const RECORD = { connectedAt: 1, data: { principal: { identity: 'ada' } } };

let faulty: FaultyTable;
let count = 0;

beforeAll(async () => {
  faulty = await FaultyTable.start(WEBSOCKET_CONNECTIONS_TABLE_SCHEMA);
}, 60_000);

beforeEach(async () => {
  await faulty.renew();
  count += 1;
});
afterAll(() => faulty.stop());

const open = (storeTimeoutMs: number) =>
  createDynamoConnectionRegistry({ client: faulty.client, tableName: faulty.name, storeTimeoutMs });

function operations(registry: GroupedConnectionRegistry): readonly Promise<unknown>[] {
  const key = { ...API, connectionId: `c${count}` };
  return [
    registry.put(key, RECORD, 60),
    registry.get(key),
    registry.join(key, 'room'),
    registry.leave(key, 'room'),
    registry.groupsOf(key),
    registry.listByGroup(API, 'room'),
    registry.listByPrincipal(API, { identity: 'ada' }),
    registry.delete(key),
  ];
}

describe('a table that fails', () => {
  it.each(STORE_FAULTS)('rejects every operation in time: $name', async ({ fault, transient, hangs }) => {
    faulty.proxy.inject(fault);
    // Only an answer that never comes needs a short limit; a busy machine may take longer for the others.
    const outcomes = await Promise.allSettled(operations(open(hangs ? 400 : 10_000)));
    const reason = transient
      ? { code: 'connections.store_unavailable', status: 503 }
      : { code: 'connections.store_failed', status: 500 };
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason });
    expect((outcomes[0] as PromiseRejectedResult).reason.cause).toBeDefined();
  });

  it('says to a client nothing of what AWS said', async () => {
    faulty.proxy.inject({
      kind: 'error',
      status: 400,
      type: 'AccessDeniedException',
      body: { message: 'arn:aws:secret' },
    });
    const error = await open(400)
      .get({ ...API, connectionId: 'x' })
      .catch((thrown: unknown) => thrown);
    expect(String(error)).toBe('ConnectionError: framework: connection table unavailable');
    expect(JSON.stringify(error)).not.toContain('secret');
  });
});

describe('an answer that is lost once', () => {
  it.each([
    ['put', 'PutItem'],
    ['join', 'PutItem'],
    ['leave', 'DeleteItem'],
    ['delete', 'DeleteItem'],
  ] as const)('changes nothing: %s', async (operation, request) => {
    const registry = open(5000);
    const key = { ...API, connectionId: `lost${count}` };
    const group = `room${count}`;
    await registry.put(key, RECORD, 60);
    await registry.join(key, group);
    faulty.proxy.inject({ kind: 'lost-answer' }, { operation: request, times: 1 });
    if (operation === 'put') await registry.put(key, RECORD, 60);
    else if (operation === 'delete') await registry.delete(key);
    else await registry[operation](key, group);
    const inGroup = operation === 'put' || operation === 'join';
    expect((await registry.listByGroup(API, group)).connections).toEqual(inGroup ? [key] : []);
    expect(await registry.get(key)).toEqual(operation === 'delete' ? null : RECORD);
  });
});
