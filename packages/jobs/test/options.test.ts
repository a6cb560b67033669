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

it('a ledger and an event store read their tables from option or environment, and are rejected without', () => {
  expect(() => createJobLedger({ environment })).toThrow(
    expect.failure('app.invalid_configuration', /FRAMEWORK_JOBS_TABLE_NAME/),
  );
  expect(() => createEventBusStore({ environment })).toThrow(
    expect.failure('app.invalid_configuration', /FRAMEWORK_EVENTBUS_TABLE_NAME/),
  );
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

  it('yield to the option', async () => {
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
])('rejects the options %j', (options) => {
  expect(() => createJobLedger({ environment, tableName: 'jobs', ...options } as never)).toThrow(
    expect.failure('app.invalid_configuration'),
  );
});

it.each([{ tableName: 'jobs' }, { table: {} }, { clock: {} }])('a memory ledger rejects %j', (options) => {
  expect(() => createMemoryJobLedger(options as never)).toThrow(expect.failure('app.invalid_configuration'));
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
      return error;
    }
    return 'taken';
  };
  const work = async () => 1;
  const handler = (_ctx: unknown, _event: unknown) => undefined;

  it.each<[string, () => unknown, string, string]>([
    [
      'createJobLedger',
      () => createJobLedger({ environment, tableName: 'jobs', storeTimeoutMs: 0 }),
      'app.invalid_configuration',
      'option "storeTimeoutMs"',
    ],
    [
      'createEventBusStore',
      () => createEventBusStore({ environment }),
      'app.invalid_configuration',
      'option "tableName" or the variable FRAMEWORK_EVENTBUS_TABLE_NAME',
    ],
    [
      'createJobLedger',
      () => createJobLedger({ environment, tableName: 'jobs', completedKeys: -1 }),
      'app.invalid_configuration',
      'option "completedKeys"',
    ],
    [
      'createEventBusStore',
      () => createEventBusStore({ environment, tableName: 'events', coldTimeoutMs: 60_001 }),
      'app.invalid_configuration',
      'option "coldTimeoutMs"',
    ],
    [
      'createEventBusStore',
      () => createEventBusStore({ environment, tableName: 'events', completedKeys: 1 } as never),
      'app.invalid_configuration',
      'unknown option "completedKeys"',
    ],
    [
      'withIdempotency',
      () => withIdempotency(ledger, { onReplay: 'log' } as never),
      'app.invalid_configuration',
      'option "onReplay"',
    ],
    [
      'runIdempotent',
      () => runIdempotent(ledger, { scope: 's', key: 'k', remainingMs: -1 }, work),
      'jobs.invalid_input',
      'option "remainingMs"',
    ],
    [
      'createMemoryJobLedger',
      () => createMemoryJobLedger({ table: { size: 0 } }),
      'app.invalid_configuration',
      'option "table"',
    ],
    [
      'withIdempotency',
      () => withIdempotency(ledger, { required: 'yes' } as never),
      'app.invalid_configuration',
      'option "required"',
    ],
    [
      'withIdempotency',
      () => withIdempotency(ledger, { keepHeaders: ['Set-Cookie'] }),
      'app.invalid_configuration',
      'option "keepHeaders"',
    ],
    [
      'idempotentHandler',
      () => idempotentHandler(ledger, { inProgressMs: 999 }, handler),
      'app.invalid_configuration',
      'option "inProgressMs"',
    ],
    [
      'withIdempotency',
      () => withIdempotency(ledger, { resultTtlSeconds: 3_155_760_001 }),
      'app.invalid_configuration',
      'option "resultTtlSeconds"',
    ],
    [
      'idempotentHandler',
      () => idempotentHandler(ledger, { ttl: 5 } as never, handler),
      'app.invalid_configuration',
      'unknown option "ttl"',
    ],
    ['withLease', () => withLease(ledger, { name: 'l', waitMs: -1 }, work), 'jobs.invalid_input', 'option "waitMs"'],
    [
      'withSlot',
      () => withSlot(ledger, { scope: 's', subject: 't', limit: 257 }, work),
      'jobs.invalid_input',
      'option "limit"',
    ],
    [
      'runIdempotent',
      () => runIdempotent(ledger, { scope: 's', key: 'k', signal: 5 } as never, work),
      'jobs.invalid_input',
      'option "signal"',
    ],
    ['runIdempotent', () => runIdempotent(ledger, { scope: 's' } as never, work), 'jobs.invalid_input', 'option "key"'],
  ])('%s', async (_, run, code, name) => {
    expect(await refusal(run)).toEqual(expect.failure(code, name));
  });
});
