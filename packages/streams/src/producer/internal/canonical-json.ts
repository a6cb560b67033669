/** Thrown for a value that has no JSON form; the caller knows the words for it. */
class UnsupportedValue extends Error {}

/** Deeper nesting has no honest use in a record, and would end in a stack overflow. */
const MAX_DEPTH = 1_000;

/**
 * JSON in its one canonical form (RFC 8785): keys sorted by UTF-16 units, no blanks, numbers as ECMAScript writes them. Same
 * value, same text, in every runtime.
 *
 * @throws UnsupportedValue for anything but plain objects, arrays, well-formed strings, booleans, finite numbers and `null`;
 * for a cycle; for more than 1,000 levels
 */
export function canonicalJson(value: unknown): string {
  return write(value, new Set());
}

/** @param path the containers that hold the value */
function write(value: unknown, path: Set<unknown>): string {
  switch (typeof value) {
    case 'string':
      return writeString(value);
    case 'number':
      if (Number.isFinite(value)) return JSON.stringify(value);
      break;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return value === null ? 'null' : writeContainer(value, path);
  }
  throw new UnsupportedValue();
}

/** A lone surrogate has no UTF-8 form (RFC 8785 section 3.2.2.2). */
function writeString(text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new UnsupportedValue();
  return JSON.stringify(text);
}

function writeContainer(container: object, path: Set<unknown>): string {
  if (path.has(container) || path.size >= MAX_DEPTH) throw new UnsupportedValue();
  path.add(container);
  const text = Array.isArray(container)
    ? `[${Array.from(container, (item) => write(item, path)).join(',')}]`
    : `{${writeMembers(container, path)}}`;
  path.delete(container);
  return text;
}

function writeMembers(object: object, path: Set<unknown>): string {
  if (!isPlain(object)) throw new UnsupportedValue();
  return Object.keys(object)
    .sort()
    .map((key) => `${writeString(key)}:${write((object as Record<string, unknown>)[key], path)}`)
    .join(',');
}

/** Of `Object` itself, of any realm, or without a prototype. */
function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
