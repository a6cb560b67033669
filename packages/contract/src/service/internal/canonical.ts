import { isObject } from '@sallyport/core/internal';

/** Compares names by UTF-16 code unit: the same order on each machine. */
export const byName = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** A copy whose objects have their keys in order, without members that are `undefined`. */
export function inOrder<T>(value: T): T {
  if (Array.isArray(value)) return value.map(inOrder) as T;
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => byName(a, b)).map(([key, member]) => [key, inOrder(member)]),
  ) as T;
}

/** JSON that is equal for equal values. */
export const canonicalText = (value: unknown) => JSON.stringify(inOrder(value));
