import { sanitizeFieldValue, sanitizeLogString } from '@sallyport/core/observability';

/** What is kept of an error: clean, bounded, without stack and cause. */
export interface ErrorEnvelope {
  /** The error's class. */
  readonly type?: string;
  readonly code?: string;
  /** At most 2,048 characters. */
  readonly message: string;
  /** Only ever `true`. */
  readonly retryable?: true;
  /** At most 32, each of at most 1,024 characters. */
  readonly fields?: Readonly<Record<string, string | number | boolean | null>>;
}

const MAX_MESSAGE = 2048;
const MAX_NAME = 256;
const MAX_FIELDS = 32;
const MAX_FIELD = 1024;

/**
 * The envelope of anything thrown, or of an envelope. Texts lose their control characters, fields what is secret by name;
 * `fields` are the error's `fields`, else its `details`. Never throws.
 *
 * @example toErrorEnvelope(new RangeError('too far')) // { type: 'RangeError', message: 'too far' }
 */
export function toErrorEnvelope(error: unknown): ErrorEnvelope {
  if (typeof error !== 'object' || error === null) return { message: messageOf(error) };
  const type = shortText(read(error, 'name')) || shortText(read(error, 'type'));
  const code = shortText(read(error, 'code'));
  const fields = fieldsOf(read(error, 'fields') ?? read(error, 'details'));
  return {
    ...(type !== '' && { type }),
    ...(code !== '' && { code }),
    message: messageOf(read(error, 'message')),
    ...(read(error, 'retryable') === true && { retryable: true }),
    ...(fields && { fields }),
  };
}

/** The envelope of stored text; `undefined` for what is none. */
export function parseEnvelope(value: unknown): ErrorEnvelope | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? toErrorEnvelope(value) : undefined;
}

function messageOf(message: unknown): string {
  const text = typeof message === 'string' ? cut(sanitizeLogString(message), MAX_MESSAGE) : '';
  return text.trim() === '' ? 'unknown error' : text;
}

function shortText(value: unknown): string {
  return typeof value === 'string' ? cut(sanitizeLogString(value), MAX_NAME) : '';
}

function fieldsOf(source: unknown): ErrorEnvelope['fields'] {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return undefined;
  const names = Object.keys(source).slice(0, MAX_FIELDS);
  if (names.length === 0) return undefined;
  const entries = names.map((name) => {
    const key = cut(sanitizeLogString(name), MAX_NAME);
    return [key, fieldOf(sanitizeFieldValue(name, read(source, name)))] as const;
  });
  return Object.fromEntries(entries);
}

function fieldOf(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return cut(sanitizeLogString(value), MAX_FIELD);
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  return cut(sanitizeLogString(JSON.stringify(value) ?? String(value)), MAX_FIELD);
}

/** Never within a surrogate pair. */
function cut(text: string, length: number): string {
  return text.length <= length
    ? text
    : text
        .slice(0, length)
        .toWellFormed()
        .replace(/\ufffd$/, '');
}

/** A property that may throw when it is read. */
function read(object: object, key: string): unknown {
  try {
    return (object as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}
