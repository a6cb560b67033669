import type { Call } from './call.js';
import type { Environment } from './environment.js';
import { brokenError, InitFailure, STOPPED, THROTTLED } from './failures.js';
import type { CodeState, FailureReason, FunctionError } from './invoker.js';
import type { Pool } from './pool.js';

/** Maximum wait for an environment that has answered to request its next event, before a new environment is started. */
const FINISHING_MS = 200;

/** Options of a {@link Placement}. */
export interface PlacementInit {
  readonly pool: Pool;
  /** Timeout of an invocation in milliseconds. */
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly code: () => CodeState;
}

/** An environment, and the milliseconds of the timeout that its start consumed. */
type Found =
  | { readonly environment: Environment; readonly spentMs: number }
  | { readonly reason: FailureReason; readonly error: FunctionError };

/** Finds an environment for each call: a free or a new environment. Otherwise the call waits or fails. */
export class Placement {
  readonly #init: PlacementInit;
  /** Waiting calls, oldest first. */
  readonly #waiting: (() => void)[] = [];
  #isStopped = false;

  constructor(init: PlacementInit) {
    this.#init = init;
  }

  /** Waiting calls search again, in the order of their arrival. */
  wake(): void {
    for (const go of this.#waiting.splice(0)) go();
  }

  /** Ends the assignment of environments to calls. */
  stop(): void {
    this.#isStopped = true;
    this.wake();
  }

  /** Resolves with an environment that has a place for the call, or with the reason for the failure. */
  async find(call: Call): Promise<Found> {
    const { pool } = this.#init;
    const mayWait = call.options.whenBusy === 'wait';
    let isPatient = true;
    for (;;) {
      if (this.#isStopped) return { reason: 'stopped', error: STOPPED };
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
      if (!mayWait && pool.isThrottled && code.state === 'ready') return { reason: 'throttled', error: THROTTLED };
      await this.#turn();
    }
  }

  /** A cold start. If the init phase takes too long, it runs again under the function's timeout. */
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

  /** Resolves when an environment is free or a build is ready. */
  #turn(limit?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      limit?.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
