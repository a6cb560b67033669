import { FrameworkError } from '@sallyport/core';
import type { INVALID_CONFIGURATION } from '@sallyport/core/options';

/** Every code that this package throws, and when. */
export type BundleErrorCode =
  /** The entry file does not compile, or esbuild is not installed. */
  | 'bundle.failed'
  /** Without the parts of `leaveOut`, the application does not load or has other registrations. */
  | 'bundle.left_out'
  /** The command line is invalid. Exit code 2. */
  | 'bundle.usage'
  /** An option is unknown or has a wrong value. */
  | typeof INVALID_CONFIGURATION;

/** An error of this package; its code is one of the documented ones. */
export function bundleError(code: BundleErrorCode, problem: string, cause?: unknown): FrameworkError {
  return new FrameworkError(code, problem, { cause });
}
