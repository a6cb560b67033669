import { FrameworkError, type StandardSchema } from '@sallyport/core';
import { internalError } from '@sallyport/core/internal';
import { issuePaths } from '@sallyport/core/options';

/**
 * The value as its schema returns it. Errors name paths, because validators quote values.
 *
 * @throws FrameworkError `app.validation_failed` for arguments, `app.internal` for a result
 */
export async function assertFits(
  schema: StandardSchema,
  value: unknown,
  what: 'arguments' | 'result',
): Promise<unknown> {
  const checked = await schema['~standard'].validate(value);
  if (checked.issues === undefined) return checked.value;
  const problem = `${what} do not fit their schema at ${issuePaths(checked.issues, 'the root')}`;
  if (what === 'result') throw internalError(problem);
  throw new FrameworkError('app.validation_failed', problem);
}
