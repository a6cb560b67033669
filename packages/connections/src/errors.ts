import { FrameworkError } from '@sallyport/core';
import { brandError } from '@sallyport/core/internal';
import type { BroadcastResult } from '@sallyport/http/websocket';

/** Every code of {@link ConnectionError}. */
export const CONNECTION_ERROR_CODES = [
  /** An invalid name, limit, cursor, lifetime or value. @status 400 */
  'connections.invalid_input',
  /** Data that does not fit into an item. @status 413 */
  'connections.too_large',
  /** A broadcast that its signal or its deadline stopped; `BroadcastStopped` has the progress. @status 503 */
  'connections.broadcast_stopped',
  /** Throttling, 5xx, time-out, network: the same call may succeed later. @status 503 */
  'connections.store_unavailable',
  /** An error of the deployment, such as a missing table, permission or SDK. @status 500 */
  'connections.store_failed',
] as const;

/** A code of {@link ConnectionError}. */
export type ConnectionErrorCode = (typeof CONNECTION_ERROR_CODES)[number];

const STATUS: Readonly<Record<ConnectionErrorCode, number>> = {
  'connections.invalid_input': 400,
  'connections.too_large': 413,
  'connections.broadcast_stopped': 503,
  'connections.store_unavailable': 503,
  'connections.store_failed': 500,
};

/** Rejected input, or a failure of the table. Immutable. The cause is for logs and is never sent. */
export class ConnectionError extends FrameworkError {
  static {
    brandError(ConnectionError, 'sallyport.ConnectionError');
  }

  override readonly name: string = 'ConnectionError';
  /** Code of the rejection or the failure. */
  declare readonly code: ConnectionErrorCode;

  /** The code determines the HTTP status: 400, 413, 503 or 500. */
  constructor(code: ConnectionErrorCode, message: string, init: { readonly cause?: unknown } = {}) {
    super(code, `framework: ${message}`, { statusCode: STATUS[code], ...init });
    if (new.target === ConnectionError) Object.freeze(this);
  }
}

/** A broadcast to a group that did not reach all connections. */
export class BroadcastStopped extends ConnectionError {
  static {
    brandError(BroadcastStopped, 'sallyport.BroadcastStopped');
  }

  override readonly name = 'BroadcastStopped';
  /** The outcome for the connections that were reached. */
  readonly result: BroadcastResult;
  /** Pass it to the next call, which continues with the other connections; `undefined` if no connection was reached. */
  readonly cursor: string | undefined;

  /** The code is the code of the failed table, else `connections.broadcast_stopped`. */
  constructor(result: BroadcastResult, cursor: string | undefined, cause: unknown) {
    const code = cause instanceof ConnectionError ? cause.code : 'connections.broadcast_stopped';
    super(code, 'broadcast to a group was stopped; continue with its cursor', { cause });
    this.result = result;
    this.cursor = cursor;
    Object.freeze(this);
  }
}

export function invalidInput(message: string): ConnectionError {
  return new ConnectionError('connections.invalid_input', message);
}
