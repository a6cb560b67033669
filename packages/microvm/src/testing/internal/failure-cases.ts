import { deepEqual, equal, ok } from 'node:assert/strict';
import type { MicrovmErrorCode } from '../../errors.js';
import { type Bench, type Cases, sweepReport } from './bench.js';

const SESSION = { sessionId: 's1' };
const MINUTE_MS = 60_000;

/** The service's errors, and their code and status for a caller. */
const ERRORS: readonly (readonly [
  error: string,
  code: MicrovmErrorCode,
  status: number,
  retryAfter: string | undefined,
])[] = [
  ['ConflictException', 'microvm.conflict', 409, undefined],
  ['ResourceConflictException', 'microvm.conflict', 409, undefined],
  ['ThrottlingException', 'microvm.rate_limited', 429, '3'],
  ['TooManyRequestsException', 'microvm.rate_limited', 429, '3'],
  ['ServiceQuotaExceededException', 'microvm.quota_exceeded', 429, '3'],
  ['InsufficientCapacityException', 'microvm.capacity', 503, '3'],
  ['AccessDeniedException', 'microvm.provider_denied', 502, undefined],
  ['ValidationException', 'microvm.provider_rejected', 400, undefined],
  ['InvalidParameterValueException', 'microvm.provider_rejected', 400, undefined],
  ['ResourceNotFoundException', 'microvm.image_not_found', 404, undefined],
  ['SomethingNewException', 'microvm.provider_failed', 502, undefined],
];

async function unknownRun(bench: Bench, error: string): Promise<void> {
  bench.setup.fail({ operation: 'run', error, times: 2 });
  deepEqual(await bench.refusal(bench.controller.run(bench.caller, SESSION)), {
    code: 'microvm.provider_unavailable',
    status: 503,
    retryAfter: '5',
  });
}

/** Failures, rollbacks, and starts that the sweep finishes. */
export const FAILURE_CASES: Cases = {
  async 'each error of the service has its status, and its message is not shown'(bench) {
    for (const [error, code, status, retryAfter] of ERRORS) {
      const sessionId = `s-${error}`;
      const wait = retryAfter === undefined ? {} : { retryAfterSeconds: Number(retryAfter) };
      bench.setup.fail({ operation: 'run', error, times: 1, ...wait });
      const refused = await bench.refusal(bench.controller.run(bench.caller, { sessionId }));
      deepEqual(refused, { code, status, retryAfter });
      if (status === 429 || status === 503) continue;
      const row = await bench.row(sessionId);
      deepEqual([row.state, row.errorCode], ['failed', code]);
    }
    equal(bench.setup.machines().length, 0);
  },
  async 'a temporarily rejected run can be repeated with its key and its id'(bench) {
    const { controller, caller, setup } = bench;
    for (const error of ['ThrottlingException', 'ServiceQuotaExceededException', 'InsufficientCapacityException']) {
      for (const input of [{ idempotencyKey: `key-${error}` }, { sessionId: `id-${error}` }]) {
        setup.fail({ operation: 'run', error, times: 1 });
        const { status } = await bench.refusal(controller.run(caller, input));
        ok(status === 429 || status === 503);
        const session = await bench.shown(bench.create().run(caller, input));
        deepEqual([session.state, session.replayed], ['running', undefined]);
      }
    }
    equal(setup.machines().length, 6);
  },
  async 'a permanently rejected run is rejected again under its key'(bench) {
    const { controller, caller, setup } = bench;
    const input = { idempotencyKey: 'key-1' };
    setup.fail({ operation: 'run', error: 'AccessDeniedException', times: 1 });
    await bench.refuses(controller.run(caller, input), 'microvm.provider_denied');
    const session = await bench.shown(controller.run(caller, input));
    deepEqual([session.state, session.replayed], ['failed', true]);
  },
  async 'a rejection after an unknown outcome loses no machine'(bench) {
    const { controller, caller, setup } = bench;
    setup.fail({ operation: 'run', error: 'lost', times: 1 });
    setup.fail({ operation: 'run', error: 'ThrottlingException', times: 1 });
    await bench.refuses(controller.run(caller, SESSION), 'microvm.provider_unavailable');
    equal((await bench.row('s1')).state, 'requested');
    equal(setup.machines().length, 1);
    bench.pass(MINUTE_MS + 1000);
    setup.fail({ operation: 'run', error: 'ThrottlingException', times: 1 });
    deepEqual(await controller.sweep(), sweepReport({ pending: 1 }));
    deepEqual(await controller.sweep(), sweepReport({ pending: 1, confirmed: 1 }));
    equal((await bench.row('s1')).microvmId, setup.machines()[0]?.microvmId);
    equal(setup.machines().length, 1);
  },
  async 'the program of a session without a machine is not reachable yet'(bench) {
    const { controller, caller } = bench;
    await unknownRun(bench, 'lost');
    const request = { ...SESSION, method: 'GET', path: '/' };
    deepEqual(await bench.refusal(controller.invoke(caller, request)), {
      code: 'microvm.invalid_state',
      status: 409,
      retryAfter: '5',
    });
  },
  async 'a run whose outcome is unknown is repeated once with the same token'(bench) {
    bench.setup.fail({ operation: 'run', error: 'lost', times: 1 });
    equal((await bench.shown(bench.controller.run(bench.caller, SESSION))).state, 'running');
    equal(bench.setup.machines().length, 1);
  },
  async 'a run with an unknown outcome remains reserved, and the sweep finds its machine'(bench) {
    const { controller, caller, setup } = bench;
    await unknownRun(bench, 'lost');
    equal((await bench.row('s1')).state, 'requested');
    deepEqual(await bench.refusal(controller.terminate(caller, SESSION)), {
      code: 'microvm.invalid_state',
      status: 409,
      retryAfter: '5',
    });
    deepEqual(await controller.sweep(), sweepReport());
    bench.pass(MINUTE_MS + 1000);
    deepEqual(await bench.create().sweep(), sweepReport({ pending: 1, confirmed: 1 }));
    equal(setup.machines().length, 1);
    equal((await bench.shown(controller.get(caller, SESSION))).providerMicrovmId, setup.machines()[0]?.microvmId);
    deepEqual(await controller.sweep(), sweepReport());
  },
  async 'the machine of a session that cannot be confirmed is terminated'(bench) {
    const { caller, setup } = bench;
    const { registry } = setup;
    const broken = bench.create({
      registry: { ...registry, confirm: () => Promise.reject(new Error(`registry ${caller.tenantId}`)) },
    });
    await broken.run(caller, SESSION).catch(() => undefined);
    ok(setup.machines().every(({ state }) => state === 'TERMINATED' || state === 'TERMINATING'));
    equal(setup.machines().length, 1);
    deepEqual(
      bench.events.map(({ outcome }) => outcome),
      ['failed'],
    );
  },
  async 'a machine that cannot be confirmed or terminated is reported as orphaned'(bench) {
    const { caller, setup } = bench;
    const broken = bench.create({
      registry: { ...setup.registry, confirm: () => Promise.reject(new Error('registry')) },
    });
    setup.fail({ operation: 'terminate', error: 'ThrottlingException' });
    await broken.run(caller, SESSION).catch(() => undefined);
    const [orphan] = bench.events;
    deepEqual([orphan?.outcome, orphan?.provider_microvm_id], ['orphaned', setup.machines()[0]?.microvmId]);
  },
  async 'after a command that the service rejects, the session has the state of the service'(bench) {
    const { controller, caller, setup } = bench;
    await bench.shown(controller.run(caller, SESSION));
    setup.fail({ operation: 'suspend', error: 'ThrottlingException', times: 1, retryAfterSeconds: 900 });
    deepEqual(await bench.refusal(controller.suspend(caller, SESSION)), {
      code: 'microvm.rate_limited',
      status: 429,
      retryAfter: '300',
    });
    const row = await bench.row('s1');
    deepEqual([row.state, row.desiredState], ['running', 'running']);
    setup.fail({ operation: 'terminate', error: 'AccessDeniedException', times: 1 });
    await bench.refuses(controller.terminate(caller, SESSION), 'microvm.provider_denied');
    equal((await bench.row('s1')).state, 'running');
  },
  async 'a machine that suspended itself is found suspended by the command that came too late'(bench) {
    const { controller, caller, setup } = bench;
    const { providerMicrovmId = '' } = await controller.run(caller, SESSION);
    setup.setState(providerMicrovmId, 'SUSPENDED');
    equal((await bench.shown(controller.suspend(caller, SESSION))).state, 'suspended');
  },
  async 'an unknown state changes nothing'(bench) {
    const { controller, caller, setup } = bench;
    const { providerMicrovmId = '' } = await controller.run(caller, SESSION);
    bench.pass(MINUTE_MS);
    setup.setState(providerMicrovmId, 'HIBERNATING');
    await bench.refuses(controller.get(caller, SESSION), 'microvm.provider_failed');
    equal((await bench.row('s1')).version, 2);
  },
};
