import { type FullClock, type Logger, randomFraction } from '@sallyport/core';
import { pause } from '@sallyport/dynamo';
import { isConflict, JobLedgerError } from '../../errors.js';
import { JOB_ERRORS } from '../../internal/errors-of.js';
import { assertInput, whole } from '../../internal/input.js';
import type { JobLedger } from '../../ledger/ledger.js';
import { holdDuration } from './leases.js';

export interface HoldOptions {
  /** The label of the holder; a random id. */
  readonly owner?: string;
  /** 1,000 to 900,000; 30,000. */
  readonly durationMs?: number;
  /** A third of the duration. */
  readonly heartbeatMs?: number;
  /** How long to wait for somebody else to be done; 0. */
  readonly waitMs?: number;
  /** Ends the waiting, and aborts the signal that the work is given. */
  readonly signal?: AbortSignal;
}

const HOLD_INPUT = ['owner', 'durationMs', 'heartbeatMs', 'waitMs', 'signal'] as const;

/** A lease or a slot. */
interface Held {
  readonly expiresAtMs: number;
}

/** How one kind of hold is taken and kept. */
export interface Holding<H extends Held> {
  acquire(owner: string, durationMs: number, signal: AbortSignal | undefined): Promise<H>;
  refresh(held: H, durationMs: number, signal: AbortSignal): Promise<H>;
  release(held: H): Promise<void>;
}

const MIN_MARGIN_MS = 500;
const RETRY_MS = 250;
const MAX_WAIT_MS = 86_400_000;

/** @throws JobLedgerError `invalid_input` */
export function parseHold(options: HoldOptions, known: readonly string[]) {
  assertInput(options, [...HOLD_INPUT, ...known], JOB_ERRORS);
  const durationMs = holdDuration(options.durationMs);
  const marginMs = Math.max(MIN_MARGIN_MS, durationMs / 10);
  const heartbeatMs = options.heartbeatMs ?? Math.floor(durationMs / 3);
  whole('heartbeatMs', heartbeatMs, 1, durationMs - marginMs, JOB_ERRORS);
  return {
    durationMs,
    marginMs,
    heartbeatMs,
    waitMs: whole('waitMs', options.waitMs ?? 0, 0, MAX_WAIT_MS, JOB_ERRORS),
  };
}

/** Takes a hold, runs the work while refreshing it, releases it. */
export async function runHeld<H extends Held, T>(
  ledger: JobLedger,
  holding: Holding<H>,
  options: HoldOptions,
  timing: ReturnType<typeof parseHold>,
  work: (held: H, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal } = options;
  const { clock, log } = ledger;
  const owner = options.owner ?? ledger.ids.newId();
  const held = await acquireWithin(clock, timing.waitMs, signal, () =>
    holding.acquire(owner, timing.durationMs, signal),
  );
  const keeper = new Keeper(clock, holding, held, timing);
  const forget = follow(signal, (reason) => keeper.abort(reason));
  try {
    keeper.start();
    return await settle(keeper, async () => work(held, keeper.signal));
  } finally {
    forget();
    keeper.stop();
    await releaseQuietly(log, () => holding.release(keeper.held));
  }
}

async function settle<H extends Held, T>(keeper: Keeper<H>, work: () => Promise<T>): Promise<T> {
  let outcome: { readonly value: T } | { readonly thrown: unknown };
  try {
    outcome = { value: await work() };
  } catch (thrown) {
    outcome = { thrown };
  }
  keeper.check();
  if (keeper.isLost) throw lostError('thrown' in outcome ? { cause: outcome.thrown } : {});
  if ('thrown' in outcome) throw outcome.thrown;
  return outcome.value;
}

/** Waits for what somebody else holds, with jitter, no longer than told. */
async function acquireWithin<H>(
  clock: FullClock,
  waitMs: number,
  signal: AbortSignal | undefined,
  acquire: () => Promise<H>,
): Promise<H> {
  const deadline = clock.now().getTime() + waitMs;
  for (;;) {
    try {
      return await acquire();
    } catch (error) {
      const leftMs = deadline - clock.now().getTime();
      if (leftMs <= 0 || !isConflict(error, 'lease_held', 'semaphore_full', 'contended')) throw error;
      const { retryAfterMs = RETRY_MS } = (error.details ?? {}) as { retryAfterMs?: number };
      await pause(clock, Math.min(leftMs, retryAfterMs, jittered(RETRY_MS)), signal);
    }
  }
}

/** Half to one and a half of a time. */
function jittered(ms: number): number {
  return Math.ceil(ms * (0.5 + randomFraction()));
}

/** Refreshes one hold until it is stopped or lost. Whatever a timer says, the clock decides. */
class Keeper<H extends Held> {
  readonly #clock: FullClock;
  readonly #holding: Holding<H>;
  readonly #timing: ReturnType<typeof parseHold>;
  readonly #controller = new AbortController();
  /** Ends refreshes that are under way. */
  readonly #stopped = new AbortController();
  #cancelBeat: (() => void) | undefined;
  #cancelEnd: (() => void) | undefined;
  held: H;
  isLost = false;

  constructor(clock: FullClock, holding: Holding<H>, held: H, timing: ReturnType<typeof parseHold>) {
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

  /** Loses the hold when it is too near its end to be relied on. */
  check(): void {
    if (this.#leftMs() <= 0) this.#lose();
  }

  #leftMs(): number {
    return this.held.expiresAtMs - this.#timing.marginMs - this.#clock.now().getTime();
  }

  #lose(): void {
    if (this.isLost) return;
    this.isLost = true;
    this.stop();
    this.#controller.abort(lostError());
  }

  #beatAfter(ms: number): void {
    this.#cancelBeat?.();
    this.#cancelBeat = this.#clock.after(ms, () => void this.#beat());
  }

  /** A timer of its own: a refresh that gets no answer must not hide the end. */
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
      const refreshed = await this.#holding.refresh(this.held, durationMs, this.#stopped.signal);
      if (this.#stopped.signal.aborted) return;
      this.held = refreshed;
      this.#watchEnd();
      this.#beatAfter(heartbeatMs);
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      if (isConflict(error, 'lease_lost')) this.#lose();
      else this.#beatAfter(Math.min(heartbeatMs, RETRY_MS));
    }
  }
}

function lostError(init: { readonly cause?: unknown } = {}): JobLedgerError {
  return new JobLedgerError('conflict', 'lease_lost', 'lease lost', init);
}

function follow(signal: AbortSignal | undefined, onAbort: (reason: unknown) => void): () => void {
  if (!signal) return () => {};
  const listener = () => onAbort(signal.reason);
  if (signal.aborted) listener();
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** The work is done either way; what is not released expires. */
async function releaseQuietly(log: Logger, release: () => Promise<void>): Promise<void> {
  try {
    await release();
  } catch (error) {
    if (!isConflict(error, 'lease_lost')) log.warn('hold was not released', { error });
  }
}
