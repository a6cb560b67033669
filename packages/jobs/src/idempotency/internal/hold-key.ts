import { LAMBDA_MAX_TIMEOUT_MS, MAX_TIMER_MS } from '@sallyport/core/internal';
import { JOB_ERRORS } from '../../errors.js';
import { follow, Heartbeat, marginOf } from '../../leases/internal/heartbeat.js';
import type { JobLedger } from '../../ledger/ledger.js';
import type { IdempotencyHandle } from '../record.js';

/**
 * Lambda retries an asynchronous event one minute after the first failure and two minutes after the second
 * (https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html). The mark of a crashed run ends before that.
 */
const DEFAULT_MARK_MS = 50_000;
/** A run renews its mark after this fraction of its duration: every 15 s by default. */
const RENEWED_AT = 0.3;
/** A mark outlasts its invocation by this time. */
const AFTER_DEADLINE_MS = 1000;

/** Time limits of a run's key. */
export interface Term {
  /** Latest time until which the run has the key, in Unix milliseconds. */
  readonly deadlineMs: number;
  /** Duration of a mark in milliseconds, if the invocation does not end earlier. */
  readonly fullMarkMs: number;
  /** True if the mark is renewed. */
  readonly isRenewed: boolean;
  /** Duration in milliseconds of a mark that begins at `nowMs`. */
  markMs(nowMs: number): number;
}

/** A durable execution is suspended while it waits and cannot renew its mark, so the mark lasts for its time limit. */
export function termOf({
  ledger,
  begin,
  inProgressMs,
  remainingMs = 0,
}: {
  readonly ledger: Pick<JobLedger, 'clock'>;
  readonly begin: { readonly executionId?: string };
  readonly inProgressMs: number | undefined;
  readonly remainingMs: number | undefined;
}): Term {
  const nowMs = ledger.clock.now().getTime();
  const fullMarkMs = inProgressMs ?? DEFAULT_MARK_MS;
  if (begin.executionId !== undefined) {
    const leftMs = remainingMs > 0 ? Math.min(remainingMs, fullMarkMs) : fullMarkMs;
    return { deadlineMs: nowMs + leftMs, fullMarkMs, isRenewed: false, markMs: () => fullMarkMs };
  }
  const deadlineMs = nowMs + (remainingMs > 0 ? remainingMs : LAMBDA_MAX_TIMEOUT_MS);
  const markMs = (atMs: number) =>
    Math.min(fullMarkMs, Math.max(AFTER_DEADLINE_MS, Math.ceil(deadlineMs - atMs) + AFTER_DEADLINE_MS));
  return { deadlineMs, fullMarkMs, isRenewed: markMs(nowMs) === fullMarkMs, markMs };
}

/** The key of a run while its work runs. */
export interface HeldKey {
  /** Aborts at the deadline, when the key is lost, or when the caller's signal aborts. */
  readonly signal: AbortSignal;
  /** Stops the renewals. */
  stop(): void;
}

/** Renews a key until it is stopped, or until the invocation ends: a frozen process may run again in a later invocation. */
export function holdKey(
  ledger: JobLedger,
  handle: IdempotencyHandle,
  { deadlineMs, fullMarkMs, isRenewed, markMs }: Term,
  signal: AbortSignal | undefined,
): HeldKey {
  const { clock } = ledger;
  const lost = () => JOB_ERRORS.conflict('owner_lost');
  // A mark that outlasts the invocation is no longer renewed, and counts as held until its end.
  const last = { expiresAtMs: deadlineMs + AFTER_DEADLINE_MS + marginOf(fullMarkMs) };
  const refresh = async (held: { readonly expiresAtMs: number }, _: number, within: AbortSignal) => {
    if (held === last) return last;
    const nowMs = clock.now().getTime();
    const inProgressMs = markMs(nowMs);
    await ledger.renewIdempotency(handle, { inProgressMs }, { signal: within });
    return inProgressMs < fullMarkMs ? last : { expiresAtMs: nowMs + inProgressMs };
  };
  const startMs = clock.now().getTime();
  const timing = { durationMs: fullMarkMs, heartbeatMs: Math.floor(fullMarkMs * RENEWED_AT), lost };
  const heartbeat = new Heartbeat(clock, { refresh }, { expiresAtMs: startMs + fullMarkMs }, timing);
  if (isRenewed) heartbeat.start();
  const leftMs = deadlineMs - startMs;
  const atDeadline = () => heartbeat.abort(lost());
  const cancel = leftMs > MAX_TIMER_MS ? undefined : clock.after(Math.max(0, leftMs), atDeadline);
  const forget = follow(signal, (reason) => heartbeat.abort(reason));
  return {
    signal: heartbeat.signal,
    stop() {
      cancel?.();
      forget();
      heartbeat.stop();
    },
  };
}
