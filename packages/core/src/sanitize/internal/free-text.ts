import { cutBytes, cutMark, REDACTED } from '../log-text.js';
import {
  digitsOf,
  type KeepsKey,
  type KeyAction,
  type KeyJudge,
  maskCard,
  maskRestricted,
  normalizeKey,
} from '../policy.js';
import { replaceCards } from './cards.js';
import { isInFramePath, isPackageVersion } from './frame-path.js';

/** The maximum number of scrubbed bytes; the rest is cut. */
const MAX_SCRUBBED_BYTES = 65_536;
const MAX_PARTIAL_WORD = 512;
const MAX_LABEL = 64;
const MAX_LOCAL_PART = 254;

const SSN = /(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)/g;
const AWS_KEY_ID = /A[KS]IA[A-Z0-9]{16}/g;
const WORDS_WITH_DOTS = /[A-Za-z0-9_.-]{12,}/g;
const LOCAL_PART = /[A-Za-z0-9._+'~%\-\u0080-\uffff]/;
const DOMAIN = /[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*/y;

/**
 * Masks secrets inside prose, in linear time: every pattern either has a bound, or consumes its matches.
 * Scrubs {@link MAX_SCRUBBED_BYTES}; the rest is cut, and the mark `…[+N]` contains the number of cut bytes. `keeps` names the keys
 * whose values are never treated as card numbers; pass `'all'` for the value of such a key.
 */
export function scrubText(text: string, judge: KeyJudge, keeps: KeepsKey | 'all' | undefined): string {
  const { text: head, left } = cutBytes(text, MAX_SCRUBBED_BYTES);
  if (left === 0) return scrubHead(head, judge, keeps);
  const kept = withoutPartialWord(head);
  return scrubHead(kept, judge, keeps) + cutMark(left + Buffer.byteLength(head.slice(kept.length), 'utf8'));
}

/** A secret across the cut would not be recognised by its first half: the last word goes too. */
function withoutPartialWord(head: string): string {
  const blank = Math.max(head.lastIndexOf(' '), head.lastIndexOf('\n'), head.lastIndexOf('"'));
  return blank >= head.length - MAX_PARTIAL_WORD ? head.slice(0, blank + 1) : head;
}

function scrubHead(text: string, judge: KeyJudge, keeps: KeepsKey | 'all' | undefined): string {
  const signs = signsOf(text);
  if (signs === 0) return text;
  let out = text;
  if (signs & SIGN.dashes) out = scrubPrivateKeys(out);
  if (signs & SIGN.mark && out.includes('@') && out.includes('://')) out = scrubUserInfo(out);
  if (signs & (SIGN.mark | SIGN.scheme)) out = scrubAssignments(out, judge);
  if (signs & SIGN.jwt) out = out.replace(WORDS_WITH_DOTS, scrubJwt);
  if (signs & SIGN.keyId) out = out.replace(AWS_KEY_ID, REDACTED);
  if (signs & SIGN.mark) out = scrubEmails(out);
  if (signs & SIGN.digits) out = out.replace(SSN, maskRestricted);
  if (signs & SIGN.digits && keeps !== 'all') out = replaceCards(out, maskCard, keeps && afterKey(keeps));
  return out;
}

/** PEM blocks (RFC 7468) of private keys; a block without an end mark extends to the end of the text. */
function scrubPrivateKeys(text: string): string {
  let out = '';
  let done = 0;
  for (let label = text.indexOf('PRIVATE KEY-----'); label >= 0; label = text.indexOf('PRIVATE KEY-----', done)) {
    const from = Math.max(done, label - MAX_LABEL);
    const begin = from + text.slice(from, label).lastIndexOf('-----BEGIN ');
    const body = label + 'PRIVATE KEY-----'.length;
    if (begin < from) {
      out += text.slice(done, body);
      done = body;
      continue;
    }
    const end = text.indexOf('-----END ', body);
    const tail = end === -1 ? -1 : text.indexOf('-----', end + '-----END '.length);
    out += text.slice(done, begin) + REDACTED;
    done = tail === -1 ? text.length : tail + '-----'.length;
  }
  return out + text.slice(done);
}

/** User and password of a URL (RFC 3986 section 3.2.1): the part between `//` and the last `@` of the authority. */
function scrubUserInfo(text: string): string {
  return text.replace(/:\/\/[^/?#\s"'<>\\]+/g, (authority) => {
    const at = authority.lastIndexOf('@');
    return at < 0 ? authority : `://${REDACTED}${authority.slice(at)}`;
  });
}

/** RFC 7515 section 7.1: parts in base64url joined by dots, the first of them a JSON object. */
function scrubJwt(run: string): string {
  const start = run.indexOf('eyJ');
  const dot = start < 0 ? -1 : run.indexOf('.', start);
  return dot - start < 8 || dot === run.length - 1 ? run : run.slice(0, start) + REDACTED;
}

function scrubEmails(text: string): string {
  if (!text.includes('@') && !text.includes('%40')) return text;
  let out = '';
  let done = 0;
  for (const { 0: mark, index } of text.matchAll(/@|%40/g)) {
    if (index < done) continue;
    DOMAIN.lastIndex = index + mark.length;
    const domain = DOMAIN.exec(text)?.[0] ?? '';
    if (!/\.[A-Za-z][A-Za-z0-9-]+$/.test(domain)) continue;
    let start = index;
    while (start > done && index - start < MAX_LOCAL_PART && LOCAL_PART.test(text.charAt(start - 1))) start -= 1;
    const end = index + mark.length + domain.length;
    if (start === index || isPackageVersion(text, start, text.slice(start, end))) continue;
    out += text.slice(done, start) + REDACTED;
    done = end;
  }
  return out + text.slice(done);
}

/** True if digits at a place are the value of a key that keeps them: `order_id=…`, `"order_id": "…"`. */
function afterKey(keeps: KeepsKey): (text: string, start: number) => boolean {
  return (text, start) => {
    let mark = start - 1;
    while (mark > 0 && start - mark < 8 && /[\s"'`\\]/.test(text.charAt(mark))) mark -= 1;
    if (!/[=:]/.test(text.charAt(mark))) return false;
    const end = keyEnd(text, mark);
    return keeps(normalizeKey(text.slice(wordStart(text, end), end)));
  };
}

/** Separators between a key and its value, and the schemes of RFC 9110 section 11.4 whose credentials follow a blank. */
const MARKS = /=|:(?!\/\/)|%3[ad]|\b(?:bearer|basic)\b/gi;
/** A value that ends in a mark can also be a key, or a scheme: `pin= password: x`. */
const LAST_MARK = /(?:[=:]|%3[ad]|\b(?:bearer|basic))$/i;
const KEY_CHARACTER = /[A-Za-z0-9_.-]/;
/** The part of an RFC 3339 time before its colons; it is not a key. */
const TIME = /^[\dT.-]+$/;
const MAX_KEY = 128;
const SCHEME = /(?:bearer|basic)[ \t:=]+/iy;
const BLANKS = /\s*/y;
const DIGITS = /\d(?:[ -]?\d)*/y;
/** An unquoted value: a bracket or a backslash is allowed as first character; later ones terminate the value. */
const WORD = /(?:[^\s,;&"'`)>}\]\\]|\\(?!["'`]))(?:[^\s,;&"'`<>(){}[\]\\]|\\(?!["'`]))*/y;
const NEXT_PAIR = /,[\w.-]{1,64}[=:]/y;
const LINE = /[^\r\n]+/y;
/** Headers whose value is a list; in prose the value extends to the end of the line. */
const LINE_KEYS: readonly string[] = [
  'authorization',
  'authorizationheader',
  'proxyauthorization',
  'cookie',
  'setcookie',
];
/** Query parameters of signed requests (AWS SigV4) in addition to the keys of the key table. */
const SIGNED_QUERY: readonly string[] = ['xamzsignature', 'xamzcredential', 'xamzsecuritytoken'];

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Masks values after `key=`, `key:`, `"key":`, `Bearer` and `Basic`. One pass: masked values are not read again. */
function scrubAssignments(text: string, judge: KeyJudge): string {
  MARKS.lastIndex = 0;
  let out = '';
  let done = 0;
  for (let mark = MARKS.exec(text); mark; mark = MARKS.exec(text)) {
    const after = mark.index + mark[0].length;
    const isScheme = mark[0].length > 3;
    const key = isScheme ? '' : keyBefore(text, mark.index, judge);
    const action = isScheme ? 'redact' : actionOf(key, judge);
    if (action === 'clean' || (mark[0] === ':' && isInFramePath(text, mark.index, mark.index))) continue;
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
 * The word before a mark, without quotes and blanks; with the previous word if both together are a known key. A word that
 * was masked itself, as the value of a key before it, still counts as a key.
 */
function keyBefore(text: string, mark: number, judge: KeyJudge): string {
  const end = keyEnd(text, mark);
  const start = wordStart(text, end);
  const key = text.slice(start, end);
  if (start < 2 || text[start - 1] !== ' ') return key;
  const both = text.slice(wordStart(text, start - 1), end);
  return judge(both, '', true) === 'clean' ? key : both;
}

/** The end of the word before a mark, without quotes and blanks. */
function keyEnd(text: string, mark: number): number {
  let end = mark;
  for (let skipped = 0; end > 0 && skipped < 8 && /[\s"'`\\]/.test(text.charAt(end - 1)); skipped += 1) end -= 1;
  return end;
}

function wordStart(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < MAX_KEY && KEY_CHARACTER.test(text.charAt(start - 1))) start -= 1;
  return start;
}

/** The match of a sticky expression at a place. */
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

/** The end of an unquoted value: a comma terminates it only before a blank or another pair, because passwords may contain commas. */
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

/** The end of a bracketed value that belongs to the opening one; the end of the text if it is not closed. */
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

/** Signs of possible secrets in a string, as bits. */
const SIGN = {
  /** `=`, `:`, `@` or `%`. */
  mark: 1,
  /** Nine digits or more. */
  digits: 2,
  /** `eyJ`. */
  jwt: 4,
  /** `AKIA` or `ASIA`, as far as `IA`. */
  keyId: 8,
  /** `bearer` or `basic`, as far as the second letter. */
  scheme: 16,
  /** Two dashes in a row. */
  dashes: 32,
} as const;

const MIN_DIGITS = 9;

/**
 * Reads each character once. Most short strings of a record have no sign, and five regular expressions
 * without a match cost five times as much.
 */
function signsOf(text: string): number {
  let signs = 0;
  let digits = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 37: // %
      case 58: // :
      case 61: // =
      case 64: // @
        signs |= SIGN.mark;
        break;
      case 45: // -
        if (text.charCodeAt(index + 1) === 45) signs |= SIGN.dashes;
        break;
      case 74: // J
        if (text.charCodeAt(index - 1) === 121) signs |= SIGN.jwt;
        break;
      case 73: // I
        if (text.charCodeAt(index + 1) === 65) signs |= SIGN.keyId;
        break;
      case 66: // B
      case 98: // b
        if (/^[ea]$/i.test(text.charAt(index + 1))) signs |= SIGN.scheme;
        break;
      case 48:
      case 49:
      case 50:
      case 51:
      case 52:
      case 53:
      case 54:
      case 55:
      case 56:
      case 57:
        digits += 1;
        break;
      default:
    }
  }
  return digits >= MIN_DIGITS ? signs | SIGN.digits : signs;
}
