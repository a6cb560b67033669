import { scrubText } from './internal/free-text.js';
import { isNeverOpened, type KeyJudge, normalizeKey } from './internal/keys.js';
import { attributesOf, closeMark, localName, nameAt, openMark, skipMarkup, type Tag } from './internal/xml-tokens.js';
import { sanitizeLogString } from './log-text.js';
import { digitsOf, maskCard, maskLast4, maskRestricted, REDACTED } from './masks.js';

/** How the value of an element or attribute is masked. `last4`: stars and the last 4 characters. */
export type XmlMask = 'redact' | 'card' | 'restricted' | 'last4' | ((value: string) => string);

/** A local name of elements and attributes (any prefix, any case) and what happens to its values. */
export interface XmlPattern {
  readonly name: string;
  readonly mask: XmlMask;
}

/** Names of payment messages beside those of the key table. */
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
export function sanitizeXmlText(text: string, patterns: readonly XmlPattern[], judge: KeyJudge): string {
  const masks = new Map([...PAYMENT_XML_PATTERNS, ...patterns].map(({ name, mask }) => [normalizeKey(name), mask]));
  return new XmlPass(sanitizeLogString(text.replace(/[\t\r\n]/g, ' ')), masks, judge, 0).run();
}

class XmlPass {
  readonly #text: string;
  readonly #masks: ReadonlyMap<string, XmlMask>;
  readonly #judge: KeyJudge;
  readonly #depth: number;
  readonly #open: string[] = [];
  #out = '';

  constructor(text: string, masks: ReadonlyMap<string, XmlMask>, judge: KeyJudge, depth: number) {
    this.#text = text;
    this.#masks = masks;
    this.#judge = judge;
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

  /** Handles the markup that opens at a place, the text before it included; gives the place behind, or -1 if it is text. */
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
    if (sameName(this.#open.at(-1) ?? '', name)) this.#open.pop();
    const close = text.slice(end, end + closeMark(text, end));
    return this.#emit(before, text.slice(at, afterName) + close, end + close.length);
  }

  #element(before: string, open: string, name: string, tag: Tag): number {
    if (tag.selfClosing) return this.#emit(before, open, tag.end);
    const mask = this.#maskOf(name);
    if (!mask) {
      this.#open.push(name);
      return this.#emit(before, open, tag.end);
    }
    const end = this.#endOf(name, tag.end);
    const value = end < 0 ? REDACTED : maskContent(this.#text.slice(tag.end, end), mask);
    return this.#emit(before, open + value, end < 0 ? this.#text.length : end);
  }

  /** Where the end tag of an element begins; -1 if it never closes. Comments and CDATA inside are skipped whole. */
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
      return new XmlPass(value, this.#masks, this.#judge, this.#depth + 1).run();
    }
    return this.#scrub(value);
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

  /** Text between tags; quotes that stand as entities count as quotes. */
  #scrub(text: string): string {
    if (!/&quot;|&#34;/i.test(text)) return scrubText(text, this.#judge);
    return scrubText(text.replace(/&quot;|&#34;/gi, '"'), this.#judge).replaceAll('"', '&quot;');
  }
}

function sameName(a: string, b: string): boolean {
  return a.length === b.length && a.toLowerCase() === b.toLowerCase();
}

/** The masked form of what stands between two tags or two quotes. */
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
