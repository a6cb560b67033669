import { brandError } from '../errors/errors.js';
import type { FullClock } from './invocation.js';

/** Names of errors of AWS services after which the same request may succeed. */
const BUSY = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'RequestTimeout',
  'RequestTimeoutException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'ReplicatedWriteConflictException',
  'TransactionInProgressException',
  'TransactionConflictException',
  'InternalServerError',
  'ServiceUnavailable',
]);
const NETWORK_NAMES = new Set(['TimeoutError', 'AbortError', 'NetworkingError']);
const NETWORK_CODES =
  /^(?:ECONN(?:RESET|REFUSED|ABORTED)|EPIPE|EPROTO|ETIMEDOUT|ESOCKETTIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EMFILE|ERR_HTTP2\w*|UND_ERR\w*)$/;

/** The abort reason of a call that exceeded its time limit. */
export class StoreTimeout extends Error {
  static {
    brandError(StoreTimeout, 'sallyport.StoreTimeout');
  }

  override readonly name = 'TimeoutError';
}

/**
 * True if a failure of an AWS client is transient: throttling, 5xx, time-outs, network. Any other failure (a missing
 * resource, a missing permission, an invalid request, no credentials, no SDK) is an error of code or deployment.
 */
export function isTransient(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { name, code, $metadata, $retryable } = error as Record<string, unknown>;
  if (BUSY.has(String(name)) || NETWORK_NAMES.has(String(name))) return true;
  if (typeof code === 'string' && NETWORK_CODES.test(code)) return true;
  if (typeof $retryable === 'object' && $retryable !== null) return true;
  const status = ($metadata as { httpStatusCode?: unknown } | undefined)?.httpStatusCode;
  return typeof status === 'number' && (status >= 500 || status === 429);
}

/** The time limit of a call. */
export interface DeadlineOptions {
  /** Milliseconds from now. */
  readonly ms: number;
  /** The clock whose timers are used, so that a test can set the time. */
  readonly clock: FullClock;
  /** The caller's own signal, which stops the call earlier. */
  readonly signal: AbortSignal | undefined;
}

/**
 * A call to the store. It should stop when the signal aborts. With `commit` it sets an answer that later events cannot
 * change.
 */
export type StoreCall<T> = (signal: AbortSignal, commit: (answer: T) => void) => Promise<T>;

/**
 * Runs a call to the store with a signal that aborts when `ms` are over or the caller gives up, and settles then
 * even when the call ignores the signal: with the answer that the call committed to, else by rejecting with the reason.
 *
 * @throws StoreTimeout at the time limit; the reason of the caller's signal; the error of the call
 */
export async function withDeadline<T>({ ms, clock, signal }: DeadlineOptions, run: StoreCall<T>): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const cleanUps: (() => void)[] = [];
  let committed: { readonly answer: T } | undefined;
  const stopped = new Promise<T>((resolve, reject) => {
    const stop = (reason: unknown) => {
      if (committed) resolve(committed.answer);
      else reject(reason);
      controller.abort(reason);
    };
    cleanUps.push(clock.after(ms, () => stop(new StoreTimeout(`no answer within ${ms} ms`))));
    if (signal === undefined) return;
    const onAbort = () => stop(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    cleanUps.push(() => signal.removeEventListener('abort', onAbort));
  });
  const commit = (answer: T) => {
    committed = { answer };
  };
  try {
    return await Promise.race([run(controller.signal, commit), stopped]);
  } finally {
    for (const cleanUp of cleanUps) cleanUp();
  }
}

/** A signal that aborts after `ms` milliseconds on the machine's timers, or earlier with the signal of the caller. */
export function abortAfter(ms: number, signal: AbortSignal | undefined): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  return signal ? AbortSignal.any([limit, signal]) : limit;
}

/** True if an error or its cause is transient: stores wrap the failure of the service in another error. */
export function isPassing(error: unknown): boolean {
  return isTransient(error) || isTransient((error as { readonly cause?: unknown } | null | undefined)?.cause);
}

/** Waits `ms` milliseconds. Rejects with the signal's reason when it aborts. */
export function pause(clock: FullClock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    const onAbort = () => {
      stop();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
