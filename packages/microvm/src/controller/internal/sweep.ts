import { LAMBDA_MAX_TIMEOUT_MS } from '@sallyport/core/internal';
import { boolean, defineOptions, integer } from '@sallyport/core/options';
import { controllerIncomplete } from '../../errors.js';
import { emitLifecycle } from '../../lifecycle/events.js';
import type { SessionRecord } from '../../registry/registry.js';
import { type CallerFacts, UNLIMITED } from '../caller.js';
import { LIMITS } from '../options.js';
import type { SweepOptions, SweepReport } from '../types.js';
import { type Dependencies, GRACE_SECONDS, nowMs } from './shared.js';
import { finishStart, LOST_MS } from './start.js';
import { endStrays } from './strays.js';

/** Reservations per page. */
const PAGE = 25;

/** Validators and defaults for {@link SweepOptions}. */
const SWEEP_OPTIONS = defineOptions<SweepOptions>()(
  {
    imageIsOnlyOurs: boolean,
    limit: integer(1, 100).default(25),
    timeoutMs: integer(1000, LAMBDA_MAX_TIMEOUT_MS, 'milliseconds').default(20_000),
  },
  { fail: controllerIncomplete },
);

/** Finishes interrupted starts, and terminates unused machines recorded in this table. */
export async function sweepSessions(deps: Dependencies, options: SweepOptions | undefined): Promise<SweepReport> {
  const { imageIsOnlyOurs = deps.settings.imageIsOnlyOurs, limit, timeoutMs } = SWEEP_OPTIONS.parse(options);
  const endMs = deps.clock.monotonicMs() + timeoutMs;
  const isOver = () => deps.clock.monotonicMs() >= endMs;
  const starts = await finishStarts(deps, isOver);
  const found = { terminated: 0, refused: 0, unknown: 0, complete: false };
  if (!starts.complete) return { ...starts, ...found };
  const machines = await endStrays(deps, {
    maxUnknown: imageIsOnlyOurs ? limit : 0,
    isOver,
    hasStarts: starts.pending > 0,
  });
  return { ...starts, ...machines };
}

/** Age of the oldest reservation whose row has not expired, with the longest lifetime of a machine. */
const OLDEST_START_MS = (LIMITS.durationSeconds + GRACE_SECONDS) * 1000;

type Starts = Pick<SweepReport, 'pending' | 'confirmed' | 'failed' | 'complete'>;

/** Reads all pages, so that unfinishable starts do not hide later starts. */
async function finishStarts(deps: Dependencies, isOver: () => boolean): Promise<Starts> {
  const counts = { pending: 0, confirmed: 0, failed: 0 };
  const now = nowMs(deps);
  const range = { kind: 'requested', from: now - OLDEST_START_MS, to: now - LOST_MS, limit: PAGE } as const;
  let after: string | undefined;
  do {
    const page = await deps.registry.listPending({ ...range, after });
    for (const record of page.records) {
      if (isOver()) return { ...counts, complete: false };
      counts.pending += 1;
      const state = await finish(deps, record);
      if (state === 'failed') counts.failed += 1;
      else if (state !== 'requested') counts.confirmed += 1;
    }
    after = page.next;
  } while (after !== undefined);
  return { ...counts, complete: true };
}

/** Returns the state after the attempt. The next sweep retries a start that fails now. */
async function finish(deps: Dependencies, record: SessionRecord): Promise<SessionRecord['state']> {
  try {
    const finished = await finishStart(deps, factsOfSweep(record), record);
    if (finished.state !== 'requested') tellSweep(deps, record, finished);
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

function tellSweep(deps: Dependencies, before: SessionRecord, after: SessionRecord): void {
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
      at: deps.clock.now().toISOString(),
    },
    deps.settings.onLifecycleEvent,
    undefined,
  );
}
