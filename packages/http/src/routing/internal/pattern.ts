import { FrameworkError } from '@sallyport/core';

/** One segment of a compiled pattern. */
export type PatternSegment =
  | { readonly kind: 'static'; readonly text: string }
  | { readonly kind: 'param'; readonly name: string }
  | { readonly kind: 'rest'; readonly name: string };

export interface Pattern {
  /** Trimmed, without a query, parameters as `{name}`, the catch-all as `{name+}`. */
  readonly canonical: string;
  readonly segments: readonly PatternSegment[];
  readonly paramNames: readonly string[];
}

/** A static segment: no parameter, and only allowed characters. */
const STATIC = /^[^:{}*\s][^{}*\s]*$/;
/** Letters of other scripts count as letters; a Unicode property costs 0.2 ms at each start. */
const BRACED = /^\{\s*([^\s!-#%-,./:-@[-^`{-~]+)(\+?)\s*\}$/;
/** Without a dash: for Express `:from-to` is a parameter `from` and a string after it. */
const COLON = /^:([^\s!-#%-/:-@[-^`{-~]+)(\+?)$/;
/** A parameter of other routers: `<id>` of Powertools for Python, `[id]` of routers by file. */
const OTHER_BRACKETS = /^(?:<.*>|\[.*\])$/;

/**
 * Compiles a route pattern: static segments, `{id}` or `:id` for one segment, `{rest+}` or `:rest+` for the rest. Spellings of other
 * routers that would mean something else here are rejected.
 *
 * @throws FrameworkError `app.bad_request` with a message that begins `framework: invalid route pattern`
 */
export function parsePattern(pattern: string): Pattern {
  if (typeof pattern !== 'string') throw invalidPattern();
  const path = cutQuery(pattern.trim());
  const text = path.startsWith('/') ? path.slice(1) : path;
  const segments = text === '' ? [] : text.split('/').map(parseSegment);
  if (segments.some((segment, index) => segment.kind === 'rest' && index < segments.length - 1)) throw invalidPattern();
  const paramNames = segments.filter((segment) => segment.kind !== 'static').map(({ name }) => name);
  if (paramNames.some((name, index) => paramNames.indexOf(name) !== index)) throw invalidPattern();
  return { canonical: `/${segments.map(print).join('/')}`, segments, paramNames };
}

/**
 * The pattern of the same paths with a slash at the end; `undefined` for the root and for a catch-all, which already matches
 * them.
 */
export function withTrailingSlash(pattern: Pattern): Pattern | undefined {
  const last = pattern.segments.at(-1);
  if (last === undefined || last.kind === 'rest') return undefined;
  return {
    canonical: `${pattern.canonical}/`,
    segments: [...pattern.segments, { kind: 'static', text: '' }],
    paramNames: pattern.paramNames,
  };
}

function cutQuery(path: string): string {
  const question = path.indexOf('?');
  if (question < 0) return path;
  // `:id?`, `colou?r`: without a value it is not a query.
  if (!/^\?[^/?]*=/.test(path.slice(question))) throw invalidPattern('nothing is optional: register both paths');
  return path.slice(0, question);
}

function parseSegment(text: string): PatternSegment {
  if (OTHER_BRACKETS.test(text)) throw invalidPattern(WHOLE_SEGMENT);
  if (STATIC.test(text)) return { kind: 'static', text };
  const match = BRACED.exec(text) ?? COLON.exec(text);
  if (match) return { kind: match[2] === '+' ? 'rest' : 'param', name: match[1] ?? '' };
  // The wildcard of other routers; in a static segment no client would send it.
  if (text.includes('*')) throw invalidPattern('use {rest+} for the rest of a path');
  if (/^:.|[{}].*[.:([\\]|[.:([\\].*[{}]/.test(text)) throw invalidPattern(WHOLE_SEGMENT);
  if (text === '' || text === ':' || /[{}]/.test(text)) throw invalidPattern();
  // Only white space is left. Paths are matched before decoding, and a path on the wire never contains it.
  throw invalidPattern('percent-encode white space');
}

const WHOLE_SEGMENT = 'a parameter is a whole segment of any text: use {name}';

function print(segment: PatternSegment): string {
  if (segment.kind === 'static') return segment.text;
  return `{${segment.name}${segment.kind === 'rest' ? '+' : ''}}`;
}

function invalidPattern(hint?: string): FrameworkError {
  return new FrameworkError(
    'app.bad_request',
    `framework: invalid route pattern${hint === undefined ? '' : `: ${hint}`}`,
  );
}
