import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { internalCaller } from '../../controller/caller.js';
import type { Cases } from './bench.js';
import { IMAGE } from './bench.js';

/** Ids, idempotency, images, limits of `run`, and lists. */
export const RUN_CASES: Cases = {
  async 'run starts a machine and shows the session'(bench) {
    const { controller, caller, setup } = bench;
    const session = await bench.shown(
      controller.run(caller, { metadata: { purpose: 'notebook' }, maximumDurationSeconds: 600 }),
    );
    const { sessionId, createdAt, updatedAt, startedAt, ...rest } = session;
    match(sessionId, /^mvm-[0-9a-f]{32}$/);
    equal(createdAt, '2026-11-22T00:00:00.000Z');
    equal(startedAt, createdAt);
    equal(updatedAt, createdAt);
    const [machine] = setup.machines();
    deepEqual(rest, {
      command: 'run',
      requestId: 'request-1',
      tenantId: caller.tenantId,
      namespace: 'default',
      state: 'running',
      desiredState: 'running',
      providerState: 'RUNNING',
      providerMicrovmId: machine?.microvmId,
      imageRef: IMAGE,
      imageVersion: '3.0',
      registryVersion: 2,
      expiresAt: '2026-11-22T00:25:00.000Z',
      metadata: { purpose: 'notebook' },
    });
    deepEqual(JSON.parse(machine?.runHookPayload ?? ''), {
      request_id: 'request-1',
      tenant_id: caller.tenantId,
      namespace: 'default',
      session_id: sessionId,
    });
  },
  async 'repeated calls with an idempotency key run one machine, even from several instances'(bench) {
    const { caller, setup } = bench;
    const input = { idempotencyKey: 'key-1', metadata: { a: '1' } };
    const first = await bench.shown(bench.controller.run(caller, input));
    const second = await bench.shown(bench.create().run(caller, input));
    equal(second.sessionId, first.sessionId);
    equal(second.replayed, true);
    equal(setup.machines().length, 1);
    await bench.refuses(
      bench.controller.run(caller, { ...input, metadata: { a: '2' } }),
      'microvm.idempotency_mismatch',
    );
  },
  async 'two tenants with one idempotency key and one request id get two machines'(bench) {
    const input = { idempotencyKey: 'key-1' };
    const mine = await bench.shown(bench.controller.run(bench.caller, input));
    const theirs = await bench.shown(bench.controller.run(bench.other, input));
    notEqual(mine.sessionId, theirs.sessionId);
    equal(bench.setup.machines().length, 2);
  },
  async 'a session id in use is rejected, and the existing session is unchanged'(bench) {
    const { controller, caller } = bench;
    await bench.shown(controller.run(caller, { sessionId: 'mine' }));
    await bench.refuses(controller.run(caller, { sessionId: 'mine' }), 'microvm.session_exists');
    equal((await bench.row('mine')).version, 2);
    equal(bench.setup.machines().length, 1);
    // The same id of another tenant is another session.
    await bench.shown(controller.run(bench.other, { sessionId: 'mine' }));
    equal(bench.events.filter(({ outcome }) => outcome === 'rejected').length, 1);
  },
  async 'a new session replaces an expired session with the same id'(bench) {
    const { controller, caller } = bench;
    await bench.shown(controller.run(caller, { sessionId: 'mine', maximumDurationSeconds: 60 }));
    bench.pass(959_000);
    await bench.refuses(controller.run(caller, { sessionId: 'mine' }), 'microvm.session_exists');
    bench.pass(1000);
    await bench.refuses(controller.get(caller, { sessionId: 'mine' }), 'microvm.session_not_found');
    equal((await bench.shown(controller.run(caller, { sessionId: 'mine' }))).registryVersion, 2);
  },
  async 'names with key separators do not forge the key of another tenant'(bench) {
    const names = { identity: 'ada', requestId: 'r' };
    const forger = internalCaller({ ...names, tenantId: `${bench.caller.tenantId}#NAMESPACE#x`, namespace: 'y' });
    const victim = internalCaller({ ...names, tenantId: bench.caller.tenantId, namespace: 'x#NAMESPACE#y' });
    const percent = internalCaller({ ...names, tenantId: bench.caller.tenantId, namespace: 'x%23NAMESPACE%23y' });
    await bench.shown(bench.controller.run(victim, { sessionId: 'mine' }));
    for (const caller of [forger, percent]) {
      await bench.refuses(bench.controller.get(caller, { sessionId: 'mine' }), 'microvm.session_not_found');
    }
  },
  async 'invalid input is rejected before a session is reserved'(bench) {
    const { controller, caller } = bench;
    const bad = (value: unknown) => controller.run(caller, value as never);
    const policy = { autoResumeEnabled: true, maxIdleDurationSeconds: 60, suspendedDurationSeconds: 0 };
    for (const input of [
      null,
      'text',
      [],
      { unknown: 1 },
      { sessionId: '' },
      { sessionId: '-a' },
      { sessionId: 'a/b' },
      { sessionId: 'a'.repeat(65) },
      { sessionId: { toString: () => 'a' } },
      { sessionId: 'a', idempotencyKey: 'b' },
      { idempotencyKey: '' },
      { idempotencyKey: 'x'.repeat(129) },
      { idempotencyKey: 'ä' },
      { imageRef: 'arn:aws:lambda:eu-west-1:123456789012:microvm-image:other' },
      { imageVersion: '4.0' },
      { imageRef: IMAGE, imageVersion: 3 },
      { maximumDurationSeconds: 0 },
      { maximumDurationSeconds: 28_801 },
      { maximumDurationSeconds: 1.5 },
      { maximumDurationSeconds: '600' },
      { maximumDurationSeconds: '0x1f' },
      { maximumDurationSeconds: [600] },
      { idlePolicy: { autoResumeEnabled: true } },
      { idlePolicy: { ...policy, maxIdleDurationSeconds: 59 } },
      { idlePolicy: { ...policy, suspendedDurationSeconds: -1 } },
      { idlePolicy: { ...policy, autoResumeEnabled: 'true' } },
      { idlePolicy: { ...policy, more: 1 } },
      { metadata: 'text' },
      { metadata: { 'a b': 'x' } },
      { metadata: { a: 1 } },
      { metadata: { a: 'x'.repeat(257) } },
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 'v'])) },
      { metadata: Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`k${at}`, 'v'.repeat(256)])) },
    ]) {
      await bench.refuses(bad(input), 'microvm.invalid_request');
    }
    for (const metadata of [
      { authorization: 'x' },
      { note: 'Bearer abc' },
      { note: 'AKIAIOSFODNN7EXAMPLE' },
      { note: '-----BEGIN RSA PRIVATE KEY-----' },
      { note: 'eyJhbGciOiJkaXIifQ..abc.def.ghi' },
    ]) {
      await bench.refuses(bad({ metadata }), 'microvm.forbidden_field');
    }
    equal(bench.setup.machines().length, 0);
    deepEqual((await controller.list(caller)).sessions, []);
  },
  async 'a list shows the sessions of the caller page by page, in the order of their ids'(bench) {
    const { controller, caller } = bench;
    for (const sessionId of ['c', 'a', 'b', 'e', 'd']) await controller.run(caller, { sessionId });
    await controller.run(bench.other, { sessionId: 'aa' });
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await bench.shown(controller.list(caller, { maxResults: 2, ...(cursor && { cursor }) }));
      ids.push(...page.sessions.map(({ sessionId }) => sessionId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    deepEqual(ids, ['a', 'b', 'c', 'd', 'e']);
    const { nextCursor } = await controller.list(caller, { maxResults: 1 });
    // A cursor does not contain a tenant: another tenant cannot read sessions with it.
    const foreign = await bench.shown(controller.list(bench.other, { cursor: String(nextCursor) }));
    deepEqual(
      foreign.sessions.map(({ sessionId }) => sessionId),
      ['aa'],
    );
    for (const input of [
      { maxResults: 0 },
      { maxResults: 51 },
      { cursor: '###' },
      { cursor: 'e30' },
      { refresh: 'true' },
    ]) {
      await bench.refuses(controller.list(caller, input as never), 'microvm.invalid_request');
    }
  },
  async 'a list writes nothing, and calls the service only with the option refresh'(bench) {
    const { controller, caller, setup } = bench;
    const { providerMicrovmId = '' } = await controller.run(caller, { sessionId: 'a' });
    await controller.run(caller, { sessionId: 'b' });
    bench.pass(60_000);
    setup.setState(providerMicrovmId, 'SUSPENDED');
    const calls = setup.callCount('get');
    const stored = await bench.shown(controller.list(caller));
    deepEqual(
      stored.sessions.map(({ state }) => state),
      ['running', 'running'],
    );
    equal(setup.callCount('get'), calls);
    const fresh = await bench.shown(controller.list(caller, { refresh: true }));
    deepEqual(
      fresh.sessions.map(({ state }) => state),
      ['suspended', 'running'],
    );
    deepEqual([(await bench.row('a')).version, (await bench.row('b')).version], [3, 2]);
  },
  async 'with ownership by subject, only the caller that started a session sees it'(bench) {
    const controller = bench.create({ ownership: 'subject' });
    const { tenantId, namespace } = bench.caller;
    const bob = internalCaller({ identity: 'bob', tenantId, namespace });
    const key = { idempotencyKey: 'k' };
    const mine = await bench.shown(controller.run(bench.caller, key));
    const his = await bench.shown(controller.run(bob, key));
    notEqual(mine.sessionId, his.sessionId);
    for (const call of ['get', 'suspend', 'resume', 'terminate'] as const) {
      await bench.refuses(controller[call](bob, { sessionId: mine.sessionId }), 'microvm.session_not_found');
    }
    deepEqual(
      (await controller.list(bob)).sessions.map(({ sessionId }) => sessionId),
      [his.sessionId],
    );
  },
};
