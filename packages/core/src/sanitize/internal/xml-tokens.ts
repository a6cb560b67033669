/** A start tag from behind its name on. */
export interface Tag {
  /** The attributes as they are written out, and the closing mark. */
  readonly text: string;
  readonly selfClosing: boolean;
  /** The place behind the closing mark. */
  readonly end: number;
}

const OPEN = ['&lt;', '&#60;', '&#x3c;', '&amp;lt;'];
const CLOSE = ['&gt;', '&#62;', '&#x3e;', '&amp;gt;'];
const QUOTES = ['"', "'", '&quot;', '&apos;', '&#34;', '&#39;', '&amp;quot;', '&amp;apos;'];
const LONGEST_MARK = 10;
const NAME = /[A-Za-z_:\u0080-\uffff][\w:.\-\u0080-\uffff]*/y;

/** Length of the `<` at a place, plain or escaped; 0 if there is none. */
export function openMark(text: string, at: number): number {
  return markAt(text, at, '<', OPEN);
}

/** Length of the `>` at a place, plain or escaped; 0 if there is none. */
export function closeMark(text: string, at: number): number {
  return markAt(text, at, '>', CLOSE);
}

function markAt(text: string, at: number, plain: string, escaped: readonly string[]): number {
  const character = text[at];
  if (character === plain) return 1;
  if (character !== '&') return 0;
  const head = text.slice(at, at + LONGEST_MARK).toLowerCase();
  return escaped.find((mark) => head.startsWith(mark))?.length ?? 0;
}

/** The name at a place, `''` if none begins there. */
export function nameAt(text: string, at: number): string {
  NAME.lastIndex = at;
  return NAME.exec(text)?.[0] ?? '';
}

/** A name without its namespace prefix. Its case stays: humps part its words. */
export function localName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1);
}

/** The place behind a comment, a CDATA section or a declaration; the end of the text when it does not end. */
export function skipMarkup(text: string, at: number, mark: number): number {
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

/** The place behind a terminator and the closing mark that follows it. */
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
export function attributesOf(
  text: string,
  from: number,
  rewrite: (name: string, value: string) => string,
): Tag | undefined {
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

/** The value behind an attribute's name: its range, quotes aside; `end` is -1 when a quote never closes. */
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
