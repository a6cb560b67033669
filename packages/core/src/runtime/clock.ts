/** Where the framework gets its time from. `monotonicMs` and `after` fall back to the system's. */
export interface Clock {
  now(): Date;
  /** Milliseconds on a clock that never goes back; for durations. */
  monotonicMs?(): number;
  /** Runs `run` after `ms` milliseconds; the result cancels it. */
  after?(ms: number, run: () => void): () => void;
}

/** A clock with every member. */
export type FullClock = Required<Clock>;

/** The longest delay that a timer takes, in milliseconds. */
const MAX_DELAY_MS = 2_147_483_647;

/** The machine's clock. */
export const systemClock: FullClock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), MAX_DELAY_MS));
    return () => clearTimeout(timer);
  },
};

/** The given clock with what it leaves out taken from the system. */
export function completeClock(clock: Clock | undefined): FullClock {
  if (!clock || clock === systemClock) return systemClock;
  return {
    now: () => clock.now(),
    monotonicMs: clock.monotonicMs ? () => (clock as FullClock).monotonicMs() : systemClock.monotonicMs,
    after: clock.after ? (ms, run) => (clock as FullClock).after(ms, run) : systemClock.after,
  };
}
