import type { MicrovmDescription, MicrovmSummary } from '../../provider/provider.js';
import type { SessionRecord } from '../../registry/registry.js';
import { UNLIMITED } from '../caller.js';
import type { Dependencies } from './shared.js';
import { REPEATABLE_MS } from './start.js';

/** Maximum difference between the clocks of the service and of a function. */
const SKEW_MS = 60_000;

/** A machine and its start. */
export interface Pair {
  readonly machine: MicrovmSummary;
  readonly start: SessionRecord;
}

/**
 * Finds the machines of starts with an unknown outcome. A start has one client token and so at most one machine, which started
 * while the token was used and matches the start's input. If more machines match than there are starts, another table may own
 * some of them, and the result is empty.
 */
export async function pairUp(
  deps: Dependencies,
  machines: readonly MicrovmSummary[],
  starts: readonly SessionRecord[],
): Promise<readonly Pair[]> {
  const fitting = new Map<MicrovmSummary, readonly SessionRecord[]>();
  for (const machine of machines) {
    const near = starts.filter((start) => isInTime(start, machine));
    const fits = near.length === 0 ? [] : await narrow(deps, machine, near);
    if (fits.length > 0) fitting.set(machine, fits);
  }
  const pairs: Pair[] = [];
  for (const [machine, own] of fitting) {
    const rivals = [...fitting.values()].filter((others) => others.some((start) => own.includes(start)));
    const start = own.find((one) => !pairs.some((pair) => pair.start === one));
    if (rivals.length <= own.length && start !== undefined) pairs.push({ machine, start });
  }
  return pairs;
}

function isInTime({ createdAt }: SessionRecord, { startedAt }: MicrovmSummary): boolean {
  const after = Number(startedAt) - createdAt;
  return after >= -SKEW_MS && after <= REPEATABLE_MS + SKEW_MS;
}

/** Leaves a machine to the next sweep if the service cannot describe it now. */
async function narrow(
  { calls }: Dependencies,
  { microvmId }: MicrovmSummary,
  near: readonly SessionRecord[],
): Promise<readonly SessionRecord[]> {
  const machine = await calls
    .send('get', { remainingMs: UNLIMITED }, (provider, signal) => provider.get(microvmId, signal))
    .catch(() => undefined);
  return machine === undefined ? [] : near.filter((start) => isAsWanted(start, machine));
}

function isAsWanted(start: SessionRecord, machine: MicrovmDescription): boolean {
  const { imageVersion, maximumDurationSeconds, startSetup } = start;
  return (
    machine.maximumDurationSeconds === maximumDurationSeconds &&
    (imageVersion === undefined || machine.imageVersion === imageVersion) &&
    (startSetup === undefined || machine.executionRoleArn === startSetup.executionRoleArn)
  );
}
