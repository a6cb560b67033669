import { decodePercent } from '@sallyport/core/pipeline';

/** A compiled URI template: literals and `{name}` or `{+name}` expressions (RFC 6570, levels 1 and 2). */
export interface UriTemplate {
  readonly text: string;
  readonly names: readonly string[];
  /** The variables of a URI, percent-decoded once, or `undefined`. A map without a prototype. */
  match(uri: string): Record<string, string> | undefined;
}

const EXPRESSION = /\{(\+?)([A-Za-z0-9_.]+)\}/g;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

export function hasScheme(uri: string): boolean {
  return SCHEME.test(uri);
}

/** `undefined` when the text is no template that we can match. */
export function compileTemplate(text: string): UriTemplate | undefined {
  const names: string[] = [];
  let source = '';
  let end = 0;
  for (const match of text.matchAll(EXPRESSION)) {
    if (end > 0 && match.index === end) return undefined;
    const [whole, reserved, name = ''] = match;
    if (names.includes(name)) return undefined;
    names.push(name);
    source += escapeLiteral(text.slice(end, match.index)) + (reserved ? '(.+?)' : '([^/?#]+?)');
    end = match.index + whole.length;
  }
  const literal = text.replace(EXPRESSION, '');
  if (names.length === 0 || /[{}]/.test(literal) || !SCHEME.test(text)) return undefined;
  const pattern = new RegExp(`^${source}${escapeLiteral(text.slice(end))}$`);
  return { text, names, match: (uri) => matchNames(pattern.exec(uri), names) };
}

function matchNames(match: RegExpExecArray | null, names: readonly string[]): Record<string, string> | undefined {
  if (!match) return undefined;
  const values: Record<string, string> = Object.create(null);
  for (const [index, name] of names.entries()) values[name] = decodePercent(match[index + 1] ?? '');
  return values;
}

function escapeLiteral(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
