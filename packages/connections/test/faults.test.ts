import { createDynamoConnectionRegistry, type GroupedConnectionRegistry } from '@sallyport/connections';
import { WEBSOCKET_CONNECTIONS_TABLE_SCHEMA } from '@sallyport/connections/schema';
import { createLocalClient, FaultyTable, STORE_FAULTS } from '@sallyport/dynamodb-local';

const API = { apiId: 'api1', stage: 'live' };
const RECORD = { connectedAt: 1, data: { principal: { identity: 'ada' } } };

let faulty: FaultyTable;
let count = 0;

beforeAll(async () => {
  faulty = await FaultyTable.start(WEBSOCKET_CONNECTIONS_TABLE_SCHEMA);
});

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

  it('hides messages of AWS from clients', async () => {
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

describe('a lost response to a write, and another instance writes before the retry', () => {
  const direct = () => createDynamoConnectionRegistry({ client: faulty.direct, tableName: faulty.name });
  const loseWhile = (operation: string, meanwhile: () => Promise<unknown>) =>
    faulty.proxy.inject({ kind: 'lost-answer', meanwhile }, { operation, times: 1 });

  it('does not restore a deleted connection: put', async () => {
    const [key, other] = [{ ...API, connectionId: `back${count}` }, direct()];
    loseWhile('UpdateItem', () => other.delete(key));
    await open(5000).put(key, RECORD, 60);
    expect(await other.get(key)).toBeNull();
    expect((await other.listByPrincipal(API, { identity: 'ada' })).connections).not.toContainEqual(key);
  });

  it('does not remove a member that joined again: leave', async () => {
    const [key, other] = [{ ...API, connectionId: `again${count}` }, direct()];
    await other.put(key, RECORD, 60);
    await other.join(key, 'room');
    const joined: boolean[] = [];
    loseWhile('UpdateItem', async () => joined.push(await other.join(key, 'room')));
    await open(5000).leave(key, 'room');
    expect(joined).toEqual([true]);
    expect(await other.groupsOf(key)).toEqual(['room']);
  });

  it('does not restore a removed member: join', async () => {
    const [key, other] = [{ ...API, connectionId: `left${count}` }, direct()];
    await other.put(key, RECORD, 60);
    loseWhile('TransactWriteItems', () => other.leave(key, 'room'));
    expect(await open(5000).join(key, 'room')).toBe(true);
    expect(await other.groupsOf(key)).toEqual([]);
  });

  it.each(['UpdateItem', 'DeleteItem'])(
    'does not delete a connection that was opened again: delete, %s',
    async (operation) => {
      const [key, other] = [{ ...API, connectionId: `reopened${count}` }, direct()];
      await other.put(key, RECORD, 60);
      await other.join(key, 'room');
      loseWhile(operation, async () => {
        await other.put(key, RECORD, 60);
        await other.join(key, 'room');
      });
      await open(5000).delete(key);
      expect(await other.get(key)).toEqual(RECORD);
      // A delete that reads after the second join removes it; what it must not remove is a row that it has not read.
      expect(await other.groupsOf(key)).toEqual(operation === 'DeleteItem' ? ['room'] : []);
    },
  );
});

describe('a join that crosses a disconnect', () => {
  /** A registry that runs something before its request of the given number, from 0. */
  async function openWith(place: number, before: () => Promise<unknown>) {
    const client = await createLocalClient();
    let requests = 0;
    client.middlewareStack.add(
      (next) => async (args) => {
        if (requests++ === place) await before();
        return next(args);
      },
      { step: 'initialize', name: 'before' },
    );
    return { client, registry: createDynamoConnectionRegistry({ client, tableName: faulty.name }) };
  }

  it.each([
    ['the delete before request %i of the join', 'join', 0],
    ['the delete before request %i of the join', 'join', 1],
    ['the join before request %i of the delete', 'delete', 0],
    ['the join before request %i of the delete', 'delete', 1],
    ['the join before request %i of the delete', 'delete', 2],
  ] as const)('leaves no member: %s, %s %i', async (_, outer, place) => {
    const key = { ...API, connectionId: `cross${count}` };
    const plain = createDynamoConnectionRegistry({ client: faulty.direct, tableName: faulty.name });
    await plain.put(key, RECORD, 60);
    await plain.join(key, 'lobby');
    const inner = outer === 'join' ? () => plain.delete(key) : () => plain.join(key, 'room');
    const { client, registry } = await openWith(place, inner);
    if (outer === 'join') expect(await registry.join(key, 'room')).toBe(false);
    else await registry.delete(key);
    expect(await plain.groupsOf(key)).toEqual([]);
    for (const group of ['room', 'lobby']) {
      expect((await plain.listByGroup(API, group)).connections).not.toContainEqual(key);
    }
    client.destroy();
  });

  it('of many groups at the same time is complete', async () => {
    const key = { ...API, connectionId: `many${count}` };
    const plain = createDynamoConnectionRegistry({ client: faulty.direct, tableName: faulty.name });
    await plain.put(key, RECORD, 60);
    const groups = Array.from({ length: 8 }, (_, index) => `g${index}`);
    expect(await Promise.all(groups.map((group) => plain.join(key, group)))).toEqual(Array(8).fill(true));
    expect(await plain.groupsOf(key)).toEqual(groups);
  });
});

describe('an answer that is lost once', () => {
  it.each([
    ['put', 'UpdateItem'],
    ['join', 'TransactWriteItems'],
    ['leave', 'UpdateItem'],
    ['delete', 'UpdateItem'],
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
