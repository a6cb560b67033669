import type { StandardIssue, StandardSchema } from '@sallyport/core';
import { issuePaths } from '@sallyport/core/options';
import { streamsError } from '../../errors.js';

/**
 * The output of a schema.
 *
 * @throws FrameworkError `streams.payload_invalid` for a value that does not fit
 */
export async function fitted<Output>(
  schema: StandardSchema<unknown, Output> | StandardSchema<never, Output>,
  value: unknown,
): Promise<Output> {
  const result = await schema['~standard'].validate(value);
  if (result.issues !== undefined) throw doesNotFit(result.issues);
  return result.value;
}

/** Validators include values in their messages, so only the paths are used. */
function doesNotFit(issues: readonly StandardIssue[]): Error {
  return streamsError(
    'streams.payload_invalid',
    `payload does not fit its schema at ${issuePaths(issues, 'the payload itself')}`,
  );
}
