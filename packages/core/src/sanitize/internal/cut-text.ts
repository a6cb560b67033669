import { asBuffer } from '../../request/encoding.js';

/** A text cut to a number of UTF-8 bytes, and how many bytes were left out. */
export interface CutText {
  readonly text: string;
  readonly left: number;
}

/** The beginning of a text, at most `limit` bytes of UTF-8, never within a character. */
export function cutBytes(text: string, limit: number): CutText {
  if (text.length * 3 <= limit) return { text, left: 0 };
  const size = Buffer.byteLength(text, 'utf8');
  if (size <= limit) return { text, left: 0 };
  const bytes = asBuffer(Buffer.from(text.slice(0, limit), 'utf8'));
  let end = Math.min(limit, bytes.length);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { text: bytes.toString('utf8', 0, end), left: size - end };
}

/** The mark behind a text or a list of which something was left out. */
export function cutMark(left: number): string {
  return left > 0 ? `…[+${left}]` : '';
}
