import { gunzipSync, gzipSync } from 'node:zlib';
import { asBuffer } from '@sallyport/core/internal';

/** Limit for the unpacked bytes of a compressed payload. */
const MAX_UNPACKED = 8_388_608;

/** Cleans a JSON value, or a string that is not JSON. */
export interface ContentCleaner {
  json(value: unknown): unknown;
  text(text: string): string;
}

/** Cleans a string that may be JSON. JSON remains valid JSON. */
export function cleanText(text: string, cleaner: ContentCleaner): string {
  const json = /^\s*[[{]/.test(text) ? parse(text) : undefined;
  return json === undefined ? cleaner.text(text) : JSON.stringify(cleaner.json(json.value));
}

/** Cleans base64: of text, of gzipped text, or of other bytes, which are replaced by the same number of zeros. */
export function cleanBase64(base64: string, cleaner: ContentCleaner): string {
  const bytes = Buffer.from(base64, 'base64');
  return cleanBytes(bytes, cleaner).toString('base64');
}

function cleanBytes(bytes: Buffer, cleaner: ContentCleaner): Buffer {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    const unpacked = tryTo(() => gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED }));
    return unpacked ? asBuffer(gzipSync(cleanBytes(unpacked, cleaner))) : Buffer.alloc(bytes.length);
  }
  const text = tryTo(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  // A zero byte is not part of a string: such bytes are an image, an archive or a protocol buffer.
  const isText = text !== undefined && !text.includes('\0');
  return isText ? Buffer.from(cleanText(text, cleaner)) : Buffer.alloc(bytes.length);
}

function parse(text: string): { readonly value: unknown } | undefined {
  return tryTo(() => ({ value: JSON.parse(text) as unknown }));
}

function tryTo<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
