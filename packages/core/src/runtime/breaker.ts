import type { FullClock } from './invocation.js';

/** The pauses of a breaker, and its error. */
export interface BreakerOptions {
  /** Milliseconds of the first pause. */
  readonly firstPauseMs: number;
  /** The longest pause between two calls that check if the service answers again. */
  readonly maxPauseMs: number;
  /** Creates the error of a call that is rejected during a pause, from the cause of the pause. */
  readonly refuse: (cause: unknown) => Error;
}

/**
 * A circuit breaker, so that requests do not wait one after the other for a store or a server that does not respond. If a call times out and no
 * other call succeeds in the meantime, it rejects calls for a pause. Then one call may try. The pause doubles until a call
 * succeeds.
 */
export class Breaker {
  readonly #clock: FullClock;
  readonly #options: BreakerOptions;
  #pauseMs: number;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  /** Cause and end of the pause; `undefined` while the service responds. */
  #open: { readonly cause: unknown; readonly untilMs: number } | undefined;
  #isTrying = false;

  constructor(clock: FullClock, options: BreakerOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#pauseMs = options.firstPauseMs;
  }

  /**
   * Runs a call, unless calls are paused.
   *
   * @param ranOut returns true if a failure is a timeout
   * @throws the error of `refuse` without a call; errors of the call
   */
  async run<T>(call: () => Promise<T>, ranOut: (error: unknown) => boolean): Promise<T> {
    const startedAtMs = this.#clock.monotonicMs();
    if (this.#open !== undefined) {
      if (this.#isTrying || startedAtMs < this.#open.untilMs) throw this.#options.refuse(this.#open.cause);
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
    this.#pauseMs = this.#options.firstPauseMs;
    this.#open = undefined;
  }

  #ranOut(error: unknown, startedAtMs: number): void {
    if (this.#answeredAtMs > startedAtMs) return;
    const { cause = error } = error as { cause?: unknown };
    this.#open = { cause, untilMs: this.#clock.monotonicMs() + this.#pauseMs };
    this.#pauseMs = Math.min(2 * this.#pauseMs, this.#options.maxPauseMs);
  }
}
