import { invalidOption } from '@sallyport/core/options';
import { invalidRegistration } from '../../server/errors.js';

/** The longest name of a tool. */
const MAX_NAME = 128;

/** @throws FrameworkError `app.invalid_configuration` for a prefix that a name cannot have */
export function assertPrefix(prefix: unknown): asserts prefix is string {
  if (typeof prefix === 'string' && /^[A-Za-z0-9_.-]{0,64}$/.test(prefix)) return;
  throw invalidOption('prefix', 'at most 64 letters, digits, ".", "_" and "-"');
}

/**
 * A name with a prefix: `notes_add`.
 *
 * @throws FrameworkError `mcp.invalid_registration` if it is too long
 */
export function prefixed(prefix: string, name: string): string {
  const long = prefix === '' ? name : `${prefix}_${name}`;
  if (long.length > MAX_NAME) throw invalidRegistration(`the name "${long}" is longer than ${MAX_NAME} characters`);
  return long;
}
