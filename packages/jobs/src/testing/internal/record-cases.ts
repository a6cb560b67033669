import { deepEqual, equal, rejects } from 'node:assert/strict';
import type { RecordStatus } from '../../ledger/job.js';
import type { JobLedger } from '../../ledger/ledger.js';
import type { CaseDefinition } from '../harness.js';

/** Every legal transition, as in the contract. */
const LEGAL = new Set([
  'PENDING>PROCESSING',
  'PENDING>SKIPPED',
  'PENDING>FAILED',
  'PROCESSING>SUCCEEDED',
  'PROCESSING>FAILED',
  'PROCESSING>SKIPPED',
  'PROCESSING>PENDING',
]);
const STATUSES: readonly RecordStatus[] = ['PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'SKIPPED'];
/** The transitions that lead to a status. */
const WAYS: Readonly<Record<RecordStatus, readonly RecordStatus[]>> = {
  PENDING: [],
  PROCESSING: ['PROCESSING'],
  SUCCEEDED: ['PROCESSING', 'SUCCEEDED'],
  FAILED: ['FAILED'],
  SKIPPED: ['SKIPPED'],
};

export const RECORD_CASES: readonly CaseDefinition<JobLedger>[] = [
  ...STATUSES.flatMap((from) =>
    STATUSES.map((to) => ({
      name: `a record ${LEGAL.has(`${from}>${to}`) ? 'goes' : 'does not go'} from ${from} to ${to}`,
      async run({ subject: ledger, id }: { subject: JobLedger; id(name: string): string }) {
        const record = { jobId: id('job'), recordId: 'r' };
        await ledger.createRecords({ jobId: record.jobId, recordIds: ['r'] });
        for (const status of WAYS[from]) await ledger.transitionRecord({ ...record, to: status });
        if (LEGAL.has(`${from}>${to}`)) {
          equal((await ledger.transitionRecord({ ...record, to })).status, to);
        } else {
          const expected = { reason: 'transition', details: { status: from } };
          await rejects(ledger.transitionRecord({ ...record, to }), expected);
          await rejects(ledger.transitionRecord({ ...record, to, orCreate: true }), expected);
        }
      },
    })),
  ),
  {
    name: 'a record counts its attempts and keeps one outcome at a time',
    async run({ subject: ledger, id, clock }) {
      const record = { jobId: id('job'), recordId: 'r' };
      await ledger.createRecords({ jobId: record.jobId, recordIds: ['r'] });
      await ledger.transitionRecord({ ...record, to: 'PROCESSING' });
      const back = await ledger.transitionRecord({ ...record, to: 'PENDING', error: new Error('busy') });
      deepEqual([back.attempts, back.error, back.completedAt], [1, { type: 'Error', message: 'busy' }, undefined]);
      await ledger.transitionRecord({ ...record, to: 'PROCESSING' });
      clock.at(5);
      const done = await ledger.transitionRecord({ ...record, to: 'SUCCEEDED', result: [1, 'two'] });
      deepEqual([done.attempts, done.error, done.result], [2, undefined, [1, 'two']]);
      equal(done.completedAt, '2023-11-14T22:13:20.005Z');
      deepEqual(await ledger.getRecord({ ...record, consistent: true }), done);
    },
  },
  {
    name: 'a record that does not exist is not found, or counts as pending and is created',
    async run({ subject: ledger, id }) {
      const jobId = id('job');
      await rejects(ledger.transitionRecord({ jobId, recordId: 'a', to: 'PROCESSING' }), { code: 'jobs.not_found' });
      const made = await ledger.transitionRecord({ jobId, recordId: 'a', to: 'PROCESSING', orCreate: true });
      deepEqual([made.recordId, made.attempts, made.createdAt], ['a', 1, '2023-11-14T22:13:20.000Z']);
      const skipped = await ledger.transitionRecord({ jobId, recordId: 'b', to: 'SKIPPED', orCreate: true });
      deepEqual([skipped.status, skipped.attempts], ['SKIPPED', 0]);
      await rejects(ledger.transitionRecord({ jobId, recordId: 'c', to: 'SUCCEEDED', orCreate: true }), {
        reason: 'transition',
        details: { status: 'PENDING' },
      });
      equal(await ledger.getRecord({ jobId, recordId: 'c', consistent: true }), undefined);
    },
  },
  {
    name: 'an expired record counts as absent while its row is still there',
    async run({ subject: ledger, id, clock }) {
      const record = { jobId: id('job'), recordId: 'r' };
      await ledger.createRecords({ jobId: record.jobId, recordIds: ['r'], ttlSeconds: 10 });
      await ledger.transitionRecord({ ...record, to: 'FAILED', error: new Error('old'), ttlSeconds: 10 });
      clock.at(10_000);
      equal(await ledger.getRecord({ ...record, consistent: true }), undefined);
      deepEqual((await ledger.listRecords({ jobId: record.jobId })).items, []);
      await rejects(ledger.transitionRecord({ ...record, to: 'PROCESSING' }), { code: 'jobs.not_found' });
      const made = await ledger.transitionRecord({ ...record, to: 'PROCESSING', orCreate: true });
      deepEqual([made.attempts, made.error, made.createdAt], [1, undefined, '2023-11-14T22:13:30.000Z']);
    },
  },
  {
    name: 'a transition sets when its job or record expires, or keeps its expiry',
    async run({ subject: ledger, id, clock }) {
      const job = async (name: string, ttlSeconds: number | undefined, change: object) => {
        const jobId = id(name);
        await ledger.createJob({ jobId, tenantId: 't', ...(ttlSeconds !== undefined && { ttlSeconds }) });
        await ledger.createRecords({ jobId, recordIds: ['r'] });
        await ledger.transitionJob({ jobId, to: 'RUNNING', ...change });
        await ledger.transitionRecord({ jobId, recordId: 'r', to: 'PROCESSING', ...change });
        return jobId;
      };
      const expiring = await job('expiring', undefined, { ttlSeconds: 10 });
      const longer = await job('longer', 10, { ttlSeconds: 20 });
      const unchanged = await job('unchanged', 10, {});
      const lasting = await job('lasting', undefined, {});
      const alive = async () => {
        const found = [];
        for (const jobId of [expiring, longer, unchanged, lasting]) {
          found.push([
            (await ledger.getJob({ jobId, consistent: true })) !== undefined,
            (await ledger.getRecord({ jobId, recordId: 'r', consistent: true })) !== undefined,
          ]);
        }
        return found;
      };
      clock.at(9999);
      deepEqual(await alive(), [
        [true, true],
        [true, true],
        [true, true],
        [true, true],
      ]);
      clock.at(10_000);
      deepEqual(await alive(), [
        [false, false],
        [true, true],
        [false, false],
        [true, true],
      ]);
      clock.at(20_000);
      deepEqual((await alive())[1], [false, false]);
    },
  },
  {
    name: 'a batch returns the outcome of each record in input order',
    async run({ subject: ledger, id }) {
      const jobId = id('job');
      await ledger.createRecords({ jobId, recordIds: ['b'] });
      const created = await ledger.createRecords({ jobId, recordIds: ['a', 'b', 'c\u0000', 'd'], concurrency: 2 });
      deepEqual(
        created.map(({ recordId, outcome }) => [recordId, outcome]),
        [
          ['a', 'ok'],
          ['b', 'exists'],
          ['c\u0000', 'failed'],
          ['d', 'ok'],
        ],
      );
      const changes = [
        { recordId: 'a', to: 'PROCESSING' as const },
        { recordId: 'b', to: 'SUCCEEDED' as const },
        { recordId: 'x', to: 'FAILED' as const },
        { recordId: 'd', to: 'NONSENSE' as 'FAILED' },
      ];
      deepEqual(
        (await ledger.transitionRecords({ jobId, changes })).map(({ outcome }) => outcome),
        ['ok', 'conflict', 'not_found', 'failed'],
      );
    },
  },
  {
    name: 'a batch that repeats a record is rejected before any write, and an aborted one starts no write',
    async run({ subject: ledger, id }) {
      const jobId = id('job');
      await rejects(ledger.createRecords({ jobId, recordIds: ['a', 'b', 'a'] }), { code: 'jobs.invalid_input' });
      const signal = AbortSignal.abort();
      deepEqual(await ledger.createRecords({ jobId, recordIds: ['a', 'b'] }, { signal }), [
        { recordId: 'a', outcome: 'not_started' },
        { recordId: 'b', outcome: 'not_started' },
      ]);
      deepEqual((await ledger.listRecords({ jobId })).items, []);
      const tooMany = Array.from({ length: 10_001 }, (_, index) => `r${index}`);
      await rejects(ledger.createRecords({ jobId, recordIds: tooMany }), { code: 'jobs.invalid_input' });
    },
  },
  {
    name: 'records are listed in the order of their ids, by status, in full pages',
    async run({ subject: ledger, id }) {
      const jobId = id('job');
      const recordIds = Array.from({ length: 12 }, (_, index) => `r${String(index).padStart(2, '0')}`);
      await ledger.createJob({ jobId, tenantId: id('tenant') });
      await ledger.createRecords({ jobId, recordIds });
      for (const recordId of ['r03', 'r07', 'r11']) await ledger.transitionRecord({ jobId, recordId, to: 'FAILED' });
      const first = await ledger.listRecords({ jobId, limit: 5 });
      deepEqual(
        first.items.map(({ recordId }) => recordId),
        ['r00', 'r01', 'r02', 'r03', 'r04'],
      );
      const second = await ledger.listRecords({ jobId, limit: 5, cursor: first.cursor ?? '' });
      deepEqual(
        second.items.map(({ recordId }) => recordId),
        ['r05', 'r06', 'r07', 'r08', 'r09'],
      );
      const failed = await ledger.listRecords({ jobId, status: 'FAILED', limit: 2 });
      deepEqual(
        failed.items.map(({ recordId }) => recordId),
        ['r03', 'r07'],
      );
      const rest = await ledger.listRecords({ jobId, status: 'FAILED', limit: 2, cursor: failed.cursor ?? '' });
      deepEqual([rest.items.map(({ recordId }) => recordId), rest.cursor], [['r11'], undefined]);
      await rejects(ledger.listRecords({ jobId, cursor: failed.cursor ?? '' }), { code: 'jobs.invalid_input' });
    },
  },
];
