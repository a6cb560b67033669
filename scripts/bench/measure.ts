import { type Driver, startWorker } from './driver.js';
import type { WorkloadName } from './invoke.js';
import type { Peer } from './peers.js';

export interface Effort {
  readonly rounds: number;
  /** CPU milliseconds that each peer runs before it is measured. */
  readonly warmUpMs: number;
  /** CPU milliseconds of one peer's share of a round. */
  readonly roundMs: number;
}

/** What one peer did in one workload. */
export type Outcome =
  /** CPU microseconds a call, round by round; bytes allocated a call. */
  | { readonly kind: 'measured'; readonly micros: readonly number[]; readonly bytes: number | null }
  | { readonly kind: 'failed'; readonly problem: string }
  | { readonly kind: 'absent' };

export interface Contestant {
  readonly peer: Peer;
  /** Path of its bundle, or why there is none. */
  readonly bundle: { readonly file: string } | { readonly problem: string };
}

/**
 * Measures all contestants in one workload: each in its own process, every answer checked before anything is timed, and
 * the rounds interleaved, so that whatever else the machine does meets everyone alike.
 */
export async function measureWorkload(
  workload: WorkloadName,
  contestants: readonly Contestant[],
  worker: string,
  effort: Effort,
): Promise<ReadonlyMap<Peer, Outcome>> {
  const outcomes = new Map<Peer, Outcome>();
  const lanes = new Map<Peer, { driver: Driver; micros: number[]; bytes: number | null }>();
  for (const { peer, bundle } of contestants) {
    if ('problem' in bundle) {
      outcomes.set(peer, { kind: 'failed', problem: bundle.problem });
      continue;
    }
    const driver = startWorker({ worker, bundle: bundle.file, workload });
    const outcome = await prepare(driver, effort);
    if (outcome === null)
      lanes.set(peer, { driver, micros: [], bytes: await allocation(worker, bundle.file, workload) });
    else {
      outcomes.set(peer, outcome);
      driver.stop();
    }
  }
  for (let round = 0; round < effort.rounds; round++) {
    for (const { driver, micros } of lanes.values()) {
      micros.push(await driver.ask({ do: 'run', cpuMs: effort.roundMs }));
    }
  }
  for (const [peer, { driver, micros, bytes }] of lanes) {
    driver.stop();
    outcomes.set(peer, { kind: 'measured', micros, bytes });
  }
  return outcomes;
}

/** Why a peer will not be measured, or `null` when it is warm and right. */
async function prepare(driver: Driver, { warmUpMs }: Effort): Promise<Outcome | null> {
  try {
    if ((await driver.ask({ do: 'check' })) === 0) return { kind: 'absent' };
    await driver.ask({ do: 'run', cpuMs: warmUpMs });
    return null;
  } catch (error) {
    return { kind: 'failed', problem: (error as Error).message };
  }
}

/** A young generation of 256 MiB: nothing is collected while the few thousand calls of the measurement run. */
const ROOMY = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'];

async function allocation(worker: string, bundle: string, workload: WorkloadName): Promise<number | null> {
  const driver = startWorker({ worker, bundle, workload, flags: ROOMY });
  try {
    await driver.ask({ do: 'check' });
    return await driver.ask({ do: 'allocate' });
  } catch {
    return null;
  } finally {
    driver.stop();
  }
}
