import type { StandardSchema } from '@sallyport/core';
import { issuePaths } from '@sallyport/core/options';
import { DurableError } from '../errors.js';

/**
 * The value of a callback, which another system wrote. Errors contain paths, never values.
 *
 * @throws DurableError `durable.callback_invalid`
 */
export async function parseWith<T>(schema: StandardSchema<unknown, T>, text: unknown, place: string): Promise<T> {
  const result = await schema['~standard'].validate(fromStranger(text, place));
  if (result.issues === undefined) return result.value;
  const paths = issuePaths(result.issues, 'the value itself');
  throw new DurableError('durable.callback_invalid', `${place}: the value does not fit its schema: ${paths}`);
}

function fromStranger(text: unknown, place: string): unknown {
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(String(text));
  } catch {
    throw new DurableError('durable.callback_invalid', `${place}: the value is not JSON`);
  }
}
