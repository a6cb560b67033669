/** The trimmed white space, U+0009 to U+000D and U+0020. `trim()` removes more characters, which differ between languages. */
const BLANKS = '\t\n\v\f\r ';

/** Removes the white space of {@link BLANKS} from both ends. */
export function trimBlanks(text: string): string {
  let from = 0;
  let end = text.length;
  while (from < end && BLANKS.includes(text.charAt(from))) from += 1;
  while (end > from && BLANKS.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(from, end);
}

/**
 * An error of this module. It has a `code`, like all errors of the framework, but another class, because this module has no imports.
 */
export function routeError(what: string): TypeError & { readonly code: 'mcp.invalid_route' } {
  return Object.assign(new TypeError(`framework: mcp routes: ${what}`), { code: 'mcp.invalid_route' as const });
}

/** @throws TypeError with the code `mcp.invalid_route` */
export function assertText(value: unknown, what: string): asserts value is string {
  if (typeof value !== 'string') throw routeError(`${what} must be a string`);
}
