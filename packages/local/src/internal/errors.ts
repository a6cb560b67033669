import { FrameworkError, type FrameworkErrorInit } from '@sallyport/core';

/** Every code of this package, and when it is thrown or answered. */
export type LocalErrorCode =
  /** The command line or `sallyport.json` is invalid. Exit code 2. */
  | 'local.usage'
  /** A port is in use. Exit code 2. */
  | 'local.port_taken'
  /** The service does not compile; doors answer it with 502. Exit code 3. */
  | 'local.build_failed'
  /** No `sallyport dev` runs in this folder, and the command needs one. Exit code 2. */
  | 'local.not_running'
  /** Another `sallyport dev` runs in this folder. Exit code 2. */
  | 'local.already_running'
  /** There is no such queue, stream, topic, bus or schedule. */
  | 'local.unknown_source'
  /** The source has no such record. */
  | 'local.unknown_record'
  /** The body of a call to the console's HTTP API is invalid. */
  | 'local.invalid_request'
  /** There is no such invocation, recording or file. */
  | 'local.not_found'
  /** The kind to send does not exist. */
  | 'local.unknown_kind'
  /** A path to send has a `{name}` without a value. */
  | 'local.path_parameter_missing'
  /** DynamoDB is off: the message names the missing part. */
  | 'local.state_off';

/** An error of this package, with a message for the developer: the problem, and the remedy. */
export function localError(code: LocalErrorCode, message: string, init?: FrameworkErrorInit): FrameworkError {
  return new FrameworkError(code, message, init);
}

/** The error for an invalid command line or file. */
export function usageError(problem: string): FrameworkError {
  return localError('local.usage', problem);
}
