/** The maximum number of levels of canonical JSON; a value that contains itself has more. */
const MAX_LEVELS = 1_000;

/**
 * Canonical JSON (RFC 8785): names sorted by UTF-16 code units, no blanks, numbers as ECMAScript writes them. Equal values have equal
 * JSON in every runtime.
 *
 * Values that JSON cannot represent are written as `JSON.stringify` writes them, but `toJSON` is not called: members that are `undefined` are
 * omitted, other such values are `null`, and a lone surrogate is an escape sequence. A caller can reject such values with `check`.
 *
 * @param check called with every value and every name before it is written; throws to reject it
 * @throws TypeError for a value with more than 1,000 levels, which would otherwise end in a stack overflow, and for a `bigint`
 */
export function canonicalJson(value: unknown, check?: (part: unknown) => void): string {
  let levels = 0;
  const write = (part: unknown): string => {
    check?.(part);
    if (typeof part !== 'object' || part === null) return JSON.stringify(part) ?? 'null';
    levels += 1;
    if (levels > MAX_LEVELS) throw new TypeError('the value has more than 1,000 levels');
    const text = Array.isArray(part)
      ? `[${Array.from(part, (item) => write(item)).join()}]`
      : `{${writeMembers(part)}}`;
    levels -= 1;
    return text;
  };
  const writeMembers = (object: object) =>
    Object.keys(object)
      .sort()
      .flatMap((name) => {
        const member = (object as Readonly<Record<string, unknown>>)[name];
        check?.(name);
        const text = write(member);
        return member === undefined ? [] : `${JSON.stringify(name)}:${text}`;
      })
      .join();
  return write(value);
}

/** The size of a value as JSON in bytes, with `undefined` as `null`; infinite for a value that JSON cannot represent. Never throws. */
export function bytesOfJson(value: unknown): number {
  try {
    const text = JSON.stringify(value ?? null) as string | undefined;
    if (text !== undefined) return Buffer.byteLength(text);
  } catch {
    // A BigInt, a cycle, a getter that throws.
  }
  return Number.POSITIVE_INFINITY;
}
