import type { FullClock, Logger } from '@sallyport/core';
import { randomFraction, type SuspensionGlobal } from '@sallyport/core/internal';
import { pause, withDeadline } from '@sallyport/dynamo';
import { isConflict, JOB_ERRORS, JobLedgerError } from '../../errors.js';
import { whole } from '../../internal/input.js';
import type { JobLedger } from '../../ledger/ledger.js';

/** A lease or a slot. */
interface Held {
  readonly expiresAtMs: number;
}

/** The calls that acquire, refresh and release a lease or a slot. */
export interface Holding<H extends Held> {
  /** Milliseconds until it is free; 0 if it is free. Set if reading is cheaper than trying to acquire it. */
  look?(signal: AbortSignal | undefined): Promise<number>;
  acquire(owner: string, durationMs: number, signal: AbortSignal | undefined): Promise<H>;
  refresh(held: H, durationMs: number, signal: AbortSignal): Promise<H>;
  release(held: H): Promise<void>;
}

const MIN_MARGIN_MS = 500;
const MIN_REFRESH_MS = 250;
const RETRY_MS = 250;
/** The longest time between two checks of a waiting caller. */
const MAX_LOOK_MS = 2000;

/** Options of a hold, with their defaults. */
export interface ParsedHold {
  readonly owner?: string | undefined;
  readonly durationMs: number;
  readonly heartbeatMs?: number | undefined;
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface Timing {
  readonly durationMs: number;
  readonly heartbeatMs: number;
}

/** Time before its end at which a lease or slot counts as lost. */
export function marginOf(durationMs: number): number {
  return Math.max(MIN_MARGIN_MS, durationMs / 10);
}

/** @throws JobLedgerError `invalid_input` if a refresh would be too late */
function timingOf({ durationMs, heartbeatMs = Math.floor(durationMs / 3) }: ParsedHold): Timing {
  whole('heartbeatMs', heartbeatMs, 1, durationMs - marginOf(durationMs), JOB_ERRORS);
  return { durationMs, heartbeatMs };
}

/** Acquires a lease or slot, refreshes it while the work runs, and releases it. */
export async function runHeld<H extends Held, T>(
  ledger: JobLedger,
  holding: Holding<H>,
  options: ParsedHold,
  work: (held: H, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, waitMs, owner = ledger.ids.newId() } = options;
  const { clock, log } = ledger;
  const timing = timingOf(options);
  const held = await acquireWithin(clock, waitMs, signal, {
    acquire: () => holding.acquire(owner, timing.durationMs, signal),
    look: async () => holding.look?.(signal) ?? 0,
  });
  const heartbeat = new Heartbeat(clock, holding, held, { ...timing, lost: lostError });
  const forget = follow(signal, (reason) => heartbeat.abort(reason));
  // A suspended execution could not refresh it.
  const allowSuspension = (globalThis as SuspensionGlobal)['sallyport.hold']?.();
  try {
    heartbeat.start();
    return await settle(heartbeat, async () => work(held, heartbeat.signal));
  } finally {
    forget();
    heartbeat.stop();
    allowSuspension?.();
    await releaseQuietly(log, () => holding.release(heartbeat.held));
  }
}

async function settle<H extends Held, T>(heartbeat: Heartbeat<H>, work: () => Promise<T>): Promise<T> {
  let outcome: { readonly value: T } | { readonly thrown: unknown };
  try {
    outcome = { value: await work() };
  } catch (thrown) {
    outcome = { thrown };
  }
  heartbeat.check();
  if (heartbeat.isLost) throw lostError('thrown' in outcome ? { cause: outcome.thrown } : {});
  if ('thrown' in outcome) throw outcome.thrown;
  return outcome.value;
}

/**
 * Retries until it is free or the time is over. Between attempts it only reads, at increasing intervals: writes of many waiting
 * callers would throttle the row, and with it the refreshes of its holder.
 */
async function acquireWithin<H>(
  clock: FullClock,
  waitMs: number,
  signal: AbortSignal | undefined,
  { acquire, look }: { acquire(): Promise<H>; look(): Promise<number> },
): Promise<H> {
  const deadline = clock.now().getTime() + waitMs;
  for (let looks = 0; ; ) {
    try {
      return await acquire();
    } catch (error) {
      if (!isConflict(error, 'lease_held', 'semaphore_full', 'contended')) throw error;
      let { retryAfterMs = RETRY_MS } = (error.details ?? {}) as { retryAfterMs?: number };
      do {
        const leftMs = deadline - clock.now().getTime();
        if (leftMs <= 0) throw error;
        const lookMs = jittered(Math.min(MAX_LOOK_MS, RETRY_MS * 1.5 ** looks));
        await pause(clock, Math.min(leftMs, retryAfterMs, lookMs), signal);
        looks += 1;
        retryAfterMs = await look();
      } while (retryAfterMs > 0);
    }
  }
}

/** A random time from 0.5 to 1.5 times the given one. */
function jittered(ms: number): number {
  return Math.ceil(ms * (0.5 + randomFraction()));
}

/** Refreshes a lease, a slot or an idempotency key until it is stopped or lost. Timers may fire late, so it reads the clock. */
export class Heartbeat<H extends Held> {
  readonly #clock: FullClock;
  readonly #holding: Pick<Holding<H>, 'refresh'>;
  readonly #timing: Timing & { lost(): Error };
  readonly #controller = new AbortController();
  /** Aborts refreshes in progress. */
  readonly #stopped = new AbortController();
  #cancelBeat: (() => void) | undefined;
  #cancelEnd: (() => void) | undefined;
  held: H;
  isLost = false;

  constructor(clock: FullClock, holding: Pick<Holding<H>, 'refresh'>, held: H, timing: Timing & { lost(): Error }) {
    this.#clock = clock;
    this.#holding = holding;
    this.#timing = timing;
    this.held = held;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  start(): void {
    this.#beatAfter(this.#timing.heartbeatMs);
    this.#watchEnd();
  }

  stop(): void {
    this.#cancelBeat?.();
    this.#cancelEnd?.();
    this.#stopped.abort();
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Treats the lease or slot as lost if it is too close to its end. */
  check(): void {
    if (this.#leftMs() <= 0) this.#lose();
  }

  #leftMs(): number {
    return this.held.expiresAtMs - marginOf(this.#timing.durationMs) - this.#clock.now().getTime();
  }

  #lose(): void {
    if (this.isLost) return;
    this.isLost = true;
    this.stop();
    this.#controller.abort(this.#timing.lost());
  }

  #beatAfter(ms: number): void {
    this.#cancelBeat?.();
    this.#cancelBeat = this.#clock.after(ms, () => void this.#beat());
  }

  /** A separate timer, so that the end is detected even if a refresh gets no response. */
  #watchEnd(): void {
    this.#cancelEnd?.();
    this.#cancelEnd = this.#clock.after(Math.max(0, this.#leftMs()), () => {
      this.check();
      if (!this.isLost) this.#watchEnd();
    });
  }

  async #beat(): Promise<void> {
    this.check();
    if (this.isLost) return;
    const { durationMs, heartbeatMs } = this.#timing;
    try {
      // After one request without a response there must be time for others.
      const ms = Math.max(MIN_REFRESH_MS, Math.floor(this.#leftMs() / 3));
      const refreshed = await withDeadline({ ms, clock: this.#clock, signal: this.#stopped.signal }, (signal) =>
        this.#holding.refresh(this.held, durationMs, signal),
      );
      if (this.#stopped.signal.aborted) return;
      this.held = refreshed;
      this.#watchEnd();
      this.#beatAfter(heartbeatMs);
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      if (isConflict(error, 'lease_lost', 'owner_lost', 'already_completed')) this.#lose();
      else this.#beatAfter(Math.min(heartbeatMs, RETRY_MS));
    }
  }
}

function lostError(init: { readonly cause?: unknown } = {}): JobLedgerError {
  return new JobLedgerError('conflict', 'lease_lost', 'lease lost', init);
}

/** Calls `onAbort` when the signal aborts, even if it has aborted before. Returns a function that stops this. */
export function follow(signal: AbortSignal | undefined, onAbort: (reason: unknown) => void): () => void {
  if (!signal) return () => {};
  const listener = () => onAbort(signal.reason);
  if (signal.aborted) listener();
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** Releases a lease or slot after the work. If that fails, it expires. */
async function releaseQuietly(log: Logger, release: () => Promise<void>): Promise<void> {
  try {
    await release();
  } catch (error) {
    if (!isConflict(error, 'lease_lost')) log.warn('hold was not released', { error });
  }
}
