import type { FullClock } from '@sallyport/core';
import { storeUnavailable } from '../../errors.js';

/** The longest pause between two requests that check whether the store answers again. */
const MAX_PAUSE_MS = 10_000;

/**
 * A circuit breaker, so that requests do not wait one after the other for a store that does not respond. If a call times out and no
 * other call succeeds in the meantime, it rejects calls for a pause. Then one call may try. The pause doubles until a call
 * succeeds.
 */
export class Breaker {
  readonly #clock: FullClock;
  readonly #firstPauseMs: number;
  #pauseMs: number;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  /** Cause and end of the pause; `undefined` while the store responds. */
  #open: { readonly cause: unknown; readonly untilMs: number } | undefined;
  #isTrying = false;

  constructor(clock: FullClock, firstPauseMs: number) {
    this.#clock = clock;
    this.#firstPauseMs = firstPauseMs;
    this.#pauseMs = firstPauseMs;
  }

  /**
   * Runs a call, unless calls are paused.
   *
   * @param ranOut returns true if a failure is a timeout
   * @throws RateLimitError `ratelimit.store_unavailable` without a call; errors of the call
   */
  async run<T>(call: () => Promise<T>, ranOut: (error: unknown) => boolean): Promise<T> {
    const startedAtMs = this.#clock.monotonicMs();
    if (this.#open !== undefined) {
      if (this.#isTrying || startedAtMs < this.#open.untilMs) throw storeUnavailable(true, this.#open.cause);
      this.#isTrying = true;
    }
    const isTrial = this.#isTrying;
    try {
      const answer = await call();
      this.#answered();
      return answer;
    } catch (error) {
      if (ranOut(error)) this.#ranOut(error, startedAtMs);
      throw error;
    } finally {
      if (isTrial) this.#isTrying = false;
    }
  }

  #answered(): void {
    this.#answeredAtMs = this.#clock.monotonicMs();
    this.#pauseMs = this.#firstPauseMs;
    this.#open = undefined;
  }

  #ranOut(error: unknown, startedAtMs: number): void {
    if (this.#answeredAtMs > startedAtMs) return;
    const { cause = error } = error as { cause?: unknown };
    this.#open = { cause, untilMs: this.#clock.monotonicMs() + this.#pauseMs };
    this.#pauseMs = Math.min(2 * this.#pauseMs, MAX_PAUSE_MS);
  }
}
