import { loadedModules } from '@sallyport/dynamodb-local';

describe('imports', () => {
  it.each([
    [
      '@sallyport/jobs',
      [
        'IDEMPOTENCY_STATUSES',
        'JOB_LEDGER_ERROR_TYPES',
        'JOB_STATUSES',
        'JOB_TRANSITIONS',
        'JobLedgerError',
        'RECORD_STATUSES',
        'RECORD_TRANSITIONS',
        'StoredError',
        'createEventBusStore',
        'createJobLedger',
        'createMemoryEventBusStore',
        'createMemoryJobLedger',
        'createMemoryTable',
        'idempotentHandler',
        'runIdempotent',
        'toErrorEnvelope',
        'withIdempotency',
        'withLease',
        'withSlot',
      ],
    ],
    [
      '@sallyport/jobs/schema',
      [
        'EVENTBUS_TABLE_ACTIONS',
        'EVENTBUS_TABLE_NAME_ENV',
        'EVENTBUS_TABLE_SCHEMA',
        'JOBS_TABLE_ACTIONS',
        'JOBS_TABLE_NAME_ENV',
        'JOBS_TABLE_SCHEMA',
        'STATUS_CREATED_INDEX',
        'TENANT_CREATED_INDEX',
        'TENANT_TIMESTAMP_INDEX',
        'TENANT_TYPE_INDEX',
      ],
    ],
    ['@sallyport/jobs/testing', ['createFakeJobLedger', 'eventBusConformance', 'jobLedgerConformance']],
  ])('%s exports what is documented and no more', async (entry, names) => {
    expect(Object.keys((await import(entry)) as object).sort()).toEqual(names);
  });

  it('@sallyport/jobs loads no AWS client', () => {
    const modules = loadedModules('@sallyport/jobs', import.meta.url);
    expect(modules.some((url) => url.includes('/jobs/src/'))).toBe(true);
    expect(modules.filter((url) => /aws-sdk|smithy/.test(url))).toEqual([]);
  });

  it('@sallyport/jobs/schema imports nothing', () => {
    expect(
      loadedModules('@sallyport/jobs/schema', import.meta.url).filter((url) => /sallyport|packages/.test(url)).length,
    ).toBe(1);
  });
});
