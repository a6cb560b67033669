import { assertKnownOptions, invalidOption } from '@sallyport/core';

/** What an option must be: the test, and its words for the error. */
export interface Check {
  readonly accepts: (value: unknown) => boolean;
  readonly wanted: string;
}

export type Checks<T> = { readonly [K in keyof Required<T>]: Check };

const check = (wanted: string, accepts: (value: unknown) => boolean): Check => ({ accepts, wanted });

const isText = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
const isList = (item: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(item);
const isMap = (item: (value: unknown) => boolean) => (value: unknown) =>
  isObject(value) && Object.values(value).every(item);

export const text = check('a string', isText);
export const nonBlank = check('a non-blank string', (value) => isText(value) && value.trim() !== '');
export const flag = check('a boolean', (value) => typeof value === 'boolean');
export const count = check('a whole number of at least 0', (value) => Number.isInteger(value) && Number(value) >= 0);
export const positive = check('a whole number of at least 1', (value) => Number.isInteger(value) && Number(value) >= 1);
export const date = check('a valid Date', (value) => value instanceof Date && !Number.isNaN(value.getTime()));
export const func = check('a function', (value) => typeof value === 'function');
export const object = check('an object', isObject);
export const objectOrNull = check('an object or null', (value) => value === null || isObject(value));
export const anything = check('anything', () => true);
export const content = check('a string or bytes', (value) => isText(value) || value instanceof Uint8Array);
export const textOrObject = check('a string or an object', (value) => isText(value) || isObject(value));
export const textMap = check('an object of strings', isMap(isText));
export const textList = check('a list of strings', isList(isText));
export const oneOrMany = check(
  'an object of strings or lists of strings',
  isMap((value) => isText(value) || isList(isText)(value)),
);
export const oneOf = (...values: readonly string[]): Check =>
  check(`one of ${values.join(', ')}`, (value) => isText(value) && values.includes(value));

/**
 * Refuses options that are no object, are not listed, or have another type. An `undefined` counts as absent.
 *
 * @throws FrameworkError `app.invalid_configuration`
 */
export function checkOptions<T extends object>(options: T, checks: Checks<T>): void {
  if (!isObject(options)) throw invalidOption('options', 'an object');
  assertKnownOptions(options, Object.keys(checks));
  for (const [key, value] of Object.entries(options)) {
    if (value !== undefined) checkArgument(key, value, checks[key as keyof T]);
  }
}

/** Refuses one positional argument of another type. */
export function checkArgument(name: string, value: unknown, wanted: Check): void {
  if (!wanted.accepts(value)) throw invalidOption(name, wanted.wanted);
}

/** Refuses a list of records that is empty or holds something that is no object. */
export function checkRecords(records: unknown): void {
  const accepted = Array.isArray(records) && records.length > 0 && records.every(isObject);
  if (!accepted) throw invalidOption('records', 'a non-empty list of objects');
}
