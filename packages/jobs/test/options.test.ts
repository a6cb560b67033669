import { createEventBusStore, createJobLedger } from '@sallyport/jobs';
import { createMemoryJobLedger } from '@sallyport/jobs/memory';

const environment = {};

it('a ledger and an event store take their tables from option or environment, and are refused without', () => {
  expect(() => createJobLedger({ environment })).toThrow(/FRAMEWORK_JOBS_TABLE_NAME/);
  expect(() => createEventBusStore({ environment })).toThrow(/FRAMEWORK_EVENTBUS_TABLE_NAME/);
  expect(() => createJobLedger({ environment: { FRAMEWORK_JOBS_TABLE_NAME: 'jobs' } })).not.toThrow();
  expect(() => createEventBusStore({ tableName: 'events', environment })).not.toThrow();
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
