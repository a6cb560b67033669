import { FrameworkError } from '../errors/errors.js';

/** Code of every refused option; thrown at construction or registration. */
export const INVALID_CONFIGURATION = 'app.invalid_configuration';

/**
 * Refuses keys that are not in the list: a misspelt option must never be ignored.
 *
 * @throws FrameworkError `framework: unknown option "<key>"`
 */
export function assertKnownOptions(options: object, known: readonly string[]): void {
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) throw new FrameworkError(INVALID_CONFIGURATION, `framework: unknown option "${key}"`);
  }
}

/** A refused option, by name and never by value. */
export function invalidOption(key: string, wanted: string): FrameworkError {
  return new FrameworkError(INVALID_CONFIGURATION, `framework: option "${key}" must be ${wanted}`);
}

/**
 * Refuses values of a wrong type; what is left out is right.
 *
 * @param types the type of each option that is checked; `null` is no object
 * @throws FrameworkError that names the option
 */
export function assertTypes(options: object, types: Readonly<Record<string, 'function' | 'object' | 'boolean'>>): void {
  for (const [key, type] of Object.entries(types)) {
    const value = (options as Record<string, unknown>)[key];
    const fits = value === undefined || (typeof value === type && value !== null);
    if (!fits) throw invalidOption(key, type === 'object' ? 'an object' : `a ${type}`);
  }
}

/**
 * Refuses arguments that a registration does not take. A second posture or misplaced options must not be dropped in silence:
 * whoever wrote them believes that they hold.
 *
 * @param surplus what was given behind the last parameter
 * @param usage the call as it should be, `topic(name, handler)`
 * @throws FrameworkError `framework: too many arguments, expected <usage>`
 */
export function assertNoSurplus(surplus: readonly unknown[], usage: string): void {
  if (surplus.length === 0) return;
  throw new FrameworkError(INVALID_CONFIGURATION, `framework: too many arguments, expected ${usage}`);
}
