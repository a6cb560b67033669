import { fromJson } from '@sallyport/core/internal';
import { isJsonObject, type Json, type JsonObject } from '../fixtures/json.js';

/** One difference between a result and a fixture. */
export interface Difference {
  /** The path of the value: `.headers["x-a"][0]`. */
  readonly path: string;
  /** The expected value, as a string. */
  readonly expected: string;
  /** The found value, as a string. */
  readonly found: string;
}

/** The matchers that an expectation may contain. */
const MATCHERS: Readonly<Record<string, (argument: Json, found: Json | undefined, path: string) => Difference[]>> = {
  $any: (argument, found, path) => (typeOf(found) === argument ? [] : [difference(path, { $any: argument }, found)]),
  $match: (argument, found, path) =>
    typeof found === 'string' && new RegExp(String(argument), 'u').test(found)
      ? []
      : [difference(path, { $match: argument }, found)],
  $absent: (_argument, found, path) => (found === undefined ? [] : [difference(path, undefined, found)]),
  $json: (argument, found, path) => {
    const parsed = typeof found === 'string' ? parseJson(found) : undefined;
    if (parsed === undefined) return [difference(path, { $json: argument }, found)];
    return compare(argument, parsed, `${path}{json}`);
  },
  $literal: (argument, found, path) => comparePlain(argument, found, path, literally),
};

const OPEN = '$open';

/** Every difference between found and expected data; an absent value is `undefined`. */
export function compare(expected: Json | undefined, found: Json | undefined, path = ''): Difference[] {
  if (isJsonObject(expected)) {
    const matcher = matcherOf(expected);
    if (matcher !== undefined) return MATCHERS[matcher]?.(expected[matcher] ?? null, found, path) ?? [];
  }
  return comparePlain(expected, found, path, compare);
}

/**
 * The matcher in an expected object; `undefined` if the object is not a matcher.
 *
 * @throws Error for an unknown key beginning with `$`, or a matcher with other keys
 */
export function matcherOf(expected: JsonObject): string | undefined {
  const keys = Object.keys(expected);
  for (const key of keys) {
    if (Object.hasOwn(MATCHERS, key)) {
      if (keys.length > 1) throw new Error(`${key} must be the only key`);
      return key;
    }
    if (key.startsWith('$') && key !== OPEN) throw new Error(`unknown matcher ${key}; protect data by $literal`);
  }
  return undefined;
}

type Compare = (expected: Json | undefined, found: Json | undefined, path: string) => Difference[];

function comparePlain(expected: Json | undefined, found: Json | undefined, path: string, inner: Compare): Difference[] {
  if (Array.isArray(expected) && Array.isArray(found)) return compareLists(expected, found, path, inner);
  if (isJsonObject(expected) && isJsonObject(found)) return compareObjects(expected, found, path, inner);
  return expected === found ? [] : [difference(path, expected, found)];
}

const literally: Compare = (expected, found, path) => comparePlain(expected, found, path, literally);

function compareLists(expected: readonly Json[], found: readonly Json[], path: string, inner: Compare): Difference[] {
  const length = Math.max(expected.length, found.length);
  return Array.from({ length }, (_, index) => inner(expected[index], found[index], `${path}[${index}]`)).flat();
}

function compareObjects(expected: JsonObject, found: JsonObject, path: string, inner: Compare): Difference[] {
  const open = inner === compare && expected[OPEN] === true;
  const wanted = Object.keys(expected).filter((key) => !(open && key === OPEN));
  const further = open ? [] : Object.keys(found).filter((key) => !Object.hasOwn(expected, key));
  return [...wanted, ...further].flatMap((key) => inner(own(expected, key), own(found, key), memberPath(path, key)));
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function memberPath(path: string, key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

export function difference(path: string, expected: Json | undefined, found: Json | undefined): Difference {
  return { path, expected: show(expected), found: show(found) };
}

const SHOWN_LENGTH = 200;

/** Data for one line of a report: limited in length, and without control characters that move a terminal's cursor. */
function show(value: Json | undefined): string {
  if (value === undefined) return '(absent)';
  const text = JSON.stringify(value).replace(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}… (${text.length} characters)`;
}

function typeOf(value: Json | undefined): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

export function parseJson(text: string): Json | undefined {
  return fromJson(text) as Json | undefined;
}
