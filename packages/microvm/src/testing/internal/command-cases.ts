import { deepEqual, equal, ok } from 'node:assert/strict';
import { internalCaller } from '../../controller/caller.js';
import type { Bench, Cases } from './bench.js';

const SESSION = { sessionId: 's1' };

async function machineOf(bench: Bench): Promise<string> {
  const { providerMicrovmId = '' } = await bench.shown(bench.controller.run(bench.caller, SESSION));
  return providerMicrovmId;
}

/** Suspend, resume, terminate and get. */
export const COMMAND_CASES: Cases = {
  async 'a session is suspended, resumed and terminated'(bench) {
    const { controller, caller, setup } = bench;
    await machineOf(bench);
    equal((await bench.shown(controller.suspend(caller, SESSION))).state, 'suspended');
    equal((await bench.shown(controller.resume(caller, SESSION))).state, 'running');
    const ended = await bench.shown(controller.terminate(caller, SESSION));
    deepEqual(
      [ended.state, ended.desiredState, ended.terminatedAt],
      ['terminated', 'terminated', '2026-11-22T00:00:00.000Z'],
    );
    deepEqual(
      setup.machines().map(({ state }) => state),
      ['TERMINATED'],
    );
    deepEqual(
      bench.events.map(({ operation, outcome, from, to }) => `${operation} ${outcome} ${from} ${to}`),
      [
        'run succeeded requested running',
        'suspend succeeded running suspended',
        'resume succeeded suspended running',
        'terminate succeeded running terminated',
      ],
    );
    ok(bench.events.every((event) => Object.isFrozen(event)));
  },
  async 'a command with nothing to do does not call the service'(bench) {
    const { controller, caller, setup } = bench;
    await machineOf(bench);
    await controller.resume(caller, SESSION);
    equal(setup.callCount('resume'), 0);
    await controller.suspend(caller, SESSION);
    await controller.suspend(caller, SESSION);
    equal(setup.callCount('suspend'), 1);
    await controller.terminate(caller, SESSION);
    await controller.terminate(caller, SESSION);
    equal(setup.callCount('terminate'), 1);
  },
  async 'a command that the state does not allow is rejected'(bench) {
    const { controller, caller } = bench;
    await machineOf(bench);
    await controller.terminate(caller, SESSION);
    for (const call of ['suspend', 'resume'] as const) {
      deepEqual(await bench.refusal(controller[call](caller, SESSION)), {
        code: 'microvm.invalid_state',
        status: 409,
        retryAfter: undefined,
      });
    }
    await bench.refuses(bench.invoke('s1'), 'microvm.invalid_state');
    await bench.refuses(controller.authToken(caller, { ...SESSION, ports: [{ port: 8080 }] }), 'microvm.invalid_state');
  },
  async 'a session of another tenant or namespace does not exist'(bench) {
    const { controller } = bench;
    await machineOf(bench);
    const { tenantId } = bench.caller;
    const neighbour = internalCaller({ identity: 'ada', tenantId, namespace: 'other' });
    for (const stranger of [bench.other, neighbour]) {
      for (const call of ['get', 'suspend', 'resume', 'terminate', 'shellAuthToken'] as const) {
        deepEqual(await bench.refusal(controller[call](stranger, SESSION)), {
          code: 'microvm.session_not_found',
          status: 404,
          retryAfter: undefined,
        });
      }
      const request = { ...SESSION, method: 'GET', path: '/' };
      await bench.refuses(controller.invoke(stranger, request), 'microvm.session_not_found');
      const token = { ...SESSION, ports: [{ port: 8080 }] };
      await bench.refuses(controller.authToken(stranger, token), 'microvm.session_not_found');
    }
    equal((await bench.row('s1')).version, 2);
  },
  async 'an object that is not a caller is rejected'(bench) {
    const lookAlike = { ...bench.caller } as typeof bench.caller;
    for (const caller of [lookAlike, Object.create(bench.caller), null, undefined, {}]) {
      await bench.refuses(bench.controller.get(caller, SESSION), 'microvm.unauthenticated_controller');
    }
  },
  async 'get returns the state of the service, and stores it'(bench) {
    const { controller, caller, setup } = bench;
    const machine = await machineOf(bench);
    bench.pass(60_000);
    setup.setState(machine, 'SUSPENDED');
    equal((await bench.shown(controller.get(caller, SESSION))).state, 'suspended');
    equal((await bench.row('s1')).version, 3);
    await controller.get(caller, SESSION);
    equal((await bench.row('s1')).version, 3);
  },
  async 'an observation that only lags a command does not undo it'(bench) {
    const { controller, caller, setup } = bench;
    const machine = await machineOf(bench);
    bench.pass(60_000);
    await controller.suspend(caller, SESSION);
    setup.setState(machine, 'RUNNING');
    bench.pass(29_000);
    equal((await bench.shown(controller.get(caller, SESSION))).state, 'suspended');
    bench.pass(31_000);
    equal((await bench.shown(controller.get(caller, SESSION))).state, 'running');
  },
  async 'a request resumes a suspended machine if its policy allows it'(bench) {
    const { controller, caller } = bench;
    await machineOf(bench);
    await controller.suspend(caller, SESSION);
    equal((await bench.invoke('s1', { path: '/echo' })).status, 200);
    const idlePolicy = { autoResumeEnabled: false, maxIdleDurationSeconds: 900, suspendedDurationSeconds: 1800 };
    await controller.run(caller, { sessionId: 's2', idlePolicy });
    await controller.suspend(caller, { sessionId: 's2' });
    await bench.refuses(bench.invoke('s2'), 'microvm.invalid_state');
  },
  async 'a session is closed if its machine does not exist at the service'(bench) {
    const { controller, caller, setup } = bench;
    await machineOf(bench);
    bench.pass(60_000);
    setup.fail({ operation: 'get', error: 'ResourceNotFoundException', times: 1 });
    await bench.refuses(controller.get(caller, SESSION), 'microvm.session_not_found');
    equal((await bench.row('s1')).state, 'terminated');
  },
  async 'a machine that was just started and is not shown yet is not given up'(bench) {
    const { controller, caller, setup } = bench;
    await machineOf(bench);
    setup.fail({ operation: 'get', error: 'ResourceNotFoundException', times: 1 });
    equal((await bench.shown(controller.get(caller, SESSION))).state, 'running');
  },
  async 'terminating a machine that does not exist at the service succeeds'(bench) {
    const { controller, caller, setup } = bench;
    await machineOf(bench);
    setup.fail({ operation: 'terminate', error: 'ResourceNotFoundException', times: 1 });
    equal((await bench.shown(controller.terminate(caller, SESSION))).state, 'terminated');
  },
  async 'a lost termination is sent again'(bench) {
    const { controller, caller, setup } = bench;
    await machineOf(bench);
    setup.fail({ operation: 'terminate', error: 'InternalServerException', times: 1 });
    await bench.refuses(controller.terminate(caller, SESSION), 'microvm.provider_unavailable');
    equal((await bench.row('s1')).state, 'terminating');
    bench.pass(31_000);
    equal((await bench.shown(controller.terminate(caller, SESSION))).state, 'terminated');
    deepEqual(
      setup.machines().map(({ state }) => state),
      ['TERMINATED'],
    );
  },
  async 'two concurrent commands result in the state of the service'(bench) {
    const { controller, caller, setup } = bench;
    await machineOf(bench);
    const second = bench.create();
    await Promise.allSettled([controller.suspend(caller, SESSION), second.terminate(caller, SESSION)]);
    bench.pass(31_000);
    await controller.get(caller, SESSION).catch(() => undefined);
    const { state } = await bench.row('s1');
    equal(setup.machines()[0]?.state.toLowerCase(), state);
  },
  async 'a row outlives its machine'(bench) {
    const { controller, caller } = bench;
    await bench.shown(controller.run(caller, { ...SESSION, maximumDurationSeconds: 3600 }));
    bench.pass(3_600_000);
    equal((await bench.shown(controller.get(caller, SESSION))).state, 'terminated');
    bench.pass(3_599_000);
    equal((await bench.row('s1')).state, 'terminated');
    bench.pass(2000);
    await bench.refuses(controller.get(caller, SESSION), 'microvm.session_not_found');
  },
};
