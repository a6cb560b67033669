import type { Clock, Logger } from '@sallyport/core';
import { guardHook, logFailure } from '@sallyport/core/pipeline';
import type { RateLimitError } from '../../errors.js';
import type { RateLimitKey } from '../limiter.js';

const WARN_EVERY_MS = 60_000;

export interface ReporterOptions {
  readonly policy: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onError: ((error: RateLimitError, key: RateLimitKey) => void) | undefined;
}

/** Tells of failures of the store: the hook each time, the log once a minute, of a fault of deployment once. */
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

  /** A failure that concerns no decision. */
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

  /** The cause by its name alone: its text may quote a key. */
  #write(level: 'warn' | 'error', error: RateLimitError): void {
    const fields = { code: error.code, policy: this.#options.policy, cause: causeName(error.cause) };
    guardHook(() => this.#options.log[level](error.message, fields));
  }
}

function causeName(cause: unknown): string {
  const { name } = (cause ?? {}) as { name?: unknown };
  return typeof name === 'string' ? name : 'unknown';
}

/** Hooks whose failure is in the log already. */
const REPORTED = new WeakSet<object>();

/** Calls a hook of the user's. Its first failure is one `error` line; no failure changes a decision. */
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
