import { createDynamoConnectionRegistry } from '@sallyport/connections';
import { WEBSOCKET_CONNECTIONS_TABLE_SCHEMA } from '@sallyport/connections/schema';
import { countCalls, createLocalClient, createTable } from '@sallyport/dynamodb-local';

const KEY = { apiId: 'api1', stage: 'live', connectionId: 'a' };
const RECORD = { connectedAt: 1, data: { principal: { identity: 'ada' } } };

/** The table of costs in the README, line by line: calls, read units, write units. */
it('costs as much as the README states', async () => {
  const client = await createLocalClient();
  const counter = countCalls(client);
  const tableName = await createTable(client, WEBSOCKET_CONNECTIONS_TABLE_SCHEMA);
  const registry = createDynamoConnectionRegistry({ client, tableName });
  const costOf = async (run: () => Promise<unknown>) => {
    counter.take();
    await run();
    const { calls, readUnits, writeUnits } = counter.total();
    return [calls, readUnits, writeUnits];
  };
  expect(await costOf(() => registry.put(KEY, RECORD, 60))).toEqual([1, 0, 2]);
  expect(await costOf(() => registry.get(KEY))).toEqual([1, 1, 0]);
  expect(await costOf(() => registry.join(KEY, 'room'))).toEqual([2, 1, 6]);
  expect(await costOf(() => registry.groupsOf(KEY))).toEqual([1, 1, 0]);
  expect(await costOf(() => registry.listByGroup(KEY, 'room'))).toEqual([1, 0.5, 0]);
  expect(await costOf(() => registry.leave(KEY, 'room'))).toEqual([1, 0, 2]);
  await registry.join(KEY, 'room');
  expect(await costOf(() => registry.delete(KEY))).toEqual([3, 1, 4]);
  client.destroy();
});
