import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import type { JobStatus } from '../../ledger/job.js';
import type { JobLedger } from '../../ledger/ledger.js';
import type { CaseDefinition } from '../harness.js';

/** Every legal transition, as in the contract. */
const LEGAL = new Set([
  'PENDING>RUNNING',
  'PENDING>CANCELED',
  'PENDING>FAILED',
  'RUNNING>SUCCEEDED',
  'RUNNING>FAILED',
  'RUNNING>CANCELED',
]);
const STATUSES: readonly JobStatus[] = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED'];
/** The transitions that lead to a status. */
const WAYS: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  PENDING: [],
  RUNNING: ['RUNNING'],
  SUCCEEDED: ['RUNNING', 'SUCCEEDED'],
  FAILED: ['FAILED'],
  CANCELED: ['CANCELED'],
};

export const JOB_CASES: readonly CaseDefinition<JobLedger>[] = [
  {
    name: 'a job is created once, and has the written values when it is read',
    async run({ subject: ledger, id }) {
      const [jobId, tenantId] = [id('job'), id('tenant')];
      const created = await ledger.createJob({ jobId, tenantId, metadata: { origin: 'upload' } });
      const expected = {
        jobId,
        tenantId,
        status: 'PENDING',
        version: 1,
        createdAt: '2023-11-14T22:13:20.000Z',
        updatedAt: '2023-11-14T22:13:20.000Z',
        metadata: { origin: 'upload' },
      };
      deepEqual(JSON.parse(JSON.stringify(created)), expected);
      deepEqual(JSON.parse(JSON.stringify(await ledger.getJob({ jobId, consistent: true }))), expected);
      await rejects(ledger.createJob({ jobId, tenantId }), { code: 'jobs.conflict', reason: 'exists' });
    },
  },
  ...STATUSES.flatMap((from) =>
    STATUSES.map((to) => ({
      name: `a job ${LEGAL.has(`${from}>${to}`) ? 'goes' : 'does not go'} from ${from} to ${to}`,
      async run({ subject: ledger, id }: { subject: JobLedger; id(name: string): string }) {
        const jobId = id('job');
        await ledger.createJob({ jobId, tenantId: id('tenant') });
        for (const status of WAYS[from]) await ledger.transitionJob({ jobId, to: status });
        const version = 1 + WAYS[from].length;
        if (LEGAL.has(`${from}>${to}`)) {
          const job = await ledger.transitionJob({ jobId, to, expectedVersion: version });
          deepEqual([job.status, job.version], [to, version + 1]);
        } else {
          await rejects(ledger.transitionJob({ jobId, to, expectedVersion: version }), {
            code: 'jobs.conflict',
            reason: 'transition',
            details: { status: from, version },
          });
        }
      },
    })),
  ),
  {
    name: 'a transition sets time and version, stores the given values and removes the others',
    async run({ subject: ledger, id, clock }) {
      const jobId = id('job');
      await ledger.createJob({ jobId, tenantId: id('tenant'), metadata: { origin: 'upload' } });
      clock.at(1000);
      const running = await ledger.transitionJob({ jobId, to: 'RUNNING', result: { done: 1 } });
      deepEqual(
        [running.startedAt, running.completedAt, running.result],
        ['2023-11-14T22:13:21.000Z', undefined, { done: 1 }],
      );
      clock.at(2000);
      const failed = await ledger.transitionJob({ jobId, to: 'FAILED', error: new RangeError('too far') });
      deepEqual(failed.error, { type: 'RangeError', message: 'too far' });
      deepEqual([failed.result, failed.completedAt], [undefined, '2023-11-14T22:13:22.000Z']);
      deepEqual([failed.startedAt, failed.metadata?.origin], ['2023-11-14T22:13:21.000Z', 'upload']);
    },
  },
  {
    name: 'a transition rejects another version than the expected one, and a job that does not exist',
    async run({ subject: ledger, id }) {
      const jobId = id('job');
      await ledger.createJob({ jobId, tenantId: id('tenant') });
      await ledger.transitionJob({ jobId, to: 'RUNNING', expectedVersion: 1 });
      await rejects(ledger.transitionJob({ jobId, to: 'FAILED', expectedVersion: 1 }), {
        reason: 'version',
        details: { status: 'RUNNING', version: 2 },
      });
      await rejects(ledger.transitionJob({ jobId: id('other'), to: 'RUNNING' }), {
        code: 'jobs.not_found',
        status: 404,
      });
    },
  },
  {
    name: 'of many concurrent transitions one succeeds',
    async run({ subject: ledger, id }) {
      const jobId = id('job');
      await ledger.createJob({ jobId, tenantId: id('tenant') });
      const tries = await Promise.allSettled(
        Array.from({ length: 50 }, () => ledger.transitionJob({ jobId, to: 'RUNNING' })),
      );
      equal(tries.filter(({ status }) => status === 'fulfilled').length, 1);
      equal((await ledger.getJob({ jobId, consistent: true }))?.version, 2);
    },
  },
  {
    name: 'an expired job counts as absent while its row is still there',
    async run({ subject: ledger, id, clock }) {
      const [jobId, tenantId] = [id('job'), id('tenant')];
      await ledger.createJob({ jobId, tenantId, ttlSeconds: 10 });
      clock.at(9999);
      ok(await ledger.getJob({ jobId, consistent: true }));
      clock.at(10_000);
      equal(await ledger.getJob({ jobId, consistent: true }), undefined);
      deepEqual((await ledger.listJobs({ tenantId })).items, []);
      await rejects(ledger.transitionJob({ jobId, to: 'RUNNING' }), { type: 'not_found' });
      equal((await ledger.createJob({ jobId, tenantId })).version, 1);
    },
  },
  {
    name: 'a job of another tenant is absent',
    async run({ subject: ledger, id }) {
      const jobId = id('job');
      await ledger.createJob({ jobId, tenantId: id('tenant') });
      equal(await ledger.getJob({ jobId, tenantId: id('stranger'), consistent: true }), undefined);
      deepEqual((await ledger.listJobs({ tenantId: id('stranger') })).items, []);
    },
  },
  {
    name: 'jobs are listed by tenant, status and time, in pages, newest first',
    async run({ subject: ledger, id, clock }) {
      const tenantId = id('tenant');
      for (const number of [1, 2, 3, 4, 5]) {
        clock.at(number * 1000);
        await ledger.createJob({ jobId: id(`job${number}`), tenantId });
      }
      await ledger.transitionJob({ jobId: id('job3'), to: 'RUNNING' });
      const numbers = async (input: object) => {
        const found: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await ledger.listJobs({ tenantId, limit: 2, ...input, ...(cursor && { cursor }) });
          found.push(...page.items.map(({ jobId }) => jobId.slice(3, 4)));
          cursor = page.cursor;
        } while (cursor !== undefined);
        return found.join('');
      };
      equal(await numbers({}), '54321');
      equal(await numbers({ order: 'oldest' }), '12345');
      equal(await numbers({ status: 'PENDING' }), '5421');
      equal(await numbers({ status: 'RUNNING' }), '3');
      const between = { createdFrom: '2023-11-14T22:13:22.000Z', createdTo: '2023-11-14T23:13:24+01:00' };
      equal(await numbers(between), '432');
      equal(await numbers({ createdFrom: between.createdTo, createdTo: between.createdFrom }), '');
    },
  },
  {
    name: 'a cursor belongs to its query',
    async run({ subject: ledger, id }) {
      const tenantId = id('tenant');
      for (const number of [1, 2]) await ledger.createJob({ jobId: id(`job${number}`), tenantId });
      const { cursor = '' } = await ledger.listJobs({ tenantId, limit: 1 });
      for (const query of [{ status: 'PENDING' as const }, { order: 'oldest' as const }, { tenantId: id('other') }]) {
        await rejects(ledger.listJobs({ tenantId, ...query, cursor }), { code: 'jobs.invalid_input' });
      }
      for (const bad of ['', 'x', 'e30', Buffer.from('null').toString('base64url'), 7 as unknown as string]) {
        await rejects(ledger.listJobs({ tenantId, cursor: bad }), { code: 'jobs.invalid_input' });
      }
    },
  },
];
