import { DurableError } from '../errors.js';

/** The largest result of one operation in bytes: above it, the SDK records only a part of a child context and runs it again. */
export const MAX_RESULT_BYTES = 262_144;

/** The JSON text of a value; `undefined` for `undefined`. */
export type Text = string | undefined;

/**
 * Writes a value as JSON.
 *
 * @param place the operation, for the error: `step "charge"`
 * @throws DurableError `durable.not_json` for a value that JSON would drop or change, `durable.result_too_large`
 */
export function toText(value: unknown, place: string, mostBytes = MAX_RESULT_BYTES): Text {
  const text = isPlain(value) ? JSON.stringify(value) : stringify(value, place);
  // A character of a string has at most three bytes.
  if (text !== undefined && text.length * 3 > mostBytes && Buffer.byteLength(text) > mostBytes) {
    const remedy = 'store it, for example with @sallyport/objectstore, and return its reference';
    const most = `${mostBytes / 1024} KiB`;
    throw new DurableError('durable.result_too_large', `${place}: the result has more than ${most}: ${remedy}`);
  }
  return text;
}

/** The value of JSON text. */
export function fromText<T>(text: Text): T {
  return (text === undefined ? undefined : JSON.parse(text)) as T;
}

/** True for a value that JSON keeps, and that has no members. */
function isPlain(value: unknown): boolean {
  return value === undefined || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function stringify(value: unknown, place: string): Text {
  try {
    return JSON.stringify(value, function (this: unknown, key, member: unknown) {
      const found = unwritable(member);
      if (found !== '') throw notJson(place, key, found);
      return member;
    });
  } catch (error) {
    if (error instanceof DurableError) throw error;
    throw notJson(place, '', 'a cycle, or a getter or toJSON that throws', error);
  }
}

function notJson(place: string, key: string, found: string, cause?: unknown): DurableError {
  const where = key === '' ? 'the result' : `member ${JSON.stringify(key.slice(0, 64))} of the result`;
  return new DurableError('durable.not_json', `${place}: ${where} must be JSON (got ${found})`, cause);
}

/** The description of a value that JSON drops or changes; `''` for all others. */
function unwritable(value: unknown): string {
  if (typeof value === 'number') return Number.isFinite(value) ? '' : String(value);
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return '';
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return '';
  // An instance of a class loses its class; without members, all its content.
  const isEmpty = Object.keys(value).length === 0;
  return isEmpty || ArrayBuffer.isView(value) ? `an instance of ${className(value)}` : '';
}

function className(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}
