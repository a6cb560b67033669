import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import type { IdempotencyHandle, IdempotencyStart } from '../../idempotency/record.js';
import type { JobLedger } from '../../ledger/ledger.js';
import type { CaseDefinition } from '../harness.js';

const FINGERPRINT = 'a'.repeat(64);
const OTHER_FINGERPRINT = 'b'.repeat(64);

function handleOf(start: IdempotencyStart): IdempotencyHandle {
  equal(start.outcome, 'created');
  return (start as { handle: IdempotencyHandle }).handle;
}

export const IDEMPOTENCY_CASES: readonly CaseDefinition<JobLedger>[] = [
  {
    name: 'a key is begun once, and returns its result until it expires',
    async run({ subject: ledger, id, clock }) {
      const begin = { scope: 'orders', key: id(), inProgressMs: 1000 };
      const handle = handleOf(await ledger.beginIdempotency(begin));
      clock.at(400);
      deepEqual(await ledger.beginIdempotency(begin), { outcome: 'already_in_progress', retryAfterMs: 600 });
      await ledger.completeIdempotency(handle, { result: { id: 7, password: 'kept' }, resultTtlSeconds: 10 });
      const again = await ledger.beginIdempotency(begin);
      deepEqual(again.outcome === 'already_completed' && again.record, {
        scope: 'orders',
        key: begin.key,
        status: 'COMPLETED',
        expiresAtMs: 1_700_000_010_400,
        completedAt: '2023-11-14T22:13:20.400Z',
        result: { id: 7, password: 'kept' },
        resultOmitted: false,
      });
      clock.at(10_399);
      ok(await ledger.getIdempotencyRecord(keyOf(begin)));
      clock.at(10_400);
      equal(await ledger.getIdempotencyRecord(keyOf(begin)), undefined);
      equal((await ledger.beginIdempotency(begin)).outcome, 'created');
    },
  },
  {
    name: 'an owner that does not finish blocks its key for inProgressMs, then it is replaced and may not complete',
    async run({ subject: ledger, id, clock }) {
      const begin = { scope: 'orders', key: id(), inProgressMs: 2000 };
      const crashed = handleOf(await ledger.beginIdempotency(begin));
      clock.at(1999);
      equal((await ledger.beginIdempotency(begin)).outcome, 'already_in_progress');
      clock.at(2000);
      equal(await ledger.getIdempotencyRecord(keyOf(begin)), undefined);
      const next = handleOf(await ledger.beginIdempotency(begin));
      await rejects(ledger.completeIdempotency(crashed, { result: 'late' }), { reason: 'owner_lost' });
      await rejects(ledger.abandonIdempotency(crashed), { reason: 'owner_lost' });
      await ledger.completeIdempotency(next, { result: 'mine' });
      await rejects(
        ledger.completeIdempotency(crashed, { result: 'late' }),
        (error: { reason: string; details: unknown }) => {
          equal(error.reason, 'already_completed');
          equal((error.details as { result: unknown }).result, 'mine');
          return true;
        },
      );
      equal((await ledger.getIdempotencyRecord(keyOf(begin)))?.result, 'mine');
    },
  },
  {
    name: 'an owner that renews its key keeps it, and renews it even if it is late, but not over another owner',
    async run({ subject: ledger, id, clock }) {
      const begin = { scope: 'orders', key: id(), inProgressMs: 2000, ttlSeconds: 1 };
      const handle = handleOf(await ledger.beginIdempotency(begin));
      clock.at(1900);
      await ledger.renewIdempotency(handle, { inProgressMs: 3000, ttlSeconds: 1 });
      clock.at(4800);
      deepEqual(await ledger.beginIdempotency(begin), { outcome: 'already_in_progress', retryAfterMs: 100 });
      clock.at(6000);
      await ledger.renewIdempotency(handle, { inProgressMs: 1000 });
      deepEqual(await ledger.getIdempotencyRecord(keyOf(begin)), {
        scope: 'orders',
        key: begin.key,
        status: 'IN_PROGRESS',
        expiresAtMs: 1_700_000_006_000 + 86_400_000,
        inProgressUntilMs: 1_700_000_007_000,
        resultOmitted: false,
      });
      clock.at(7000);
      const next = handleOf(await ledger.beginIdempotency(begin));
      await rejects(ledger.renewIdempotency(handle, { inProgressMs: 1000 }), { reason: 'owner_lost' });
      await ledger.completeIdempotency(next, { result: 1 });
      for (const late of [handle, next]) {
        await rejects(ledger.renewIdempotency(late, { inProgressMs: 1000 }), { reason: 'already_completed' });
      }
    },
  },
  {
    name: 'an owner that is late but was not replaced completes its record',
    async run({ subject: ledger, id, clock }) {
      const begin = { scope: 'orders', key: id(), inProgressMs: 1000 };
      const handle = handleOf(await ledger.beginIdempotency(begin));
      clock.at(5000);
      await ledger.completeIdempotency(handle, { result: 1 });
      equal((await ledger.beginIdempotency(begin)).outcome, 'already_completed');
    },
  },
  {
    name: 'a result is kept longer than the time in progress and the record’s first expiry',
    async run({ subject: ledger, id, clock }) {
      const begin = { scope: 'orders', key: id(), inProgressMs: 5000, ttlSeconds: 1 };
      const handle = handleOf(await ledger.beginIdempotency(begin));
      clock.at(4999);
      equal((await ledger.beginIdempotency(begin)).outcome, 'already_in_progress');
      await ledger.completeIdempotency(handle, { result: 1, resultTtlSeconds: 100 });
      clock.at(104_998);
      equal((await ledger.beginIdempotency(begin)).outcome, 'already_completed');
      clock.at(104_999);
      equal((await ledger.beginIdempotency(begin)).outcome, 'created');
    },
  },
  {
    name: 'an error is stored instead of a result, never together',
    async run({ subject: ledger, id }) {
      const begin = { scope: 'orders', key: id(), inProgressMs: 1000 };
      const handle = handleOf(await ledger.beginIdempotency(begin));
      await rejects(ledger.completeIdempotency(handle, { result: 1, error: new Error('x') }), {
        type: 'invalid_input',
      });
      await ledger.completeIdempotency(handle, { error: new TypeError('no such thing') });
      const record = await ledger.getIdempotencyRecord(keyOf(begin));
      deepEqual(record?.error, { type: 'TypeError', message: 'no such thing' });
      equal(record?.result, undefined);
      await rejects(ledger.completeIdempotency(handle, { result: 1 }), { reason: 'already_completed' });
      await rejects(ledger.abandonIdempotency(handle), { reason: 'already_completed' });
    },
  },
  {
    name: 'an abandoned key is free immediately, and abandoning it twice succeeds',
    async run({ subject: ledger, id }) {
      const begin = { scope: 'orders', key: id(), inProgressMs: 60_000 };
      const handle = handleOf(await ledger.beginIdempotency(begin));
      await ledger.abandonIdempotency(handle);
      await ledger.abandonIdempotency(handle);
      await rejects(ledger.completeIdempotency(handle, {}), { code: 'jobs.not_found' });
      equal((await ledger.beginIdempotency(begin)).outcome, 'created');
    },
  },
  {
    name: 'another payload for the same key is rejected when both have a fingerprint',
    async run({ subject: ledger, id, clock }) {
      const begin = { scope: 'orders', key: id(), inProgressMs: 1000, fingerprint: FINGERPRINT };
      const handle = handleOf(await ledger.beginIdempotency(begin));
      const other = { ...begin, fingerprint: OTHER_FINGERPRINT };
      await rejects(ledger.beginIdempotency(other), { code: 'jobs.conflict', reason: 'payload_mismatch' });
      const { fingerprint: _, ...without } = begin;
      equal((await ledger.beginIdempotency(without)).outcome, 'already_in_progress');
      await ledger.completeIdempotency(handle, {});
      await rejects(ledger.beginIdempotency(other), { reason: 'payload_mismatch' });
      equal((await ledger.beginIdempotency(begin)).outcome, 'already_completed');
      clock.at(86_400_000);
      equal((await ledger.beginIdempotency(other)).outcome, 'created');
    },
  },
  {
    name: 'a durable execution receives its own record again, another execution does not',
    async run({ subject: ledger, id }) {
      const begin = { scope: 'orders', key: id(), inProgressMs: 3_600_000, executionId: 'execution-1' };
      const first = await ledger.beginIdempotency(begin);
      equal(first.outcome === 'created' && first.replayed, false);
      const replay = await ledger.beginIdempotency(begin);
      equal(replay.outcome === 'created' && replay.replayed, true);
      equal((await ledger.beginIdempotency({ ...begin, executionId: 'execution-2' })).outcome, 'already_in_progress');
      await rejects(ledger.completeIdempotency(handleOf(first), {}), { reason: 'owner_lost' });
      await ledger.completeIdempotency(handleOf(replay), { result: 'done' });
      equal((await ledger.beginIdempotency(begin)).outcome, 'already_completed');
    },
  },
  {
    name: 'a durable execution gets its own record back with the same payload only',
    async run({ subject: ledger, id }) {
      const execution = { scope: 'orders', inProgressMs: 3_600_000, executionId: 'execution-1' };
      const begin = { ...execution, key: id('same'), fingerprint: FINGERPRINT };
      handleOf(await ledger.beginIdempotency(begin));
      await rejects(ledger.beginIdempotency({ ...begin, fingerprint: OTHER_FINGERPRINT }), {
        code: 'jobs.conflict',
        reason: 'payload_mismatch',
      });
      const { fingerprint: _, ...without } = begin;
      for (const again of [begin, without]) {
        const replay = await ledger.beginIdempotency(again);
        equal(replay.outcome === 'created' && replay.replayed, true);
      }
      const silent = { ...execution, key: id('silent') };
      handleOf(await ledger.beginIdempotency(silent));
      const replay = await ledger.beginIdempotency({ ...silent, fingerprint: FINGERPRINT });
      equal(replay.outcome === 'created' && replay.replayed, true);
    },
  },
  {
    name: 'of many concurrent begins one creates the record, even if the key has just expired',
    async run({ subject: ledger, id, clock }) {
      const begin = { scope: 'orders', key: id(), inProgressMs: 1000 };
      for (const at of [0, 1000]) {
        clock.at(at);
        const starts = await Promise.all(Array.from({ length: 50 }, () => ledger.beginIdempotency(begin)));
        equal(starts.filter(({ outcome }) => outcome === 'created').length, 1);
      }
    },
  },
  {
    name: 'large results are stored in a separate item and returned complete; larger results are omitted and marked',
    async run({ subject: ledger, id }) {
      for (const [length, omitted] of [
        [3070, false],
        [3071, false],
        [200_000, false],
        [349_998, false],
        [349_999, true],
      ] as const) {
        const begin = { scope: 'orders', key: id(String(length)), inProgressMs: 1000 };
        const result = 'x'.repeat(length);
        await ledger.completeIdempotency(handleOf(await ledger.beginIdempotency(begin)), { result });
        const again = await ledger.beginIdempotency(begin);
        ok(again.outcome === 'already_completed');
        deepEqual([again.record.result === result, again.record.resultOmitted], [!omitted, omitted]);
      }
    },
  },
  {
    name: 'keys of any length and content do not collide',
    async run({ subject: ledger, id }) {
      const long = 'k'.repeat(2049);
      const keys = [
        id('plain'),
        `${id()}${long}`,
        `${id()}${long}x`,
        '__proto__',
        'constructor',
        `a#b-${id()}`,
        `a%23b-${id()}`,
        `ключ-${id()}`,
      ];
      const scope = id('scope');
      for (const key of keys) handleOf(await ledger.beginIdempotency({ scope, key, inProgressMs: 1000 }));
      for (const key of keys) {
        equal((await ledger.beginIdempotency({ scope, key, inProgressMs: 1000 })).outcome, 'already_in_progress');
      }
      handleOf(await ledger.beginIdempotency({ scope: `${scope}#a`, key: 'b', inProgressMs: 1000 }));
      handleOf(await ledger.beginIdempotency({ scope, key: 'a#b', inProgressMs: 1000 }));
    },
  },
];

function keyOf({ scope, key }: { scope: string; key: string }): { scope: string; key: string } {
  return { scope, key };
}
