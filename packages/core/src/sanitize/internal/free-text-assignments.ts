import { digitsOf, maskCard, maskRestricted, REDACTED } from '../masks.js';
import { type KeyAction, type KeyJudge, normalizeKey } from './keys.js';

/** What may stand between a key and its value, and the schemes of RFC 9110 section 11.4 whose credentials follow a blank. */
const MARKS = /=|:(?!\/\/)|%3[ad]|\b(?:bearer|basic)\b/gi;
/** A value that ends in a mark may be a key itself, or a scheme: `pin= password: x`. */
const LAST_MARK = /(?:[=:]|%3[ad]|\b(?:bearer|basic))$/i;
const KEY_CHARACTER = /[A-Za-z0-9_.-]/;
/** What precedes the colons of a time, RFC 3339: no key. */
const TIME = /^[\dT.-]+$/;
const MAX_KEY = 128;
const SCHEME = /(?:bearer|basic)[ \t:=]+/iy;
const BLANKS = /\s*/y;
const DIGITS = /\d(?:[ -]?\d)*/y;
/** An unquoted value: its first character may be a bracket or a backslash, later ones end it before a quote. */
const WORD = /(?:[^\s,;&"'`)>}\]\\]|\\(?!["'`]))(?:[^\s,;&"'`<>(){}[\]\\]|\\(?!["'`]))*/y;
const NEXT_PAIR = /,[\w.-]{1,64}[=:]/y;
const LINE = /[^\r\n]+/y;
/** Headers whose value is a list of its own; in prose it ends with the line. */
const LINE_KEYS: readonly string[] = [
  'authorization',
  'authorizationheader',
  'proxyauthorization',
  'cookie',
  'setcookie',
];
/** Query parameters of signed requests (AWS SigV4) beside those that the key table knows. */
const SIGNED_QUERY: readonly string[] = ['xamzsignature', 'xamzcredential', 'xamzsecuritytoken'];

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Masks what follows `key=`, `key:`, `"key":`, `Bearer` and `Basic`. One pass: what was masked is not looked at again. */
export function scrubAssignments(text: string, judge: KeyJudge): string {
  MARKS.lastIndex = 0;
  let out = '';
  let done = 0;
  for (let mark = MARKS.exec(text); mark; mark = MARKS.exec(text)) {
    const after = mark.index + mark[0].length;
    const isScheme = mark[0].length > 3;
    const key = isScheme ? '' : keyBefore(text, mark.index, judge);
    const action = isScheme ? 'redact' : actionOf(key, judge);
    if (action === 'clean') continue;
    const span = isScheme ? schemeSpan(text, mark.index) : valueSpan(text, after, key, action);
    const value = text.slice(span.start, span.end);
    const masked = maskedValue(value, action);
    if (masked === value) continue;
    out += text.slice(done, span.start) + masked;
    done = span.end;
    MARKS.lastIndex = done - (LAST_MARK.exec(value)?.[0].length ?? 0);
  }
  return done === 0 ? text : out + text.slice(done);
}

function actionOf(key: string, judge: KeyJudge): KeyAction {
  if (key === '' || TIME.test(key)) return 'clean';
  return SIGNED_QUERY.includes(normalizeKey(key)) ? 'redact' : judge(key, '');
}

/**
 * The word before a mark, quotes and blanks aside; with the word before it where both together are a known key. A word that
 * was masked itself, as the value of a key before it, is a key all the same.
 */
function keyBefore(text: string, mark: number, judge: KeyJudge): string {
  let end = mark;
  for (let skipped = 0; end > 0 && skipped < 8 && /[\s"'`\\]/.test(text.charAt(end - 1)); skipped += 1) end -= 1;
  const start = wordStart(text, end);
  const key = text.slice(start, end);
  if (start < 2 || text[start - 1] !== ' ') return key;
  const both = text.slice(wordStart(text, start - 1), end);
  return judge(both, '', true) === 'clean' ? key : both;
}

function wordStart(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < MAX_KEY && KEY_CHARACTER.test(text.charAt(start - 1))) start -= 1;
  return start;
}

/** What a sticky expression matches at a place. */
function matchAt(expression: RegExp, text: string, index: number): string {
  expression.lastIndex = index;
  return expression.exec(text)?.[0] ?? '';
}

function schemeSpan(text: string, index: number): Span {
  const start = index + matchAt(SCHEME, text, index).length;
  return start === index ? { start, end: start } : { start, end: wordEnd(text, start) };
}

function valueSpan(text: string, after: number, key: string, action: KeyAction): Span {
  const start = after + matchAt(BLANKS, text, after).length;
  const quote = matchAt(/\\*["'`]/y, text, start);
  if (quote !== '') return { start: start + quote.length, end: quotedEnd(text, start + quote.length, quote) };
  if (text[start] === '{' || text[start] === '[') return { start, end: bracketEnd(text, start) };
  if (LINE_KEYS.includes(normalizeKey(key))) return { start, end: start + matchAt(LINE, text, start).length };
  const digits = action === 'redact' || action === 'counter' ? '' : matchAt(DIGITS, text, start);
  if (digits !== '') return { start, end: start + digits.length };
  return { start, end: wordEnd(text, start + matchAt(SCHEME, text, start).length) };
}

/** The end of an unquoted value: a comma ends it only before a blank or another pair, for passwords hold commas. */
function wordEnd(text: string, start: number): number {
  if (text.startsWith(REDACTED, start)) return start + REDACTED.length;
  let end = start + matchAt(WORD, text, start).length;
  while (text[end] === ',' && matchAt(NEXT_PAIR, text, end) === '') {
    const more = matchAt(WORD, text, end + 1);
    if (more === '') break;
    end += 1 + more.length;
  }
  return end;
}

function quotedEnd(text: string, start: number, quote: string): number {
  if (quote.length > 1) {
    const end = text.indexOf(quote, start);
    return end < 0 ? text.length : end;
  }
  for (let index = start; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === quote) return index;
  }
  return text.length;
}

/** The end of a bracketed value that belongs to the opening one; the end of the text if none does. */
function bracketEnd(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth === 0) return index + 1;
  }
  return text.length;
}

function maskedValue(value: string, action: KeyAction): string {
  if (value === '') return value;
  if (action === 'card') return maskCard(value);
  if (action === 'restricted') return maskRestricted(value);
  if (action === 'number') return digitsOf(value).length >= 12 ? maskCard(value) : value;
  return action === 'counter' && /^\d+(?:\.\d+)?$/.test(value) ? value : REDACTED;
}
