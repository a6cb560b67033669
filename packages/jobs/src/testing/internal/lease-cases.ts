import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import type { JobLedger } from '../../ledger/ledger.js';
import type { CaseDefinition } from '../harness.js';

export const HOLD_CASES: readonly CaseDefinition<JobLedger>[] = [
  {
    name: 'a lease is held by one acquisition until it ends, even if the owner is the same',
    async run({ subject: ledger, id, clock }) {
      const name = id('lease');
      const first = await ledger.acquireLease({ name, owner: 'a', durationMs: 5000 });
      deepEqual([first.owner, first.expiresAtMs], ['a', 1_700_000_005_000]);
      clock.at(4999);
      await rejects(ledger.acquireLease({ name, owner: 'a' }), {
        code: 'jobs.conflict',
        reason: 'lease_held',
        retryable: true,
        details: { retryAfterMs: 1 },
      });
      deepEqual(await ledger.getLease(name), first);
      clock.at(5000);
      equal(await ledger.getLease(name), undefined);
      await rejects(ledger.refreshLease(first), { reason: 'lease_lost' });
      const second = await ledger.acquireLease({ name, owner: 'a' });
      ok(second.token > first.token && second.id !== first.id);
    },
  },
  {
    name: 'at every time either the holder may refresh or another caller may acquire, never both',
    async run({ subject: ledger, id, clock }) {
      for (const at of [998, 999, 1000, 1001]) {
        clock.at(0);
        const lease = await ledger.acquireLease({ name: id(`lease${at}`), owner: 'a', durationMs: 1000 });
        clock.at(at);
        const refreshed = await ledger.refreshLease(lease, 1000).catch(() => undefined);
        const stolen = await ledger.acquireLease({ name: lease.name, owner: 'b' }).catch(() => undefined);
        deepEqual([refreshed !== undefined, stolen !== undefined], [at < 1000, at >= 1000]);
      }
    },
  },
  {
    name: 'a refresh extends the lease and keeps the token',
    async run({ subject: ledger, id, clock }) {
      const lease = await ledger.acquireLease({ name: id('lease'), owner: 'a', durationMs: 1000 });
      clock.at(900);
      const refreshed = await ledger.refreshLease(lease, 2000);
      deepEqual([refreshed.token, refreshed.id, refreshed.expiresAtMs], [lease.token, lease.id, 1_700_000_002_900]);
    },
  },
  {
    name: 'a release frees the lease, succeeds twice, and never ends the lease of another holder',
    async run({ subject: ledger, id, clock }) {
      const name = id('lease');
      const first = await ledger.acquireLease({ name, owner: 'a', durationMs: 1000 });
      await ledger.releaseLease(first);
      await ledger.releaseLease(first);
      const second = await ledger.acquireLease({ name, owner: 'b', durationMs: 1000 });
      equal(second.token, first.token + 1);
      await rejects(ledger.releaseLease(first), { reason: 'lease_lost' });
      clock.at(1000);
      await ledger.releaseLease(first);
      await ledger.releaseLease({ ...first, name: id('absent') });
    },
  },
  {
    name: 'the fencing token increases after release and expiry, even if the clock is set back',
    async run({ subject: ledger, id, clock, skewed }) {
      const name = id('lease');
      const tokens: number[] = [];
      for (const [at, release] of [
        [0, true],
        [10, false],
        [20_000, true],
        [20_001, true],
      ] as const) {
        clock.at(at);
        const lease = await ledger.acquireLease({ name, owner: 'a', durationMs: 1000 });
        tokens.push(lease.token);
        if (release) await ledger.releaseLease(lease);
      }
      tokens.push((await (await skewed(-5000)).acquireLease({ name, owner: 'slow' })).token);
      ok(tokens.every((token, index) => index === 0 || token > (tokens[index - 1] ?? 0)));
    },
  },
  {
    name: 'of many concurrent acquisitions one succeeds',
    async run({ subject: ledger, id }) {
      const tries = await Promise.allSettled(
        Array.from({ length: 50 }, (_, index) => ledger.acquireLease({ name: id('lease'), owner: `o${index}` })),
      );
      equal(tries.filter(({ status }) => status === 'fulfilled').length, 1);
    },
  },
  {
    name: 'instances whose clocks differ by five seconds never hold a lease at the same time, by a third clock between them',
    async run({ subject: ledger, id, clock, skewed }) {
      const [slow, fast] = [await skewed(-5000), await skewed(5000)];
      const name = id('lease');
      const held = await slow.acquireLease({ name, owner: 'slow', durationMs: 60_000 });
      await rejects(fast.acquireLease({ name, owner: 'fast' }), { reason: 'lease_held' });
      clock.at(50_000);
      const stolen = await fast.acquireLease({ name, owner: 'fast', durationMs: 60_000 });
      ok(stolen.token > held.token);
      await rejects(slow.refreshLease(held), { reason: 'lease_lost' });
      await rejects(ledger.acquireLease({ name, owner: 'third' }), { reason: 'lease_held' });
    },
  },
  {
    name: 'a semaphore admits up to its limit, frees expired slots, and returns when to try again',
    async run({ subject: ledger, id, clock }) {
      const semaphore = { scope: 'api', subject: id('tenant'), limit: 2, owner: 'a' };
      const first = await ledger.acquireSlot({ ...semaphore, durationMs: 1000 });
      const second = await ledger.acquireSlot({ ...semaphore, durationMs: 3000 });
      deepEqual([first.slot, second.slot].sort(), [0, 1]);
      clock.at(400);
      await rejects(ledger.acquireSlot(semaphore), {
        reason: 'semaphore_full',
        details: { limit: 2, occupancy: 2, retryAfterMs: 600 },
      });
      clock.at(1000);
      equal((await ledger.inspectSemaphore({ scope: 'api', subject: semaphore.subject })).occupancy, 1);
      const third = await ledger.acquireSlot({ ...semaphore, durationMs: 1000 });
      equal(third.slot, first.slot);
      await rejects(ledger.refreshSlot(first), { reason: 'lease_lost' });
      await rejects(ledger.releaseSlot(first), { reason: 'lease_lost' });
      const refreshed = await ledger.refreshSlot(third, 5000);
      equal(refreshed.expiresAtMs, 1_700_000_006_000);
      await ledger.releaseSlot(third);
      await ledger.releaseSlot(third);
      const { slots } = await ledger.inspectSemaphore({ scope: 'api', subject: semaphore.subject });
      deepEqual(slots, [second]);
    },
  },
  {
    name: 'the same owner may hold two slots, and slots above a lowered limit count',
    async run({ subject: ledger, id }) {
      const semaphore = { scope: 'api', subject: id('tenant'), owner: 'a' };
      const taken = [];
      for (const _ of [1, 2, 3]) taken.push(await ledger.acquireSlot({ ...semaphore, limit: 3 }));
      equal(new Set(taken.map((slot) => slot.id)).size, 3);
      for (const slot of taken.filter(({ slot }) => slot < 2)) await ledger.releaseSlot(slot);
      await rejects(ledger.acquireSlot({ ...semaphore, limit: 1 }), { reason: 'semaphore_full' });
      equal((await ledger.acquireSlot({ ...semaphore, limit: 2 })).slot, 0);
      await rejects(ledger.acquireSlot({ ...semaphore, limit: 2 }), { reason: 'semaphore_full' });
    },
  },
  {
    name: 'of many concurrent callers never more than the limit hold a slot',
    async run({ subject: ledger, id }) {
      const semaphore = { scope: 'api', subject: id('tenant'), limit: 5, owner: 'a' };
      const tries = await Promise.allSettled(Array.from({ length: 50 }, () => ledger.acquireSlot(semaphore)));
      const won = tries.filter(({ status }) => status === 'fulfilled').length;
      ok(won >= 1 && won <= 5);
      equal((await ledger.inspectSemaphore({ scope: 'api', subject: semaphore.subject })).occupancy, won);
      for (const { reason } of tries.filter((one) => one.status === 'rejected')) {
        ok(['semaphore_full', 'contended'].includes((reason as { reason: string }).reason));
      }
    },
  },
  {
    name: 'names with separators do not collide',
    async run({ subject: ledger, id }) {
      const one = { scope: `a#b-${id()}`, subject: 'c', limit: 1, owner: 'x' };
      await ledger.acquireSlot(one);
      await ledger.acquireSlot({ ...one, scope: 'a', subject: `b-${id()}#c` });
      await ledger.acquireSlot({ ...one, scope: one.scope.replace('#', '%23') });
      equal((await ledger.inspectSemaphore({ scope: one.scope, subject: 'c' })).occupancy, 1);
    },
  },
];
