import { FrameworkError } from '@sallyport/core';
import { brandError } from '@sallyport/core/internal';

/** Every code of {@link ExecutionServiceError}. */
export const EXECUTION_SERVICE_CODES = [
  /** A wrong name, ARN, id or value; nothing was sent. @status 400 */
  'durable.invalid_input',
  /** An execution with this name was started with another event. @status 409 */
  'durable.execution_conflict',
  /** A callback that is unknown, answered, timed out, or whose execution has ended. @status 410 */
  'durable.callback_gone',
  /** The execution has not waited yet, or its handler has no `cancellable: true`. @status 409 */
  'durable.not_cancellable',
  /** An execution that does not exist, or whose retention has passed. @status 410 */
  'durable.execution_gone',
  /** An event above 1 MiB, or a callback value above 256 KiB; nothing was sent. @status 413 */
  'durable.too_large',
  /** Throttling, 5xx, time-out, network: the same call may succeed later. It may have taken effect. @status 503 */
  'durable.service_unavailable',
  /** An error of the deployment, such as a missing function or permission. @status 500 */
  'durable.service_failed',
] as const;

/** A code of {@link ExecutionServiceError}. */
export type ExecutionServiceCode = (typeof EXECUTION_SERVICE_CODES)[number];

const STATUS: Readonly<Record<ExecutionServiceCode, number>> = {
  'durable.invalid_input': 400,
  'durable.execution_conflict': 409,
  'durable.callback_gone': 410,
  'durable.not_cancellable': 409,
  'durable.execution_gone': 410,
  'durable.too_large': 413,
  'durable.service_unavailable': 503,
  'durable.service_failed': 500,
};

/** Rejected input, or a failure of Lambda's API for durable executions. Immutable. The cause is for logs and has no callback id. */
export class ExecutionServiceError extends FrameworkError {
  static {
    brandError(ExecutionServiceError, 'sallyport.ExecutionServiceError');
  }

  override readonly name: string = 'ExecutionServiceError';
  /** Code of the rejection or the failure. */
  declare readonly code: ExecutionServiceCode;

  /** The code determines the HTTP status: 400, 409, 410, 413, 503 or 500. */
  constructor(code: ExecutionServiceCode, message: string, init: { readonly cause?: unknown } = {}) {
    super(code, `framework: ${message}`, { statusCode: STATUS[code], ...init });
    Object.freeze(this);
  }
}

export function invalidInput(message: string): ExecutionServiceError {
  return new ExecutionServiceError('durable.invalid_input', message);
}
