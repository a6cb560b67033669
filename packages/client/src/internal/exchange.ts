import { ClientError } from '../errors.js';
import type { ClientOptions, RawInput } from '../options.js';
import { addressOf } from './address.js';
import { pause } from './pause.js';

/** The statuses after which the same request can succeed: 429, 502, 503, 504 (RFC 9110 section 15.6, RFC 6585 section 4). */
const PASSING = /429|50[234]/;

/** A response whose body the time limit still covers. */
export interface Exchange {
  readonly response: Response;
  /** The error for a failure of the connection or of the body. */
  fail(cause: unknown): ClientError;
  /** Ends the time limit; the caller's signal still ends the body. */
  stop(): void;
}

/**
 * Sends a request, up to three times where that is safe: after a failed connection and a passing status, with full jitter or the
 * `retry-after` of the answer, within the time of the call.
 */
export async function exchange(options: ClientOptions, operation: string, input: RawInput): Promise<Exchange> {
  const [method = '', path = ''] = operation.split(' ');
  const url = addressOf(options.url, path, input.params, input.query);
  const { body, signal: caller, timeoutMs = options.timeoutMs ?? 10_000 } = input;
  const isJson = / (?:Object|Array|Number|Boolean|Null)\]$/.test(Object.prototype.toString.call(body));
  const key =
    input.idempotencyKey === true ? crypto.getRandomValues(new Uint32Array(4)).join('-') : input.idempotencyKey;
  const timer = new AbortController();
  const alarm = setTimeout(() => timer.abort(), timeoutMs);
  const end = performance.now() + timeoutMs;
  const signal = caller ? AbortSignal.any([timer.signal, caller]) : timer.signal;
  const stop = () => clearTimeout(alarm);
  const fail = (cause: unknown) =>
    cause instanceof ClientError
      ? cause
      : new ClientError(
          `client.${caller?.aborted ? 'aborted' : timer.signal.aborted ? 'timeout' : 'network'}`,
          `${operation} has no answer`,
          { cause },
        );
  let tries = options.retry !== false && (key || input.repeat || /GET|HEAD/.test(method)) ? 3 : 1;
  let maxPauseMs = 100;
  let refresh = false;
  try {
    for (;;) {
      const headers = new Headers();
      for (const [name, value] of Object.entries({
        'content-type': isJson ? 'application/json' : undefined,
        'idempotency-key': key,
        ...(await options.headers?.({ refresh })),
        ...input.headers,
      }))
        if (value !== undefined) headers.set(name, value);
      let failure: unknown;
      const response = await (options.fetch ?? fetch)(url, {
        method,
        headers,
        body: isJson ? JSON.stringify(body) : ((body ?? null) as string | null),
        signal,
        credentials: options.credentials ?? 'same-origin',
      }).catch((cause: unknown) => {
        failure = cause;
      });
      let pauseMs = 0;
      if (response?.status === 401 && options.headers && !refresh) {
        // The service has done nothing, so that every method can be sent again.
        refresh = true;
      } else {
        const wanted = response?.headers.get('retry-after') ?? '0';
        maxPauseMs *= 2;
        tries -= 1;
        pauseMs = Math.max(Math.random() * maxPauseMs, Number(wanted) * 1000 || Date.parse(wanted) - Date.now() || 0);
        const isLast = !tries || signal.aborted || performance.now() + pauseMs > end;
        // A transport throws a ClientError if it can name the reason of its failure, with the status of a gateway if that can pass.
        const answered = response ?? (failure instanceof ClientError && failure);
        if (isLast || (answered && !PASSING.test(`${answered.status}`))) {
          if (response) return { response, fail, stop };
          throw fail(failure);
        }
      }
      await response?.body?.cancel();
      // After an abort the next try fails immediately, with the right reason.
      await pause(pauseMs, signal);
    }
  } catch (error) {
    stop();
    throw error;
  }
}
