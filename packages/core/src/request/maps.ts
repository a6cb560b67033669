/** Names to lists of values. Has no prototype, so `__proto__` and `constructor` are names like any other. */
export type MultiMap = Record<string, string[]>;

/** What callers may hand in where a {@link MultiMap} is wanted. */
export type OneOrMany = Readonly<Record<string, string | readonly string[]>>;

/** A map without a prototype: the only kind that untrusted names may index. */
export function createMap<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

/** Adds values under a name, behind those that are there. */
export function append(map: MultiMap, name: string, values: string | readonly string[]): void {
  const present = map[name];
  if (present === undefined) map[name] = typeof values === 'string' ? [values] : [...values];
  else if (typeof values === 'string') present.push(values);
  else present.push(...values);
}

/**
 * Objects whose one ancestor is empty: every name is data in them as in {@link createMap}, but V8 keeps them in the fast
 * form of ordinary objects. For maps that are made on every answer.
 */
const Bare = function Bare() {} as unknown as new () => object;
Bare.prototype = Object.create(null);

/** A map for names of an answer; like {@link createMap} but cheaper to make. */
export function createAnswerMap<T>(): Record<string, T> {
  return new Bare() as Record<string, T>;
}

/**
 * Canonical headers: names trimmed and lower-cased, blank names dropped, visited in sorted order so that names which
 * differ only in case give one list in one order. Values that are no strings are left out.
 */
export function toHeaderMap(input: Readonly<Record<string, unknown>> | null | undefined): MultiMap {
  const map: MultiMap = createMap();
  if (!input) return map;
  for (const key of Object.keys(input).sort()) appendHeader(map, key, input[key]);
  return map;
}

/** Adds one header under its canonical name. */
export function appendHeader(map: MultiMap, key: string, value: unknown): void {
  const name = key.trim().toLowerCase();
  if (name === '') return;
  const values = toStringList(value);
  if (values.length > 0) append(map, name, values);
}

/** A string, or the strings of a list; anything else is nothing. */
export function toStringList(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
