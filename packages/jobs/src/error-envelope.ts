import { FrameworkError } from '@sallyport/core';
import { brandError, isObject } from '@sallyport/core/internal';
import { sanitizeFieldValue, sanitizeLogString } from '@sallyport/core/observability';

/** The stored form of an error: without control characters, secrets, stack and cause, and limited in size. */
export interface ErrorEnvelope {
  /** Name of the error's class, at most 256 characters. */
  readonly type?: string;
  /** The error's code, at most 256 characters. */
  readonly code?: string;
  /** At most 2,048 characters. */
  readonly message: string;
  /** `true` if the error is retryable, else absent. */
  readonly retryable?: true;
  /** At most 32 fields of the error, each of at most 1,024 characters. */
  readonly fields?: Readonly<Record<string, string | number | boolean | null>>;
}

const MAX_MESSAGE = 2048;
const MAX_NAME = 256;
const MAX_FIELDS = 32;
const MAX_FIELD = 1024;

/**
 * Converts any thrown value, or an envelope, to an envelope. Control characters are removed from strings, and fields with names of
 * secrets are masked. `fields` are the error's `fields`, else its `details`. Never throws.
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

/** The stored failure of a key, thrown again. Its code is the stored code, else `jobs.stored_error`. Immutable. */
export class StoredError extends FrameworkError implements ErrorEnvelope {
  static {
    brandError(StoredError, 'sallyport.StoredError');
  }

  override readonly name: string = 'StoredError';
  /** Name of the stored error's class. */
  declare readonly type?: string;
  /** `true` if the stored error is retryable. */
  declare readonly retryable?: true;
  /** Fields of the stored error. */
  declare readonly fields?: NonNullable<ErrorEnvelope['fields']>;

  /** Creates the error from an envelope. */
  constructor(envelope: ErrorEnvelope) {
    super(envelope.code ?? 'jobs.stored_error', envelope.message);
    Object.assign(this, envelope, { code: this.code });
    Object.freeze(this);
  }
}

/** Parses a stored envelope; `undefined` for other text. */
export function parseEnvelope(value: unknown): ErrorEnvelope | undefined {
  return isObject(value) ? toErrorEnvelope(value) : undefined;
}

function messageOf(message: unknown): string {
  const text = typeof message === 'string' ? cut(sanitizeLogString(message), MAX_MESSAGE) : '';
  return text.trim() === '' ? 'unknown error' : text;
}

function shortText(value: unknown): string {
  return typeof value === 'string' ? cut(sanitizeLogString(value), MAX_NAME) : '';
}

function fieldsOf(source: unknown): ErrorEnvelope['fields'] {
  if (!isObject(source)) return undefined;
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

/** Truncates text, but never within a surrogate pair. */
function cut(text: string, length: number): string {
  return text.length <= length
    ? text
    : text
        .slice(0, length)
        .toWellFormed()
        .replace(/\ufffd$/, '');
}

/** Reads a property that may throw. */
function read(object: object, key: string): unknown {
  try {
    return (object as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}
