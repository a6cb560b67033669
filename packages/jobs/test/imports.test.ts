import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('..', import.meta.url));

/** The files that a fresh process loads for an import, by path. */
function modulesOf(entry: string): string[] {
  const program = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ load(url, context, next) { seen.push(url); return next(url, context); } });
    await import('${entry}');
    console.log(JSON.stringify(seen));`;
  const flags = ['--conditions=@sallyport/source', '--import', 'tsx', '--input-type=module', '-e', program];
  const { stdout, stderr } = spawnSync(nodeWithHooks(), flags, { cwd: HERE, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as string[];
}

/** `registerHooks` came with Node 22.15: the workspace's own Node when the running one is older. */
function nodeWithHooks(): string {
  const own = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url));
  return existsSync(own) ? own : process.execPath;
}

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
        'idempotentHandler',
        'runIdempotent',
        'toErrorEnvelope',
        'withIdempotency',
        'withLease',
        'withSlot',
      ],
    ],
    ['@sallyport/jobs/memory', ['createMemoryEventBusStore', 'createMemoryJobLedger', 'createMemoryTable']],
    [
      '@sallyport/jobs/schema',
      [
        'EVENTBUS_TABLE_NAME_ENV',
        'EVENTBUS_TABLE_SCHEMA',
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

  it.each(['@sallyport/jobs', '@sallyport/jobs/memory'])('%s loads no AWS client', (entry) => {
    const modules = modulesOf(entry);
    expect(modules.some((url) => url.includes('/jobs/src/'))).toBe(true);
    expect(modules.filter((url) => /aws-sdk|smithy/.test(url))).toEqual([]);
  });

  it('@sallyport/jobs/schema imports nothing', () => {
    expect(modulesOf('@sallyport/jobs/schema').filter((url) => /sallyport|packages/.test(url)).length).toBe(1);
  });
});
