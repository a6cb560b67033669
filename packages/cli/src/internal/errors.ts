import { FrameworkError } from '@sallyport/core';

/** Every code of these commands, and when it is thrown. */
export type CliErrorCode =
  /** The command line is invalid, or a file that the command reads is missing or has another format. Exit code 2. */
  | 'cli.usage'
  /** The command needs an AWS client that is not installed in the project. Exit code 2. */
  | 'cli.client_missing'
  /** The session or the credentials of AWS are missing, invalid or expired. Exit code 1; a redrive resumes. */
  | 'cli.signed_out'
  /** AWS rejected a call, or did not respond within its deadline. Exit code 1; a redrive resumes. */
  | 'cli.aws_failed'
  /** The GraphQL schema file and the registered fields differ. Exit code 1. */
  | 'cli.schema_differs'
  /** npm did not publish the package of a contract. Exit code 1; the same command runs it again. */
  | 'cli.publish_failed';

/** An error of these commands: the problem, and what to do. */
export function cliError(code: CliErrorCode, problem: string, cause?: unknown): FrameworkError {
  return new FrameworkError(code, problem, cause === undefined ? {} : { cause });
}

/** The error for an invalid command line. */
export function invalidUsage(problem: string): FrameworkError {
  return cliError('cli.usage', problem);
}
