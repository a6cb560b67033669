import { mapConcurrently } from '../check/concurrently.js';
import { type Driver, startWorker } from './driver.js';
import type { WorkloadName } from './invoke.js';
import type { Peer } from './peers.js';

export interface Effort {
  readonly rounds: number;
  /** CPU milliseconds that each peer runs before it is measured. */
  readonly warmUpMs: number;
  /** CPU milliseconds of one peer's share of a round. */
  readonly roundMs: number;
  /** Workloads whose allocation is measured. */
  readonly counted: readonly WorkloadName[];
}

/** The results of one peer in one workload. */
export type Outcome =
  /** CPU microseconds for each call, by round; bytes allocated for each call. */
  | { readonly kind: 'measured'; readonly micros: readonly number[]; readonly bytes: number | null }
  | { readonly kind: 'failed'; readonly problem: string }
  | { readonly kind: 'absent' };

export interface Contestant {
  readonly peer: Peer;
  /** Path of its bundle, or the build error. */
  readonly bundle: { readonly file: string } | { readonly problem: string };
}

/** A warm worker with correct answers. */
interface Lane {
  readonly driver: Driver;
  readonly micros: number[];
  readonly bytes: number | null;
}

/**
 * Measures all contestants in one workload: each runs in a separate process, every answer is checked before the timing, and
 * the rounds are interleaved, so that other load on the machine affects all equally.
 */
export async function measureWorkload(
  workload: WorkloadName,
  contestants: readonly Contestant[],
  worker: string,
  effort: Effort,
): Promise<readonly Outcome[]> {
  // Warming up is measured in CPU time, so two workers at the same time do not disturb each other.
  const lanes = await mapConcurrently(contestants, 2, (contestant) => enter(contestant, workload, worker, effort));
  for (let round = 0; round < effort.rounds; round++) {
    for (const lane of lanes) {
      if ('driver' in lane) lane.micros.push(await lane.driver.ask({ do: 'run', cpuMs: effort.roundMs }));
    }
  }
  return lanes.map((lane): Outcome => {
    if (!('driver' in lane)) return lane;
    lane.driver.stop();
    return { kind: 'measured', micros: lane.micros, bytes: lane.bytes };
  });
}

/** A warm worker with checked answers, or the reason for its absence. */
async function enter(
  { bundle }: Contestant,
  workload: WorkloadName,
  worker: string,
  effort: Effort,
): Promise<Lane | Outcome> {
  if ('problem' in bundle) return { kind: 'failed', problem: bundle.problem };
  const driver = startWorker({ worker, bundle: bundle.file, workload });
  const outcome = await prepare(driver, effort);
  if (outcome !== null) {
    driver.stop();
    return outcome;
  }
  const isCounted = effort.counted.includes(workload);
  return { driver, micros: [], bytes: isCounted ? await allocation(worker, bundle.file, workload, effort) : null };
}

/** The reason why a peer is not measured, or `null` if it is warm and correct. */
async function prepare(driver: Driver, { warmUpMs }: Effort): Promise<Outcome | null> {
  try {
    if ((await driver.ask({ do: 'check' })) === 0) return { kind: 'absent' };
    await driver.ask({ do: 'run', cpuMs: warmUpMs });
    return null;
  } catch (error) {
    return { kind: 'failed', problem: (error as Error).message };
  }
}

/**
 * A young generation of 256 MiB: nothing is collected while the calls of the measurement run. The compiler runs in turn with
 * the program, so that a busy machine does not leave code uncompiled, which allocates more.
 */
const ROOMY = [
  '--expose-gc',
  '--no-concurrent-recompilation',
  '--min-semi-space-size=256',
  '--max-semi-space-size=256',
];

async function allocation(
  worker: string,
  bundle: string,
  workload: WorkloadName,
  { warmUpMs }: Effort,
): Promise<number | null> {
  const driver = startWorker({ worker, bundle, workload, flags: ROOMY });
  try {
    await driver.ask({ do: 'check' });
    return await driver.ask({ do: 'allocate', warmUpMs });
  } catch {
    return null;
  } finally {
    driver.stop();
  }
}
