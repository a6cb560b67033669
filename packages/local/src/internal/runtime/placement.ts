import type { Call } from './call.js';
import type { Environment } from './environment.js';
import { brokenError, InitFailure, STOPPED, THROTTLED } from './failures.js';
import type { CodeState, FailureReason, FunctionError } from './invoker.js';
import type { Pool } from './pool.js';

/** How long an environment that has answered may take to ask for its next event, before another one is started. */
const FINISHING_MS = 200;

/** What finding an environment needs of the runtime. */
export interface PlacementInit {
  readonly pool: Pool;
  /** Milliseconds of an invocation. */
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly code: () => CodeState;
}

/** An environment, and the milliseconds of the timeout that its start has taken. */
type Found =
  | { readonly environment: Environment; readonly spentMs: number }
  | { readonly reason: FailureReason; readonly error: FunctionError };

/** Finds an environment for each call: a free one, else a new one; else the call waits or fails. */
export class Placement {
  readonly #init: PlacementInit;
  /** Calls that wait, oldest first. */
  readonly #waiting: (() => void)[] = [];
  #isStopped = false;

  constructor(init: PlacementInit) {
    this.#init = init;
  }

  /** Whoever waits looks again, in the order in which they came. */
  wake(): void {
    for (const go of this.#waiting.splice(0)) go();
  }

  /** From now on no call gets an environment. */
  stop(): void {
    this.#isStopped = true;
    this.wake();
  }

  /** Resolves when there is an environment with a place for the call, or with the reason why there is none. */
  async find(call: Call): Promise<Found> {
    const { pool } = this.#init;
    const mayWait = call.options.whenBusy === 'wait';
    let isPatient = true;
    for (;;) {
      if (this.#isStopped || call.options.signal?.aborted) return { reason: 'stopped', error: STOPPED };
      const code = this.#init.code();
      if (code.state === 'broken' && !mayWait) return { reason: 'build', error: brokenError(code.problems) };
      const free = code.state === 'ready' ? pool.takeFree() : undefined;
      if (free) return { environment: free, spentMs: 0 };
      if (isPatient && pool.isFinishing) {
        isPatient = false;
        await this.#turn(AbortSignal.timeout(FINISHING_MS));
        continue;
      }
      if (pool.hasPlace && code.state === 'ready') return this.#startFor(call);
      if (!mayWait && code.state === 'ready') return { reason: 'throttled', error: THROTTLED };
      await this.#turn(call.options.signal);
    }
  }

  /** A cold start; an init that takes too long happens again, under the function's timeout. */
  async #startFor({ requestId }: Call): Promise<Found> {
    const { pool, now, timeoutMs } = this.#init;
    const begin = now();
    try {
      return { environment: await pool.start(true), spentMs: 0 };
    } catch (error) {
      if (!(error instanceof InitFailure)) throw error;
      if (error.reason === 'stopped') return { reason: 'stopped', error: error.error };
      if (error.reason === 'init' || !pool.repeatsInit) return { reason: 'init', error: error.error };
    }
    const again = now();
    try {
      const environment = await pool.start(true, timeoutMs);
      return { environment, spentMs: now() - again };
    } catch {
      const seconds = (timeoutMs / 1000).toFixed(2);
      const waited = ((now() - begin) / 1000).toFixed(1);
      const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds (in its init phase; ${waited} s in all)`;
      return { reason: 'timeout', error: { errorType: 'Sandbox.Timedout', errorMessage } };
    }
  }

  /** Until an environment is free or a build is there. */
  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
