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
  /** The objects that contain the next member. */
  const open: { readonly key: string; readonly object: unknown }[] = [];
  try {
    return JSON.stringify(value, function (this: unknown, key, member: unknown) {
      while (open.length > 0 && open.at(-1)?.object !== this) open.pop();
      const found = unwritable(member);
      if (found !== '') throw notJson(place, [...open.map((outer) => outer.key), key].slice(1).join('.'), found);
      if (typeof member === 'object') open.push({ key, object: member });
      return member;
    });
  } catch (error) {
    if (error instanceof DurableError) throw error;
    throw notJson(place, '', 'a cycle, or a getter or toJSON that throws', error);
  }
}

function notJson(place: string, path: string, found: string, cause?: unknown): DurableError {
  const where = path === '' ? 'the result' : `member ${JSON.stringify(path.slice(0, 128))} of the result`;
  const remedy = 'return plain objects, lists, strings, finite numbers, booleans or null';
  return new DurableError('durable.not_json', `${place}: ${where} must be JSON (got ${found}): ${remedy}`, cause);
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
  return isEmpty || ArrayBuffer.isView(value) ? `an instance of ${value.constructor?.name}` : '';
}
