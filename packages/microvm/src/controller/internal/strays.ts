import { isClosed } from '../../lifecycle/states.js';
import type { MicrovmSummary } from '../../provider/provider.js';
import type { SessionRecord } from '../../registry/registry.js';
import { UNLIMITED } from '../caller.js';
import { LIMITS } from '../options.js';
import type { SweepReport } from '../types.js';
import { type Dependencies, GRACE_SECONDS, isMissing, nowMs } from './shared.js';
import { REPEATABLE_MS } from './start.js';
import { pairUp } from './start-matches.js';

/** Age after which a machine with a session is in the index of machines. */
const SETTLED_MS = 20 * 60_000;
/** The oldest start whose machine can still be running. */
const OLDEST_LOST_MS = (LIMITS.durationSeconds + GRACE_SECONDS) * 1000 + REPEATABLE_MS;
const STRAYS_PAGE = 100;
/** Concurrent calls. */
const AT_ONCE = 10;

/** A sweep has no caller. */
const FACTS = { remainingMs: UNLIMITED };

/** Options of {@link endStrays}. */
export interface StrayOptions {
  /** Maximum number of unknown machines to terminate. */
  readonly maxUnknown: number;
  /** True if the time of the sweep is over. */
  readonly isOver: () => boolean;
  /** True if the table had unfinished starts. */
  readonly hasStarts: boolean;
}

type Strays = Pick<SweepReport, 'terminated' | 'refused' | 'unknown' | 'complete'>;

/**
 * Terminates machines that provably belong to this table: a machine of a terminated or failed session, or of an abandoned start.
 * Any other machine of the image may belong to another table. It is counted, and terminated only if the image is ours alone and
 * the table contains a machine or a start, because the table name could be wrong.
 */
export async function endStrays(deps: Dependencies, { maxUnknown, isOver, hasStarts }: StrayOptions): Promise<Strays> {
  const sum = { terminated: 0, refused: 0, unknown: 0, complete: true };
  const begunAt = nowMs(deps);
  const lost = await lostStarts(deps);
  let room = maxUnknown;
  for (const ref of new Set(deps.settings.images.map((image) => image.ref))) {
    const machines = await deps.calls.send('list', FACTS, (provider, signal) => provider.list(ref, signal));
    const { over, unnamed, isNamed, complete } = await sortOut(deps, machines.filter(isSettled(deps)), begunAt, isOver);
    sum.complete &&= complete;
    // Without the complete list of machines, a start could match the wrong machine.
    const starts = complete ? lost.filter(({ imageRef }) => imageRef === ref) : [];
    const pairs = await pairUp(deps, unnamed, starts);
    const others = unnamed.filter((machine) => !pairs.some((pair) => pair.machine === machine));
    const isOurTable = complete && (hasStarts || isNamed || lost.length > 0);
    const free = isOurTable ? others.slice(0, room) : [];
    room -= free.length;
    const ends = [
      ...over.map((machine) => () => endMachine(deps, machine)),
      ...pairs.map((pair) => () => endClaimed(deps, pair)),
      ...free.map((machine) => () => endMachine(deps, machine)),
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

/** Abandoned starts with an unknown outcome, the oldest first. */
async function lostStarts(deps: Dependencies): Promise<readonly SessionRecord[]> {
  const now = nowMs(deps);
  const lost: SessionRecord[] = [];
  let after: string | undefined;
  do {
    const page = { kind: 'unknown', from: now - OLDEST_LOST_MS, to: now, limit: STRAYS_PAGE, after } as const;
    const { records, next } = await deps.registry.listPending(page);
    lost.push(...records);
    after = next;
  } while (after !== undefined);
  return lost;
}

interface Sorted {
  /** Machines of terminated or failed sessions. */
  readonly over: readonly MicrovmSummary[];
  /** Machines without a session. */
  readonly unnamed: readonly MicrovmSummary[];
  /** True if one of the machines has a session. */
  readonly isNamed: boolean;
  /** True if all machines were looked up. */
  readonly complete: boolean;
}

async function sortOut(
  deps: Dependencies,
  machines: readonly MicrovmSummary[],
  begunAt: number,
  isOver: () => boolean,
): Promise<Sorted> {
  const over: MicrovmSummary[] = [];
  const unnamed: MicrovmSummary[] = [];
  let isNamed = false;
  for (let from = 0; from < machines.length; from += AT_ONCE) {
    if (isOver()) return { over, unnamed, isNamed, complete: false };
    const some = machines.slice(from, from + AT_ONCE);
    const records = await Promise.all(some.map(({ microvmId }) => deps.registry.findByMicrovmId(microvmId)));
    for (const [index, machine] of some.entries()) {
      const record = records[index];
      if (record === undefined) unnamed.push(machine);
      else if (isClosed(record.state) || record.desiredState === 'terminated') {
        // A concurrent sweep that has written the machine's id terminates it.
        if (record.lastAction !== 'sweep' || record.updatedAt < begunAt) over.push(machine);
      }
      isNamed ||= record !== undefined;
    }
  }
  return { over, unnamed, isNamed, complete: true };
}

function isSettled(deps: Dependencies): (machine: MicrovmSummary) => boolean {
  const latest = nowMs(deps) - SETTLED_MS;
  return ({ state, startedAt }) => state !== 'TERMINATED' && state !== 'TERMINATING' && Number(startedAt) < latest;
}

/** Writes the machine's id to the row before terminating it. Of two concurrent sweeps, only one can write it. */
async function endClaimed(
  deps: Dependencies,
  { machine, start }: { readonly machine: MicrovmSummary; readonly start: SessionRecord },
): Promise<'terminated' | 'gone' | 'refused'> {
  const { microvmId } = machine;
  const changes = { microvmId, updatedAt: nowMs(deps), lastAction: 'sweep' } as const;
  const claimed = await deps.registry.change(start, changes);
  return claimed === undefined ? 'gone' : endMachine(deps, machine);
}

/** Terminates a machine. Does nothing if it has terminated since it was listed; if the service rejects the call, the next sweep retries. */
async function endMachine(
  deps: Dependencies,
  { microvmId }: MicrovmSummary,
): Promise<'terminated' | 'gone' | 'refused'> {
  try {
    await deps.calls.send('terminate', FACTS, (provider, signal) => provider.terminate(microvmId, signal));
    return 'terminated';
  } catch (error) {
    return isMissing(error) ? 'gone' : 'refused';
  }
}
