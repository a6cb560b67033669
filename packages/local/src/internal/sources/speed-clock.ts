import type { FullClock } from '@sallyport/core';

/** A clock whose waits are faster than real time. */
export interface SpeedClock extends FullClock {
  /** Factor by which waits are faster; 1 is real time. */
  readonly speed: number;
  setSpeed(speed: number): void;
  /** The real time of `at`, a time of `monotonicMs`, in milliseconds since the epoch. */
  toEpochMs(at: number): number;
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
  cancel: () => void;
}

/**
 * Creates a clock for waits. Its dates are real dates: only durations are shorter. A change of speed also applies to
 * waits that have begun.
 */
export function createSpeedClock(clock: FullClock, initial: number): SpeedClock {
  const timers = new Set<Timer>();
  let speed = initial;
  let realBase = clock.monotonicMs();
  let base = realBase;
  const monotonicMs = () => base + (clock.monotonicMs() - realBase) * speed;

  function arm(timer: Timer): void {
    timer.cancel = clock.after(Math.max(0, timer.at - monotonicMs()) / speed, () => {
      timers.delete(timer);
      timer.run();
    });
  }

  return {
    get speed() {
      return speed;
    },
    now: () => clock.now(),
    monotonicMs,
    after(ms, run) {
      const timer: Timer = { at: monotonicMs() + ms, run, cancel: () => {} };
      timers.add(timer);
      arm(timer);
      return () => {
        timers.delete(timer);
        timer.cancel();
      };
    },
    setSpeed(next) {
      base = monotonicMs();
      realBase = clock.monotonicMs();
      speed = next;
      for (const timer of timers) {
        timer.cancel();
        arm(timer);
      }
    },
    toEpochMs: (at) => clock.now().getTime() + (at - monotonicMs()) / speed,
  };
}
