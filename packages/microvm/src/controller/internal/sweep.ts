import { boolean, defineOptions, integer } from '@sallyport/core/options';
import { controllerIncomplete, MicrovmError } from '../../errors.js';
import { emitLifecycle } from '../../lifecycle/events.js';
import { isClosed } from '../../lifecycle/states.js';
import { mayPass } from '../../provider/internal/errors.js';
import type { MicrovmSummary } from '../../provider/provider.js';
import type { SessionRecord } from '../../registry/registry.js';
import { type CallerFacts, UNLIMITED } from '../caller.js';
import type { SweepOptions, SweepReport } from '../types.js';
import { CLOSED_SECONDS, expiryAt, isMissing, nowMs, type Parts } from './parts.js';
import { start } from './run.js';

/** A reservation that is older than this has lost the process that made it. */
const LOST_MS = 60_000;
/** For so long after the reservation the service knows its client token. */
const REPEATABLE_MS = 15 * 60_000;
/** A machine that is older than this would be in the index, if a session named it. */
const UNKNOWN_MS = 20 * 60_000;

/** A sweep has no caller. */
const FACTS = { remainingMs: UNLIMITED };

/** What {@link SweepOptions} may be. */
const SWEEP_OPTIONS = defineOptions<SweepOptions>()(
  { terminateUnknown: boolean.default(false), limit: integer(1, 100).default(25) },
  { fail: controllerIncomplete },
);

/** Finishes what was interrupted: reservations without a machine, and machines without a session. */
export async function sweepSessions(parts: Parts, options: SweepOptions | undefined): Promise<SweepReport> {
  const { terminateUnknown, limit } = SWEEP_OPTIONS.parse(options);
  const pending = await parts.registry.listPending(nowMs(parts) - LOST_MS, limit);
  let confirmed = 0;
  let failed = 0;
  for (const record of pending) {
    const after = await finish(parts, record);
    if (after === 'failed') failed += 1;
    else if (after !== 'requested') confirmed += 1;
  }
  const ended = terminateUnknown ? await endUnknown(parts) : { terminated: 0, refused: 0 };
  return { pending: pending.length, confirmed, failed, ...ended };
}

/** Repeats the run of a reservation with its own client token, or gives it up. */
async function finish(parts: Parts, record: SessionRecord): Promise<SessionRecord['state']> {
  const facts = factsOfSweep(record);
  if (nowMs(parts) - record.createdAt > REPEATABLE_MS) {
    const now = nowMs(parts);
    const changes = { state: 'failed', errorCode: 'microvm.provider_unavailable', updatedAt: now } as const;
    const expiresAt = expiryAt(now, CLOSED_SECONDS);
    const failed = await parts.registry.confirm(record, { ...changes, expiresAt, lastAction: 'sweep' });
    if (failed !== undefined) tellSweep(parts, record, failed);
    return failed?.state ?? 'requested';
  }
  try {
    const started = await start(parts, facts, record, true);
    tellSweep(parts, record, started);
    return started.state;
  } catch (error) {
    return error instanceof MicrovmError && mayPass(error) ? 'requested' : 'failed';
  }
}

/** Ends machines of our images that no session names, and those whose session is over. */
async function endUnknown(parts: Parts): Promise<Pick<SweepReport, 'terminated' | 'refused'>> {
  let terminated = 0;
  let refused = 0;
  for (const ref of new Set(parts.settings.images.map((image) => image.ref))) {
    const machines = await parts.calls.send('list', FACTS, (provider, signal) => provider.list(ref, signal));
    for (const machine of machines) {
      if (!isOld(parts, machine)) continue;
      const record = await parts.registry.findByMicrovmId(machine.microvmId);
      if (record !== undefined && !isClosed(record.state) && record.desiredState !== 'terminated') continue;
      const end = await endMachine(parts, machine);
      if (end === 'terminated') terminated += 1;
      else if (end === 'refused') refused += 1;
    }
  }
  return { terminated, refused };
}

/** One that has ended since it was listed needs nothing; one that the service does not end is tried again by the next sweep. */
async function endMachine(parts: Parts, { microvmId }: MicrovmSummary): Promise<'terminated' | 'gone' | 'refused'> {
  try {
    await parts.calls.send('terminate', FACTS, (provider, signal) => provider.terminate(microvmId, signal));
    return 'terminated';
  } catch (error) {
    return isMissing(error) ? 'gone' : 'refused';
  }
}

function isOld(parts: Parts, { state, startedAt }: MicrovmSummary): boolean {
  const isAlive = state !== 'TERMINATED' && state !== 'TERMINATING';
  return isAlive && nowMs(parts) - Number(startedAt) > UNKNOWN_MS;
}

function factsOfSweep({ tenantId, namespace, authSubject, lastRequestId }: SessionRecord): CallerFacts {
  return {
    tenantId,
    namespace,
    identity: authSubject,
    requestId: lastRequestId,
    signal: undefined,
    remainingMs: UNLIMITED,
    observability: undefined,
  };
}

function tellSweep(parts: Parts, before: SessionRecord, after: SessionRecord): void {
  const { tenantId, namespace, sessionId, lastRequestId, microvmId, version, errorCode } = after;
  emitLifecycle(
    {
      type: 'microvm.lifecycle',
      operation: 'sweep',
      outcome: after.state === 'failed' ? 'failed' : 'succeeded',
      from: before.state,
      to: after.state,
      ...(errorCode !== undefined && { error_code: errorCode }),
      request_id: lastRequestId,
      tenant_id: tenantId,
      namespace,
      session_id: sessionId,
      ...(microvmId !== undefined && { provider_microvm_id: microvmId }),
      registry_version: version,
      at: parts.clock.now().toISOString(),
    },
    parts.settings.onLifecycleEvent,
    undefined,
  );
}
