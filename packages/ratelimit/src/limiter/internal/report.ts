import type { Clock, Logger } from '@sallyport/core';
import { guardHook, logFailure } from '@sallyport/core/internal';
import type { RateLimitError } from '../../errors.js';
import type { RateLimitKey } from '../limiter.js';

const WARN_EVERY_MS = 60_000;

export interface ReporterOptions {
  readonly policy: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onError: ((error: RateLimitError, key: RateLimitKey) => void) | undefined;
}

/**
 * Reports failures of the store: calls the hook each time, and logs at most once a minute. An error of the deployment is logged
 * once.
 */
export class Reporter {
  readonly #options: ReporterOptions;
  #warnedAtMs = Number.NEGATIVE_INFINITY;
  readonly #reported = new Set<string>();

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  failed(error: RateLimitError, key: RateLimitKey): void {
    const { log, onError } = this.#options;
    callHookOf(() => log, 'onError', onError, error, key);
    this.noted(error);
  }

  /** A failure outside decisions. */
  noted(error: RateLimitError): void {
    if (error.retryable) this.#warn(error);
    else this.#reportFault(error);
  }

  #warn(error: RateLimitError): void {
    const nowMs = this.#options.clock.now().getTime();
    if (Math.abs(nowMs - this.#warnedAtMs) < WARN_EVERY_MS) return;
    this.#warnedAtMs = nowMs;
    this.#write('warn', error);
  }

  #reportFault(error: RateLimitError): void {
    if (this.#reported.has(error.message)) return;
    this.#reported.add(error.message);
    this.#write('error', error);
  }

  /** Only the name of the cause, because its message may contain a key. */
  #write(level: 'warn' | 'error', error: RateLimitError): void {
    const fields = { code: error.code, policy: this.#options.policy, cause: causeName(error.cause) };
    guardHook(() => this.#options.log[level](error.message, fields));
  }
}

function causeName(cause: unknown): string {
  const { name } = (cause ?? {}) as { name?: unknown };
  return typeof name === 'string' ? name : 'unknown';
}

/** Hooks whose failure was logged before. */
const REPORTED = new WeakSet<object>();

/** Calls a hook of the application. Its first failure is logged as one `error` line. A failure does not change the decision. */
export function callHookOf<A extends readonly unknown[]>(
  logger: () => Logger,
  name: string,
  hook: ((...args: A) => unknown) | undefined,
  ...args: A
): void {
  if (!hook) return;
  const failed = (thrown: unknown) => {
    if (REPORTED.has(hook)) return;
    REPORTED.add(hook);
    logFailure(logger, `framework: hook ${name} failed`, thrown);
  };
  try {
    Promise.resolve(hook(...args)).catch(failed);
  } catch (thrown) {
    failed(thrown);
  }
}
