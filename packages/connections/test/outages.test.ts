import { BroadcastStopped, broadcastToGroup, createDynamoConnectionRegistry } from '@sallyport/connections';
import { WEBSOCKET_CONNECTIONS_TABLE_SCHEMA } from '@sallyport/connections/schema';
import { atEachCall, FaultyTable, OUTAGES, type OutageRun } from '@sallyport/dynamodb-local';

const RECORD = { connectedAt: 1, data: { principal: { identity: 'ada' } } };

let faulty: FaultyTable;

beforeAll(async () => {
  faulty = await FaultyTable.start(WEBSOCKET_CONNECTIONS_TABLE_SCHEMA);
});
afterAll(() => faulty.stop());

async function open({ client, clock, run }: OutageRun) {
  const registry = createDynamoConnectionRegistry({ client, tableName: faulty.name, clock });
  const key = { apiId: 'api1', stage: 'live', connectionId: `o${run}` };
  await clock.during(() => registry.get(key));
  return { registry, key, group: `room-${run}` };
}

type Setting = Awaited<ReturnType<typeof open>>;

async function member(setting: Setting): Promise<void> {
  const { registry, key, group } = setting;
  await registry.put(key, RECORD, 7200);
  await registry.join(key, group);
}

interface Operation {
  prepare?(setting: Setting): Promise<void>;
  run(setting: Setting): Promise<unknown>;
  /** True if the connection is there, its groups, and the lists that contain it. */
  readonly expected: readonly [boolean, readonly string[], number, number];
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  put: { run: ({ registry, key }) => registry.put(key, RECORD, 7200), expected: [true, [], 0, 1] },
  'put of a member': {
    prepare: member,
    run: ({ registry, key }) => registry.put(key, RECORD, 7200),
    expected: [true, ['room'], 1, 1],
  },
  join: {
    prepare: ({ registry, key }) => registry.put(key, RECORD, 7200),
    run: ({ registry, key, group }) => registry.join(key, group),
    expected: [true, ['room'], 1, 1],
  },
  leave: {
    prepare: member,
    run: ({ registry, key, group }) => registry.leave(key, group),
    expected: [true, [], 0, 1],
  },
  delete: { prepare: member, run: ({ registry, key }) => registry.delete(key), expected: [false, [], 0, 0] },
};

async function stateOf({ registry, key, group }: Setting) {
  const groups = await registry.groupsOf(key);
  const [inGroup, ofAda] = [
    await registry.listByGroup(key, group),
    await registry.listByPrincipal(key, { identity: 'ada' } as never, { limit: 1000 }),
  ];
  const isIt = ({ connectionId }: { connectionId: string }) => connectionId === key.connectionId;
  return [
    (await registry.get(key)) !== null,
    groups.map((name) => name.replace(/-.*/, '')),
    inGroup.connections.filter(isIt).length,
    ofAda.connections.filter(isIt).length,
  ];
}

describe.each(OUTAGES)('$name at each request', (outage) => {
  it.each(Object.entries(OPERATIONS))(
    'rejects the call, or applies it; its repetition ends as one call does: %s',
    async (_, { prepare, run, expected }) => {
      await atEachCall(faulty, outage, {
        prepare: async (outageRun) => {
          const setting = await open(outageRun);
          await prepare?.(setting);
          return setting;
        },
        act: run,
        check: async (setting, { error }) => {
          if (error !== undefined) {
            expect(error).toMatchObject({ code: 'connections.store_unavailable', status: 503 });
            await run(setting);
          }
          expect(await stateOf(setting)).toEqual(expected);
        },
      });
    },
  );

  it('a broadcast reaches every connection once, with its cursor', async () => {
    await atEachCall(faulty, outage, {
      prepare: async (outageRun) => {
        const setting = await open(outageRun);
        await member(setting);
        const got: string[] = [];
        const client = {
          postToConnection: async (connectionId: string) => {
            got.push(connectionId);
            return { gone: false };
          },
        };
        const { registry, key: api, group } = setting;
        return { got, input: { registry, client, api, group, data: Uint8Array.of(1) } };
      },
      act: ({ input }) => broadcastToGroup(input),
      check: async ({ got, input }, { error, clock }) => {
        if (error !== undefined) {
          expect(error).toBeInstanceOf(BroadcastStopped);
          clock.tick(10_000);
          await broadcastToGroup({ ...input, cursor: (error as BroadcastStopped).cursor });
        }
        expect(got).toHaveLength(1);
      },
    });
  });
});
