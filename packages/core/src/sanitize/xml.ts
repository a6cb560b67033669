import { scrubText } from './internal/free-text.js';
import { REDACTED, sanitizeLogString } from './log-text.js';
import {
  digitsOf,
  isNeverOpened,
  type KeepsKey,
  type KeyJudge,
  maskCard,
  maskLast4,
  maskRestricted,
  normalizeKey,
} from './policy.js';

/** The masking of the value of an element or attribute. `last4`: stars and the last 4 characters. */
export type XmlMask = 'redact' | 'card' | 'restricted' | 'last4' | ((value: string) => string);

/** A local name of elements and attributes (any prefix, any case) and the masking of its values. */
export interface XmlPattern {
  /** The local name, without a prefix; case, `_` and `-` do not count. */
  readonly name: string;
  /** The masking of the values. */
  readonly mask: XmlMask;
}

/** Names of payment messages in addition to the key table. */
export const PAYMENT_XML_PATTERNS: readonly XmlPattern[] = Object.freeze([
  ...['AcctNum', 'CardNum', 'CardNumber'].map((name) => ({ name, mask: 'card' as const })),
  ...['TrackData', 'CVV', 'CVV2', 'CVC', 'ExpDate', 'ExpiryDate', 'Password'].map((name) => ({
    name,
    mask: 'redact' as const,
  })),
  { name: 'TransArmorToken', mask: 'last4' },
]);

const MAX_ATTRIBUTE_DEPTH = 2;

/** Cleans XML in one pass from left to right: in `<…>`, in `&lt;…&gt;`, and inside CDATA. No entity is expanded. */
export function sanitizeXmlText(
  text: string,
  patterns: readonly XmlPattern[],
  judge: KeyJudge,
  keeps: KeepsKey | undefined,
): string {
  const masks = new Map([...PAYMENT_XML_PATTERNS, ...patterns].map(({ name, mask }) => [normalizeKey(name), mask]));
  return new XmlPass(sanitizeLogString(text.replace(/[\t\r\n]/g, ' ')), masks, judge, keeps, 0).run();
}

class XmlPass {
  readonly #text: string;
  readonly #masks: ReadonlyMap<string, XmlMask>;
  readonly #judge: KeyJudge;
  readonly #keeps: KeepsKey | undefined;
  readonly #depth: number;
  readonly #open: string[] = [];
  #out = '';

  constructor(
    text: string,
    masks: ReadonlyMap<string, XmlMask>,
    judge: KeyJudge,
    keeps: KeepsKey | undefined,
    depth: number,
  ) {
    this.#text = text;
    this.#masks = masks;
    this.#judge = judge;
    this.#keeps = keeps;
    this.#depth = depth;
  }

  run(): string {
    const text = this.#text;
    let from = 0;
    for (let at = 0; at < text.length; ) {
      const mark = openMark(text, at);
      if (mark === 0) {
        at += 1;
        continue;
      }
      const next = this.#markup(from, at, mark);
      if (next > at) from = next;
      at = Math.max(next, at + mark);
    }
    this.#out += this.#scrub(text.slice(from));
    return this.#out;
  }

  /** Handles the markup that opens at a place and the text before it. Returns the place after it, or -1 if it is text. */
  #markup(from: number, at: number, mark: number): number {
    const text = this.#text;
    const inner = at + mark;
    const before = text.slice(from, at);
    if (text.startsWith('![CDATA[', inner)) return this.#emit(before, text.slice(at, inner + 8), inner + 8);
    if (text[inner] === '!') return this.#emit(before, '', skipMarkup(text, at, mark));
    const isEnd = text[inner] === '/';
    const name = nameAt(text, isEnd ? inner + 1 : inner);
    if (name === '') return -1;
    if (isEnd) return this.#endTag(before, at, inner + 1 + name.length, localName(name));
    const tag = attributesOf(text, inner + name.length, (key, value) => this.#attribute(key, value));
    if (!tag) return this.#emit(before, REDACTED, text.length);
    const open = text.slice(at, inner + name.length) + tag.text;
    return this.#element(before, open, localName(name), tag);
  }

  #emit(before: string, markup: string, next: number): number {
    this.#out += this.#scrub(before) + markup;
    return next;
  }

  #endTag(before: string, at: number, afterName: number, name: string): number {
    const text = this.#text;
    let end = afterName;
    while (end < text.length && closeMark(text, end) === 0) end += 1;
    const close = text.slice(end, end + closeMark(text, end));
    const next = this.#emit(before, text.slice(at, afterName) + close, end + close.length);
    if (sameName(this.#open.at(-1) ?? '', name)) this.#open.pop();
    return next;
  }

  #element(before: string, open: string, name: string, tag: Tag): number {
    if (tag.selfClosing) return this.#emit(before, open, tag.end);
    const mask = this.#maskOf(name);
    if (!mask) {
      const next = this.#emit(before, open, tag.end);
      this.#open.push(name);
      return next;
    }
    const end = this.#endOf(name, tag.end);
    const value = end < 0 ? REDACTED : maskContent(this.#text.slice(tag.end, end), mask);
    return this.#emit(before, open + value, end < 0 ? this.#text.length : end);
  }

  /** The start of the end tag of an element; -1 if the element is not closed. Comments and CDATA inside are skipped whole. */
  #endOf(name: string, from: number): number {
    const text = this.#text;
    let depth = 1;
    for (let at = from; at < text.length; ) {
      const mark = openMark(text, at);
      const inner = at + mark;
      if (mark > 0 && text[inner] === '!') {
        at = skipMarkup(text, at, mark);
        continue;
      }
      const isEnd = mark > 0 && text[inner] === '/';
      const found = mark > 0 ? nameAt(text, isEnd ? inner + 1 : inner) : '';
      if (found !== '' && sameName(localName(found), name)) depth += isEnd ? -1 : 1;
      if (depth === 0) return at;
      at = inner + Math.max(found.length, mark > 0 ? 0 : 1);
    }
    return -1;
  }

  #attribute(name: string, value: string): string {
    const mask = this.#maskOf(localName(name));
    if (mask) return maskContent(value, mask);
    if (this.#depth < MAX_ATTRIBUTE_DEPTH && /<|&lt;|&#/i.test(value)) {
      return new XmlPass(value, this.#masks, this.#judge, this.#keeps, this.#depth + 1).run();
    }
    return this.#scrub(value, localName(name));
  }

  #maskOf(name: string): XmlMask | undefined {
    const key = normalizeKey(name);
    if (isNeverOpened(key)) return 'redact';
    const own = this.#masks.get(key);
    if (own !== undefined) return own;
    const action = this.#judge(name, normalizeKey(this.#open.at(-1) ?? ''));
    if (action === 'clean') return undefined;
    if (action === 'counter') return (value) => (/^\d+$/.test(value) ? value : REDACTED);
    if (action === 'number') return (value) => (digitsOf(value).length >= 12 ? maskCard(value) : value);
    return action;
  }

  /** Text between tags; quotes that are written as entities count as quotes. */
  #scrub(text: string, name = this.#open.at(-1) ?? ''): string {
    const keeps = this.#keeps?.(normalizeKey(name)) ? 'all' : this.#keeps;
    if (!/&quot;|&#34;/i.test(text)) return scrubText(text, this.#judge, keeps);
    return scrubText(text.replace(/&quot;|&#34;/gi, '"'), this.#judge, keeps).replaceAll('"', '&quot;');
  }
}

function sameName(a: string, b: string): boolean {
  return a.length === b.length && a.toLowerCase() === b.toLowerCase();
}

/** The masked form of the content between two tags or two quotes. */
function maskContent(content: string, mask: XmlMask): string {
  if (mask === 'redact') return REDACTED;
  const cdata = /^\s*<!\[CDATA\[([^\]]*)\]\]>\s*$/.exec(content);
  const value = (cdata?.[1] ?? content).trim();
  if (/[<&]/.test(value)) return REDACTED;
  if (mask === 'card') return maskCard(value);
  if (mask === 'restricted') return maskRestricted(value);
  if (mask === 'last4') return maskLast4(value);
  try {
    return String(mask(value));
  } catch {
    return REDACTED;
  }
}

/** The part of a start tag after its name. */
export interface Tag {
  /** The written attributes and the closing mark. */
  readonly text: string;
  readonly selfClosing: boolean;
  /** The place after the closing mark. */
  readonly end: number;
}

const OPEN = ['&lt;', '&#60;', '&#x3c;', '&amp;lt;'];
const CLOSE = ['&gt;', '&#62;', '&#x3e;', '&amp;gt;'];
const QUOTES = ['"', "'", '&quot;', '&apos;', '&#34;', '&#39;', '&amp;quot;', '&amp;apos;'];
const LONGEST_MARK = 10;
const NAME = /[A-Za-z_:\u0080-\uffff][\w:.\-\u0080-\uffff]*/y;

/** Length of the `<` at a place, plain or escaped; 0 if absent. */
function openMark(text: string, at: number): number {
  return markAt(text, at, '<', OPEN);
}

/** Length of the `>` at a place, plain or escaped; 0 if absent. */
function closeMark(text: string, at: number): number {
  return markAt(text, at, '>', CLOSE);
}

function markAt(text: string, at: number, plain: string, escaped: readonly string[]): number {
  const character = text[at];
  if (character === plain) return 1;
  if (character !== '&') return 0;
  const head = text.slice(at, at + LONGEST_MARK).toLowerCase();
  return escaped.find((mark) => head.startsWith(mark))?.length ?? 0;
}

/** The name at a place, `''` if no name begins there. */
function nameAt(text: string, at: number): string {
  NAME.lastIndex = at;
  return NAME.exec(text)?.[0] ?? '';
}

/** A name without its namespace prefix. Its case is kept, because capitals separate its words. */
function localName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1);
}

/** The place after a comment, a CDATA section or a declaration; the end of the text if it is not closed. */
function skipMarkup(text: string, at: number, mark: number): number {
  const inner = at + mark;
  if (text.startsWith('!--', inner)) return behind(text, '--', inner + 3);
  if (text.startsWith('![CDATA[', inner)) return behind(text, ']]', inner + 8);
  let brackets = 0;
  for (let index = inner; index < text.length; index += 1) {
    if (text[index] === '[') brackets += 1;
    else if (text[index] === ']') brackets -= 1;
    else if (brackets <= 0 && closeMark(text, index) > 0) return index + closeMark(text, index);
  }
  return text.length;
}

/** The place after a terminator and the closing mark that follows it. */
function behind(text: string, terminator: string, from: number): number {
  for (let index = text.indexOf(terminator, from); index >= 0; index = text.indexOf(terminator, index + 1)) {
    const close = closeMark(text, index + terminator.length);
    if (close > 0) return index + terminator.length + close;
  }
  return text.length;
}

/**
 * The rest of a start tag: attributes with their values rewritten, up to the closing mark; `undefined` when the tag never
 * closes.
 */
function attributesOf(text: string, from: number, rewrite: (name: string, value: string) => string): Tag | undefined {
  let out = '';
  for (let at = from; at < text.length; ) {
    const close = closeMark(text, at);
    if (close > 0) {
      return { text: out + text.slice(at, at + close), selfClosing: out.endsWith('/'), end: at + close };
    }
    const name = nameAt(text, at);
    if (name === '') {
      out += text.charAt(at);
      at += 1;
      continue;
    }
    const value = valueAt(text, at + name.length);
    if (!value) {
      out += name;
      at += name.length;
      continue;
    }
    if (value.end < 0) return undefined;
    out += text.slice(at, value.start) + rewrite(name, text.slice(value.start, value.end));
    at = value.end;
  }
  return undefined;
}

/** The value after an attribute's name: its range without quotes; `end` is -1 if a quote is not closed. */
function valueAt(text: string, from: number): { readonly start: number; readonly end: number } | undefined {
  let at = skipBlanks(text, from);
  if (text[at] !== '=') return undefined;
  at = skipBlanks(text, at + 1);
  const head = text.slice(at, at + LONGEST_MARK).toLowerCase();
  const quote = QUOTES.find((mark) => head.startsWith(mark));
  if (quote !== undefined) {
    const start = at + quote.length;
    return { start, end: text.indexOf(text.slice(at, start), start) };
  }
  let end = at;
  while (end < text.length && text[end] !== ' ' && text[end] !== '/' && closeMark(text, end) === 0) end += 1;
  return { start: at, end };
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ') at += 1;
  return at;
}
