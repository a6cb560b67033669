import { createDynamoConnectionRegistry, createMemoryGroupedRegistry } from '@sallyport/connections';

const code = 'app.invalid_configuration';

describe('options', () => {
  it.each([
    [{ environment: {} }, 'FRAMEWORK_WEBSOCKET_CONNECTIONS_TABLE_NAME'],
    [{ tableName: ' ' }, 'tableName'],
    [{ tableName: 't', storeTimeoutMs: 0 }, 'storeTimeoutMs'],
    [{ tableName: 't', client: {} }, 'client'],
    [{ tableName: 't', principalOf: 'identity' }, 'principalOf'],
    [{ tableName: 't', ttl: 1 }, 'unknown option "ttl"'],
  ])('are rejected with their name: %j', (options, name) => {
    const create = () => createDynamoConnectionRegistry(options as never);
    expect(create).toThrow(expect.failure(code, name));
  });

  it('reads the table from the variable', () => {
    const environment = { FRAMEWORK_WEBSOCKET_CONNECTIONS_TABLE_NAME: 'connections' };
    expect(createDynamoConnectionRegistry({ environment })).toHaveProperty('join');
  });

  it('of the registry in memory are closed too', () => {
    expect(() => createMemoryGroupedRegistry({ table: 't' } as never)).toThrow(expect.objectContaining({ code }));
  });

  it('finds the principal by the option principalOf', async () => {
    const registry = createMemoryGroupedRegistry<{ user: string }>({ principalOf: ({ user }) => ({ identity: user }) });
    const key = { apiId: 'a', stage: 's', connectionId: 'c' };
    await registry.put(key, { connectedAt: 1, data: { user: 'ada' } }, 60);
    expect((await registry.listByPrincipal(key, { identity: 'ada' })).connections).toEqual([key]);
  });
});
