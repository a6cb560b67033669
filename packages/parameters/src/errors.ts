import { FrameworkError } from '@sallyport/core';
import { brandError } from '@sallyport/core/internal';

/** Every code of {@link ParametersError}. */
export const PARAMETERS_ERROR_CODES = [
  /** A name, key or value of a flag's context that AppConfig Agent would read differently. @status 500 */
  'parameters.invalid_input',
  /** No parameter, secret or flag has this name. @status 500 */
  'parameters.not_found',
  /** The value does not fit its schema, or is not JSON. @status 500 */
  'parameters.invalid_value',
  /** The parameter is a `SecureString`, and its reader does not have the option `secret`. @status 500 */
  'parameters.secure_string',
  /** The role may not read the value, or may not use its KMS key. @status 500 */
  'parameters.denied',
  /** Throttling, 5xx, time-out or network, and no earlier value: the same call may succeed later. @status 503 */
  'parameters.unavailable',
  /** The flags have variants, and AppConfig Agent does not run next to the function. @status 500 */
  'parameters.agent_required',
  /** Any other failure of the service. @status 500 */
  'parameters.failed',
  /** Variables of the environment are missing or do not fit their schemas. @status 500 */
  'parameters.invalid_environment',
] as const;

/** A code of {@link ParametersError}. */
export type ParametersErrorCode = (typeof PARAMETERS_ERROR_CODES)[number];

/** A value that could not be read. Its message has names, never values. Immutable. The cause is for logs and is never sent. */
export class ParametersError extends FrameworkError {
  static {
    brandError(ParametersError, 'sallyport.ParametersError');
  }

  override readonly name = 'ParametersError';
  /** Code of the failure. */
  declare readonly code: ParametersErrorCode;

  /** The status is 503 for `parameters.unavailable` and 500 for every other code. */
  constructor(code: ParametersErrorCode, message: string, cause?: unknown) {
    super(code, `framework: ${message}`, { statusCode: code === 'parameters.unavailable' ? 503 : 500, cause });
    Object.freeze(this);
  }
}
