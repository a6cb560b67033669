import { boolean, defineOptions, integer } from '@sallyport/core/options';
import { controllerIncomplete } from '../../errors.js';
import { emitLifecycle } from '../../lifecycle/events.js';
import type { SessionRecord } from '../../registry/registry.js';
import { type CallerFacts, UNLIMITED } from '../caller.js';
import { LIMITS } from '../options.js';
import type { SweepOptions, SweepReport } from '../types.js';
import { GRACE_SECONDS, nowMs, type Parts } from './parts.js';
import { finishStart, LOST_MS } from './start.js';
import { endStrays } from './strays.js';

/** Reservations of one page. */
const PAGE = 25;

/** Validators and defaults for {@link SweepOptions}. */
const SWEEP_OPTIONS = defineOptions<SweepOptions>()(
  {
    imageIsOnlyOurs: boolean,
    limit: integer(1, 100).default(25),
    timeoutMs: integer(1000, 900_000, 'milliseconds').default(20_000),
  },
  { fail: controllerIncomplete },
);

/** Finishes interrupted starts, and terminates the machines that this table knows to be its own and unused. */
export async function sweepSessions(parts: Parts, options: SweepOptions | undefined): Promise<SweepReport> {
  const { imageIsOnlyOurs = parts.settings.imageIsOnlyOurs, limit, timeoutMs } = SWEEP_OPTIONS.parse(options);
  const endMs = parts.clock.monotonicMs() + timeoutMs;
  const isOver = () => parts.clock.monotonicMs() >= endMs;
  const starts = await finishStarts(parts, isOver);
  const found = { terminated: 0, refused: 0, unknown: 0, complete: false };
  if (!starts.complete) return { ...starts, ...found };
  const machines = await endStrays(parts, {
    maxUnknown: imageIsOnlyOurs ? limit : 0,
    isOver,
    hasStarts: starts.pending > 0,
  });
  return { ...starts, ...machines };
}

/** The oldest reservation whose row has not expired: with the longest life that a machine can have. */
const OLDEST_START_MS = (LIMITS.durationSeconds + GRACE_SECONDS) * 1000;

type Starts = Pick<SweepReport, 'pending' | 'confirmed' | 'failed' | 'complete'>;

/** Goes through all pages, so that starts that cannot be finished now do not hide those behind them. */
async function finishStarts(parts: Parts, isOver: () => boolean): Promise<Starts> {
  const counts = { pending: 0, confirmed: 0, failed: 0 };
  const now = nowMs(parts);
  const range = { kind: 'requested', from: now - OLDEST_START_MS, to: now - LOST_MS, limit: PAGE } as const;
  let after: string | undefined;
  do {
    const page = await parts.registry.listPending({ ...range, after });
    for (const record of page.records) {
      if (isOver()) return { ...counts, complete: false };
      counts.pending += 1;
      const state = await finish(parts, record);
      if (state === 'failed') counts.failed += 1;
      else if (state !== 'requested') counts.confirmed += 1;
    }
    after = page.next;
  } while (after !== undefined);
  return { ...counts, complete: true };
}

/** The state after the attempt. A start that fails now is tried again by the next sweep. */
async function finish(parts: Parts, record: SessionRecord): Promise<SessionRecord['state']> {
  try {
    const finished = await finishStart(parts, factsOfSweep(record), record);
    if (finished.state !== 'requested') tellSweep(parts, record, finished);
    return finished.state;
  } catch {
    return 'requested';
  }
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
