import type { MicrovmDescription, MicrovmSummary } from '../../provider/provider.js';
import type { SessionRecord } from '../../registry/registry.js';
import { UNLIMITED } from '../caller.js';
import type { Parts } from './parts.js';
import { REPEATABLE_MS } from './start.js';

/** The most that the clocks of the service and of a function differ. */
const SKEW_MS = 60_000;

/** A machine, and the start that accounts for it. */
export interface Pair {
  readonly machine: MicrovmSummary;
  readonly start: SessionRecord;
}

/**
 * Finds the machines of starts whose outcome is unknown. A start has one client token and so at most one machine, which started
 * while its token was used and is as that start wanted it. Where more machines fit than there are starts, another table may own
 * some of them, and none is taken.
 */
export async function pairUp(
  parts: Parts,
  machines: readonly MicrovmSummary[],
  starts: readonly SessionRecord[],
): Promise<readonly Pair[]> {
  const fitting = new Map<MicrovmSummary, readonly SessionRecord[]>();
  for (const machine of machines) {
    const near = starts.filter((start) => isInTime(start, machine));
    const fits = near.length === 0 ? [] : await narrow(parts, machine, near);
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

/** A machine that the service does not describe now is left to the next sweep. */
async function narrow(
  { calls }: Parts,
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
