import { deepEqual, equal, rejects } from 'node:assert/strict';
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
        () => ledger.createJob({ jobId: id(), tenantId: 't', metadata: { a: 'v'.repeat(4096) } }),
        () => ledger.createJob({ jobId: id(), tenantId: 't', ttlSeconds: 3_155_760_001 }),
        () => ledger.createJob({ jobId: id(), tenantId: 't', recordCount: 1_000_001 }),
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
        () => ledger.transitionJob({ jobId, to: 'RUNNING', ttlSeconds: 0 }),
        () => ledger.transitionJob({ jobId, to: 'RUNNING' }, { remainingMs: -1 }),
        () => ledger.transitionJob({ jobId, to: 'RUNNING' }, { remainingMs: 1.5 }),
        () => ledger.transitionRecord({ jobId, recordId: 'r', to: 'PROCESSING' }, { remainingMs: -1 }),
        () => ledger.transitionRecord({ jobId, recordId: 'r', to: 'PROCESSING', ttlSeconds: 0 }),
        () => ledger.transitionRecord({ jobId, recordId: 'r', to: 'PROCESSING', expectedAttempts: 0.5 }),
        () => ledger.listJobs({ tenantId: 't', limit: 101 }),
        () => ledger.listJobs({ tenantId: 't', limit: 0 }),
        () => ledger.listJobs({ tenantId: 't', createdFrom: 'yesterday' }),
        () => ledger.listJobs({ tenantId: 't', createdTo: 'tomorrow' }),
        () => ledger.listRecords({ jobId, limit: 0 }),
        () => ledger.listRecords({ jobId, limit: 1001 }),
        () => ledger.createRecords({ jobId, recordIds: ['a'], concurrency: 0 }),
        () => ledger.createRecords({ jobId, recordIds: ['a'], concurrency: 65 }),
        () => ledger.acquireLease({ name: 'n', owner: 'o', durationMs: 999 }),
        () => ledger.acquireLease({ name: 'n', owner: 'o', durationMs: 900_001 }),
        () => ledger.acquireSlot({ scope: 's', subject: 's', owner: 'o', limit: 257 }),
        () => ledger.acquireSlot({ scope: 's', subject: 's', owner: 'o', limit: 0 }),
        () => ledger.beginIdempotency({ ...begin, inProgressMs: 999 }),
        () => ledger.beginIdempotency({ ...begin, inProgressMs: 1000.5 }),
        () => ledger.beginIdempotency({ ...begin, inProgressMs: 31_622_400_001 }),
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
    name: 'the least and the greatest number of each range are valid',
    async run({ subject: ledger, id }) {
      const job = (name: string, more: object) =>
        ledger.createJob({ jobId: id(name), tenantId: id('tenant'), ...more } as never);
      const entries = Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`k${index}`, 'v']));
      const bytes = { a: 'v'.repeat(4095) };
      deepEqual({ ...(await job('entries', { metadata: entries })).metadata }, entries);
      deepEqual({ ...(await job('bytes', { metadata: bytes })).metadata }, bytes);
      const jobId = id('counts');
      for (const ttlSeconds of [1, 3_155_760_000]) await job(`ttl${ttlSeconds}`, { ttlSeconds });
      for (const recordCount of [1, 1_000_000]) await job(`of${recordCount}`, { recordCount });
      await job('counts', {});
      await ledger.transitionJob({ jobId, to: 'RUNNING', expectedVersion: 1 }, { remainingMs: 0 });
      for (const limit of [1, 100]) equal((await ledger.listJobs({ tenantId: id('none'), limit })).items.length, 0);
      for (const limit of [1, 1000]) equal((await ledger.listRecords({ jobId, limit })).items.length, 0);
      for (const concurrency of [1, 64]) {
        const [created] = await ledger.createRecords({ jobId, recordIds: [`r${concurrency}`], concurrency });
        equal(created?.outcome, 'ok');
      }
      const first = { jobId, recordId: 'r1', to: 'PROCESSING' as const, expectedAttempts: 0 };
      equal((await ledger.transitionRecord(first)).attempts, 1);
      for (const durationMs of [1000, 900_000]) {
        const name = id(`lease${durationMs}`);
        equal(
          (await ledger.acquireLease({ name, owner: 'o', durationMs })).expiresAtMs,
          1_700_000_000_000 + durationMs,
        );
      }
      for (const limit of [1, 256]) {
        await ledger.acquireSlot({ scope: 's', subject: id(`limit${limit}`), owner: 'o', limit });
      }
      for (const inProgressMs of [1000, 31_622_400_000]) {
        const start = await ledger.beginIdempotency({ scope: 's', key: id(`for${inProgressMs}`), inProgressMs });
        equal(start.outcome, 'created');
      }
    },
  },
  {
    name: 'a lease, a slot or a handle that no call has returned is rejected',
    async run({ subject: ledger }) {
      for (const wrong of [undefined, null, 5, 'lease', {}] as never[]) {
        const calls: (() => Promise<unknown>)[] = [
          () => ledger.refreshLease(wrong),
          () => ledger.releaseLease(wrong),
          () => ledger.refreshSlot(wrong),
          () => ledger.releaseSlot(wrong),
          () => ledger.renewIdempotency(wrong, { inProgressMs: 1000 }),
          () => ledger.completeIdempotency(wrong, {}),
          () => ledger.abandonIdempotency(wrong),
        ];
        for (const call of calls) await rejects(call, INVALID);
      }
      const slot = { scope: 's', subject: 't', slot: 0, id: 'i', owner: 'o', expiresAtMs: 1 };
      for (const bad of [{ slot: -1 }, { slot: 256 }, { slot: 0.5 }, { scope: '' }, { subject: '' }, { id: '' }]) {
        await rejects(ledger.releaseSlot({ ...slot, ...bad }), INVALID);
      }
      for (const number of [0, 255]) await ledger.releaseSlot({ ...slot, slot: number });
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
