/**
 * Characters that could start, hide or reorder a line: C0, DEL, C1 (NEL included), U+2028, U+2029, bidi controls and the
 * byte order mark.
 */
const CLASS = '\\u0000-\\u001f\\u007f-\\u009f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff';
const UNSAFE = new RegExp(`[${CLASS}\\ud800-\\udfff]`);
const CONTROLS = new RegExp(`[${CLASS}]`, 'g');
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** The text without control characters; a lone surrogate becomes U+FFFD. For callers who write text themselves. */
export function sanitizeLogString(text: string): string {
  return UNSAFE.test(text) ? text.replace(CONTROLS, '').replace(LONE_SURROGATES, '\ufffd') : text;
}

const UNSAFE_VALUE = new RegExp(`[%=\\s${CLASS}]|\\p{Surrogate}`, 'gu');

/**
 * A value of a `safe_log` line (`name=value` pairs joined by blanks): `%`, `=`, whitespace and control characters become
 * upper-case percent escapes of their UTF-8 bytes, a lone surrogate those of U+FFFD.
 */
export function encodeSafeValue(text: string): string {
  return text.replace(UNSAFE_VALUE, (character) =>
    [...Buffer.from(character, 'utf8')].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

const UNESCAPED = new RegExp(`[${CLASS}]`, 'g');

/**
 * JSON text in which no character can fool a terminal or a line splitter: what `JSON.stringify` leaves as it is (DEL, C1,
 * U+2028, U+2029, bidi controls) becomes `\uXXXX`.
 */
export function escapeJsonText(json: string): string {
  return json.replace(UNESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
