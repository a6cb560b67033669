/** The replacement of a secret. */
export const REDACTED = '[REDACTED]';

/**
 * Characters that could start, hide or reorder a line: C0, DEL, C1 (NEL included), U+2028, U+2029, bidi controls and the
 * byte order mark.
 */
const CLASS = '\\u0000-\\u001f\\u007f-\\u009f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff';
const UNSAFE = new RegExp(`[${CLASS}\\ud800-\\udfff]`);
const CONTROLS = new RegExp(`[${CLASS}]`, 'g');
/** With the flag `u` a pair is one character, which is not in this range. Not a property of Unicode: esbuild would compile that at each start. */
const LONE_SURROGATES = /[\ud800-\udfff]/gu;

/** The text without control characters; a lone surrogate becomes U+FFFD. For callers who write text themselves. */
export function sanitizeLogString(text: string): string {
  return UNSAFE.test(text) ? text.replace(CONTROLS, '').replace(LONE_SURROGATES, '\ufffd') : text;
}

let otherControls: RegExp | undefined;

/** {@link sanitizeLogString}, but line feeds and tabs are kept, for readers that show several lines. */
export function sanitizeLines(text: string): string {
  otherControls ??= new RegExp(`(?![\\n\\t])[${CLASS}]`, 'g');
  return UNSAFE.test(text) ? text.replace(otherControls, '').replace(LONE_SURROGATES, '\ufffd') : text;
}

let unsafeValue: RegExp | undefined;

/**
 * A value of a `safe_log` line (`name=value` pairs joined by blanks): `%`, `=`, whitespace and control characters become
 * upper-case percent escapes of their UTF-8 bytes, a lone surrogate those of U+FFFD.
 */
export function encodeSafeValue(text: string): string {
  unsafeValue ??= new RegExp(`[%=\\s${CLASS}]|\\p{Surrogate}`, 'gu');
  return text.replace(unsafeValue, (character) =>
    [...Buffer.from(character, 'utf8')].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

const UNESCAPED = new RegExp(`[${CLASS}]`, 'g');

/**
 * JSON text in which no character can mislead a terminal or a line splitter: characters that `JSON.stringify` does not escape (DEL, C1,
 * U+2028, U+2029, bidi controls) become `\uXXXX`.
 */
export function escapeJsonText(json: string): string {
  return json.replace(UNESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A string cut to a number of UTF-8 bytes, and the number of removed bytes. */
export interface CutText {
  readonly text: string;
  readonly left: number;
}

/** The beginning of a string, at most `limit` bytes of UTF-8, never within a character. */
export function cutBytes(text: string, limit: number): CutText {
  if (text.length * 3 <= limit) return { text, left: 0 };
  const size = Buffer.byteLength(text, 'utf8');
  if (size <= limit) return { text, left: 0 };
  const bytes = Buffer.from(text.slice(0, limit), 'utf8');
  let end = Math.min(limit, bytes.length);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { text: bytes.toString('utf8', 0, end), left: size - end };
}

/** The mark after a truncated string or list. */
export function cutMark(left: number): string {
  return left > 0 ? `…[+${left}]` : '';
}

/** The longest line that is written, its line break included: the limit of one event in CloudWatch Logs. */
const MAX_LINE_BYTES = 262_144;
const ENVELOPE_BYTES = 26;

/** Writes one line, without its line break. */
export type WriteLine = (line: string) => unknown;

/** Standard output itself: Lambda's patched `console` would wrap the line or add a prefix. */
export const writeToStdout: WriteLine = (line) => {
  process.stdout.write(`${line}\n`);
};

/** A JSON object as one line that its values cannot break, hide or reorder. */
export function encodeLine(line: Readonly<Record<string, unknown>>): string {
  return escapeJsonText(JSON.stringify(line));
}

/**
 * The line, with the largest of the named members replaced by `[N bytes]` and `truncated: true` added while it is too
 * long for one log event.
 */
export function encodeBoundedLine(line: Record<string, unknown>, members: readonly string[]): string {
  const limit = MAX_LINE_BYTES - ENVELOPE_BYTES - 1;
  const whole = encodeLine(line);
  const size = Buffer.byteLength(whole);
  if (size <= limit) return whole;
  const sizes = members.map((name) => ({ name, bytes: jsonBytes(line[name]) })).sort((a, b) => b.bytes - a.bytes);
  let over = size + ',"truncated":true'.length - limit;
  const cut: Record<string, unknown> = { ...line };
  for (const { name, bytes } of sizes) {
    if (over <= 0) break;
    cut[name] = `[${bytes} bytes]`;
    over -= bytes - jsonBytes(cut[name]);
  }
  return encodeLine({ ...cut, truncated: true });
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(escapeJsonText(JSON.stringify(value) ?? ''));
}
