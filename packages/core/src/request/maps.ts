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
class Bare {}
Object.setPrototypeOf(Bare.prototype, null);
Reflect.deleteProperty(Bare.prototype, 'constructor');

/** A map for names of an answer; like {@link createMap} but cheaper to make. */
export function createAnswerMap<T>(): Record<string, T> {
  return new Bare() as Record<string, T>;
}

/**
 * Canonical headers: names trimmed and lower-cased, blank names dropped, visited in sorted order so that names which
 * differ only in case give one list in one order. Values that are not strings are left out.
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

/** Levels of nesting that a copy keeps; what lies deeper is left out. */
const MAX_DEPTH = 64;

/** Copies of the objects that one copy has met: `undefined` while an object is still being copied, which cuts cycles. */
type Met = Map<object, unknown>;

/**
 * A deep copy of plain data: `null`, booleans, numbers, bigints, strings, lists and plain objects. Objects of the copy have
 * no prototype, so no key of theirs is special. Functions, symbols, `undefined`, instances of classes and whatever leads
 * back to itself are left out. Every member is read once. `undefined` for a value that is not plain itself.
 */
export function copyPlain(value: unknown): unknown {
  return copyValue(value, undefined, 0);
}

function copyValue(value: unknown, met: Met | undefined, depth: number): unknown {
  if (typeof value !== 'object') return typeof value === 'function' || typeof value === 'symbol' ? undefined : value;
  if (value === null) return null;
  if (met?.has(value)) return met.get(value);
  if (depth >= MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return copyList(value, met ?? new Map(), depth);
  return isPlainObject(value) ? copyObject(value, met, depth) : undefined;
}

function copyList(list: readonly unknown[], met: Met, depth: number): unknown[] {
  met.set(list, undefined);
  const copies: unknown[] = [];
  for (const item of list) {
    const copy = copyValue(item, met, depth + 1);
    if (copy !== undefined) copies.push(copy);
  }
  met.set(list, copies);
  return copies;
}

function copyObject(source: object, outer: Met | undefined, depth: number): Record<string, unknown> {
  let met = outer;
  met?.set(source, undefined);
  const copy = createMap<unknown>();
  for (const key of Object.keys(source)) {
    const value: unknown = (source as Record<string, unknown>)[key];
    // Flat objects are the usual ones, and need no book of what was met.
    if (met === undefined && typeof value === 'object' && value !== null) met = new Map([[source, undefined]]);
    const member = copyValue(value, met, depth + 1);
    if (member !== undefined) copy[key] = member;
  }
  met?.set(source, copy);
  return copy;
}

/**
 * The same data as {@link copyPlain} takes, for keeping rather than for handing out: the outermost object is an ordinary
 * one, which is several times as fast to make where it is flat.
 */
export function snapshotPlain(source: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const snapshot: Record<string, unknown> = { ...source };
  let met: Met | undefined;
  for (const key in snapshot) {
    const value = snapshot[key];
    if (isScalar(value) || !Object.hasOwn(snapshot, key)) continue;
    const scalars = copyScalars(value);
    if (!scalars) met ??= new Map([[source, undefined]]);
    const member = scalars ?? copyValue(value, met, 1);
    if (member === undefined) delete snapshot[key];
    else snapshot[key] = member;
  }
  return snapshot;
}

/** A copy of a list that holds scalars alone, as most lists of claims do; they lead nowhere, so nothing is to be kept in mind. */
function copyScalars(value: unknown): unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const copies: unknown[] = [];
  for (const item of value as readonly unknown[]) {
    if (!isScalar(item)) return undefined;
    copies.push(item);
  }
  return copies;
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null;
}

/** Whether an object has no prototype, or one that has none itself: `Object.prototype` of any realm. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
