import {
  createEventBusStore,
  createJobLedger,
  createMemoryJobLedger,
  idempotentHandler,
  runIdempotent,
  withIdempotency,
  withLease,
  withSlot,
} from '@sallyport/jobs';
import { EVENTBUS_TABLE_NAME_ENV, JOBS_TABLE_NAME_ENV } from '@sallyport/jobs/schema';

const environment = {};

it('a ledger and an event store take their tables from option or environment, and are refused without', () => {
  expect(() => createJobLedger({ environment })).toThrow(/FRAMEWORK_JOBS_TABLE_NAME/);
  expect(() => createEventBusStore({ environment })).toThrow(/FRAMEWORK_EVENTBUS_TABLE_NAME/);
  expect(() => createJobLedger({ environment: { FRAMEWORK_JOBS_TABLE_NAME: 'jobs' } })).not.toThrow();
  expect(() => createEventBusStore({ tableName: 'events', environment })).not.toThrow();
});

describe('the tables that the environment names', () => {
  /** A client whose calls fail; the test checks only their table. */
  const asked = () => {
    const tables: unknown[] = [];
    const send = async ({ input }: { readonly input: { readonly TableName?: string } }) => {
      tables.push(input.TableName);
      throw new Error('no table');
    };
    return { tables, client: { send } as never };
  };

  it("are the ledger's and the event store's, each its own", async () => {
    const names = { FRAMEWORK_JOBS_TABLE_NAME: 'stack-jobs', FRAMEWORK_EVENTBUS_TABLE_NAME: 'stack-events' };
    const jobs = asked();
    const events = asked();
    await createJobLedger({ environment: names, client: jobs.client })
      .getJob({ jobId: 'job-1' })
      .catch(() => undefined);
    await createEventBusStore({ environment: names, client: events.client })
      .get({ tenantId: 't', id: 'event-1' })
      .catch(() => undefined);
    expect(new Set(jobs.tables)).toEqual(new Set(['stack-jobs']));
    expect(new Set(events.tables)).toEqual(new Set(['stack-events']));
  });

  it('give way to the option', async () => {
    const { tables, client } = asked();
    const environment = { FRAMEWORK_JOBS_TABLE_NAME: 'stack-jobs' };
    await createJobLedger({ environment, tableName: 'own', client })
      .getJob({ jobId: 'job-1' })
      .catch(() => undefined);
    expect(new Set(tables)).toEqual(new Set(['own']));
  });

  it('have their names for infrastructure code', () => {
    expect([JOBS_TABLE_NAME_ENV, EVENTBUS_TABLE_NAME_ENV]).toEqual([
      'FRAMEWORK_JOBS_TABLE_NAME',
      'FRAMEWORK_EVENTBUS_TABLE_NAME',
    ]);
  });
});

it.each([
  { table: 'jobs' },
  { tableName: ' ' },
  { client: {} },
  { clock: 5 },
  { ids: {} },
  { log: 'console' },
  { storeTimeoutMs: 0 },
  { storeTimeoutMs: 60_001 },
])('refuses the options %j', (options) => {
  expect(() => createJobLedger({ environment, tableName: 'jobs', ...options } as never)).toThrow(/^framework: /);
});

it.each([{ tableName: 'jobs' }, { table: {} }, { clock: {} }])('a memory ledger refuses %j', (options) => {
  expect(() => createMemoryJobLedger(options as never)).toThrow(/^framework: /);
});

it('a lease whose row was deleted starts above every token that it ever had', async () => {
  const clock = { ms: 1_700_000_000_000, now: () => new Date(clock.ms) };
  const before = createMemoryJobLedger({ clock });
  const { token } = await before.acquireLease({ name: 'l', owner: 'o' });
  clock.ms += 30 * 86_400_000;
  const after = createMemoryJobLedger({ clock });
  expect((await after.acquireLease({ name: 'l', owner: 'o' })).token).toBeGreaterThan(token + 1_000_000);
});

describe('an optional tenant', () => {
  const ledger = createMemoryJobLedger();

  it.each<[string, (tenantId: string) => Promise<unknown>]>([
    ['getJob', (tenantId) => ledger.getJob({ jobId: 'j', tenantId })],
    ['transitionJob', (tenantId) => ledger.transitionJob({ jobId: 'j', tenantId, to: 'RUNNING' })],
    ['createRecords', (tenantId) => ledger.createRecords({ jobId: 'j', tenantId, recordIds: ['r'] })],
    ['transitionRecord', (tenantId) => ledger.transitionRecord({ jobId: 'j', tenantId, recordId: 'r', to: 'SKIPPED' })],
    ['listRecords', (tenantId) => ledger.listRecords({ jobId: 'j', tenantId })],
    ['claimNext', (tenantId) => ledger.claimNext({ jobId: 'j', tenantId })],
  ])('is rejected by %s if it is empty', async (_name, call) => {
    await expect(call('')).rejects.toMatchObject({ code: 'jobs.invalid_input' });
  });
});

describe('errors for wrong options name the option and the expected value', () => {
  const ledger = createMemoryJobLedger();
  const refusal = async (run: () => unknown) => {
    try {
      await run();
    } catch (error) {
      const { code, message } = error as { readonly code: string; readonly message: string };
      return `${code} ${message}`;
    }
    return 'taken';
  };
  const work = async () => 1;
  const handler = (_ctx: unknown, _event: unknown) => undefined;

  it.each<[string, () => unknown, string]>([
    [
      'createJobLedger',
      () => createJobLedger({ environment, tableName: 'jobs', storeTimeoutMs: 0 }),
      'app.invalid_configuration framework: option "storeTimeoutMs" must be a whole number of milliseconds from 1 to 60,000',
    ],
    [
      'createEventBusStore',
      () => createEventBusStore({ environment }),
      'app.invalid_configuration framework: option "tableName" or the variable FRAMEWORK_EVENTBUS_TABLE_NAME must be the name of the table',
    ],
    [
      'createJobLedger',
      () => createJobLedger({ environment, tableName: 'jobs', completedKeys: -1 }),
      'app.invalid_configuration framework: option "completedKeys" must be a whole number from 0 to 100,000',
    ],
    [
      'createEventBusStore',
      () => createEventBusStore({ environment, tableName: 'events', coldTimeoutMs: 60_001 }),
      'app.invalid_configuration framework: option "coldTimeoutMs" must be a whole number of milliseconds from 1 to 60,000',
    ],
    [
      'createEventBusStore',
      () => createEventBusStore({ environment, tableName: 'events', completedKeys: 1 } as never),
      'app.invalid_configuration framework: unknown option "completedKeys"; known are clock, ids, log, tableName, client, environment, storeTimeoutMs, coldTimeoutMs',
    ],
    [
      'withIdempotency',
      () => withIdempotency(ledger, { onReplay: 'log' } as never),
      'app.invalid_configuration framework: option "onReplay" must be a function',
    ],
    [
      'runIdempotent',
      () => runIdempotent(ledger, { scope: 's', key: 'k', remainingMs: -1 }, work),
      'jobs.invalid_input framework: option "remainingMs" must be a whole number of milliseconds from 0 to 31,622,400,000',
    ],
    [
      'createMemoryJobLedger',
      () => createMemoryJobLedger({ table: { size: 0 } }),
      'app.invalid_configuration framework: option "table" must be a table made by createMemoryTable',
    ],
    [
      'withIdempotency',
      () => withIdempotency(ledger, { required: 'yes' } as never),
      'app.invalid_configuration framework: option "required" must be true or false',
    ],
    [
      'withIdempotency',
      () => withIdempotency(ledger, { keepHeaders: ['Set-Cookie'] }),
      'app.invalid_configuration framework: option "keepHeaders" must be a list without "set-cookie"',
    ],
    [
      'idempotentHandler',
      () => idempotentHandler(ledger, { inProgressMs: 999 }, handler),
      'app.invalid_configuration framework: option "inProgressMs" must be a whole number of milliseconds from 1000 to 31,622,400,000',
    ],
    [
      'withIdempotency',
      () => withIdempotency(ledger, { resultTtlSeconds: 3_155_760_001 }),
      'app.invalid_configuration framework: option "resultTtlSeconds" must be a whole number of seconds from 1 to 3,155,760,000',
    ],
    [
      'idempotentHandler',
      () => idempotentHandler(ledger, { ttl: 5 } as never, handler),
      'app.invalid_configuration framework: unknown option "ttl"; known are key, fingerprint, replays, inProgressMs, resultTtlSeconds, onReplay',
    ],
    [
      'withLease',
      () => withLease(ledger, { name: 'l', waitMs: -1 }, work),
      'jobs.invalid_input framework: option "waitMs" must be a whole number of milliseconds from 0 to 86,400,000',
    ],
    [
      'withSlot',
      () => withSlot(ledger, { scope: 's', subject: 't', limit: 257 }, work),
      'jobs.invalid_input framework: option "limit" must be a whole number from 1 to 256',
    ],
    [
      'runIdempotent',
      () => runIdempotent(ledger, { scope: 's', key: 'k', signal: 5 } as never, work),
      'jobs.invalid_input framework: option "signal" must be an object with addEventListener(), removeEventListener() and throwIfAborted()',
    ],
    [
      'runIdempotent',
      () => runIdempotent(ledger, { scope: 's' } as never, work),
      'jobs.invalid_input framework: option "key" must be a non-empty string without control characters',
    ],
  ])('%s', async (_, run, text) => {
    expect(await refusal(run)).toBe(text);
  });
});
