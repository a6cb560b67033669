import { decodePercent } from '@sallyport/core/internal';

/** A compiled URI template: literals and `{name}` or `{+name}` expressions (RFC 6570, levels 1 and 2). */
export interface UriTemplate {
  readonly text: string;
  readonly names: readonly string[];
  /** The variables of a URI, percent-decoded once, in a map without a prototype; `undefined` for a URI that does not match. */
  match(uri: string): Record<string, string> | undefined;
}

/** A variable and the literal text after it, which is empty only after the last one. */
interface Part {
  readonly name: string;
  /** `{+name}`: the value may contain `/`, `?` and `#`. */
  readonly reserved: boolean;
  readonly literal: string;
}

const EXPRESSION = /\{(\+?)([A-Za-z0-9_.]+)\}/g;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

export function hasScheme(uri: string): boolean {
  return SCHEME.test(uri);
}

/** Compiles a template; `undefined` for text that is not a supported template. */
export function compileTemplate(text: string): UriTemplate | undefined {
  const found = [...text.matchAll(EXPRESSION)];
  const ends = found.map((match) => match.index + match[0].length);
  const parts = found.map(([, plus, name = ''], index): Part => {
    return { name, reserved: plus === '+', literal: text.slice(ends[index], found[index + 1]?.index) };
  });
  const names = parts.map(({ name }) => name);
  const adjacent = parts.slice(0, -1).some(({ literal }) => literal === '');
  const stray = /[{}]/.test(text.replace(EXPRESSION, ''));
  if (parts.length === 0 || adjacent || stray || new Set(names).size < names.length || !SCHEME.test(text))
    return undefined;
  const head = text.slice(0, found[0]?.index);
  const tail = parts.at(-1)?.literal ?? '';
  return {
    text,
    names,
    match: (uri) => (uri.startsWith(head) && uri.endsWith(tail) ? matchParts(uri, head.length, parts) : undefined),
  };
}

/**
 * The values of the variables, each as short as the rest of the template allows. A regular expression of lazy groups finds the
 * same, but this takes time linear in the length of the URI.
 */
function matchParts(uri: string, start: number, parts: readonly Part[]): Record<string, string> | undefined {
  // `ends[i][at]` is the end of variable i when it starts at `at` and the rest of the template matches; -1 when there is no
  // match.
  const ends: Int32Array[] = [];
  let matches = new Uint8Array(uri.length + 1);
  matches[uri.length] = 1;
  for (const part of parts.toReversed()) {
    const found = endsOf(uri, part, matches);
    ends.unshift(found);
    matches = Uint8Array.from(found, (end) => (end < 0 ? 0 : 1));
  }
  const values: Record<string, string> = Object.create(null);
  let at = start;
  for (const [index, { name, literal }] of parts.entries()) {
    const end = ends[index]?.[at] ?? -1;
    if (end < 0) return undefined;
    values[name] = decodePercent(uri.slice(at, end));
    at = end + literal.length;
  }
  return values;
}

/**
 * For each position of the URI, the end of a variable that starts there. `matches` marks the positions at which the rest of the
 * template matches.
 */
function endsOf(uri: string, { literal, reserved }: Part, matches: Uint8Array): Int32Array {
  const ends = new Int32Array(uri.length + 1).fill(-1);
  let nearest = -1;
  for (let at = uri.length - 1; at >= 0; at -= 1) {
    if (!reserved && '/?#'.includes(uri.charAt(at))) nearest = -1;
    else {
      const end = at + 1;
      if (matches[end + literal.length] === 1 && uri.startsWith(literal, end)) nearest = end;
      ends[at] = nearest;
    }
  }
  return ends;
}
