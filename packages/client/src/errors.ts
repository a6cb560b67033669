import type { Rejected } from './contract.js';

/**
 * The reasons for a call without an answer of the service:
 *
 * | code | meaning |
 * |---|---|
 * | `client.network` | the connection failed; `cause` is the error of `fetch` |
 * | `client.timeout` | the time of the call passed |
 * | `client.aborted` | the caller's signal ended it |
 * | `client.foreign` | something else answered, such as a gateway or a proxy; `status` is its status |
 * | `client.invalid_answer` | the answer does not fit the contract (`/validate`) |
 * | `client.rejected` | a stream or a tool call was rejected; `answer` has the service's error |
 * | `client.invalid_request` | the request cannot be sent |
 * | `client.not_connected` | the socket is closed |
 * | `client.throttled` | Lambda did not start the invocation: the function has no free concurrency (`/invoke`) |
 * | `client.function_error` | the invocation failed or timed out; `cause` has the error's `errorType` and `errorMessage` (`/invoke`) |
 * | `client.too_large` | the request or the answer exceeds the 6 MB of an invocation (`/invoke`) |
 */
export type ClientErrorCode =
  | 'client.network'
  | 'client.timeout'
  | 'client.aborted'
  | 'client.foreign'
  | 'client.invalid_answer'
  | 'client.rejected'
  | 'client.invalid_request'
  | 'client.not_connected'
  | 'client.throttled'
  | 'client.function_error'
  | 'client.too_large';

/** Errors of another copy of this package have it too. */
const BRAND = Symbol.for('sallyport.ClientError/1');

/** A call without an answer of the service. An HTTP status is never an exception; `client.rejected` is one where nothing can be returned. */
export class ClientError extends Error {
  /** The reason. */
  declare readonly code: ClientErrorCode;
  /** The status of a foreign answer, or the status that a gateway answers in this case. */
  declare readonly status?: number;
  /** The answer of `client.rejected`. */
  declare readonly answer?: Rejected;

  static override [Symbol.hasInstance](value: unknown): boolean {
    return Object(value)[BRAND] === true;
  }

  get [BRAND](): true {
    return true;
  }

  constructor(
    code: ClientErrorCode,
    message: string,
    facts?: { readonly cause?: unknown; readonly status?: number; readonly answer?: Rejected },
  ) {
    super(message);
    Object.assign(this, { name: 'ClientError', code }, facts);
  }
}
