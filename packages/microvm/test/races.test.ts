import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLocalClient, createTable, dynamodbEndpoint } from '@sallyport/dynamodb-local';
import {
  createDynamoMicrovmRegistry,
  createMicrovmController,
  internalCaller,
  type MicrovmController,
} from '@sallyport/microvm';
import { MICROVM_TABLE_SCHEMA } from '@sallyport/microvm/schema';
import type { MicrovmsService } from '@sallyport/testkit/services';
import { checkHistory, type FinalMachine, type FinalRow, type Told } from './support/history.js';
import { watchLeaks } from './support/leaks.js';
import { IMAGE, startService, wireProvider } from './support/wire.js';
import { Workers } from './support/workers.js';

const PROCESSES = 8;
const ANSWERS_BETWEEN_KILLS = 10;
const KILLS = 24;
const MINUTE_MS = 60_000;

const watch = watchLeaks();
let client: DynamoDBClient;
let service: MicrovmsService;
let tableName: string;

beforeAll(async () => {
  client = watch.client(await createLocalClient());
  tableName = await createTable(client, MICROVM_TABLE_SCHEMA);
  service = await startService();
});
afterAll(async () => {
  client.destroy();
  await service.stop();
});

const caller = internalCaller({ identity: 'ada', tenantId: 't1', namespace: 'n' });

/** A controller with a fast clock, ahead by a number of milliseconds. */
function ahead(ms: number): MicrovmController {
  const clock = { now: () => new Date(Date.now() + ms) };
  const registry = createDynamoMicrovmRegistry({
    ...{ client, tableName, clock, log: watch.logger },
    // The table is slow on a starved machine, and not what this test is about.
    storeTimeoutMs: 60_000,
  });
  const images = [{ ref: IMAGE }];
  return createMicrovmController({
    provider: wireProvider(service),
    registry,
    images,
    clock,
    onLifecycleEvent: watch.event,
  });
}

/** All sessions, with the states that the service shows. */
async function rowsOf(controller: MicrovmController): Promise<FinalRow[]> {
  const rows: FinalRow[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await watch.shown(controller.list(caller, { refresh: true, ...(cursor && { cursor }) }));
    for (const { sessionId, state, providerMicrovmId: microvmId } of page.sessions)
      rows.push({ sessionId, state, microvmId });
    cursor = page.nextCursor;
  } while (cursor);
  return rows;
}

function machinesOf({ machines }: MicrovmsService): FinalMachine[] {
  return machines.map(({ microvmId, state, runHookPayload }) => {
    const { session_id: sessionId } = JSON.parse(runHookPayload) as { session_id: string };
    return { microvmId, state, sessionId };
  });
}

it('processes that run, suspend, resume and terminate the same sessions, and are killed, leave no contradiction', async () => {
  const told: Told[] = [];
  const refusals = new Map<string, number>();
  let kills = 0;
  let done = () => {};
  const enough = new Promise<void>((resolve) => {
    done = resolve;
  });
  const order = { tableName, dynamodb: await dynamodbEndpoint(), microvms: service.endpoint, image: IMAGE };
  const workers = new Workers(order, (report) => {
    if (report.kind === 'told') told.push(watch.keep(report.told));
    if (report.kind === 'refused') refusals.set(report.code, (refusals.get(report.code) ?? 0) + 1);
    if (report.kind === 'told' && told.length % ANSWERS_BETWEEN_KILLS === 0) {
      kills += 1;
      // Answers get lost as well, some of them of machines that run.
      if (kills % 3 === 0) service.inject({ kind: 'lost-answer' }, { times: 2 });
      if (kills < KILLS) workers.replaceOne();
      else done();
    }
  });
  for (let started = 0; started < PROCESSES; started += 1) workers.start();
  await enough;
  await workers.stop();
  service.clear();

  const first = await ahead(2 * MINUTE_MS).sweep();
  await ahead(17 * MINUTE_MS).sweep();
  const second = await ahead(38 * MINUTE_MS).sweep();
  const rows = await rowsOf(ahead(39 * MINUTE_MS));
  const machines = machinesOf(service);
  expect(checkHistory(told, rows, machines)).toEqual([]);

  // The history is not trivial.
  const outcomes = Object.fromEntries(refusals);
  expect(rows.length).toBeGreaterThan(10);
  expect(new Set(told.map(({ state }) => state)).size).toBeGreaterThanOrEqual(3);
  expect(first.pending + second.pending + second.terminated).toBeGreaterThan(0);
  expect(outcomes).toMatchObject({
    'microvm.session_exists': expect.any(Number),
    'microvm.invalid_state': expect.any(Number),
  });
  const known = [
    'session_exists',
    'invalid_state',
    'session_not_found',
    'conflict',
    'provider_unavailable',
    'registry_unavailable',
  ];
  expect(Object.keys(outcomes).filter((code) => !known.includes(code.replace('microvm.', '')))).toEqual([]);
});
