import { createEventBusStore, createJobLedger } from '@sallyport/jobs';
import { createMemoryJobLedger } from '@sallyport/jobs/memory';
import { EVENTBUS_TABLE_NAME_ENV, JOBS_TABLE_NAME_ENV } from '@sallyport/jobs/schema';

const environment = {};

it('a ledger and an event store take their tables from option or environment, and are refused without', () => {
  expect(() => createJobLedger({ environment })).toThrow(/FRAMEWORK_JOBS_TABLE_NAME/);
  expect(() => createEventBusStore({ environment })).toThrow(/FRAMEWORK_EVENTBUS_TABLE_NAME/);
  expect(() => createJobLedger({ environment: { FRAMEWORK_JOBS_TABLE_NAME: 'jobs' } })).not.toThrow();
  expect(() => createEventBusStore({ tableName: 'events', environment })).not.toThrow();
});

describe('the tables that the environment names', () => {
  /** Every call fails; what counts is the table that it was for. */
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
