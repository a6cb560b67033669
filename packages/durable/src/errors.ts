import { FrameworkError } from '@sallyport/core';
import { brandError } from '@sallyport/core/internal';

/** Every code of {@link DurableError}. */
export const DURABLE_ERROR_CODES = [
  /** A name, duration, or option of an operation is invalid. @status 500 */
  'durable.invalid_operation',
  /** Two operations of one record, request or item have the same name. @status 500 */
  'durable.duplicate_name',
  /** A step was started inside another step. @status 500 */
  'durable.nested_step',
  /** A value that JSON cannot write. @status 500 */
  'durable.not_json',
  /** A result of more than 256 KiB. Store the object, and return its reference. @status 500 */
  'durable.result_too_large',
  /** A result in the object store is missing, or differs from its recorded digest. @status 500 */
  'durable.result_lost',
  /** The operation requires a durable function, and this invocation is not one. @status 500 */
  'durable.not_durable',
  /** A step with `effect: 'atMostOnce'` was interrupted: its effect may have happened. @status 500 */
  'durable.step_interrupted',
  /** Another execution of the same event runs this step now, so its result is not known. @status 503 */
  'durable.step_in_progress',
  /** A step or execution did not end within its `timeout`. @status 500 */
  'durable.timeout',
  /** The value of a callback does not fit its schema, or is not JSON. @status 500 */
  'durable.callback_invalid',
  /** The execution was cancelled with `cancelExecution`. @status 409 */
  'durable.cancelled',
  /** A callback was not completed in time. @status 500 */
  'durable.callback_timeout',
  /** The other system failed the callback. @status 500 */
  'durable.callback_failed',
  /** A lease or slot is held, and a suspended execution cannot release it. @status 500 */
  'durable.held',
  /** An execution has nearly as many operations as AWS permits. @status 500 */
  'durable.too_many_operations',
  /** The wait is longer than the event source mapping permits: use `delivery: 'handoff'`. @status 500 */
  'durable.use_handoff',
  /** Code or input of an execution differs from the recorded history. @status 500 */
  'durable.diverged',
  /** A route with `streaming: true` or a streaming handler, rejected before its handler runs, or a streamed response, in an execution. @status 500 */
  'durable.streaming_refused',
  /** An event with the shape of an execution, in a function that is not durable. @status 500 */
  'durable.function_not_durable',
  /** An execution inside an execution. @status 500 */
  'durable.nested',
  /** The event of an execution has no input, or its input is not a JSON object or list. @status 500 */
  'durable.envelope_invalid',
  /** The package `@aws/durable-execution-sdk-js` is not installed. @status 500 */
  'durable.sdk_missing',
  /** The caller may no longer act: `revalidate` returned false. @status 401 */
  'durable.unauthorized',
] as const;

/** A code of {@link DurableError}. */
export type DurableErrorCode = (typeof DURABLE_ERROR_CODES)[number];

const STATUS: Readonly<Partial<Record<DurableErrorCode, number>>> = {
  'durable.unauthorized': 401,
  'durable.cancelled': 409,
  'durable.step_in_progress': 503,
};

/** A failure of a durable operation. Its message has names, never values. The cause is for logs and is never sent. */
export class DurableError extends FrameworkError {
  static {
    brandError(DurableError, 'sallyport.DurableError');
  }

  override readonly name = 'DurableError';
  /** Code of the failure. */
  declare readonly code: DurableErrorCode;

  /** The status is 500, except for the codes of which the list above states another. */
  constructor(code: DurableErrorCode, message: string, cause?: unknown) {
    super(code, `framework: ${message}`, { statusCode: STATUS[code] ?? 500, cause });
  }
}

/** The error for an answer that an execution cannot return: the service stores it as text. */
export function streamingRefused(place: string): DurableError {
  return new DurableError(
    'durable.streaming_refused',
    `${place} cannot answer a durable execution: return text or bytes`,
  );
}
