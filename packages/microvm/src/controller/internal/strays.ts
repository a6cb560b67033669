import { isClosed } from '../../lifecycle/states.js';
import type { MicrovmSummary } from '../../provider/provider.js';
import type { SessionRecord } from '../../registry/registry.js';
import { UNLIMITED } from '../caller.js';
import { LIMITS } from '../options.js';
import type { SweepReport } from '../types.js';
import { GRACE_SECONDS, isMissing, nowMs, type Parts } from './parts.js';
import { REPEATABLE_MS } from './start.js';
import { pairUp } from './start-matches.js';

/** A machine that is older than this is in the index of machines, if a session names it. */
const SETTLED_MS = 20 * 60_000;
/** The oldest start whose machine can still be running. */
const OLDEST_LOST_MS = (LIMITS.durationSeconds + GRACE_SECONDS) * 1000 + REPEATABLE_MS;
const PAGE = 100;
/** Calls at a time. */
const AT_ONCE = 10;

/** A sweep has no caller. */
const FACTS = { remainingMs: UNLIMITED };

/** Options of {@link endStrays}. */
export interface StrayOptions {
  /** Machines without any evidence that are terminated, at most; 0 for none. */
  readonly maxUnknown: number;
  /** True if the time of the sweep is over. */
  readonly isOver: () => boolean;
  /** True if the table had unfinished starts. */
  readonly hasStarts: boolean;
}

type Strays = Pick<SweepReport, 'terminated' | 'refused' | 'unknown' | 'complete'>;

/**
 * Terminates machines that the table proves to be its own: the session that names one is over, or a start that was given up
 * accounts for it. Any other machine of the image may belong to another table. Those are counted, and terminated only if the image
 * is ours alone and the table names a machine or a start: a wrong table name must not end everything.
 */
export async function endStrays(parts: Parts, { maxUnknown, isOver, hasStarts }: StrayOptions): Promise<Strays> {
  const sum = { terminated: 0, refused: 0, unknown: 0, complete: true };
  const lost = await lostStarts(parts);
  let room = maxUnknown;
  for (const ref of new Set(parts.settings.images.map((image) => image.ref))) {
    const machines = await parts.calls.send('list', FACTS, (provider, signal) => provider.list(ref, signal));
    const { over, unnamed, isNamed, complete } = await sortOut(parts, machines.filter(isSettled(parts)), isOver);
    sum.complete &&= complete;
    // Without all machines, a start may seem to account for the wrong one.
    const starts = complete ? lost.filter(({ imageRef }) => imageRef === ref) : [];
    const pairs = await pairUp(parts, unnamed, starts);
    const others = unnamed.filter((machine) => !pairs.some((pair) => pair.machine === machine));
    const isOurTable = complete && (hasStarts || isNamed || lost.length > 0);
    const free = isOurTable ? others.slice(0, room) : [];
    room -= free.length;
    const ends = [
      ...over.map((machine) => () => endMachine(parts, machine)),
      ...pairs.map((pair) => () => endClaimed(parts, pair)),
      ...free.map((machine) => () => endMachine(parts, machine)),
    ];
    for (const end of ends) {
      const outcome = isOver() ? 'later' : await end();
      if (outcome === 'terminated' || outcome === 'refused') sum[outcome] += 1;
      if (outcome === 'later') sum.complete = false;
    }
    sum.unknown += others.length - free.length;
  }
  return sum;
}

/** Starts that were given up with an unknown outcome, the oldest first. */
async function lostStarts(parts: Parts): Promise<readonly SessionRecord[]> {
  const now = nowMs(parts);
  const lost: SessionRecord[] = [];
  let after: string | undefined;
  do {
    const page = { kind: 'unknown', from: now - OLDEST_LOST_MS, to: now, limit: PAGE, after } as const;
    const { records, next } = await parts.registry.listPending(page);
    lost.push(...records);
    after = next;
  } while (after !== undefined);
  return lost;
}

interface Sorted {
  /** Machines whose session is over. */
  readonly over: readonly MicrovmSummary[];
  /** Machines that no session names. */
  readonly unnamed: readonly MicrovmSummary[];
  /** True if a session names one of the machines. */
  readonly isNamed: boolean;
  /** True if all machines were looked up. */
  readonly complete: boolean;
}

async function sortOut(parts: Parts, machines: readonly MicrovmSummary[], isOver: () => boolean): Promise<Sorted> {
  const over: MicrovmSummary[] = [];
  const unnamed: MicrovmSummary[] = [];
  let isNamed = false;
  for (let from = 0; from < machines.length; from += AT_ONCE) {
    if (isOver()) return { over, unnamed, isNamed, complete: false };
    const some = machines.slice(from, from + AT_ONCE);
    const records = await Promise.all(some.map(({ microvmId }) => parts.registry.findByMicrovmId(microvmId)));
    for (const [index, machine] of some.entries()) {
      const record = records[index];
      if (record === undefined) unnamed.push(machine);
      else if (isClosed(record.state) || record.desiredState === 'terminated') over.push(machine);
      isNamed ||= record !== undefined;
    }
  }
  return { over, unnamed, isNamed, complete: true };
}

function isSettled(parts: Parts): (machine: MicrovmSummary) => boolean {
  const latest = nowMs(parts) - SETTLED_MS;
  return ({ state, startedAt }) => state !== 'TERMINATED' && state !== 'TERMINATING' && Number(startedAt) < latest;
}

/** The row names the machine before its end. Of two sweeps at the same time, only one can write that. */
async function endClaimed(
  parts: Parts,
  { machine, start }: { readonly machine: MicrovmSummary; readonly start: SessionRecord },
): Promise<'terminated' | 'gone' | 'refused'> {
  const { microvmId } = machine;
  const changes = { microvmId, updatedAt: nowMs(parts), lastAction: 'sweep' } as const;
  const claimed = await parts.registry.change(start, changes);
  return claimed === undefined ? 'gone' : endMachine(parts, machine);
}

/** A machine that has ended since it was listed needs nothing; the next sweep tries again to end one that the service keeps. */
async function endMachine(parts: Parts, { microvmId }: MicrovmSummary): Promise<'terminated' | 'gone' | 'refused'> {
  try {
    await parts.calls.send('terminate', FACTS, (provider, signal) => provider.terminate(microvmId, signal));
    return 'terminated';
  } catch (error) {
    return isMissing(error) ? 'gone' : 'refused';
  }
}
