import { FrameworkError } from '@sallyport/core';
import type { INVALID_CONFIGURATION } from '@sallyport/core/options';

/** Every code that this package throws, and when. */
export type MigrateErrorCode =
  /** The mapping file cannot be read, is not JSON, does not match its schema, names an entry that does not exist, or has a cycle. */
  | 'migrate.invalid_mapping'
  /** The root is not a directory that can be read. */
  | 'migrate.invalid_root'
  /** A file could not be written. Already written files are restored; the message names the file. */
  | 'migrate.write_failed'
  /** An option is unknown or has a wrong value. */
  | typeof INVALID_CONFIGURATION;

/** An error of this package; its code is one of the documented ones. */
export function migrateError(code: MigrateErrorCode, problem: string, cause?: unknown): FrameworkError {
  return new FrameworkError(code, `framework: ${problem}`, { cause });
}

/** The system's error message for a file: `EACCES: permission denied, open '…'`. */
export function reasonOf(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' ? message : String(error);
}
