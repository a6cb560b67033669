import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type CallCounter, countCalls, createLocalClient, createTable } from '@sallyport/dynamodb-local';
import {
  createDynamoMicrovmRegistry,
  createMicrovmController,
  internalCaller,
  type MicrovmController,
} from '@sallyport/microvm';
import { MICROVM_TABLE_SCHEMA } from '@sallyport/microvm/schema';
import type { MicrovmsService } from '@sallyport/testkit/services';
import { watchLeaks } from './support/leaks.js';
import { IMAGE, startService, wireProvider } from './support/wire.js';

const watch = watchLeaks();
const CALLER = internalCaller({ identity: 'ada', tenantId: 't1', namespace: 'n' });
const SESSION = { sessionId: 's1' };

let service: MicrovmsService;
let client: DynamoDBClient;
let counter: CallCounter;
let controller: MicrovmController;

beforeAll(async () => {
  service = await startService();
  watch.secrets(() => service.secrets);
  client = watch.client(await createLocalClient());
  counter = countCalls(client);
  const tableName = await createTable(client, MICROVM_TABLE_SCHEMA);
  const registry = createDynamoMicrovmRegistry({ client, tableName, storeTimeoutMs: 60_000 });
  controller = createMicrovmController({ provider: wireProvider(service), registry, images: [{ ref: IMAGE }] });
});
afterAll(async () => {
  client.destroy();
  await service.stop();
});

/** Requests to the table, its read and write units, and requests to the service. */
async function costOf(run: () => Promise<unknown>): Promise<readonly unknown[]> {
  counter.take();
  service.clear();
  await watch.shown(run());
  const { calls, readUnits, writeUnits } = counter.total();
  return [calls, readUnits, writeUnits, service.requests.map(({ operation }) => operation).join(' ')];
}

async function invoke(sessionId = 's1'): Promise<void> {
  const { bodyStream } = await controller.invoke(CALLER, { sessionId, method: 'GET', path: '/' });
  for await (const _ of bodyStream);
}

/** The table of costs in the README, line by line. */
it('costs as much as the README states', async () => {
  expect(await costOf(() => controller.run(CALLER, SESSION))).toEqual([2, 0, 5, 'RunMicrovm']);
  expect(await costOf(() => controller.get(CALLER, SESSION))).toEqual([1, 1, 0, 'GetMicrovm']);
  expect(await costOf(() => controller.list(CALLER))).toEqual([1, 0.5, 0, '']);
  expect(await costOf(() => invoke())).toEqual([1, 1, 0, 'CreateMicrovmAuthToken']);
  expect(await costOf(() => invoke())).toEqual([1, 1, 0, '']);
  expect(await costOf(() => controller.authToken(CALLER, { ...SESSION, ports: [{ port: 8080 }] }))).toEqual([
    1,
    1,
    0,
    '',
  ]);
  expect(await costOf(() => controller.suspend(CALLER, SESSION))).toEqual([3, 1, 2, 'SuspendMicrovm GetMicrovm']);
  expect(await costOf(() => controller.suspend(CALLER, SESSION))).toEqual([1, 1, 0, '']);
  expect(await costOf(() => controller.resume(CALLER, SESSION))).toEqual([3, 1, 2, 'ResumeMicrovm GetMicrovm']);
  expect(await costOf(() => controller.terminate(CALLER, SESSION))).toEqual([3, 1, 2, 'TerminateMicrovm GetMicrovm']);
  expect(await costOf(() => controller.run(CALLER, { idempotencyKey: 'k1' }))).toEqual([2, 0, 5, 'RunMicrovm']);
  expect(await costOf(() => controller.run(CALLER, { idempotencyKey: 'k1' }))).toEqual([1, 0, 1, 'GetMicrovm']);
  // The local server counts no read unit for an empty query.
  const [calls, , writeUnits, requests] = await costOf(() => controller.sweep());
  expect([calls, writeUnits, requests]).toEqual([2, 0, 'ListMicrovms']);
});

it('a hundred requests to a program cost a hundred reads and one call of the service', async () => {
  await controller.run(CALLER, { sessionId: 's2' });
  const requests = async () => {
    for (let rounds = 0; rounds < 10; rounds += 1) await Promise.all(Array.from({ length: 10 }, () => invoke('s2')));
  };
  expect(await costOf(requests)).toEqual([100, 100, 0, 'CreateMicrovmAuthToken']);
});
