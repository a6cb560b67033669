import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLocalClient, createTable } from '@sallyport/dynamodb-local';
import {
  createDynamoMicrovmRegistry,
  createMicrovmController,
  internalCaller,
  type MicrovmRegistry,
} from '@sallyport/microvm';
import { MICROVM_TABLE_SCHEMA } from '@sallyport/microvm/schema';
import { createFakeMicrovmProvider } from '@sallyport/microvm/testing';
import { watchLeaks } from './support/leaks.js';
import { IMAGE } from './support/wire.js';

interface Sent {
  readonly constructor: { readonly name: string };
  readonly input: { readonly ConsistentRead?: boolean };
}

const watch = watchLeaks();
let client: DynamoDBClient;
let registry: MicrovmRegistry;
const sent: Sent[] = [];

beforeAll(async () => {
  client = watch.client(await createLocalClient());
  const tableName = await createTable(client, MICROVM_TABLE_SCHEMA);
  const watched = {
    send: (command: Sent, ...rest: unknown[]) => {
      sent.push(command);
      return (client.send as (...args: unknown[]) => Promise<unknown>)(command, ...rest);
    },
  };
  registry = createDynamoMicrovmRegistry({ client: watched as never, tableName, log: false, storeTimeoutMs: 60_000 });
});
beforeEach(() => {
  sent.length = 0;
});
afterAll(() => client.destroy());

const readsOf = () =>
  sent.flatMap(({ constructor: { name }, input }) => (name === 'GetItemCommand' ? [input.ConsistentRead] : []));

it('a session is read strongly consistent on every path', async () => {
  const provider = createFakeMicrovmProvider();
  watch.secrets(() => provider.secrets);
  const controller = createMicrovmController({
    provider,
    registry,
    images: [{ ref: IMAGE }],
    onLifecycleEvent: watch.event,
  });
  const caller = internalCaller({ identity: 'ada', tenantId: 't1', namespace: 'n' });
  const { providerMicrovmId = '', sessionId } = await watch.shown(controller.run(caller, { sessionId: 's1' }));
  sent.length = 0;
  await registry.get({ tenantId: 't1', namespace: 'n', sessionId });
  expect(readsOf()).toEqual([true]);
  sent.length = 0;
  expect((await registry.findByMicrovmId(providerMicrovmId))?.sessionId).toBe('s1');
  expect(readsOf()).toEqual([true]);
  provider.fail({ operation: 'run', name: 'InternalServerException', times: 2 });
  await controller.run(caller, { sessionId: 's2' }).catch(() => undefined);
  sent.length = 0;
  const page = { kind: 'requested', from: 0, to: Date.now(), limit: 5 } as const;
  expect((await registry.listPending(page)).records.map((record) => record.sessionId)).toEqual(['s2']);
  expect(readsOf()).toEqual([true]);
});

it('pages of pending sessions have each session once, also of the same millisecond', async () => {
  const provider = createFakeMicrovmProvider();
  const clock = { now: () => new Date(Date.UTC(2030, 0, 1)) };
  const controller = createMicrovmController({
    provider,
    registry,
    images: [{ ref: IMAGE }],
    clock,
    onLifecycleEvent: watch.event,
  });
  const caller = internalCaller({ identity: 'ada', tenantId: 't2', namespace: 'n' });
  const ids = Array.from({ length: 7 }, (_, index) => `p${index}`);
  for (const sessionId of ids) {
    provider.fail({ operation: 'run', name: 'InternalServerException', times: 2 });
    await controller.run(caller, { sessionId }).catch(() => undefined);
  }
  const at = Date.UTC(2030, 0, 1);
  const found: string[] = [];
  let after: string | undefined;
  do {
    const page = await registry.listPending({ kind: 'requested', from: at, to: at, limit: 3, after });
    found.push(...page.records.map(({ sessionId }) => sessionId));
    after = page.next;
  } while (after !== undefined);
  expect(found.sort()).toEqual(ids);
  expect((await registry.listPending({ kind: 'unknown', from: 0, to: at, limit: 3 })).records).toEqual([]);
  expect((await registry.listPending({ kind: 'requested', from: 0, to: at - 1, limit: 3 })).records).toHaveLength(1);
});

it.each([
  ['identity', { identity: ' ' }],
  ['tenantId', { tenantId: ' ' }],
  ['namespace', { namespace: '' }],
  ['requestId', { requestId: ' ' }],
])('a blank %s of an internal caller is rejected', (name, part) => {
  const names = { identity: 'ada', tenantId: 't1', namespace: 'n' };
  expect(() => internalCaller({ ...names, ...part })).toThrow(
    expect.objectContaining({
      code: 'microvm.controller_incomplete',
      message: expect.stringContaining(`"${name}"`) as string,
    }),
  );
});
