import { equal, rejects } from 'node:assert/strict';
import type { JobLedger } from '../../ledger/ledger.js';
import type { CaseDefinition } from '../harness.js';

/** Values that are not valid ids. */
const BAD_IDS: readonly unknown[] = [
  '',
  'a\u0000b',
  'a\nb',
  '\u007f',
  '\u0085',
  '\ud800',
  'x'.repeat(257),
  'é'.repeat(129),
  7,
  null,
];

const INVALID = { code: 'jobs.invalid_input', status: 400 };
const CYCLE: { self?: unknown } = {};
CYCLE.self = CYCLE;

/** A call for each argument that is an id. */
function callsWith(ledger: JobLedger, bad: string): (() => Promise<unknown>)[] {
  const lease = { name: bad, id: 'i', owner: 'o', token: 1, expiresAtMs: 1 };
  return [
    () => ledger.createJob({ jobId: bad, tenantId: 't' }),
    () => ledger.createJob({ jobId: 'j', tenantId: bad }),
    () => ledger.transitionJob({ jobId: bad, to: 'RUNNING' }),
    () => ledger.getJob({ jobId: bad }),
    () => ledger.listJobs({ tenantId: bad }),
    () => ledger.createRecords({ jobId: bad, recordIds: ['r'] }),
    () => ledger.transitionRecord({ jobId: 'j', recordId: bad, to: 'PROCESSING' }),
    () => ledger.getRecord({ jobId: 'j', recordId: bad }),
    () => ledger.listRecords({ jobId: bad }),
    () => ledger.acquireLease({ name: bad, owner: 'o' }),
    () => ledger.acquireLease({ name: 'n', owner: bad }),
    () => ledger.refreshLease(lease),
    () => ledger.releaseLease(lease),
    () => ledger.getLease(bad),
    () => ledger.acquireSlot({ scope: bad, subject: 's', limit: 1, owner: 'o' }),
    () => ledger.acquireSlot({ scope: 's', subject: bad, limit: 1, owner: 'o' }),
    () => ledger.inspectSemaphore({ scope: 's', subject: bad }),
    () => ledger.beginIdempotency({ scope: bad, key: 'k', inProgressMs: 1000 }),
  ];
}

export const INPUT_CASES: readonly CaseDefinition<JobLedger>[] = [
  ...BAD_IDS.map((bad) => ({
    name: `an invalid id is rejected: ${JSON.stringify(typeof bad === 'string' ? bad.slice(0, 8) : bad)}`,
    async run({ subject: ledger }: { subject: JobLedger }) {
      for (const call of callsWith(ledger, bad as string)) await rejects(call, INVALID);
    },
  })),
  {
    name: 'names of Object.prototype, and ids of 256 bytes, are valid',
    async run({ subject: ledger, id }) {
      for (const jobId of ['__proto__', 'constructor', 'toString', 'é'.repeat(128)]) {
        const tenantId = id('tenant');
        await ledger.createJob({ jobId, tenantId, ttlSeconds: 1 }).catch(() => undefined);
        equal((await ledger.getJob({ jobId, consistent: true }))?.jobId, jobId);
      }
    },
  },
  {
    name: 'numbers out of range, unknown names and values that are not JSON are rejected',
    async run({ subject: ledger, id }) {
      const jobId = id('job');
      await ledger.createJob({ jobId, tenantId: id('tenant') });
      const metadata = (entries: number, length: number) =>
        Object.fromEntries(Array.from({ length: entries }, (_, index) => [`k${index}`, 'v'.repeat(length)]));
      const begin = { scope: 's', key: id(), inProgressMs: 1000 };
      const calls: (() => Promise<unknown>)[] = [
        () => ledger.createJob({ jobId: id(), tenantId: 't', status: 'SUCCEEDED' as 'RUNNING' }),
        () => ledger.createJob({ jobId: id(), tenantId: 't', ttlSeconds: 0 }),
        () => ledger.createJob({ jobId: id(), tenantId: 't', ttlSeconds: 1.5 }),
        () => ledger.createJob({ jobId: id(), tenantId: 't', ttl: 5 } as never),
        () => ledger.createJob({ jobId: id(), tenantId: 't', metadata: metadata(33, 1) }),
        () => ledger.createJob({ jobId: id(), tenantId: 't', metadata: metadata(2, 2048) }),
        () => ledger.createJob({ jobId: id(), tenantId: 't', metadata: { a: 1 } as never }),
        () => ledger.createJob(null as never),
        () => ledger.transitionJob({ jobId, to: 'DONE' as 'FAILED' }),
        () => ledger.transitionJob({ jobId, to: 'toString' as 'FAILED' }),
        () => ledger.transitionJob({ jobId, to: 'RUNNING', expectedVersion: 0 }),
        () => ledger.transitionJob({ jobId, to: 'FAILED', result: 1, error: 'x' }),
        ...[10n, CYCLE, () => 1, { a: Symbol('s') }, { a: [Number.NaN] }, new Map()].map(
          (result) => () => ledger.transitionJob({ jobId, to: 'RUNNING', result }),
        ),
        () => ledger.transitionJob({ jobId, to: 'RUNNING', result: 'x'.repeat(350_001) }),
        () => ledger.listJobs({ tenantId: 't', limit: 101 }),
        () => ledger.listJobs({ tenantId: 't', limit: 0 }),
        () => ledger.listJobs({ tenantId: 't', createdFrom: 'yesterday' }),
        () => ledger.listRecords({ jobId, limit: 1001 }),
        () => ledger.createRecords({ jobId, recordIds: ['a'], concurrency: 65 }),
        () => ledger.acquireLease({ name: 'n', owner: 'o', durationMs: 999 }),
        () => ledger.acquireLease({ name: 'n', owner: 'o', durationMs: 900_001 }),
        () => ledger.acquireSlot({ scope: 's', subject: 's', owner: 'o', limit: 257 }),
        () => ledger.acquireSlot({ scope: 's', subject: 's', owner: 'o', limit: 0 }),
        () => ledger.beginIdempotency({ ...begin, inProgressMs: 999 }),
        () => ledger.beginIdempotency({ ...begin, inProgressMs: 1000.5 }),
        () => ledger.beginIdempotency({ ...begin, fingerprint: 'A'.repeat(64) }),
        () => ledger.beginIdempotency({ ...begin, key: 'a\u0001' }),
        () => ledger.beginIdempotency({ ...begin, key: '' }),
        () => ledger.renewIdempotency({ ...begin, owner: 'o' }, { inProgressMs: 999 }),
        () => ledger.renewIdempotency({ ...begin, owner: 'o' }, { inProgressMs: 1000, ttlSeconds: 0 }),
        () => ledger.renewIdempotency({ ...begin, owner: 'o' }, { inProgressMs: 1000, key: 'k' } as never),
        () => ledger.renewIdempotency({ ...begin, owner: '' }, { inProgressMs: 1000 }),
      ];
      for (const call of calls) await rejects(call, INVALID);
      equal((await ledger.getJob({ jobId, consistent: true }))?.version, 1);
    },
  },
  {
    name: 'an aborted call rejects with the reason of its signal',
    async run({ subject: ledger, id }) {
      const signal = AbortSignal.abort(new Error('gone'));
      const gone = { message: 'gone' };
      await rejects(ledger.createJob({ jobId: id(), tenantId: 't' }, { signal }), gone);
      await rejects(ledger.acquireLease({ name: id(), owner: 'o' }, { signal }), gone);
      await rejects(ledger.acquireSlot({ scope: 's', subject: id(), owner: 'o', limit: 1 }, { signal }), gone);
      await rejects(ledger.beginIdempotency({ scope: 's', key: id(), inProgressMs: 1000 }, { signal }), gone);
      await rejects(ledger.transitionRecord({ jobId: 'j', recordId: 'r', to: 'PROCESSING' }, { signal }), gone);
    },
  },
];
