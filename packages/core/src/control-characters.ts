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
