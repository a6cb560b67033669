import { deepEqual, equal, ok } from 'node:assert/strict';
import { isFrameworkError } from '@sallyport/core';
import type { MicrovmController } from '../../controller/controller.js';
import type { MicrovmSession } from '../../controller/types.js';
import type { Bench, Cases } from './bench.js';
import { type CallFault, Outages } from './outages.js';

const MINUTE_MS = 60_000;
const OPERATIONS = ['run', 'suspend', 'resume', 'terminate'] as const;
type Operation = (typeof OPERATIONS)[number];

/** The state of session and machine after each operation. */
const GOALS: Readonly<Record<Operation, readonly [state: string, providerState: string]>> = {
  run: ['running', 'RUNNING'],
  suspend: ['suspended', 'SUSPENDED'],
  resume: ['running', 'RUNNING'],
  terminate: ['terminated', 'TERMINATED'],
};

/** Runs all operations, each with a fault at another call. */
class Scenario {
  readonly #bench: Bench;
  readonly #outages: Outages;
  readonly #controller: MicrovmController;
  #count = 0;

  constructor(bench: Bench) {
    this.#bench = bench;
    this.#outages = new Outages(bench.setup, bench.clock);
    this.#controller = bench.create({ registry: this.#outages.registry, provider: this.#outages.provider });
  }

  /** Runs an operation with a fault, retries it like a client, and checks session and machine. Returns the number of calls of the first attempt. */
  async check(operation: Operation, fault: CallFault | undefined): Promise<number> {
    const { caller, setup } = this.#bench;
    this.#count += 1;
    const idempotencyKey = `key-${this.#count}`;
    const run = () => this.#controller.run(caller, { idempotencyKey });
    const sessionId = operation === 'run' ? undefined : await this.#prepare(operation, run);
    const act = () =>
      operation === 'run' ? run() : this.#controller[operation](caller, { sessionId: sessionId ?? '' });
    const { outcome, calls } = await this.#outages.run(fault, () => this.#bench.shown(act()));
    const message = `${operation} with ${JSON.stringify(fault)}`;
    if (outcome.status === 'rejected') {
      const { reason } = outcome as PromiseRejectedResult;
      ok(isFrameworkError(reason) && reason.status === 503, `${message}: ${String(reason)}`);
      this.#bench.pass(2 * MINUTE_MS);
      await this.#bench.shown(act());
    }
    const session = await this.#settled(operation, act);
    const machines = setup.machines().filter(({ runHookPayload }) => runHookPayload.includes(`"${session.sessionId}"`));
    deepEqual(
      [session.state, machines.map(({ state }) => state)],
      [GOALS[operation][0], [GOALS[operation][1]]],
      message,
    );
    equal(machines[0]?.microvmId, session.providerMicrovmId, message);
    // Storing a running machine may use the whole invocation.
    const isStored = operation !== 'run' || fault === undefined || fault.at < 2 || outcome.status === 'fulfilled';
    ok(isStored, `${message}: a machine that ran was not stored`);
    return calls;
  }

  async #prepare(operation: Operation, run: () => Promise<MicrovmSession>): Promise<string> {
    const { sessionId } = await run();
    if (operation === 'resume') await this.#controller.suspend(this.#bench.caller, { sessionId });
    this.#bench.pass(MINUTE_MS);
    return sessionId;
  }

  /** The session after the time during which the service may report an older state. */
  async #settled(operation: Operation, act: () => Promise<MicrovmSession>): Promise<MicrovmSession> {
    this.#bench.pass(MINUTE_MS);
    const { sessionId, state } = await this.#bench.shown(act());
    if (operation === 'terminate' && state === 'terminated') return this.#bench.shown(act());
    return this.#bench.shown(this.#controller.get(this.#bench.caller, { sessionId }));
  }
}

async function checkAll(bench: Bench, awayMs: number): Promise<void> {
  const scenario = new Scenario(bench);
  for (const operation of OPERATIONS) {
    const calls = await scenario.check(operation, undefined);
    for (let at = 0; at < calls; at += 1) await scenario.check(operation, { at, awayMs });
  }
  deepEqual(
    bench.events.filter(({ outcome }) => outcome === 'orphaned'),
    [],
  );
}

/** Stored state of finished work if calls fail. */
export const OUTAGE_CASES: Cases = {
  'a response that is lost at any call of an operation loses no machine and no state': (bench) => checkAll(bench, 0),
  'an outage of 500 ms at any call of an operation loses no machine and no state': (bench) => checkAll(bench, 500),
  'an outage of 1,500 ms at any call of an operation loses no machine and no state': (bench) => checkAll(bench, 1500),
  'an outage of 5,000 ms at any call of an operation loses no machine and no state': (bench) => checkAll(bench, 5000),
  async 'a repeated run returns terminated if its machine was terminated in between'(bench) {
    const { controller, caller, setup } = bench;
    const input = { idempotencyKey: 'key-1' };
    const { providerMicrovmId = '' } = await controller.run(caller, input);
    setup.setState(providerMicrovmId, 'TERMINATED');
    const session = await bench.shown(controller.run(caller, input));
    deepEqual([session.state, session.replayed], ['terminated', true]);
  },
  async 'a repeated run returns terminated if its machine does not exist at the service'(bench) {
    const { controller, caller, setup } = bench;
    const input = { idempotencyKey: 'key-1' };
    await controller.run(caller, input);
    setup.fail({ operation: 'get', error: 'ResourceNotFoundException', times: 1 });
    await bench.refuses(controller.run(caller, input), 'microvm.provider_unavailable');
    bench.pass(MINUTE_MS);
    setup.fail({ operation: 'get', error: 'ResourceNotFoundException', times: 1 });
    const session = await bench.shown(controller.run(caller, input));
    deepEqual([session.state, session.replayed], ['terminated', true]);
  },
  async 'a repeated run is not answered from the table while the service is unavailable'(bench) {
    const { controller, caller, setup } = bench;
    const input = { idempotencyKey: 'key-1' };
    await controller.run(caller, input);
    setup.fail({ operation: 'get', error: 'InternalServerException', times: 1 });
    await bench.refuses(controller.run(caller, input), 'microvm.provider_unavailable');
    equal((await bench.shown(controller.run(caller, input))).state, 'running');
  },
  async 'a repeated run finishes a start whose process was lost, and does not touch a recent start'(bench) {
    const { controller, caller, setup } = bench;
    const input = { idempotencyKey: 'key-1' };
    setup.fail({ operation: 'run', error: 'lost', times: 2 });
    await bench.refuses(controller.run(caller, input), 'microvm.provider_unavailable');
    bench.pass(MINUTE_MS);
    equal((await bench.shown(controller.run(caller, input))).state, 'requested');
    equal(setup.callCount('run'), 2);
    bench.pass(1);
    const session = await bench.shown(bench.create().run(caller, input));
    deepEqual([session.state, session.replayed], ['running', true]);
    equal(setup.machines().length, 1);
    bench.pass(MINUTE_MS);
    setup.fail({ operation: 'run', error: 'lost', times: 2 });
    await bench.refuses(controller.run(caller, { idempotencyKey: 'key-2' }), 'microvm.provider_unavailable');
    bench.pass(16 * MINUTE_MS);
    equal((await bench.shown(controller.run(caller, { idempotencyKey: 'key-2' }))).state, 'failed');
  },
};
