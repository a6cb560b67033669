import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import type { JobLedger } from '../../ledger/ledger.js';
import type { CaseDefinition } from '../harness.js';

const CLAIM = { durationMs: 10_000 };

/** A job with records, all waiting. */
async function jobWith(ledger: JobLedger, jobId: string, recordIds: readonly string[], recordCount?: number) {
  await ledger.createJob({ jobId, tenantId: `tenant-of-${jobId}`, ...(recordCount !== undefined && { recordCount }) });
  await ledger.createRecords({ jobId, recordIds });
}

async function claimed(ledger: JobLedger, jobId: string) {
  const record = await ledger.claimNext({ jobId, ...CLAIM });
  ok(record);
  return { record, key: { jobId, recordId: record.recordId }, claimId: record.claim.id };
}

export const CLAIM_CASES: readonly CaseDefinition<JobLedger>[] = [
  {
    name: 'each record is claimed once, and after that there is no record to claim',
    async run({ subject: ledger, id }) {
      const jobId = id('job');
      await jobWith(ledger, jobId, ['a', 'b', 'c']);
      const claims = await Promise.all([1, 2, 3, 4].map(() => ledger.claimNext({ jobId, owner: 'me' })));
      const found = claims.filter((claim) => claim !== undefined);
      deepEqual(found.map(({ recordId }) => recordId).sort(), ['a', 'b', 'c']);
      deepEqual(
        found.map(({ status, attempts, claim }) => [status, attempts, claim.owner, claim.expiresAtMs]),
        found.map(() => ['PROCESSING', 1, 'me', 1_700_000_060_000]),
      );
      equal(await ledger.claimNext({ jobId }), undefined);
      equal(await ledger.claimNext({ jobId: id('none') }), undefined);
    },
  },
  {
    name: 'a worker whose record was released cannot finish the attempt of another worker',
    async run({ subject: ledger, id, clock }) {
      const jobId = id('job');
      await jobWith(ledger, jobId, ['r']);
      const first = await claimed(ledger, jobId);
      clock.at(10_000);
      const reaped = await ledger.reapRecords({ jobId });
      deepEqual(
        reaped.requeued.map(({ recordId, status, claim }) => [recordId, status, claim]),
        [['r', 'PENDING', undefined]],
      );
      const second = await claimed(ledger, jobId);
      const lost = { reason: 'claim_lost', details: { status: 'PROCESSING', attempts: 2 } };
      const end = { ...first.key, to: 'SUCCEEDED' } as const;
      await rejects(ledger.transitionRecord({ ...end, claimId: first.claimId }), lost);
      await rejects(ledger.transitionRecord({ ...end, expectedAttempts: 1 }), lost);
      await rejects(ledger.transitionRecord(end), lost);
      await rejects(ledger.heartbeatRecord({ ...first.key, claimId: first.claimId }), lost);
      const done = await ledger.transitionRecord({ ...end, claimId: second.claimId, result: 'second' });
      deepEqual([done.status, done.attempts, done.claim, done.result], ['SUCCEEDED', 2, undefined, 'second']);
    },
  },
  {
    name: 'the number of attempts also rejects a late worker that passes no claim',
    async run({ subject: ledger, id }) {
      const record = { jobId: id('job'), recordId: 'r' };
      await ledger.createRecords({ jobId: record.jobId, recordIds: ['r'] });
      for (const to of ['PROCESSING', 'PENDING', 'PROCESSING'] as const)
        await ledger.transitionRecord({ ...record, to });
      await rejects(ledger.transitionRecord({ ...record, to: 'SUCCEEDED', expectedAttempts: 1 }), {
        reason: 'claim_lost',
      });
      const changes = [{ recordId: 'r', to: 'FAILED' as const, expectedAttempts: 1 }];
      deepEqual(
        (await ledger.transitionRecords({ jobId: record.jobId, changes })).map(({ outcome }) => outcome),
        ['conflict'],
      );
      equal((await ledger.transitionRecord({ ...record, to: 'SUCCEEDED', expectedAttempts: 2 })).status, 'SUCCEEDED');
    },
  },
  {
    name: 'a heartbeat extends a claim; after the end of claim or record it is rejected',
    async run({ subject: ledger, id, clock }) {
      const jobId = id('job');
      await jobWith(ledger, jobId, ['r']);
      const { key, claimId } = await claimed(ledger, jobId);
      clock.at(9999);
      const beat = await ledger.heartbeatRecord({ ...key, claimId, durationMs: 5000 });
      equal(beat.claim.expiresAtMs, 1_700_000_014_999);
      clock.at(14_998);
      deepEqual((await ledger.reapRecords({ jobId })).requeued, []);
      clock.at(14_999);
      await rejects(ledger.heartbeatRecord({ ...key, claimId }), { reason: 'claim_lost' });
      const next = await claimed(ledger, jobId);
      await ledger.transitionRecord({ ...key, to: 'FAILED', claimId: next.claimId });
      await rejects(ledger.heartbeatRecord({ ...key, claimId: next.claimId }), {
        reason: 'claim_lost',
        details: { status: 'FAILED', attempts: 2 },
      });
      await rejects(ledger.heartbeatRecord({ ...key, recordId: 'none', claimId }), { reason: 'claim_lost' });
    },
  },
  {
    name: 'an expired claim is replaced by the next claim, or fails after the maximum number of attempts',
    async run({ subject: ledger, id, clock }) {
      const jobId = id('job');
      await jobWith(ledger, jobId, ['r']);
      await claimed(ledger, jobId);
      clock.at(10_000);
      equal((await claimed(ledger, jobId)).record.attempts, 2);
      clock.at(20_000);
      equal(await ledger.claimNext({ jobId, maxAttempts: 2 }), undefined);
      const { failed, requeued } = await ledger.reapRecords({ jobId, maxAttempts: 2 });
      deepEqual(requeued, []);
      deepEqual(
        failed.map(({ status, error }) => [status, error?.message]),
        [['FAILED', 'gave up after 2 attempts']],
      );
    },
  },
  {
    name: 'a record without a claim is stuck if it has not changed for the given time',
    async run({ subject: ledger, id, clock }) {
      const record = { jobId: id('job'), recordId: 'r' };
      await ledger.createRecords({ jobId: record.jobId, recordIds: ['r', 'waiting'] });
      await ledger.transitionRecord({ ...record, to: 'PROCESSING' });
      clock.at(4999);
      deepEqual((await ledger.reapRecords({ jobId: record.jobId, stuckMs: 5000 })).requeued, []);
      clock.at(5000);
      deepEqual((await ledger.reapRecords({ jobId: record.jobId })).requeued, []);
      const { requeued } = await ledger.reapRecords({ jobId: record.jobId, stuckMs: 5000 });
      deepEqual(
        requeued.map(({ recordId }) => recordId),
        ['r'],
      );
    },
  },
  {
    name: 'finishing a counted record counts it, and of many concurrent calls exactly one returns isLast',
    async run({ subject: ledger, id }) {
      const jobId = id('job');
      const recordIds = Array.from({ length: 12 }, (_, index) => `r${index}`);
      await jobWith(ledger, jobId, recordIds, 12);
      deepEqual((await ledger.getJob({ jobId }))?.progress, {
        total: 12,
        open: 12,
        succeeded: 0,
        failed: 0,
        skipped: 0,
      });
      await ledger.transitionRecord({ jobId, recordId: 'r0', to: 'SKIPPED' });
      await ledger.transitionRecord({ jobId, recordId: 'r1', to: 'FAILED', error: new Error('no') });
      const ends = await Promise.all(
        recordIds.slice(2).map(async () => {
          const record = await ledger.claimNext({ jobId });
          ok(record);
          return ledger.transitionRecord({
            jobId,
            recordId: record.recordId,
            to: 'SUCCEEDED',
            claimId: record.claim.id,
            result: record.recordId,
          });
        }),
      );
      equal(ends.filter(({ isLast }) => isLast).length, 1);
      deepEqual(
        ends.map(({ status, attempts, recordId, result }) => [status, attempts, recordId === result]),
        ends.map(() => ['SUCCEEDED', 1, true]),
      );
      const job = await ledger.getJob({ jobId, consistent: true });
      deepEqual(job?.progress, { total: 12, open: 0, succeeded: 10, failed: 1, skipped: 1 });
      equal(job?.version, 1);
      await rejects(ledger.transitionRecord({ jobId, recordId: 'r5', to: 'FAILED' }), { reason: 'transition' });
    },
  },
  {
    name: 'a released record is counted once, when it ends; records beyond the count are not counted',
    async run({ subject: ledger, id, clock }) {
      const jobId = id('job');
      await jobWith(ledger, jobId, ['a', 'b'], 1);
      const { key } = await claimed(ledger, jobId);
      clock.at(10_000);
      await ledger.reapRecords({ jobId });
      equal((await ledger.getJob({ jobId, consistent: true }))?.progress?.open, 1);
      const other = key.recordId === 'a' ? 'b' : 'a';
      equal((await ledger.transitionRecord({ jobId, recordId: other, to: 'SKIPPED' })).isLast, true);
      const late = await ledger.transitionRecord({ ...key, to: 'SKIPPED' });
      deepEqual([late.status, late.isLast], ['SKIPPED', undefined]);
      deepEqual((await ledger.getJob({ jobId, consistent: true }))?.progress, {
        total: 1,
        open: 0,
        succeeded: 0,
        failed: 0,
        skipped: 1,
      });
    },
  },
  {
    name: 'a record that a transition creates is counted like the others',
    async run({ subject: ledger, id }) {
      const jobId = id('job');
      await ledger.createJob({ jobId, tenantId: 't', recordCount: 2 });
      const make = { jobId, to: 'SKIPPED', orCreate: true } as const;
      equal((await ledger.transitionRecord({ ...make, recordId: 'a' })).isLast, undefined);
      equal((await ledger.transitionRecord({ ...make, recordId: 'b' })).isLast, true);
    },
  },
  {
    name: 'records belong to the tenant of their job',
    async run({ subject: ledger, id }) {
      const [jobId, tenantId, stranger] = [id('job'), id('tenant'), id('stranger')];
      await ledger.createJob({ jobId, tenantId });
      const record = { jobId, recordId: 'r' };
      await rejects(ledger.transitionJob({ jobId, tenantId: stranger, to: 'RUNNING' }), { code: 'jobs.not_found' });
      const outcomes = await ledger.createRecords({ jobId, tenantId: stranger, recordIds: ['x'] });
      deepEqual(
        outcomes.map(({ outcome }) => outcome),
        ['not_found'],
      );
      await ledger.createRecords({ jobId, tenantId, recordIds: ['r'] });
      equal(await ledger.getRecord({ ...record, tenantId: stranger }), undefined);
      deepEqual((await ledger.listRecords({ jobId, tenantId: stranger })).items, []);
      for (const change of [
        { ...record, to: 'PROCESSING' as const },
        { jobId, recordId: 'new', to: 'PROCESSING' as const, orCreate: true },
      ]) {
        await rejects(ledger.transitionRecord({ ...change, tenantId: stranger }), { code: 'jobs.not_found' });
      }
      await rejects(ledger.claimNext({ jobId, tenantId: stranger }), { code: 'jobs.not_found' });
      await rejects(ledger.reapRecords({ jobId, tenantId: stranger }), { code: 'jobs.not_found' });
      equal((await ledger.getRecord({ ...record, tenantId, consistent: true }))?.recordId, 'r');
      equal((await ledger.listRecords({ jobId, tenantId })).items.length, 1);
      equal((await ledger.transitionRecord({ ...record, tenantId, to: 'PROCESSING' })).status, 'PROCESSING');
      equal((await ledger.transitionJob({ jobId, tenantId, to: 'RUNNING' })).status, 'RUNNING');
    },
  },
  {
    name: 'records expire with their job, so that the next job with that id does not show them',
    async run({ subject: ledger, id, clock }) {
      const jobId = id('job');
      await ledger.createJob({ jobId, tenantId: 'one', ttlSeconds: 10 });
      await ledger.createRecords({ jobId, recordIds: ['r'] });
      await ledger.transitionRecord({
        jobId,
        recordId: 'made',
        to: 'FAILED',
        orCreate: true,
        error: new Error('of job 1'),
      });
      clock.at(10_000);
      await ledger.createJob({ jobId, tenantId: 'two' });
      deepEqual((await ledger.listRecords({ jobId })).items, []);
      equal(await ledger.getRecord({ jobId, recordId: 'made', consistent: true }), undefined);
    },
  },
  {
    name: 'records of an earlier job of another tenant are not shown, claimed or released for the next job',
    async run({ subject: ledger, id, clock }) {
      const jobId = id('job');
      await ledger.createJob({ jobId, tenantId: 'one', ttlSeconds: 10 });
      await ledger.createRecords({ jobId, recordIds: ['left', 'stuck'], ttlSeconds: 1000 });
      await ledger.transitionRecord({ jobId, recordId: 'stuck', to: 'PROCESSING' });
      clock.at(10_000);
      await ledger.createJob({ jobId, tenantId: 'two' });
      deepEqual((await ledger.listRecords({ jobId, tenantId: 'two' })).items, []);
      equal(await ledger.claimNext({ jobId, tenantId: 'two' }), undefined);
      deepEqual((await ledger.reapRecords({ jobId, tenantId: 'two', stuckMs: 1000 })).requeued, []);
      equal((await ledger.reapRecords({ jobId, stuckMs: 1000 })).requeued.length, 1);
    },
  },
  {
    name: 'invalid claims are rejected',
    async run({ subject: ledger, id }) {
      const jobId = id('job');
      const bad: readonly (() => Promise<unknown>)[] = [
        () => ledger.claimNext({ jobId: '' }),
        () => ledger.claimNext({ jobId, durationMs: 999 }),
        () => ledger.claimNext({ jobId, maxAttempts: 0 }),
        () => ledger.claimNext({ jobId, claim: 'x' } as never),
        () => ledger.heartbeatRecord({ jobId, recordId: 'r', claimId: '' }),
        () => ledger.heartbeatRecord({ jobId, recordId: 'r', claimId: 'c', durationMs: 900_001 }),
        () => ledger.reapRecords({ jobId, stuckMs: 10 }),
        () => ledger.reapRecords({ jobId, cursor: 'nonsense' }),
        () => ledger.createJob({ jobId, tenantId: 't', recordCount: 0 }),
        () => ledger.transitionRecord({ jobId, recordId: 'r', to: 'FAILED', expectedAttempts: -1 }),
        () => ledger.transitionRecord({ jobId, recordId: 'r', to: 'FAILED', claimId: 7 } as never),
      ];
      for (const call of bad) await rejects(call(), { code: 'jobs.invalid_input' });
    },
  },
];
