/** The members of an object before they are checked. */
export type Members = Readonly<Record<string, unknown>>;

const NO_MEMBERS: Members = /* @__PURE__ */ Object.freeze(Object.create(null));

/** True for an object that is neither `null` nor a list. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of an object; empty for any other value. */
export function membersOf(value: unknown): Members {
  return isObject(value) ? value : NO_MEMBERS;
}

/** An object, or the object that JSON text represents; empty for any other value. */
export function objectPart(value: unknown): Members {
  return membersOf(typeof value === 'string' ? fromJson(value) : value);
}

/** An own member of an object, so that prototypes are ignored; `undefined` if absent. */
export function ownOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Members)[key];
}

/** The value if it is a string, else `''`. */
export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A string without the blanks around it; `''` for any other value. */
export function trimmedText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** True for a string that is not blank. A first character that is not blank is enough, so usually nothing is allocated. */
export function isText(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const first = value.charCodeAt(0);
  return (first > 32 && first < 127) || value.trim() !== '';
}

/** True for a whole number within bounds, both included; without bounds, for zero and positive numbers. */
export function isWhole(value: unknown, least = 0, most = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

/** True for a string, a number, a boolean and `null`. */
export function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** True for an object whose members are all strings. */
export function isStringMap(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((member) => typeof member === 'string');
}

/** The value of JSON text; `undefined` for any other value, without the parser's message, which quotes the input. */
export function fromJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Percent-decoding of a whole string; unchanged if an escape is malformed or not UTF-8. */
export function decodeEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** True if a value has to be awaited: an object with a method `then`, of any realm or library. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T>;
export function isPromise(value: unknown): value is Promise<unknown>;
export function isPromise(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
