import type { StandardIssue, StandardSchema } from '@sallyport/core';
import { issuePath } from '@sallyport/core/options';
import { streamsError } from '../../errors.js';

/** The most paths of issues that an error names. */
const MAX_NAMED_PATHS = 5;

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
  const paths = [...new Set(issues.map(issuePath))];
  const named = paths.slice(0, MAX_NAMED_PATHS).map((path) => (path === '' ? 'the payload itself' : path));
  const more = paths.length > MAX_NAMED_PATHS ? `, and ${paths.length - MAX_NAMED_PATHS} more` : '';
  return streamsError('streams.payload_invalid', `payload does not fit its schema at ${named.join(', ')}${more}`);
}
