import { deepEqual, equal, ok } from 'node:assert/strict';
import { createMemoryMicrovmRegistry } from '../../registry/memory-registry.js';
import { type Bench, type Cases, sweepReport } from './bench.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOT_STARTED = 'InternalServerException';

/** A start with two calls of unknown outcome; with `lost` each of them starts the machine. */
async function interrupted(bench: Bench, sessionId: string, error = 'lost', controller = bench.controller) {
  bench.setup.fail({ operation: 'run', error, times: 2 });
  await bench.refuses(controller.run(bench.caller, { sessionId }), 'microvm.provider_unavailable');
}

/** Another deployment with the same image: a separate table, and the same service. */
function otherDeployment(bench: Bench, options: Parameters<Bench['create']>[0] = {}) {
  return bench.create({ registry: createMemoryMicrovmRegistry({ clock: bench.clock }), ...options });
}

/** A start with an unknown outcome that a sweep has given up. */
async function abandoned(bench: Bench) {
  await interrupted(bench, 's1');
  bench.pass(16 * MINUTE_MS);
  await bench.controller.sweep();
  bench.pass(5 * MINUTE_MS);
}

function statesOf(bench: Bench): readonly string[] {
  return bench.setup.machines().map(({ state }) => state);
}

/** Machines that a sweep terminates, and starts that it must find. */
export const SWEEP_CASES: Cases = {
  async 'a sweep terminates no machine of an open session'(bench) {
    await bench.shown(bench.controller.run(bench.caller, { sessionId: 's1' }));
    bench.pass(30 * MINUTE_MS);
    deepEqual(await bench.controller.sweep(), sweepReport());
    deepEqual(await bench.controller.sweep({ imageIsOnlyOurs: true }), sweepReport());
    deepEqual(statesOf(bench), ['RUNNING']);
  },
  async 'a sweep counts the machines of another deployment with the same image, and does not terminate them'(bench) {
    for (const sessionId of ['s1', 's2', 's3']) await bench.controller.run(bench.caller, { sessionId });
    const other = otherDeployment(bench);
    deepEqual(await other.sweep(), sweepReport());
    bench.pass(40 * MINUTE_MS);
    deepEqual(await other.sweep(), sweepReport({ unknown: 3 }));
    await other.run(bench.caller, { sessionId: 's1' });
    deepEqual(await other.sweep(), sweepReport({ unknown: 3 }));
    deepEqual(statesOf(bench), ['RUNNING', 'RUNNING', 'RUNNING', 'RUNNING']);
    equal((await bench.shown(bench.controller.get(bench.caller, { sessionId: 's1' }))).state, 'running');
  },
  async 'a sweep with an empty table terminates no machine, even if the image is only ours'(bench) {
    await bench.controller.run(bench.caller, { sessionId: 's1' });
    bench.pass(40 * MINUTE_MS);
    deepEqual(await otherDeployment(bench).sweep({ imageIsOnlyOurs: true }), sweepReport({ unknown: 1 }));
    deepEqual(statesOf(bench), ['RUNNING']);
  },
  async 'unknown machines are terminated if the image is only ours, a limited number per sweep'(bench) {
    const gone = otherDeployment(bench);
    for (const sessionId of ['s1', 's2', 's3']) await gone.run(bench.caller, { sessionId });
    await bench.controller.run(bench.caller, { sessionId: 'own' });
    bench.pass(19 * MINUTE_MS);
    deepEqual(await bench.controller.sweep({ imageIsOnlyOurs: true }), sweepReport());
    bench.pass(2 * MINUTE_MS);
    const options = { imageIsOnlyOurs: true, limit: 2 };
    deepEqual(await bench.controller.sweep(options), sweepReport({ terminated: 2, unknown: 1 }));
    deepEqual(await bench.controller.sweep(options), sweepReport({ terminated: 1 }));
    deepEqual(await bench.controller.sweep(options), sweepReport());
    equal((await bench.shown(bench.controller.get(bench.caller, { sessionId: 'own' }))).state, 'running');
  },
  async 'a start that is too old is abandoned, and the sweep terminates its machine'(bench) {
    const { controller } = bench;
    await interrupted(bench, 's1');
    bench.pass(16 * MINUTE_MS);
    deepEqual(await controller.sweep(), sweepReport({ pending: 1, failed: 1 }));
    const row = await bench.row('s1');
    deepEqual([row.state, row.startOutcome], ['failed', 'unknown']);
    bench.pass(5 * MINUTE_MS);
    deepEqual(await controller.sweep(), sweepReport({ terminated: 1 }));
    deepEqual(await controller.sweep(), sweepReport());
    ok(statesOf(bench).every((state) => state === 'TERMINATED'));
    equal((await bench.row('s1')).microvmId, bench.setup.machines()[0]?.microvmId);
  },
  async 'an abandoned start is stored as long as its machine may run'(bench) {
    bench.setup.fail({ operation: 'run', error: 'lost', times: 2 });
    const input = { sessionId: 's1', maximumDurationSeconds: 28_800 };
    await bench.refuses(bench.controller.run(bench.caller, input), 'microvm.provider_unavailable');
    bench.pass(16 * MINUTE_MS);
    deepEqual(await bench.controller.sweep(), sweepReport({ pending: 1, failed: 1 }));
    bench.pass(7 * HOUR_MS);
    deepEqual(await bench.controller.sweep(), sweepReport({ terminated: 1 }));
  },
  async 'for an abandoned start no machine is terminated if the machine of another deployment matches too'(bench) {
    const other = otherDeployment(bench);
    await other.run(bench.caller, { sessionId: 's1' });
    await abandoned(bench);
    deepEqual(await bench.controller.sweep(), sweepReport({ unknown: 2 }));
    deepEqual(statesOf(bench), ['RUNNING', 'RUNNING']);
  },
  async 'an abandoned start matches no machine with another time, duration, version or role'(bench) {
    const { caller } = bench;
    const session = { sessionId: 's1' };
    await otherDeployment(bench).run(caller, session);
    bench.pass(2 * MINUTE_MS);
    await interrupted(bench, 's1', NOT_STARTED);
    const executionRoleArn = 'arn:aws:iam::123456789012:role/other';
    await otherDeployment(bench, { executionRoleArn }).run(caller, session);
    await otherDeployment(bench).run(caller, { ...session, maximumDurationSeconds: 3000 });
    await otherDeployment(bench, { images: [{ ref: bench.image, version: '4.0' }] }).run(caller, session);
    bench.pass(16.1 * MINUTE_MS);
    deepEqual(await bench.controller.sweep(), sweepReport({ pending: 1, failed: 1 }));
    await otherDeployment(bench).run(caller, session);
    bench.pass(21 * MINUTE_MS);
    deepEqual(await bench.controller.sweep(), sweepReport({ unknown: 5 }));
    deepEqual(new Set(statesOf(bench)), new Set(['RUNNING']));
  },
  async 'two concurrent sweeps terminate each machine once, and lose no row'(bench) {
    for (const sessionId of ['s1', 's2']) await interrupted(bench, sessionId);
    bench.pass(2 * MINUTE_MS);
    await interrupted(bench, 's3');
    bench.pass(14.5 * MINUTE_MS);
    const [first, second] = [bench.create(), bench.create()];
    const both = async () => {
      const reports = await Promise.all([first.sweep(), second.sweep()]);
      return reports.map(({ terminated }) => terminated).reduce((sum, count) => sum + count);
    };
    equal(await both(), 0);
    bench.pass(6 * MINUTE_MS);
    equal(await both(), 2);
    equal(bench.setup.callCount('terminate'), 2);
    deepEqual([...statesOf(bench)].sort(), ['RUNNING', 'TERMINATED', 'TERMINATED']);
    equal((await bench.row('s3')).state, 'running');
    const named = [(await bench.row('s1')).microvmId, (await bench.row('s2')).microvmId];
    equal(new Set(named).size, 2);
    deepEqual(await first.sweep(), sweepReport());
  },
  async 'a machine whose id a concurrent sweep has written is not terminated again'(bench) {
    await abandoned(bench);
    const { registry } = bench.setup;
    let isSwept = false;
    const late = bench.create({
      registry: {
        ...registry,
        async findByMicrovmId(microvmId) {
          if (!isSwept) deepEqual(await bench.controller.sweep(), sweepReport({ terminated: 1 }));
          isSwept = true;
          return registry.findByMicrovmId(microvmId);
        },
      },
    });
    deepEqual(await late.sweep(), sweepReport());
    equal(bench.setup.callCount('terminate'), 1);
  },
  async 'a machine that terminates during the sweep is not terminated again'(bench) {
    await abandoned(bench);
    bench.setup.fail({ operation: 'terminate', error: 'ResourceNotFoundException', times: 1 });
    deepEqual(await bench.controller.sweep(), sweepReport());
  },
  async 'the next sweep terminates a machine that the service did not terminate'(bench) {
    await abandoned(bench);
    bench.setup.fail({ operation: 'terminate', error: 'ThrottlingException', times: 1 });
    deepEqual(await bench.controller.sweep(), sweepReport({ refused: 1 }));
    bench.pass(1);
    deepEqual(await bench.controller.sweep(), sweepReport({ terminated: 1 }));
  },
  async 'a sweep terminates a machine whose termination was lost'(bench) {
    const { providerMicrovmId = '' } = await bench.controller.run(bench.caller, { sessionId: 's1' });
    bench.setup.fail({ operation: 'terminate', error: NOT_STARTED, times: 1 });
    await bench.refuses(bench.controller.terminate(bench.caller, { sessionId: 's1' }), 'microvm.provider_unavailable');
    bench.setup.setState(providerMicrovmId, 'RUNNING');
    bench.pass(25 * MINUTE_MS);
    deepEqual(await bench.controller.sweep(), sweepReport({ terminated: 1 }));
  },
  async 'a sweep reaches a recent start after thirty expired starts'(bench) {
    for (let index = 0; index < 30; index += 1) await interrupted(bench, `old${index}`, NOT_STARTED);
    bench.pass(2 * HOUR_MS);
    await interrupted(bench, 'fresh');
    bench.pass(2 * MINUTE_MS);
    deepEqual(await bench.controller.sweep(), sweepReport({ pending: 1, confirmed: 1 }));
  },
  async 'a sweep finishes more starts than one page, even after starts that cannot be finished now'(bench) {
    for (let index = 0; index < 30; index += 1) await interrupted(bench, `s${index}`, NOT_STARTED);
    bench.pass(2 * MINUTE_MS);
    bench.setup.fail({ operation: 'run', error: 'ThrottlingException', times: 28 });
    deepEqual(await bench.controller.sweep(), sweepReport({ pending: 30, confirmed: 2 }));
    deepEqual(await bench.controller.sweep(), sweepReport({ pending: 28, confirmed: 28 }));
    equal(bench.setup.machines().length, 30);
  },
  async 'a deployment between a lost start and its sweep does not lose the machine'(bench) {
    const before = bench.create({ executionRoleArn: 'arn:aws:iam::123456789012:role/old' });
    await interrupted(bench, 's1', 'lost', before);
    bench.pass(2 * MINUTE_MS);
    const payload = () => JSON.stringify({ another: 'payload' });
    const after = bench.create({ executionRoleArn: 'arn:aws:iam::123456789012:role/new', runHookPayload: payload });
    deepEqual(await after.sweep(), sweepReport({ pending: 1, confirmed: 1 }));
    equal((await bench.shown(after.get(bench.caller, { sessionId: 's1' }))).state, 'running');
    equal((await bench.row('s1')).startSetup, undefined);
  },
  async 'a rejected repeated start remains unfinished: the machine of the first start may be running'(bench) {
    let nonce = 0;
    // A payload with a credential is not stored, so the repeated start has a different payload.
    const runHookPayload = () => {
      nonce += 1;
      return `{"authorization":"x-aws-proxy-auth ${nonce}"}`;
    };
    const controller = bench.create({ runHookPayload });
    await interrupted(bench, 's1', 'lost', controller);
    equal((await bench.row('s1')).startSetup?.runHookPayload, undefined);
    for (const error of [
      'ConflictException',
      'AccessDeniedException',
      'ValidationException',
      'ResourceNotFoundException',
    ]) {
      bench.pass(2 * MINUTE_MS);
      bench.setup.fail({ operation: 'run', error, times: 1 });
      deepEqual(await controller.sweep(), sweepReport({ pending: 1 }));
      equal((await bench.row('s1')).state, 'requested');
    }
    bench.pass(13 * MINUTE_MS);
    deepEqual(await controller.sweep(), sweepReport({ pending: 1, failed: 1, unknown: 0, terminated: 1 }));
  },
};
